// SPDX-License-Identifier: MIT

import Basics

/// The exporter holds a pattern of a dialog against one line at a time, an agent against everything that came: what would
/// match a line's end must not.
enum LinePattern {
  /// The pattern with negated classes that know the ends of lines.
  static func bounded(_ pattern: String) -> String {
    var made = String.UnicodeScalarView()
    var rest = PatternText.repeatable(pattern).unicodeScalars[...]
    var isInClass = false
    while let scalar = rest.popFirst() {
      if scalar == "\\" {
        made.append(contentsOf: escape(rest.popFirst(), isInClass: isInClass))
      } else if isInClass {
        if scalar == "]" { isInClass = false }
        made.append(scalar)
      } else if scalar == "[" {
        isInClass = true
        made.append(scalar)
        if rest.first == "^" {
          rest.removeFirst()
          made.append(contentsOf: "^\\r\\n".unicodeScalars)
        }
        // At the beginning it is the bracket itself.
        if rest.first == "]" {
          rest.removeFirst()
          made.append(contentsOf: "\\]".unicodeScalars)
        }
      } else {
        made.append(scalar)
      }
    }
    return String(made)
  }

  private static func escape(_ scalar: Unicode.Scalar?, isInClass: Bool) -> String.UnicodeScalarView {
    guard let scalar else { return "\\".unicodeScalars }
    if !isInClass {
      switch scalar {
      case "s": return "[^\\S\\r\\n]".unicodeScalars
      case "D": return "[^\\d\\r\\n]".unicodeScalars
      case "W": return "[^\\w\\r\\n]".unicodeScalars
      default: break
      }
    }
    var made = "\\".unicodeScalars
    made.append(scalar)
    return made
  }
}

extension ImportedCheck {
  /// A match takes the rest of its line with it, as the exporter's lines do.
  mutating func readLines() {
    guard case .list(let steps)? = self["dialog"] else { return }
    self["dialog"] = .list(
      steps.map { step in
        guard case .map(let entries) = step, entries.count == 1, entries[0].name == "expect",
          let text = entries[0].value.word, text.hasPrefix("~ ")
        else { return step }
        return .map([("expect", .text("~ (?:\(text.dropFirst(2)))[^\\r\\n]*(?:\\r?\\n)?"))])
      })
  }
}
