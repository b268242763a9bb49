// SPDX-License-Identifier: MIT

import Basics
import TestSupport
import Testing

@Suite struct PrintableTextTests {
  @Test(arguments: [
    ("", ""), ("plain text ~", "plain text ~"), ("Größe 漢字 🙂", "Größe 漢字 🙂"),
    ("a\0b", "a\\u{0}b"), ("one\ntwo\r\n", "one\\u{a}two\\u{d}\\u{a}"), ("\ttab", "\\u{9}tab"),
    ("\u{1b}[31mred\u{1b}[0m", "\\u{1b}[31mred\\u{1b}[0m"), ("\u{7f}", "\\u{7f}"),
    ("\u{85}\u{9b}31m", "\\u{85}\\u{9b}31m"), ("a\u{2028}b\u{2029}", "a\\u{2028}b\\u{2029}"),
    ("\u{202e}txt.exe", "\\u{202e}txt.exe"), ("\u{2066}x\u{2069}", "\\u{2066}x\\u{2069}"),
    ("\u{200e}\u{200f}\u{61c}", "\\u{200e}\\u{200f}\\u{61c}"), ("\u{feff}bom", "\\u{feff}bom"),
    ("family 👩‍👩‍👧", "family 👩‍👩‍👧"), ("e\u{301}", "e\u{301}"),
    // Zero-width characters, the soft hyphen, the word joiner, fillers, tags, selectors behind nothing.
    ("pay\u{200b}pal", "pay\\u{200b}pal"), ("a\u{200c}b\u{200d}c", "a\\u{200c}b\\u{200d}c"),
    ("so\u{ad}ft", "so\\u{ad}ft"), ("a\u{2060}b", "a\\u{2060}b"), ("\u{115f}\u{3164}", "\\u{115f}\\u{3164}"),
    ("x\u{e0041}\u{e007f}", "x\\u{e0041}\\u{e007f}"), ("a\u{fe0f}\u{e0100}", "a\\u{fe0f}\\u{e0100}"),
    ("a\u{34f}b\u{180e}", "a\\u{34f}b\\u{180e}"), ("\u{2800}", "\\u{2800}"),
    // Private, unassigned and no characters at all.
    ("\u{e000}\u{f8ff}\u{100000}", "\\u{e000}\\u{f8ff}\\u{100000}"), ("\u{378}", "\\u{378}"),
    // What makes one picture of several stays, and only there.
    ("❤️ 1️⃣ ✊🏽", "❤️ 1️⃣ ✊🏽"), ("🙂\u{200d}", "🙂\\u{200d}"), ("\u{200d}🙂", "\\u{200d}🙂"),
    ("1\u{fe0f}", "1\\u{fe0f}"),
  ])
  func escapesWhatIsNoText(text: String, expected: String) {
    #expect(text.printable(maxBytes: 1000).unicodeScalars.elementsEqual(expected.unicodeScalars))
  }

  @Test(arguments: [
    ("abcdef", 6, "abcdef"), ("abcdefg", 6, "abc…"), ("ααα", 6, "ααα"), ("αααα", 6, "α…"), ("αααα", 7, "αα…"),
    ("🙂🙂", 7, "🙂…"), ("🙂🙂", 6, "…"), ("abc", 2, "ab"), ("abc", 1, "a"), ("abc", 0, ""), ("α", 1, ""),
    ("abc\n", 4, "a…"), ("", 0, ""),
  ])
  func cutsAtACharacter(text: String, maxBytes: Int, expected: String) {
    #expect(text.printable(maxBytes: maxBytes) == expected)
  }

  static let hostile = [
    String(repeating: "x", count: 5000), String(repeating: "🙂", count: 500),
    String(repeating: "\0", count: 500), "a" + String(repeating: "\u{301}", count: 5000),
    String(repeating: "👩‍👩‍👧", count: 50), String(decoding: (0...255).map { UInt8($0) }, as: UTF8.self),
    "\u{1b}]0;title\u{7}" + String(repeating: "\r\n", count: 300), "αβγ", "é\0",
  ]

  @Test(arguments: hostile)
  func keepsEveryByteLimit(text: String) {
    for limit in Array(0...40) + [255, 256, 1024] {
      let line = text.printable(maxBytes: limit)
      #expect(line.utf8.count <= limit)
      #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f })
    }
  }

  @Test(arguments: hostile)
  func isIdempotent(text: String) {
    let once = text.printable(maxBytes: 256)
    #expect(once.printable(maxBytes: 256) == once)
  }

  /// Of every code point, what is kept is a letter, a mark, a number, a sign or a space.
  @Test func nothingInvisibleIsKept() {
    let spoken: Set<Unicode.GeneralCategory> = [
      .control, .format, .privateUse, .surrogate, .unassigned, .lineSeparator, .paragraphSeparator,
    ]
    for value in UInt32(0)...0x10ffff {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let text = "a" + String(Character(scalar)) + "b"
      let isHidden =
        spoken.contains(scalar.properties.generalCategory) || scalar.properties.isDefaultIgnorableCodePoint
        || value == 0x2800
      let isShown = text.printable(maxBytes: 100).unicodeScalars.elementsEqual(text.unicodeScalars)
      if isShown == isHidden { Issue.record("U+\(String(value, radix: 16))") }
    }
  }

  /// A megabyte from a target costs no more than what is kept of it.
  @Test func longTextIsCheap() {
    let text = String(repeating: "\u{1b}", count: 4_000_000)
    #expect(processorTime { _ = text.printable(maxBytes: 256) } < .seconds(1))
  }
}
