// SPDX-License-Identifier: MIT

import Testing

@testable import Basics

/// The forms in which a secret may come back, one by one.
@Suite struct SecretFormsTests {
  private func forms(_ text: String) -> [String] {
    secretEchoes(of: text).map { String(decoding: $0, as: UTF8.self) }
  }

  /// As it is, base64 with and without its end and as in a URL, percent form, hexadecimal, JSON and HTML.
  @Test func allForms() {
    #expect(
      forms("a?>~") == [
        "a?>~", "YT8+fg==", "YT8+fg", "YT8-fg", "a%3F%3E~", "a%3f%3e~", "613F3E7E", "613f3e7e", "a?>~",
        "a?&gt;~",
      ])
    #expect(
      forms("\"\\<&?") == [
        "\"\\<&?", "Ilw8Jj8=", "Ilw8Jj8", "Ilw8Jj8", "%22%5C%3C%26%3F", "%22%5c%3c%26%3f", "225C3C263F",
        "225c3c263f", "\\\"\\\\<&?", "&quot;\\&lt;&amp;?",
      ])
    // Below four bytes two letters would be left of it; a slash has another sign in a URL.
    #expect(forms("ab")[1...3] == ["YWI=", "YWI=", "YWI="])
    #expect(forms("abcd")[1...3] == ["YWJjZA==", "YWJjZA", "YWJjZA"])
    #expect(forms("???")[1...3] == ["Pz8/", "Pz8/", "Pz8_"])
  }

  /// Behind 0, 1 and 2 bytes of a group, the digits that the text alone decides; a short text would be found in any word.
  @Test func insideBase64() {
    #expect(
      forms("abc?~~").suffix(6) == ["YWJjP35+", "YWJjP35-", "FiYz9+f", "FiYz9-f", "hYmM/fn", "hYmM_fn"])
    #expect(forms("abcde").count == 10 && forms("abcdef").count == 16)
    #expect(forms(String(repeating: "a", count: 1024)).count == 16)
    #expect(forms(String(repeating: "a", count: 1025)).count == 10)
  }

  /// Unreserved are letters, digits and four signs (RFC 3986 2.3); every other byte is written as two digits.
  @Test func thePercentForm() {
    let plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
    let digits = Array("0123456789ABCDEF")
    for byte in UInt8(0)..<0x80 {
      let text = String(UnicodeScalar(byte))
      let coded = "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
      let found = forms(text)
      #expect(found[4] == (plain.contains(text) ? text : coded), "\(byte)")
      #expect(found[5] == (plain.contains(text) ? text : coded.lowercased()), "\(byte)")
    }
    #expect(forms("\u{e9}")[4] == "%C3%A9")
  }

  /// A word is found behind one level of escapes of each kind, and nothing beside it is hidden.
  @Test(
    arguments: [
      ("k<y", "k%3Cy", true), ("k<y", "k%3cy", true), ("k<y", "k%3y", false), ("k<y", "k%%3Cy", false),
      ("k<y", #"k\u003cy"#, true), ("k<y", #"k\u003Cy"#, true), ("k<y", #"k\u03cy"#, false),
      ("k<y", "k&lt;y", true), ("k>y", "k&gt;y", true), ("k&y", "k&amp;y", true), ("k\"y", "k&quot;y", true),
      ("k'y", "k&apos;y", true), ("k<y", "k&lt y", false), ("k<y", "k&ltx;y", false),
      ("k<y", "k&LT;y", false),
      ("k<y", "k&#60;y", true), ("k<y", "k&#x3c;y", true), ("k<y", "k&#X3C;y", true),
      ("k<y", "k&#3c;y", false),
      ("k<y", "k&#x;y", false), ("k<y", "k&#;y", false), ("k<y", "k&;y", false),
      ("k/y", #"k\/y"#, true), ("k\"y", #"k\"y"#, true), (#"k\y"#, #"k\\y"#, true), ("kny", #"k\ny"#, false),
      ("k\u{1f600}y", #"k\ud83d\ude00y"#, true), ("k\u{10000}y", #"k\ud800\udc00y"#, true),
      ("k\u{10ffff}y", #"k\udbff\udfffy"#, true), ("k\u{10ffff}y", "k&#1114111;y", true),
      ("k\u{10ffff}y", "k&#01114111;y", false), ("k\u{1f600}y", #"k\ude00\ud83dy"#, false),
      ("k\u{1f600}y", #"k\ud83dx\ude00y"#, false), ("k\u{e9}y", #"k\u00e9y"#, true),
      ("k\u{e9}y", "k%C3%A9y", true),
    ])
  func behindEscapes(word: String, text: String, isFound: Bool) {
    let words = SecretWords(forms: [Array(word.utf8)])
    #expect(words.hide("a\(text)b") == (isFound ? "a<redacted>b" : "a\(text)b"))
  }

  /// What comes behind a character of several bytes stays in its place.
  @Test func placesBehindCharacters() {
    let words = SecretWords(forms: [Array("ky".utf8)])
    #expect(words.hide(#"\u00e9ky!"#) == #"\u00e9<redacted>!"#)
    #expect(words.hide(#"\ud83d\ude00ky!"#) == #"\ud83d\ude00<redacted>!"#)
    #expect(words.hide("&#xe9;%6by.ky!") == "&#xe9;<redacted>.<redacted>!")
    // Runs that touch are one, runs with a byte between them are two.
    #expect(words.hide("kyky ky") == "<redacted> <redacted>" && words.hide("kyk%79") == "<redacted>")
    #expect(words.hide("") == "" && words.hide("none") == "none")
    #expect(SecretWords(forms: []).isEmpty && !words.isEmpty && SecretWords([""]).isEmpty)
  }

  /// The longest end of a text that is a beginning of the word, and not all of it: held against a search.
  @Test func beginningsAtTheEnd() {
    func all(_ most: Int) -> [[UInt8]] {
      (0...most).flatMap { length in
        (0..<1 << length).map { number in (0..<length).map { UInt8(0x61 + (number >> $0 & 1)) } }
      }
    }
    for word in all(4) {
      for text in all(6) {
        let most =
          (0..<max(1, word.count)).last { $0 <= text.count && text.suffix($0) == word.prefix($0) } ?? 0
        #expect(overlap(endOf: text, withStartOf: word) == most, "\(text) \(word)")
      }
    }
  }
}
