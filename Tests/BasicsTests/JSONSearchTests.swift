// SPDX-License-Identifier: MIT

import Basics
import TestSupport
import Testing

@Suite struct JSONSearchTests {
  private func find(_ path: String, _ text: String) throws -> JSONSearch.Finding {
    try #require(try JSONSearch.find([try JSONPath(path)], in: Array(text.utf8)).first)
  }

  @Test(arguments: [
    ("$", "1", "1"), ("$", " [1, 2]\n", "[1,2]"), ("$.a", #"{"a":"x"}"#, #""x""#),
    ("$.a.b", #"{"a":{"b":null}}"#, "null"),
    ("$[0]", "[1,2,3]", "1"), ("$[-1]", "[1,2,3]", "3"), ("$[-3]", "[1,2,3]", "1"),
    ("$.a[1].b[-1]", #"{"x":[],"a":[{},{"b":[{"c":1},[2]]}],"z":1}"#, "[2]"),
    ("$['a b']", #"{"a b":true}"#, "true"), (#"$["é"]"#, #"{"\u00e9":1}"#, "1"), ("$.é", #"{"é":2}"#, "2"),
    (#"$['\n']"#, #"{"\n":3}"#, "3"), ("$['']", #"{"":4}"#, "4"),
    ("$[-1][-1]", "[[1],[2,[3]]]", "[3]"), ("$", "\u{feff}true", "true"),
  ])
  func findsTheOnePlace(path: String, text: String, value: String) throws {
    #expect(try find(path, text) == .value(try JSONValue.parse(value.utf8)))
  }

  @Test(arguments: [
    ("$.a", "[]"), ("$.a", "{}"), ("$[0]", "[]"), ("$[3]", "[1,2,3]"), ("$[-4]", "[1,2,3]"),
    ("$[0]", #"{"0":1}"#),
    ("$.a.b", #"{"a":1}"#), ("$.A", #"{"a":1}"#), ("$.é", "{\"e\u{301}\":1}"), ("$.a", "null"),
  ])
  func saysThatThereIsNone(path: String, text: String) throws { #expect(try find(path, text) == .missing) }

  /// Whoever reads the first and whoever reads the last would disagree.
  @Test(arguments: [
    ("$.a", #"{"a":1,"a":1}"#), ("$.a.b", #"{"a":{"b":1},"a":{}}"#), ("$.a.b", #"{"a":{},"a":{"b":1}}"#),
    ("$.a", #"{"a":1,"\u0061":2}"#), ("$.a", #"{"a":{"x":1,"x":2}}"#), ("$[0].a", #"[{"a":1,"b":0,"a":1}]"#),
  ])
  func refusesToChoose(path: String, text: String) throws { #expect(try find(path, text) == .ambiguous) }

  @Test func aTwinElsewhereIsNoMatter() throws {
    #expect(try find("$.a", #"{"a":1,"b":{"x":1,"x":2}}"#) == .value(.number("1")))
  }

  @Test func findsSeveralInOnePass() throws {
    let paths = try ["$.a", "$.b[0]", "$.b[-1]", "$.none", "$", "$.a"].map { try JSONPath($0) }
    let found = try JSONSearch.find(paths, in: Array(#"{"b":[1,2],"a":"x"}"#.utf8))
    let whole = JSONValue.object([
      .init("b", .array([.number("1"), .number("2")])), .init("a", .string("x")),
    ])
    #expect(
      found == [
        .value(.string("x")), .value(.number("1")), .value(.number("2")), .missing, .value(whole),
        .value(.string("x")),
      ])
  }

  @Test func largeThingsStayWhereTheyAre() throws {
    let list = "[" + String(repeating: "1,", count: 40_000) + "1]"
    #expect(try find("$.a", #"{"a":\#(list)}"#) == .tooLarge)
    #expect(try find("$.a[-1]", #"{"a":\#(list)}"#) == .value(.number("1")))
    let text = String(repeating: "x", count: 100_000)
    #expect(try find("$.a", #"{"a":"\#(text)"}"#) == .value(.string(text)))
  }

  @Test func depthIsBounded() throws {
    let deep = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
    #expect(try find("$.a", deep) == .missing)
    #expect(throws: JSONError.self) { try find("$.a", "[" + deep + "]") }
    #expect(throws: JSONError.self) { try find("$[-1]", "[" + deep + "]") }
    #expect(throws: JSONError.self) { try find("$.a", String(repeating: "[", count: 1 << 20)) }
    #expect(throws: JSONError.self) { try find("$[-1]", String(repeating: "[{\"a\":", count: 1 << 18)) }
  }

  @Test(arguments: JSONValueTests.invalid.filter { !$0.hasPrefix("\u{feff}") && !hasTwins($0) })
  func isAsStrictAsTheParser(text: String) {
    #expect(throws: JSONError.self, "\(text)") { try find("$.no", text) }
    #expect(throws: JSONError.self, "\(text)") { try find("$[-1]", text) }
  }

  /// Random documents, damaged or not: the search and the parser agree on what is there.
  @Test func agreesWithTheParser() throws {
    var generator = SeededGenerator(seed: 7)
    let paths = try ["$", "$.a", "$.b.a", "$[0]", "$[-1]", "$.a[1]", "$.a[-2].b", "$['é']", "$[1][0]"].map {
      try JSONPath($0)
    }
    for _ in 0..<4000 {
      var bytes = Array(document(depth: 4, &generator).utf8)
      if Bool.random(using: &generator), let index = bytes.indices.randomElement(using: &generator) {
        bytes[index] = UInt8.random(in: 0...255, using: &generator)
      }
      let parsed = Result { () throws(JSONError) in try JSONValue.parse(bytes) }
      let found = Result { () throws(JSONError) in try JSONSearch.find(paths, in: bytes) }
      switch (parsed, found) {
      case (.success(let value), .success(let found)):
        #expect(found == paths.map { $0.value(in: value).map { .value($0) } ?? .missing })
      case (.failure(let a), .failure(let b)): #expect(a == b || a.message == twins)
      case (.failure(let error), .success): #expect(error.message == twins)
      case (.success, .failure(let error)): Issue.record("only the search fails: \(error)")
      }
    }
  }

  private func document(depth: Int, _ generator: inout SeededGenerator) -> String {
    let names = ["a", "b", "é", "\\u0061", ""]
    switch Int.random(in: depth == 0 ? 2...7 : 0...7, using: &generator) {
    case 0:
      let members = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
        "\"\(names.randomElement(using: &generator) ?? "")\": \(document(depth: depth - 1, &generator))"
      }
      return "{" + members.joined(separator: ", ") + "}"
    case 1:
      let items = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
        document(depth: depth - 1, &generator)
      }
      return "[ " + items.joined(separator: ",") + "]"
    case 2: return "null"
    case 3: return "true"
    case 4: return "\"\\u00e9 ü \\\" x\""
    case 5: return "\"\\ud83d\(Bool.random(using: &generator) ? "" : "\\ude42")\""
    default: return ["0", "-1.5e3", "12", "1E-2"].randomElement(using: &generator) ?? "0"
    }
  }
}

private let twins = "duplicate member name"

/// The search minds twins on its way only.
private func hasTwins(_ text: String) -> Bool {
  do throws(JSONError) {
    _ = try JSONValue.parse(text.utf8)
    return false
  } catch { return error.message == twins }
}

@Suite struct JSONComparingTests {
  @Test(arguments: [
    ("1", "1.0", true), ("1", "\"1\"", false), ("9007199254740993", "9007199254740992", false),
    ("null", "null", true),
    ("[1,2]", "[1.0,2]", true), ("[1,2]", "[2,1]", false), ("[1]", "[1,1]", false),
    (#"{"a":1,"b":[]}"#, #"{"b":[],"a":1e0}"#, true), (#"{"a":1}"#, #"{"a":1,"b":1}"#, false),
    (#"{"a":1}"#, #"{"b":1}"#, false), ("{}", "[]", false), ("true", "false", false),
    ("\"é\"", "\"e\u{301}\"", false),
  ])
  func comparesWhatIsMeant(left: String, right: String, same: Bool) throws {
    let (a, b) = (try JSONValue.parse(left.utf8), try JSONValue.parse(right.utf8))
    #expect(a.isSame(as: b) == same)
    #expect(b.isSame(as: a) == same)
  }

  @Test(arguments: [#"{"a":[1.50,"x\n",null],"":true}"#, "[]", "\"é\"", "-0"])
  func printsCompactly(text: String) throws { #expect(try JSONValue.parse(text.utf8).text == text) }
}
