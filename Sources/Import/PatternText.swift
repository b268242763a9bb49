// SPDX-License-Identifier: MIT

import Basics

/// Patterns of other programs in the words of ours.
enum PatternText {
  /// A pattern that matches a text.
  static func escaped(_ text: String) -> String {
    var made = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if "\\.^$|?*+()[]{}".unicodeScalars.contains(scalar) { made.append("\\") }
      made.append(scalar)
    }
    return String(made)
  }

  /// A pattern of Go or JavaScript, where `^` and `$` are the ends of the text: ours are those of a line, and a `$` that
  /// is not would let a line's end follow.
  static func whole(_ pattern: String) -> String {
    let made = PatternWalk(pattern, setsEnds: !asksForLines(pattern)).made
    return pattern.contains("^") || pattern.contains("$") ? "(?-m)\(made)" : made
  }

  /// Go repeats what has no width (`^*`, `\b+`), PCRE2 does not.
  static func repeatable(_ pattern: String) -> String { PatternWalk(pattern, setsEnds: false).made }

  /// `(?m)`: lines that the pattern asks for itself.
  private static func asksForLines(_ pattern: String) -> Bool {
    var rest = pattern[...]
    while let open = rest.range(of: "(?") {
      rest = rest[open.upperBound...]
      if rest.prefix(12).prefix(while: { $0 != ")" && $0 != ":" && $0 != "<" && $0 != "-" }).contains("m") {
        return true
      }
    }
    return false
  }
}

/// A pattern, part by part.
private struct PatternWalk {
  private(set) var made = ""
  private var rest: Substring.UnicodeScalarView
  private let setsEnds: Bool

  /// - Parameter setsEnds: `$` is the end of the text.
  init(_ pattern: String, setsEnds: Bool) {
    (rest, self.setsEnds) = (pattern.unicodeScalars[...], setsEnds)
    while let scalar = rest.popFirst() { take(scalar) }
  }

  private mutating func take(_ scalar: Unicode.Scalar) {
    switch scalar {
    case "\\": escape()
    case "[": list()
    case "^": edge("^")
    case "$": edge(setsEnds ? "\\z" : "$")
    default: made.unicodeScalars.append(scalar)
    }
  }

  /// An assertion without width, in brackets where it is repeated.
  private mutating func edge(_ text: String) {
    let next = rest.first
    let isCount = next == "{" && rest.dropFirst().first.map { ("0"..."9").contains($0) } ?? false
    made += next == "*" || next == "+" || next == "?" || isCount ? "(?:\(text))" : text
  }

  private mutating func escape() {
    guard let next = rest.popFirst() else {
      made += "\\"
      return
    }
    if ["b", "B", "A", "z"].contains(next) { return edge("\\\(next)") }
    made += "\\\(next)"
    // Up to \E everything is text.
    while next == "Q", let letter = rest.popFirst() {
      made.unicodeScalars.append(letter)
      if letter == "\\", rest.first == "E" { break }
    }
  }

  private mutating func list() {
    made += "["
    // At the beginning it is the bracket itself.
    if rest.first == "^", let sign = rest.popFirst() { made.unicodeScalars.append(sign) }
    if rest.first == "]", let bracket = rest.popFirst() { made.unicodeScalars.append(bracket) }
    while let scalar = rest.popFirst() {
      made.unicodeScalars.append(scalar)
      switch scalar {
      case "]": return
      case "\\": if let next = rest.popFirst() { made.unicodeScalars.append(next) }
      case "[" where rest.first == ":":
        while let letter = rest.popFirst() {
          made.unicodeScalars.append(letter)
          if letter == "]" { break }
        }
      default: break
      }
    }
  }
}
