// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Colour where the terminal wants it; the text is the same without.
struct Paint {
  static let heading = "1"
  static let good = "32"
  static let bad = "31"
  static let warning = "33"
  static let key = "36"
  static let literal = "35"

  let isOn: Bool

  func callAsFunction(_ text: String, _ code: String) -> String {
    isOn && !text.isEmpty ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
  }
}

/// A line for the terminal, in lines as wide as it; a word that is wider stays whole.
func fold(_ line: String, width: Int) -> [String] { line.folded(width: width) }

/// Milliseconds with three decimals: `43.100 ms`.
func precise(_ duration: Duration) -> String {
  let microseconds = duration.microseconds
  return "\(microseconds / 1000).\(padded(abs(microseconds % 1000), 3)) ms"
}
