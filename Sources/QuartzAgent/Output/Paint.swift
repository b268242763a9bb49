// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Colour where the terminal wants it; the text is the same without.
struct Paint {
  static let heading = "1"
  static let good = "32"
  static let bad = "31"
  static let warning = "33"

  let isOn: Bool

  func callAsFunction(_ text: String, _ code: String) -> String {
    isOn && !text.isEmpty ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
  }
}

/// Breaks a line that is wider than the terminal at blanks, the rest indented by four more than the beginning. Escapes
/// of colour take no room. A word wider than the terminal stays whole: addresses and URLs are copied.
func fold(_ line: String, width: Int) -> [String] {
  guard visibleCount(line) > width else { return [line] }
  let indent = line.prefix { $0 == " " }.count
  let hanging = String(repeating: " ", count: min(indent + 4, max(0, width / 2)))
  var lines: [String] = []
  var current = String(repeating: " ", count: indent)
  var isEmpty = true
  var gap = ""
  for piece in words(line.dropFirst(indent)) {
    if piece.first == " " {
      gap = piece
      continue
    }
    if !isEmpty, visibleCount(current) + gap.count + visibleCount(piece) > width {
      lines.append(current)
      current = hanging + piece
    } else {
      current += (isEmpty ? "" : gap) + piece
    }
    isEmpty = false
  }
  return lines + [current]
}

/// Runs of blanks and runs of everything else, in turn.
private func words(_ text: Substring) -> [String] {
  var words: [String] = []
  for character in text {
    if let last = words.last, (last.last == " ") == (character == " ") {
      words[words.count - 1].append(character)
    } else {
      words.append(String(character))
    }
  }
  return words
}

private func visibleCount(_ text: String) -> Int {
  var count = 0
  var isEscape = false
  for character in text {
    if character == "\u{1b}" { isEscape = true }
    if !isEscape { count += 1 }
    if isEscape, character == "m" { isEscape = false }
  }
  return count
}

/// Milliseconds with three decimals: `43.100 ms`.
func precise(_ duration: Duration) -> String {
  let microseconds = duration.microseconds
  let fraction = String(abs(microseconds % 1000))
  return "\(microseconds / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction + " ms"
}
