// SPDX-License-Identifier: MIT

import Basics

/// Patterns of other programs in the words of ours.
enum PatternText {
  /// A pattern that matches a text.
  static func escaped(_ text: String) -> String {
    text.reduce(into: "") { made, character in
      if "\\.^$|?*+()[]{}".contains(character) { made += "\\" }
      made.append(character)
    }
  }

  /// A pattern of Go or JavaScript, where `^` and `$` are the ends of the text: ours are those of a line, and a `$` that
  /// is not would let a line's end follow.
  static func whole(_ pattern: String) -> String {
    guard pattern.contains("^") || pattern.contains("$") else { return pattern }
    var made = String.UnicodeScalarView()
    var rest = pattern.unicodeScalars[...]
    var isInClass = false
    while let scalar = rest.popFirst() {
      made.append(scalar)
      switch scalar {
      case "\\":
        guard let next = rest.popFirst() else { break }
        made.append(next)
        // Up to \E everything is text.
        while next == "Q", let letter = rest.popFirst() {
          made.append(letter)
          if letter == "\\", rest.first == "E" { break }
        }
      case "[" where !isInClass:
        isInClass = true
        // At the beginning it is the bracket itself.
        if rest.first == "^", let sign = rest.popFirst() { made.append(sign) }
        if rest.first == "]", let bracket = rest.popFirst() { made.append(bracket) }
      case "[" where rest.first == ":":
        while let letter = rest.popFirst() {
          made.append(letter)
          if letter == "]" { break }
        }
      case "]": isInClass = false
      case "(" where !isInClass && rest.first == "?":
        // Lines that the pattern asks for itself.
        if rest.prefix(12).prefix(while: { $0 != ")" && $0 != ":" && $0 != "<" }).contains("m") {
          return "(?-m)\(pattern)"
        }
      case "$" where !isInClass:
        made.removeLast()
        made.append(contentsOf: "\\z".unicodeScalars)
      default: break
      }
    }
    return "(?-m)\(String(made))"
  }
}
