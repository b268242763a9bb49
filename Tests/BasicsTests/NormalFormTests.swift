// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Testing

@Suite struct NormalFormTests {
  @Test(arguments: [
    ("", ""), ("plain", "plain"), ("u\u{308}", "\u{fc}"), ("Verfu\u{308}gbarkeit", "Verf\u{fc}gbarkeit"),
    ("\u{212b}", "\u{c5}"), ("\u{1100}\u{1161}\u{11a8}", "\u{ac01}"), ("a\u{302}\u{323}", "\u{1ead}"),
    ("a\u{323}\u{302}", "\u{1ead}"), ("xu\u{308}y u\u{308}", "x\u{fc}y \u{fc}"), ("漢字", "漢字"),
    ("\u{308}", "\u{308}"),
    ("\u{9c7}\u{9be}", "\u{9cb}"), ("<b>u\u{308}</b>漢e\u{301}", "<b>\u{fc}</b>漢\u{e9}"),
  ])
  func composes(text: String, form: String) {
    #expect(normalForm(text) == Array(form.utf8))
    #expect(normalForm(normalForm(text)) == Array(form.utf8))
  }

  /// Tibetan vowels and a Greek accent made of two marks each, which Foundation does not sort with the marks around them.
  private static let disputed: [UInt32] = [0x344, 0xf73, 0xf75, 0xf81]
  /// Letters that compose to syllables of Hangul: Foundation takes old ones, from U+1113 on, for those of today.
  private static let jamo: ClosedRange<UInt32> = 0x1100...0x11ff

  /// Foundation's word on each character, alone, between letters and before a mark.
  @Test func agreesWithFoundation() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<3000 {
      var text = String.UnicodeScalarView()
      for _ in 0..<8 {
        let code = UInt32.random(in: 0x20...0x2fff, using: &generator)
        let scalar = Unicode.Scalar(Bool.random() ? code : 0x300 + code % 0x70)
        // Characters of the last years may be new to one of the two.
        if let scalar, let age = scalar.properties.age, age.major <= 12,
          !Self.disputed.contains(scalar.value),
          !Self.jamo.contains(scalar.value)
        {
          text.append(scalar)
        }
        if Bool.random() { text.append("a") }
      }
      let form = String(text).precomposedStringWithCanonicalMapping
      #expect(normalForm(String(text)) == Array(form.utf8))
    }
  }

  /// Sorting the marks of one letter would take the square of their number.
  @Test(.timeLimit(.minutes(1))) func aMillionMarksTakeTheirLength() {
    let text = "a" + String(repeating: "\u{301}\u{323}", count: 500_000)
    #expect(normalForm(text).count >= text.utf8.count - 4)
  }

  /// Only marks are cut, and not letters that compose with one another.
  @Test func lettersInARowAreComposed() {
    for count in [15, 16, 40] {
      let parts = String(repeating: "\u{1100}\u{1161}", count: count)
      let whole = String(repeating: "\u{ac00}", count: count)
      #expect(normalForm(parts) == Array(whole.utf8))
      #expect(normalForm("\u{3b1}" + parts) == Array(("\u{3b1}" + whole).utf8))
    }
  }

  /// Accents make no difference to a search, in either direction and however they were written; letters do.
  @Test(
    arguments: [
      ("Zürich", "zurich"), ("Zu\u{308}rich", "zurich"), ("ÉCOLE", "ecole"), ("Straße", "straße"),
      ("việt", "viet"), ("поиск", "поиск"), ("ёлка", "елка"), ("plain ASCII", "plain ascii"), ("", ""),
    ])
  func searchHasNoAccents(_ text: String, _ form: String) { #expect(searchForm(text) == form) }

  @Test func manyMarksAreCut() {
    #expect(searchForm("a" + String(repeating: "\u{301}", count: 10_000)) == "a")
  }
}
