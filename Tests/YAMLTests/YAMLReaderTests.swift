// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing
import YAML

extension YAMLRules {
  /// As agent.yaml is read.
  static let plain = YAMLRules(bytes: 1000, depth: 3, bracketsApart: true, extras: .refused, problems: 4)
  /// As the files of other monitors are.
  static let whole = YAMLRules(
    bytes: 1000, depth: 4, bracketsApart: false, extras: .read(directives: 2, values: 20, text: 60),
    problems: 1)
}

/// One reader under two sets of rules.
@Suite struct YAMLReaderTests {
  /// The trees in a notation of the test's own, or the problems.
  func read(_ text: String, _ rules: YAMLRules) -> String {
    var reader = YAMLReader(rules)
    let trees = reader.read(text)
    guard reader.problems.isEmpty else {
      let rest = reader.count - reader.problems.count
      return reader.problems.map(told).joined(separator: "; ") + (rest > 0 ? "; \(rest) more" : "")
    }
    return trees.map(told).joined(separator: " --- ")
  }

  private func told(_ problem: YAMLProblem) -> String {
    let kind =
      switch problem.kind {
      case .failure(let words, let began): "\(words.text), began \(began?.line ?? 0)"
      case .twice(let name, let last): "\(name) twice, last \(last.line):\(last.column)"
      default: "\(problem.kind)"
      }
    return kind + (problem.position.map { " at \($0.line):\($0.column)" } ?? "")
  }

  private func told(_ node: YAMLNode) -> String {
    switch node.content {
    case .scalar(let text, let isPlain): isPlain ? text : "'\(text)'"
    case .bytes(let bytes): "\(bytes)"
    case .list(let items): "[\(items.map(told).joined(separator: ", "))]"
    case .map(let entries): "{\(entries.map { "\($0.key): \(told($0.value))" }.joined(separator: ", "))}"
    }
  }

  @Test(
    arguments: [
      ("a: no\nb: ['1', ~]\n", "{a: no, b: ['1', ~]}", "{a: no, b: ['1', ~]}"),
      // Places are in characters; an early end is told of inside the text.
      (
        "ä: [", "did not find expected node content, began 1 at 1:5",
        "did not find expected node content, began 1 at 1:5"
      ),
      (
        "a: 1\nb: \u{7}", "control characters are not allowed, began 0 at 2:4",
        "control characters are not allowed, began 0 at 2:4"
      ),
      (
        "\u{7}", "control characters are not allowed, began 0 at 1:1",
        "control characters are not allowed, began 0 at 1:1"
      ),
      ("", "empty", ""), ("# nothing\n", "empty", ""),
      ("a: 1\n---\nb: 2\n", "secondDocument at 2:1", "{a: 1} --- {b: 2}"),
      ("\u{feff}a: 1\n", "byteOrderMark at 1:1", "{a: 1}"),
      ("%YAML 1.1\n---\na: 1\n", "mark(YAML.YAMLProblem.Mark.directive) at 1:1", "{a: 1}"),
      (
        "a: &x 1\nb: *x\n",
        "mark(YAML.YAMLProblem.Mark.anchor) at 1:4; mark(YAML.YAMLProblem.Mark.alias) at 2:4", "{a: 1, b: 1}"
      ),
      ("a: !!str 1\n", "mark(YAML.YAMLProblem.Mark.tag) at 1:4", "{a: '1'}"),
      ("a: !!binary aGk=\n", "mark(YAML.YAMLProblem.Mark.tag) at 1:4", "{a: 'hi'}"),
      ("a: !!binary /w==\n", "mark(YAML.YAMLProblem.Mark.tag) at 1:4", "{a: [255]}"),
      ("a: !!binary '*'\n", "mark(YAML.YAMLProblem.Mark.tag) at 1:4", "noBase64 at 1:4"),
      ("a: !own 1\n", "mark(YAML.YAMLProblem.Mark.tag) at 1:4", "{a: 1}"),
      ("a: *x\n", "mark(YAML.YAMLProblem.Mark.alias) at 1:4", "noAnchor at 1:4"),
      (
        "a: &x {b: 1}\nc: *x\n",
        "mark(YAML.YAMLProblem.Mark.anchor) at 1:4; mark(YAML.YAMLProblem.Mark.alias) at 2:4",
        "{a: {b: 1}, c: {b: 1}}"
      ),
      (
        "a: &x [1]\nc: *x\n",
        "mark(YAML.YAMLProblem.Mark.anchor) at 1:4; mark(YAML.YAMLProblem.Mark.alias) at 2:4",
        "{a: [1], c: [1]}"
      ),
      ("a: !own {b: 1}\n", "mark(YAML.YAMLProblem.Mark.tag) at 1:4", "{a: {b: 1}}"),
      ("a: !own [1]\n", "mark(YAML.YAMLProblem.Mark.tag) at 1:4", "{a: [1]}"),
      ("%TAG !a! a:\n---\n1\n", "mark(YAML.YAMLProblem.Mark.directive) at 1:1", "1"),
      ("<<: {a: 1}\nb: 2\n", "{<<: {a: 1}, b: 2}", "{b: 2, a: 1}"),
      ("'<<': {a: 1}\n", "{<<: {a: 1}}", "{<<: {a: 1}}"),
      (
        "a: 0\n<<: [{a: 1, b: 1}, {b: 2, c: 2}]\n", "tooDeep at 2:7",
        "{a: 0, b: 1, c: 2}"
      ),
      ("<<: 1\n", "{<<: 1}", "noMaps at 1:1"),
      (
        "a: 1\na: 2\nb: 1\na: 3\nb: 2\n",
        "a twice, last 1:1 at 2:1; a twice, last 2:1 at 4:1; b twice, last 3:1 at 5:1",
        "a twice, last 1:1 at 2:1"
      ),
      ("[a]: {b: 1, b: 2}\n", "b twice, last 1:7 at 1:13; keyIsNoText at 1:1", "keyIsNoText at 1:1"),
      ("a:\n  b:\n    c: 1\n", "tooDeep at 3:5", "{a: {b: {c: 1}}}"),
      ("a: [[[1]]]\n", "tooDeep at 1:7", "tooDeep at 1:7"), ("a: [[1]]\n", "tooDeep at 1:6", "{a: [[1]]}"),
      ("a: [[[[\n", "tooDeep at 1:7", "tooDeep at 1:7"),
    ] as [(String, String, String)])
  func eachByItsRules(text: String, plain: String, whole: String) {
    #expect(read(text, .plain) == plain)
    #expect(read(text, .whole) == whole)
  }

  @Test func boundsAreHeld() {
    let long = String(repeating: "x", count: 998)
    #expect(read("# \(long)\na: 1", .plain) == "tooLarge")
    #expect(read("# \(long)\na: 1", .whole) == "tooLarge")
    #expect(read("%TAG !a! a:\n%TAG !b! b:\n%TAG !c! c:\n---\n1\n", .whole) == "tooManyDirectives at 3:1")
    let items = Array(repeating: "1", count: 18).joined(separator: ", ")
    #expect(read("- \(items)", .whole) == "[\(items)]")
    #expect(read("[\(items), 1, 1]", .whole) == "tooManyValues at 1:1")
    // What an alias repeats counts like what is written out.
    #expect(read("- &a [\(items)]\n- *a\n", .whole) == "tooManyValues at 2:3")
    let text = String(repeating: "y", count: 20)
    #expect(read("- &a \(text)\n- *a\n- *a\n", .whole) == "[\(text), \(text), \(text)]")
    #expect(read("- &a \(text)\n- *a\n- *a\n- *a\n", .whole) == "tooMuchText at 4:3")
    var reader = YAMLReader(.whole)
    #expect(reader.read([0x61, 0xff]).isEmpty)
    #expect(reader.problems.map(told) == ["noUTF8"])
  }

  @Test func problemsAreCountedBeyondThoseKept() {
    let twice = (0..<6).map { "k\($0): 1\nk\($0): 1\n" }.joined()
    #expect(read(twice, .plain).hasSuffix("k3 twice, last 7:1 at 8:1; 2 more"))
  }

  /// A text with a key given twice is offered with both values, unless it has other problems.
  @Test(arguments: [
    ("a: 1\nb: 2\na: 3\n", ["a", "b", "a"]), ("[a]: 1\nb: 2\n", ["b"]), ("a: 1\n", []),
    ("a: 1\na: 2\nb: [\n", []), ("a: 1\na: &x 2\n", []),
  ])
  func faultyTextsAreOffered(text: String, keys: [String]) {
    var reader = YAMLReader(.plain)
    let isRead = !reader.read(text).isEmpty
    var names: [String] = []
    if case .map(let entries)? = reader.faulty.first?.content { names = entries.map(\.key) }
    #expect(names == keys && isRead == (reader.count == 0))
  }

  @Test func placesSayWhichFile() {
    var reader = YAMLReader(.plain, source: 7)
    guard case .map(let entries)? = reader.read("a: 1\n").first?.content else {
      Issue.record("no map")
      return
    }
    #expect(entries.map(\.position.source) == [7] && entries.map(\.value.position.source) == [7])
  }

  /// What is refused is told of as that also where libyaml reads no further, and no more of it than is kept.
  @Test(
    arguments: [
      ("a:\n\tb: 1\n", ["tab at 2:1"]), ("a: 1\nb:\n  \tc: 1\n", ["tab at 3:3"]),
      ("a: &\n", ["anchor at 1:4"]),
      ("a: *\n", ["alias at 1:4"]), ("%YAML x\n---\n", ["directive at 1:1"]),
      (
        "a: [&a 1, &b 1, &c 1, &d 1, &e 1]\n",
        ["anchor at 1:5", "anchor at 1:11", "anchor at 1:17", "anchor at 1:23"]
      ),
    ])
  func whatIsRefused(text: String, marks: [String]) {
    let told = marks.map { "mark(YAML.YAMLProblem.Mark.\($0.replacing(" at ", with: ") at "))" }
    #expect(read(text, .plain) == told.joined(separator: "; "))
  }

  /// A key is found again among few and among many, and where it stood last is told.
  @Test(
    arguments: [
      (15, [14], ["k14 twice, last 15:1 at 16:1"]), (16, [15], ["k15 twice, last 16:1 at 17:1"]),
      (17, [16], ["k16 twice, last 17:1 at 18:1"]),
      (
        20, [0, 17, 0, 16],
        [
          "k0 twice, last 1:1 at 21:1", "k17 twice, last 18:1 at 22:1", "k0 twice, last 21:1 at 23:1",
          "k16 twice, last 17:1 at 24:1",
        ]
      ), (3, [1, 1], ["k1 twice, last 2:1 at 4:1", "k1 twice, last 4:1 at 5:1"]),
    ] as [(Int, [Int], [String])])
  func keysAmongMany(count: Int, again: [Int], told: [String]) {
    let text = (Array(0..<count) + again).map { "k\($0): 1\n" }.joined()
    #expect(read(text, .plain) == told.joined(separator: "; "))
  }

  /// An alias counts as much as what it repeats: so many of it are taken, and one more is told of there.
  @Test(
    arguments: [
      ("x", 18, "tooManyValues at 1:1"), ("!!binary /w==", 18, "tooManyValues at 1:1"),
      ("[1]", 8, "tooManyValues at 1:1"), ("{b: 1}", 8, "tooManyValues at 10:3"),
      ("[\(String(repeating: "y", count: 20))]", 2, "tooMuchText at 4:3"),
      ("{kkkkkkkkkk: yyyyyyyyyy}", 2, "tooMuchText at 4:3"),
    ])
  func aliasesCount(node: String, most: Int, problem: String) {
    func list(_ aliases: Int) -> String { "- &a \(node)\n" + String(repeating: "- *a\n", count: aliases) }
    var reader = YAMLReader(.whole)
    #expect(reader.read(list(most)).count == 1 && reader.problems.isEmpty)
    #expect(read(list(most + 1), .whole) == problem)
  }

  /// An alias stands for the last anchor of its name before it, of its own document.
  @Test(
    arguments: [
      ("a: &x 1\n---\nb: *x\n", "noAnchor at 3:4"), ("&x 1\n---\n*x\n", "noAnchor at 3:1"),
      ("a: &x 1\nb: *x\n---\na: &x 2\nb: *x\n", "{a: 1, b: 1} --- {a: 2, b: 2}"),
      ("a: &x 1\n---\na: *x\nb: &x 2\n", "noAnchor at 3:4"),
      ("- &x 1\n- *x\n- &x 2\n- *x\n", "[1, 1, 2, 2]"), ("- *x\n- &x 1\n", "noAnchor at 1:3"),
      ("- &x [*x]\n", "noAnchor at 1:7"), ("- &x 1\n- &y 2\n- *y\n- *x\n", "[1, 2, 2, 1]"),
      ("- &x [&y 1]\n- *y\n- *x\n", "[[1], 1, [1]]"),
      ("&x a: 1\n*x : 2\nb: *x\n", "a twice, last 1:1 at 2:1"),
      ("&x a: 1\nb: *x\n", "{a: 1, b: a}"),
    ])
  func anchorsOfADocument(text: String, whole: String) { #expect(read(text, .whole) == whole) }

  /// Of equal keys those that are written out count, then the merged maps in their order, wherever the key stands.
  @Test(
    arguments: [
      ("<<: {a: 1}\na: 2\n", "{a: 2}"), ("a: 2\n<<: {a: 1}\n", "{a: 2}"),
      ("<<: [{a: 1}, {a: 2, b: 3}]\n", "{a: 1, b: 3}"), ("<<: {a: 1}\n<<: {a: 2, b: 3}\n", "{a: 1, b: 3}"),
      ("<<: []\na: 1\n", "{a: 1}"), ("<<: [{a: 1}, 2]\n", "noMaps at 1:1"), ("<<:\n", "noMaps at 1:1"),
      ("\"<<\": 1\n<<: {a: 1}\n", "{<<: 1, a: 1}"),
    ])
  func mergedMaps(text: String, whole: String) { #expect(read(text, .whole) == whole) }

  /// Written as nothing, and without quotes.
  @Test(
    arguments: [
      ("", true), ("~", true), ("null", true), ("Null", true), ("NULL", true), ("nULL", false), ("''", false),
      ("'null'", false), ("\"~\"", false), ("none", false), ("[]", false), ("{}", false), ("0", false),
    ])
  func nothing(text: String, isNull: Bool) throws {
    var reader = YAMLReader(.plain)
    guard case .map(let entries)? = reader.read("a: \(text)\n").first?.content, let first = entries.first
    else {
      Issue.record("no map")
      return
    }
    #expect(first.value.isNull == isNull)
  }

  /// The longest text that is read, a line end included, and one byte more.
  @Test(arguments: [YAMLRules.plain, .whole]) func bytesOfAText(rules: YAMLRules) {
    let text = "a: 1\n# " + String(repeating: "x", count: 993)
    #expect(text.utf8.count == 1000 && read(text, rules) == "{a: 1}" && read(text + "x", rules) == "tooLarge")
    var reader = YAMLReader(rules)
    #expect(reader.read(Array((text + "x").utf8)).isEmpty && reader.problems.map(told) == ["tooLarge"])
    #expect(read("# ä" + String(repeating: "x", count: 997), rules) == "tooLarge", "bytes, not characters")
  }
}
