// SPDX-License-Identifier: MIT

extension String {
  /// The text made safe for one line of a log, a terminal and a database: each invisible character becomes a `\u{…}`
  /// escape, and the whole is cut at a character boundary so that it fits `maxBytes` bytes of UTF-8, an ellipsis
  /// marking the cut.
  ///
  /// Invisible are control characters (also C1, line and paragraph separators and NUL), all of Unicode's format
  /// characters (zero-width ones, bidirectional controls, the soft hyphen, tags), what is ignorable by default, private
  /// and unassigned code points. The joiner and the selectors that make one picture of several emoji stay.
  package func printable(maxBytes: Int) -> String {
    if utf8.count <= maxBytes, utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) { return self }
    var clean = ""
    var previous: Unicode.Scalar?
    var rest = unicodeScalars[...]
    while let scalar = rest.popFirst() {
      if scalar.isInvisible, !scalar.isPartOfEmoji(after: previous, before: rest.first) {
        clean += "\\u{" + String(scalar.value, radix: 16) + "}"
      } else {
        clean.unicodeScalars.append(scalar)
      }
      previous = scalar
      if clean.utf8.count > maxBytes { break }
    }
    return clean.cut(maxBytes: maxBytes)
  }

  /// True of what breaks a line or turns it around. A name must not have it; what else is invisible is shown.
  package var hasControlCharacter: Bool { unicodeScalars.contains(where: \.isControl) }

  private func cut(maxBytes: Int) -> String {
    guard utf8.count > maxBytes else { return self }
    // Where not even the mark fits, nothing marks the cut.
    let ellipsis = maxBytes < 3 ? "" : "…"
    var kept = ""
    var size = ellipsis.utf8.count
    for character in self {
      size += character.utf8.count
      if size > maxBytes { break }
      kept.append(character)
    }
    return kept + ellipsis
  }
}

extension Unicode.Scalar {
  fileprivate var isControl: Bool {
    switch value {
    case 0..<0x20, 0x7f..<0xa0: true
    // Separators that some terminals and editors treat as line ends.
    case 0x2028, 0x2029: true
    // Bidirectional controls: they make a line read as something it is not.
    case 0x061c, 0x200e, 0x200f, 0x202a...0x202e, 0x2066...0x2069: true
    case 0xfeff: true
    default: false
    }
  }

  /// By the properties of the Unicode Character Database, so that what is added to it is known by its kind.
  fileprivate var isInvisible: Bool {
    if value < 0x7f { return value < 0x20 }
    switch properties.generalCategory {
    case .control, .format, .privateUse, .surrogate, .unassigned, .lineSeparator, .paragraphSeparator:
      return true
    default: break
    }
    // The blank pattern of Braille is a symbol without any ink.
    return properties.isDefaultIgnorableCodePoint || value == 0x2800
  }

  /// A joiner between two emoji, or a selector behind one (UTS #51 1.4.5 and 1.4.6).
  fileprivate func isPartOfEmoji(after previous: Unicode.Scalar?, before next: Unicode.Scalar?) -> Bool {
    guard let previous else { return false }
    switch value {
    case 0x200d:
      return (previous.isPicture || previous.value == 0xfe0f) && (next?.isPicture ?? false)
    case 0xfe0e, 0xfe0f:
      // Digits are emoji of a kind: in a keycap.
      return previous.isPicture || previous.properties.isEmoji && next?.value == 0x20e3
    default: return false
    }
  }

  private var isPicture: Bool { value > 0x7f && properties.isEmoji }
}
