// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Import

/// TOML as Telegraf reads it: texts, tables, lines and refusals.
@Suite struct TOMLTests {
  private func read(_ text: String) throws(ImportProblem) -> ForeignNode {
    try TOMLReader.read(Array(text.utf8))
  }

  /// Each escape of a text in double quotes; in single quotes there is none.
  @Test(
    arguments: [
      (#""\n\t\r\b\f\e\"\\""#, "\n\t\r\u{8}\u{c}\u{1b}\"\\"), (#""\u00e9\U0001F600x""#, "é😀x"),
      (#"'\n"'"#, #"\n""#),
      (#"'''a\n'''"#, #"a\n"#), ("\"\"\"\na\nb\"\"\"", "a\nb"), ("\"\"\"\r\na\"\"\"", "a"),
      ("'''\na'''", "a"),
      ("'''\r\na\n'''", "a\n"), ("\"\"\"\n\na\"\"\"", "\na"), ("\"\"\"a\"b\"\"c\"\"\"", "a\"b\"\"c"),
      ("\"\"\"a\"\"\"\"\"", "a\"\""), ("'''a''''", "a'"), ("\"\"\"a \\\n  \t b\"\"\"", "a b"),
      ("\"\"\"a\\\n\n\n  b\"\"\"", "ab"), ("\"\"\"a\\  \n b\"\"\"", "ab"), ("\"\"", ""), ("''", ""),
      ("\"\"\"\"\"\"", ""),
    ])
  func texts(text: String, value: String) throws {
    let node = try read("a = \(text)\nb = 1\n")
    #expect(node["a"]?.text == value && node["b"]?.number == 1)
    if case .scalar(_, isPlain: false)? = node["a"]?.content {} else { Issue.record("\(text) is no text") }
  }

  /// Words end at blanks, comments and signs of lists and tables; they mean themselves.
  @Test func words() throws {
    let node = try read(
      "a=true#c\nb = 1_000 # c\nc = [1,2 ,\t3]\nd = {e=1,f = 2}\r\ng\t=\t-5.5e3\r\nh = [{i = 1}, {i = 2}]\n")
    #expect(node["a"]?.text == "true" && node["a"]?.flag == true && node["b"]?.text == "1000")
    #expect(node["c"]?.items?.map(\.text) == ["1", "2", "3"] && node["g"]?.text == "-5.5e3")
    #expect(node["d"]?["e"]?.text == "1" && node["d"]?["f"]?.text == "2")
    #expect(node["h"]?.items?.map { $0["i"]?.text } == ["1", "2"])
    if case .scalar(_, isPlain: true)? = node["a"]?.content {} else { Issue.record("a word is a text") }
  }

  @Test func keysAndTables() throws {
    let node = try read(
      """
      a.b.c = 1
      a . "d.e" = 2
      'f g'=3
      h-i_9 = 4
      a.b.c = 5
      [x]
      y = 1
      [[x.z]]
      k = 1
      [x.z.m]
      n = 1
      [[x.z]]
      k = 2
      [ p . q ]
      r = {s.t = 1, u : 2,
        # c
        v = 3,
      }
      """)
    #expect(node["a"]?["b"]?["c"]?.text == "5" && node["a"]?["d.e"]?.text == "2")
    #expect(node["f g"]?.text == "3" && node["h-i_9"]?.text == "4" && node["x"]?["y"]?.text == "1")
    #expect(node["x"]?["z"]?.items?.map { $0["k"]?.text } == ["1", "2"])
    #expect(node["x"]?["z"]?.items?.map { $0["m"]?["n"]?.text } == ["1", nil])
    let r = node["p"]?["q"]?["r"]
    #expect(r?["s"]?["t"]?.text == "1" && r?["u"]?.text == "2" && r?["v"]?.text == "3")
    #expect(node.entries?.map(\.name) == ["a", "f g", "h-i_9", "x", "p"])
  }

  /// A value is of the line on which it begins.
  @Test func lines() throws {
    let node = try read(
      "# c\n\na = 1\nb = \"\"\"\nx\ny\"\"\"\nc = [\n 1,\n # c\n 2,\n]\nd = \"\"\"x\\\n\n  y\"\"\"\ne = 1\n[f]\ng = 1\n[[h]]\ni = 1\n"
    )
    #expect(["a", "b", "c", "d", "e"].map { node[$0]?.line } == [3, 4, 7, 12, 15])
    #expect(node["c"]?.items?.map(\.line) == [8, 10])
    #expect(node["f"]?.line == 16 && node["f"]?["g"]?.line == 17)
    #expect(node["h"]?.items?.map(\.line) == [18] && node["h"]?.items?.first?["i"]?.line == 19)
  }

  @Test(arguments: [
    ("= 1\n", "line 1: a key is expected"), ("a. = 1\n", "line 1: a key is expected"),
    ("a =\n", "line 1: a value is expected"),
    ("a = ,\n", "line 1: a value is expected"), ("a = [1 2]\n", "line 1: a list has no end"),
    ("a = {b = 1 c = 2}\n", "line 1: a table has no end"), ("a = {b 1}\n", "line 1: a key without ="),
    ("a = \"x\ny\"\n", "line 1: a text has no end"), ("a = 'x\ny'\n", "line 1: a text has no end"),
    ("a = \"\"\"x\n\"\"\n", "line 3: a text has no end"), ("a = \"\\u12\"\n", "line 1: an escape is none"),
    ("a = \"\\ud800\"\n", "line 1: an escape is none"), ("a = \"\\x41\"\n", "line 1: an escape is none"),
    ("a = \"\\", "line 1: a text has no end"), ("[[a]\nb = 1\n", "line 1: the name of a table has no end"),
    ("[a]]\n", "line 1: something stands behind a value"),
    ("[a] b = 1\n", "line 1: something stands behind a value"),
    ("a = 1\n[[a]]\n", "line 2: a is no list of tables"), ("[a]\n[[a]]\n", "line 2: a is no list of tables"),
    ("a = 1\na.b = 2\n", "line 2: a is a value and no table"),
    ("a = 'x' 'y'\n", "line 1: something stands behind a value"),
  ])
  func refusals(text: String, words: String) { #expect(throws: ImportProblem(words)) { try read(text) } }

  /// Keys, lists and tables inside one another: 64 levels.
  @Test func levels() throws {
    func lists(_ count: Int) -> String {
      "a = " + String(repeating: "[", count: count) + String(repeating: "]", count: count)
    }
    func keys(_ count: Int) -> String { Array(repeating: "a", count: count).joined(separator: ".") + " = 1" }
    _ = try read(lists(64))
    _ = try read(keys(64))
    let words = ImportProblem("line 1: nested deeper than 64 levels")
    #expect(throws: words) { try read(lists(65)) }
    #expect(throws: words) { try read(keys(65)) }
    #expect(throws: ImportProblem("is no valid UTF-8", hint: "save it as UTF-8")) {
      try TOMLReader.read([0x61, 0x3d, 0x22, 0xff, 0x22])
    }
  }

  /// A variable without quotes is a word, up to its brace and what stands behind; whole numbers have other forms.
  @Test(arguments: [
    ("${DEBUG}", "${DEBUG}"), ("${A}${B}", "${A}${B}"), ("${A:-1 2}s", "${A:-1 2}s"), ("$DEBUG", "$DEBUG"),
    ("0x1F", "31"), ("0o17", "15"), ("0b101", "5"), ("1_0", "10"), ("-1_000", "-1000"), ("0xZZ", "0xZZ"),
    ("1979-05-27", "1979-05-27"), ("1_0.5", "10.5"),
  ])
  func wordsOfNumbers(word: String, text: String) throws {
    let node = try read("a = \(word)\nb = [\(word), 2]\nc = {d = \(word)}\n")
    #expect(node["a"]?.text == text && node["c"]?["d"]?.text == text)
    #expect(node["b"]?.items?.map(\.text) == [text, "2"])
  }
}
