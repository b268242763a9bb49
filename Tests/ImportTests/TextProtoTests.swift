// SPDX-License-Identifier: MIT

import Testing

@testable import Import

/// The text form of protocol buffers, in which cloudprober is configured.
@Suite struct TextProtoTests {
  /// A protocol buffer as text: signs between fields, brackets of both kinds, and texts in each kind of quotes.
  @Test(arguments: [
    ("a: 1, b: 2; c: 3", "{a:1,b:2,c:3}"), ("a <b: 1>", "{a:{b:1}}"), ("a: {b: 1}", "{a:{b:1}}"),
    ("a { b { c: 1 } }", "{a:{b:{c:1}}}"), ("a: [1, 2, {b: 3}]", "{a:[1,2,{b:3}]}"),
    ("a: \"x\" 'y' \"z\"", "{a:xyz}"), ("a: \"\\n\\r\\t\\\\\\\"\"", "{a:\n\r\t\\\"}"),
    ("# a: 1\nb: 2 # c\nd: 3", "{b:2,d:3}"), ("a: \"# b\"", "{a:# b}"), ("[a.b/c]: 1", "{[a.b/c]:1}"),
    ("a: -1.5e+3", "{a:-1.5e+3}"), ("", "{}"),
    // A template of Go has quotes of its own.
    ("a: \"x{{env \"B\"}}y\" b: 1", "{a:x{{env \"B\"}}y,b:1}"), ("a: '{{env \"B\"}}'", "{a:{{env \"B\"}}}"),
    ("a: \"{{\" b: \"{x}\"", "{a:{{,b:{x}}"), ("a: \"{{\"\nb: \"}}\"", "{a:{{,b:}}}"),
  ])
  func textsOfProtocolBuffers(text: String, shown: String) throws {
    func show(_ node: ForeignNode) -> String {
      switch node.content {
      case .scalar(let text, _): text
      case .list(let items): "[\(items.map(show).joined(separator: ","))]"
      case .map(let entries): "{\(entries.map { "\($0.name):\(show($0.value))" }.joined(separator: ","))}"
      }
    }
    #expect(show(try TextProto.read(Array(text.utf8))) == shown)
  }

  @Test(arguments: [
    ("a: \"x", "line 1: a text has no end"), ("a {\n b: 1\n", "line 3: a } is missing"),
    ("\n\na: [1", "line 3: a ] is missing"), ("a: }", "line 1: no value"),
  ])
  func whatIsNoText(text: String, words: String) {
    #expect(throws: ImportProblem(words)) { try TextProto.read(Array(text.utf8)) }
  }
}
