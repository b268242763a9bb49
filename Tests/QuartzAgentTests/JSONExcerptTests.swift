// SPDX-License-Identifier: MIT

import Testing

@testable import QuartzAgent

/// A body in JSON as `--explain` shows it.
@Suite struct JSONExcerptTests {
  private func drawn(_ text: String, color: Bool = false) -> String? {
    JSONExcerpt.lines(text, Paint(isOn: color))?.joined(separator: "\n")
  }

  @Test func oneValueALine() {
    #expect(
      drawn(#"{"status":"DOWN", "db":{"ok":false,"took":-1.5e3},"list":[1,[],{}],"none":null}\u{a}"#)
        == """
        {
          "status": "DOWN",
          "db": {
            "ok": false,
            "took": -1.5e3
          },
          "list": [
            1,
            [],
            {}
          ],
          "none": null
        }
        """)
    #expect(drawn("[]") == "[]" && drawn(" {} ") == "{}")
  }

  /// Brackets, commas and quotes within strings are text; line ends between values are none.
  @Test func stringsAreText() {
    #expect(
      drawn(#"{\u{a}  "a\"}, [": "x\\",\u{d}\u{a}\u{9}"b":"\u{a}"}"#) == #"""
        {
          "a\"}, [": "x\\",
          "b": "\u{a}"
        }
        """#)
  }

  /// What was cut is drawn as far as it goes.
  @Test(
    arguments: [
      (#"{"a": [1, 2…"#, "{\n  \"a\": [\n    1,\n    2…"), (#"{"a": "tex…"#, "{\n  \"a\": \"tex…"),
      (#"[true, fal…"#, "[\n  true,\n  fal…"), (#"{"a":…"#, "{\n  \"a\": …"), ("[…", "[\n  …"),
    ] as [(String, String)])
  func cut(text: String, lines: String) { #expect(drawn(text) == lines) }

  /// Other texts are shown as they are.
  @Test(
    arguments: [
      "", "down", "\"down\"", "{\"a\": 1", "[1]]", "[1} ", "{a: 1}", "<html>", "[nope]", "[1] and more",
      "[…]",
      String(repeating: "[", count: 30),
    ])
  func noJSON(text: String) { #expect(drawn(text) == nil) }

  @Test func longListsEnd() {
    let lines = JSONExcerpt.lines("[" + String(repeating: "1,", count: 300) + "1]", Paint(isOn: false))
    #expect(lines?.count == 101 && lines?.last == "…")
  }

  @Test func keysAndLiteralsHaveColours() {
    #expect(
      drawn(#"{"a":"b","c":1}"#, color: true)
        == "{\n  \u{1b}[36m\"a\"\u{1b}[0m: \"b\",\n  \u{1b}[36m\"c\"\u{1b}[0m: \u{1b}[35m1\u{1b}[0m\n}")
  }
}
