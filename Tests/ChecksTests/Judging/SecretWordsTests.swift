// SPDX-License-Identifier: MIT

import Monitoring
import TestSupport
import Testing

@testable import Basics
@testable import Checks

/// The masking of secrets: what it hides, and what it costs at the size limits of text and secrets.
@Suite(.timeLimit(.minutes(2))) struct SecretWordsTests {
  /// Every byte that is part of a word anywhere is hidden; each run of hidden bytes becomes one mark.
  private static func naive(_ text: [UInt8], _ words: [[UInt8]]) -> [UInt8] {
    var hidden = [Bool](repeating: false, count: text.count)
    for word in words where !word.isEmpty && word.count <= text.count {
      for start in 0...(text.count - word.count) where Array(text[start..<(start + word.count)]) == word {
        for index in start..<(start + word.count) { hidden[index] = true }
      }
    }
    var shown: [UInt8] = []
    for index in text.indices {
      if !hidden[index] {
        shown.append(text[index])
      } else if index == 0 || !hidden[index - 1] {
        shown += Array(Redacted.mark.utf8)
      }
    }
    return shown
  }

  /// The one pass hides what a search for every word at every place hides.
  @Test func itHidesWhatANaiveSearchHides() {
    var dice = SeededGenerator(seed: 11)
    for _ in 0..<2000 {
      func letters(_ most: Int) -> [UInt8] {
        (0..<Int.random(in: 0...most, using: &dice)).map { _ in UInt8.random(in: 0x61...0x63, using: &dice) }
      }
      let words = (0..<Int.random(in: 0...6, using: &dice)).map { _ in letters(5) }
      let text = letters(60)
      let shown = SecretWords(forms: words).hide(text) ?? text
      #expect(shown == Self.naive(text, words), "\(words) in \(text)")
    }
  }

  /// A header of 4 KiB in words of all lengths, and 64 KiB of bytes that are no text: the cores are not taken.
  @Test func theWorstHeaderAndTheWorstBodyTakeAMoment() throws {
    let header = String(repeating: "\u{fffd}", count: 1300)
    let bodies = [
      [UInt8](repeating: 0xff, count: 64 * 1024), [UInt8](repeating: 0x61, count: 64 * 1024),
      Array(String(repeating: "\u{fffd}", count: 22_000).utf8),
      Array(String(repeating: "%61", count: 22_000).utf8),
      Array(String(repeating: "&#x61;", count: 11_000).utf8),
      Array(String(repeating: "&", count: 65_536).utf8),
    ]
    for value in [header, String(repeating: "a", count: 4000), ladder(4000)] {
      let check = try httpCheck("http://good.test/") {
        $0.headers = [("X-Key", Redacted(value))]
        $0.method = "POST"
        $0.http.body = Redacted(self.ladder(60_000))
      }
      guard case .http(let settings) = check.kind else { throw WrongKind() }
      // The forms are made once, when something is to be shown; each body comes to them and to its own search.
      let mask = SecretMask(settings)
      let made = processorTime { _ = mask.hide("x") }
      for body in bodies {
        let searched = processorTime { _ = mask.excerpt(of: body) }
        // Unoptimised; a search for each form at each place took minutes.
        #expect(made + searched < .seconds(8))
      }
    }
  }

  /// Words `a`, `aa`, `aaa` and so on, so many bytes in all: every place of a text of `a` is the start of all of them.
  private func ladder(_ bytes: Int) -> String {
    var text = ""
    var length = 4
    while text.utf8.count + length < bytes {
      text += String(repeating: "a", count: length) + ";"
      length += 1
    }
    return text
  }

  /// Secrets beyond what can be looked for: nothing is shown, rather than a secret.
  @Test func tooManySecretsShowNothing() {
    let words = (0..<400).map { String(repeating: String($0), count: 2000) }
    #expect(SecretWords(words).hide("an answer") == Redacted.mark)
  }

  /// Bytes that are no text take nothing from what is shown around them.
  @Test func aSecretBetweenBrokenBytesIsHidden() throws {
    let check = try httpCheck("http://good.test/") { $0.headers = [("X-Key", Redacted("hunter22"))] }
    guard case .http(let settings) = check.kind else { throw WrongKind() }
    let body = [0xff, 0xfe] + Array("hunter22".utf8) + [0xff]
    #expect(SecretMask(settings).excerpt(of: body) == "\u{fffd}\u{fffd}<redacted>\u{fffd}")
  }

  /// A text that was cut inside a secret ends with a beginning of it.
  @Test func theBeginningAtTheEndIsFound() {
    #expect(overlap(endOf: Array("xx abab".utf8), withStartOf: Array("ababc".utf8)) == 4)
    #expect(overlap(endOf: Array("ababab".utf8), withStartOf: Array("ababab".utf8)) == 4)
    #expect(overlap(endOf: Array("zz".utf8), withStartOf: Array("ab".utf8)) == 0)
  }
}
