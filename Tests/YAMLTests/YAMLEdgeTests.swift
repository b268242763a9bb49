// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing
import YAML

/// Places, bounds and refused parts at their edges.
extension YAMLReaderTests {
  private static let marks = "mark(YAML.YAMLProblem.Mark"

  /// Places are in lines and characters, whichever part of libyaml complains; an early end lies inside the text.
  @Test(
    arguments: [
      ("a: 1\nb: 2\nc: \u{7}", "control characters are not allowed, began 0 at 3:4"),
      ("ä: \u{7}", "control characters are not allowed, began 0 at 1:4"),
      ("日本: ä\nö: ü\u{7}", "control characters are not allowed, began 0 at 2:5"),
      ("a: b: c\n", "mapping values are not allowed in this context, began 0 at 1:5"),
      ("a: 1\nb", "could not find expected ':', began 2 at 2:2"),
      ("a: 1\nä", "could not find expected ':', began 2 at 2:2"),
      ("a: [1,\n", "did not find expected node content, began 2 at 2:1"),
      // Blanks, and a tab, that indent nothing.
      ("-\t- 1\n", "found character that cannot start any token, began 1 at 1:2"),
      ("a: 'x\n  ", "found unexpected end of stream, began 1 at 2:3"),
      ("a: 'x\n\t", "found unexpected end of stream, began 1 at 2:2"),
    ])
  func placesOfComplaints(text: String, told: String) {
    #expect(read(text, .plain) == told)
    #expect(read(text, .whole) == told)
  }

  /// A byte order mark that is read over is a character of its line.
  @Test func aByteOrderMarkTakesAPlace() {
    #expect(read("\u{feff}a: *x\n", .whole) == "noAnchor at 1:5")
    #expect(read("\u{feff}a: \u{7}", .whole) == "control characters are not allowed, began 0 at 1:5")
    #expect(read("a: *x\n", .whole) == "noAnchor at 1:4")
  }

  /// A tag or a directive that libyaml itself cannot read is told of as one that is refused.
  @Test(
    arguments: [
      ("a: !<x\n", "tag) at 1:4"), ("a: !x!\n", "tag) at 1:4"), ("a: !a%z\n", "tag) at 1:4"),
      ("a: !x!y 1\n", "tag) at 1:4"), ("%\n---\n", "directive) at 1:1"), ("%X!\n---\n", "directive) at 1:1"),
      ("%YAML 1\n---\n", "directive) at 1:1"), ("%YAML 1.1 x\n---\n", "directive) at 1:1"),
      ("%TAG\n---\n", "directive) at 1:1"), ("%TAG a! b\n---\n", "directive) at 1:1"),
      ("%TAG !a\n---\n", "directive) at 1:1"), ("%TAG !a! \n---\n", "directive) at 1:1"),
      ("%TAG !a!b c\n---\n", "directive) at 1:1"), ("%TAG !a! b c\n---\n", "directive) at 1:1"),
      ("a: [&\n", "anchor) at 1:5"), ("a: &x!\n", "anchor) at 1:4"), ("a: *x!\n", "alias) at 1:4"),
      ("a:\n\n\tb: 1\n", "tab) at 3:1"),
    ])
  func brokenPartsThatAreRefused(text: String, mark: String) {
    #expect(read(text, .plain) == "\(Self.marks).\(mark)")
  }

  /// Other problems wait until what is refused has left the text.
  @Test func refusedPartsAreToldAlone() {
    #expect(read("a: 1\na: &x 2\n", .plain) == "\(Self.marks).anchor) at 2:4")
    #expect(read("a: &x 1\nb: 2\n", .plain) == "\(Self.marks).anchor) at 1:4")
    #expect(
      read("%TAG !a! a:\n%TAG !b! b:\n---\n1\n", .plain)
        == "\(Self.marks).directive) at 1:1; \(Self.marks).directive) at 2:1")
    #expect(read("a: 1\na: 2\nb: [\n", .plain) == "a twice, last 1:1 at 2:1")
  }

  /// Brackets of both kinds, beside lines that indent.
  @Test(
    arguments: [
      ("a: {{{{\n", "tooDeep at 1:7", "tooDeep at 1:7"), ("a: {[{[\n", "tooDeep at 1:7", "tooDeep at 1:7"),
      ("- - - []\n", "[[[[]]]]", "[[[[]]]]"), ("- - - [1]\n", "tooDeep at 1:8", "tooDeep at 1:8"),
      ("- - - {}\n", "[[[{}]]]", "[[[{}]]]"), ("- - - - []\n", "tooDeep at 1:7", "tooDeep at 1:9"),
      ("[[[]]]\n", "[[[]]]", "[[[]]]"), ("[[[[]]]]\n", "tooDeep at 1:4", "[[[[]]]]"),
      ("[[[[[]]]]]\n", "tooDeep at 1:4", "tooDeep at 1:5"), ("1\n", "1", "1"),
    ])
  func howDeep(text: String, plain: String, whole: String) {
    #expect(read(text, .plain) == plain)
    #expect(read(text, .whole) == whole)
  }

  /// A percent sign begins a directive at the beginning of a line only, whatever ends the line before.
  @Test(
    arguments: [
      ("%TAG !a! a:\n%TAG !b! b:\n---\n1\n", "1"), ("%A\n%B\n%C\n---\n1\n", "tooManyDirectives at 3:1"),
      ("%A\r\n%B\r\n%C\r\n---\r\n1\r\n", "tooManyDirectives at 3:1"),
      ("%A\r%B\r%C\r---\r1\r", "tooManyDirectives at 1:1"), ("- a%%%%\n", "[a%%%%]"),
      ("- 1\n\n- ' %%%'\n", "[1, ' %%%']"),
    ])
  func directives(text: String, whole: String) { #expect(read(text, .whole) == whole) }

  /// Text counts in bytes, keys and `!!binary` included; bytes that are no text repeat for nothing.
  @Test func bytesOfTextThatAreTaken() {
    let text = String(repeating: "y", count: 59)
    #expect(read("a: \(text)\n", .whole) == "{a: \(text)}")
    #expect(read("a: \(text)y\n", .whole) == "tooMuchText at 1:4")
    #expect(read("aa: \(text)\n", .whole) == "tooMuchText at 1:5")
    #expect(read("- \(text.dropLast())ä\n", .whole) == "[\(text.dropLast())ä]")
    #expect(read("- \(text)ä\n", .whole) == "tooMuchText at 1:3")
    // Three bytes of four digits each.
    let digits = String(repeating: "eXl5", count: 20)
    #expect(read("- !!binary \(digits)\n", .whole) == "['\(text)y']")
    #expect(read("- !!binary \(digits)eQ==\n", .whole) == "tooMuchText at 1:3")
    #expect(read("- &a !!binary /w==\n- \(text)\n- *a\n", .whole) == "[[255], \(text), [255]]")
  }

  /// Blanks between the digits of `!!binary` are none of it; as a key, bytes that are no text are an empty one.
  @Test(
    arguments: [
      ("a: !!binary 'aG k='\n", "{a: 'hi'}"), ("a: !!binary 'aG\tk='\n", "{a: 'hi'}"),
      ("a: !!binary |\n  aG\n  k=\n", "{a: 'hi'}"), ("a: !!binary 'aG!k='\n", "noBase64 at 1:4"),
      ("? !!binary /w==\n: 1\n", "{: 1}"), ("? !!binary PDw=\n: {a: 1}\n", "{<<: {a: 1}}"),
      ("!!str <<: {a: 1}\n", "{<<: {a: 1}}"), ("!own <<: {a: 1}\n", "{a: 1}"),
    ])
  func binary(text: String, whole: String) { #expect(read(text, .whole) == whole) }

  /// Bytes are read as their text is, and places are of the first file unless another is named.
  @Test func bytesAndTheirPlaces() {
    var reader = YAMLReader(.plain)
    let trees = reader.read(Array("ä: [1]\n".utf8))
    #expect(trees.map(\.position) == [Position(line: 1, column: 1)] && reader.count == 0)
    #expect(trees.first?.position.source == 0)
    guard case .map(let entries)? = trees.first?.content,
      case .list(let items)? = entries.first?.value.content
    else {
      Issue.record("no list: \(reader.problems)")
      return
    }
    #expect(entries.map(\.key) == ["ä"] && items.map(\.position) == [Position(line: 1, column: 5)])
  }

  /// The next step, to its last word, for each mistake that has one.
  @Test(
    arguments: [
      (
        "a: b: c\n", "check the indentation of this line, or quote a value that contains \": \""
      ), ("a: @b\n", "quote a value that begins with @, ` or %"),
      ("- %a\n", "quote a value that begins with @, ` or %"),
      ("a: \"b\" c\n", "check the indentation and quotes of this line and the one before"),
      ("a: 1\nb\nc: 2\n", "check the indentation and quotes of this line and the one before"),
      ("a: [1\n", nil),
    ] as [(String, String?)])
  func whatToDo(text: String, hint: String?) {
    var reader = YAMLReader(.plain)
    #expect(reader.read(text).isEmpty && reader.problems.count == 1)
    guard case .failure(let words, _)? = reader.problems.first?.kind else {
      Issue.record("no failure: \(reader.problems)")
      return
    }
    #expect(words.hint == hint)
  }
}
