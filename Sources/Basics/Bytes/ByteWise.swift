// SPDX-License-Identifier: MIT

// The standard library compares and searches text by canonical equivalence and by whole characters, which takes a
// stranger's text time that grows with the square of its length: a run of combining marks is sorted, a run of regional
// indicators counted again at each step back. Declarations of a module take the place of the standard library's, so in
// every room that imports this one `==`, `hasPrefix`, `contains`, `split` and their like are about bytes. What hashes is
// left: see `ByteText`, and the rule in scripts/check-house.

extension String {
  package static func == (left: String, right: String) -> Bool { isSame(left, right) }
  package static func != (left: String, right: String) -> Bool { !isSame(left, right) }
  /// By bytes, which is the order of the scalars.
  package static func < (left: String, right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
  }
  package static func > (left: String, right: String) -> Bool { right < left }

  package func hasPrefix(_ prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }
  package func hasSuffix(_ suffix: String) -> Bool { endsAlike(self, suffix) }
}

extension Substring {
  // Of the same type on both sides the one of Equatable would be taken.
  package static func == (left: Substring, right: Substring) -> Bool { isSame(left, right) }
  package static func != (left: Substring, right: Substring) -> Bool { !isSame(left, right) }
}

extension StringProtocol {
  package static func == (left: Self, right: some StringProtocol) -> Bool { isSame(left, right) }
  package static func != (left: Self, right: some StringProtocol) -> Bool { !isSame(left, right) }

  package func hasPrefix(_ prefix: some StringProtocol) -> Bool { utf8.starts(with: prefix.utf8) }
  package func hasSuffix(_ suffix: some StringProtocol) -> Bool { endsAlike(self, suffix) }

  // Of concrete types: Foundation, which tests import, has a generic one as well.
  package func contains(_ other: String) -> Bool { holds(self, other) }
  package func contains(_ other: Substring) -> Bool { holds(self, other) }

  package func contains(_ character: Character) -> Bool { firstIndex(of: character) != nil }

  package func firstIndex(of character: Character) -> Index? {
    let wanted = Array(character.utf8)
    if wanted.count == 1 { return utf8.firstIndex(of: wanted[0]) }
    return firstPlace(of: wanted, in: Array(utf8)).map { utf8.index(utf8.startIndex, offsetBy: $0) }
  }

  package func lastIndex(of character: Character) -> Index? {
    let wanted = Array(character.utf8)
    let own: [UInt8] = Array(utf8).reversed()
    return firstPlace(of: wanted.reversed(), in: own).map {
      utf8.index(utf8.startIndex, offsetBy: own.count - $0 - wanted.count)
    }
  }
}

extension StringProtocol where SubSequence == Substring {
  package func split(
    separator: Character, maxSplits: Int = .max, omittingEmptySubsequences: Bool = true
  ) -> [Substring] {
    let wanted = Array(separator.utf8)
    let own = self[...].utf8
    // A carriage return and a line feed are one character, and two bytes.
    guard wanted.count > 1 else {
      return own.split(
        separator: wanted[0], maxSplits: maxSplits, omittingEmptySubsequences: omittingEmptySubsequences
      ).map { Substring($0) }
    }
    return splitAtBytes(own, wanted, maxSplits, omittingEmptySubsequences)
  }

  package func replacing(_ wanted: some StringProtocol, with other: some StringProtocol) -> String {
    let (own, wanted, other) = (Array(utf8), Array(wanted.utf8), Array(other.utf8))
    guard !wanted.isEmpty, var place = firstPlace(of: wanted, in: own) else { return String(self) }
    var (result, end): ([UInt8], Int) = ([], 0)
    while true {
      result += own[end..<place]
      result += other
      end = place + wanted.count
      guard let next = firstPlace(of: wanted, in: own, from: end) else { break }
      place = next
    }
    result += own[end...]
    return String(decoding: result, as: UTF8.self)
  }
}

extension Character {
  package static func == (left: Character, right: Character) -> Bool { left.utf8.elementsEqual(right.utf8) }
  package static func != (left: Character, right: Character) -> Bool { !left.utf8.elementsEqual(right.utf8) }

  // A literal is a String where it can be: against one the standard library's would be taken otherwise.
  package static func == (left: Character, right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }
  package static func != (left: Character, right: String) -> Bool { !left.utf8.elementsEqual(right.utf8) }

  // The standard library holds the whole character against a line end in both, canonically.
  package var isASCII: Bool { utf8.count == 1 || self == "\r\n" }

  /// A control character stands alone, but for a carriage return before a line feed.
  package var isNewline: Bool {
    guard let first = unicodeScalars.first?.value else { return false }
    return (0x0a...0x0d).contains(first) || first == 0x85 || first == 0x2028 || first == 0x2029
  }
}

extension Optional where Wrapped == String {
  package static func == (left: String?, right: String?) -> Bool {
    switch (left, right) {
    case (.some(let left), .some(let right)): isSame(left, right)
    case (.none, .none): true
    default: false
    }
  }
  package static func != (left: String?, right: String?) -> Bool { !(left == right) }
}

extension Optional where Wrapped == Character {
  package static func == (left: Character?, right: Character?) -> Bool {
    switch (left, right) {
    case (.some(let left), .some(let right)): left == right
    case (.none, .none): true
    default: false
    }
  }
  package static func != (left: Character?, right: Character?) -> Bool { !(left == right) }

  package static func == (left: Character?, right: String) -> Bool {
    left?.utf8.elementsEqual(right.utf8) ?? false
  }
  package static func != (left: Character?, right: String) -> Bool {
    !(left?.utf8.elementsEqual(right.utf8) ?? false)
  }
}

extension Sequence where Element == String {
  package func contains(_ wanted: String) -> Bool { contains { isSame($0, wanted) } }
  package func sorted() -> [String] { sorted { $0 < $1 } }
}

extension [String] {
  // Of this type alone: generic, and called from other modules, it takes eight times as long.
  package func contains(_ wanted: String) -> Bool {
    for text in self where isSame(text, wanted) { return true }
    return false
  }
}

extension Collection where Element == String {
  package func firstIndex(of wanted: String) -> Index? { firstIndex { isSame($0, wanted) } }
}

// The standard library has these two, canonically, and a literal in a `switch` over a piece of a text would take them.
extension String {
  package static func ~= (pattern: String, text: Substring) -> Bool { isSame(pattern, text) }
}

extension Substring {
  package static func ~= (pattern: Substring, text: String) -> Bool { isSame(pattern, text) }
}

/// For `switch`.
package func ~= (pattern: String, text: String) -> Bool { isSame(pattern, text) }
package func ~= (pattern: Substring, text: Substring) -> Bool { isSame(pattern, text) }
package func ~= (pattern: Character, character: Character) -> Bool { pattern == character }

private func splitAtBytes(
  _ text: Substring.UTF8View, _ wanted: [UInt8], _ maxSplits: Int, _ omitsEmpty: Bool
) -> [Substring] {
  let bytes = Array(text)
  var parts: [Substring] = []
  var (start, end) = (0, text.startIndex)
  while parts.count < maxSplits, let place = firstPlace(of: wanted, in: bytes, from: start) {
    let next = text.index(end, offsetBy: place - start)
    if !omitsEmpty || place > start { parts.append(Substring(text[end..<next])) }
    end = text.index(next, offsetBy: wanted.count)
    start = place + wanted.count
  }
  if !omitsEmpty || start < bytes.count { parts.append(Substring(text[end...])) }
  return parts
}

private func holds(_ text: some StringProtocol, _ other: some StringProtocol) -> Bool {
  let (own, wanted) = (Array(text.utf8), Array(other.utf8))
  return firstPlace(of: wanted, in: own) != nil
}

private func endsAlike(_ text: some StringProtocol, _ suffix: some StringProtocol) -> Bool {
  let (own, wanted) = (text.utf8, suffix.utf8)
  let surplus = own.count - wanted.count
  return surplus >= 0 && own.dropFirst(surplus).elementsEqual(wanted)
}
