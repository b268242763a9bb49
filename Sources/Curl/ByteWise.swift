// SPDX-License-Identifier: MIT

// As in Monitoring, which this room does not know: text of an answer is compared and split as bytes, since the standard
// library's canonical equivalence takes time that grows with the square of a run of combining marks.

extension String {
  static func == (left: String, right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }
  static func != (left: String, right: String) -> Bool { !left.utf8.elementsEqual(right.utf8) }
  func hasPrefix(_ prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }
  func hasSuffix(_ suffix: String) -> Bool {
    utf8.count >= suffix.utf8.count && utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
  }
}

extension StringProtocol {
  static func == (left: Self, right: some StringProtocol) -> Bool { left.utf8.elementsEqual(right.utf8) }
  static func != (left: Self, right: some StringProtocol) -> Bool { !left.utf8.elementsEqual(right.utf8) }
}

extension StringProtocol where SubSequence == Substring {
  /// - Parameter separator: one byte of ASCII.
  func split(separator: Unicode.Scalar, omittingEmptySubsequences: Bool = true) -> [Substring] {
    let byte = UInt8(ascii: separator)
    return self[...].utf8.split(
      separator: byte, omittingEmptySubsequences: omittingEmptySubsequences
    ).map { Substring($0) }
  }
}

extension Character {
  static func == (left: Character, right: Character) -> Bool { left.utf8.elementsEqual(right.utf8) }
  static func != (left: Character, right: Character) -> Bool { !left.utf8.elementsEqual(right.utf8) }

  // A literal is a String where it can be: against one the standard library's would be taken otherwise.
  static func == (left: Character, right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }
  static func != (left: Character, right: String) -> Bool { !left.utf8.elementsEqual(right.utf8) }
}

extension Sequence where Element == String {
  func contains(_ wanted: String) -> Bool { contains { $0 == wanted } }
}

func ~= (pattern: String, text: String) -> Bool { pattern == text }
