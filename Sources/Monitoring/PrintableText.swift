// SPDX-License-Identifier: MIT

extension String {
  /// The text made safe for one line of a log, a terminal and a database: control characters (also C1, line and
  /// paragraph separators, bidirectional overrides and NUL) become `\u{…}` escapes, and the whole is cut at a
  /// character boundary so that it fits `maxBytes` bytes of UTF-8, an ellipsis marking the cut.
  package func printable(maxBytes: Int) -> String {
    if utf8.count <= maxBytes, utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) { return self }
    var clean = ""
    for scalar in unicodeScalars {
      if isUnprintable(scalar) {
        clean += "\\u{" + String(scalar.value, radix: 16) + "}"
      } else {
        clean.unicodeScalars.append(scalar)
      }
      if clean.utf8.count > maxBytes { break }
    }
    return clean.cut(maxBytes: maxBytes)
  }

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

private func isUnprintable(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0..<0x20, 0x7f..<0xa0: true
  // Separators that some terminals and editors treat as line ends.
  case 0x2028, 0x2029: true
  // Bidirectional controls: they make a line read as something it is not.
  case 0x061c, 0x200e, 0x200f, 0x202a...0x202e, 0x2066...0x2069: true
  case 0xfeff: true
  default: false
  }
}
