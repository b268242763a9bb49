// SPDX-License-Identifier: MIT

import Glibc

/// Text as a key: compared and hashed by its bytes.
///
/// A `String` is compared and hashed by canonical equivalence, and to bring a run of combining marks into its canonical
/// order takes time that grows with the square of the run: 900,000 of them, sent as a JSON name, hold a thread for
/// minutes. Text from outside is never a key as a `String`.
package struct ByteText: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  package let text: String

  package init(_ text: String) { self.text = text }
  package init(_ text: Substring) { self.text = String(text) }
  package init(stringLiteral text: String) { self.text = text }

  package var description: String { text }

  package static func == (left: ByteText, right: ByteText) -> Bool { isSame(left.text, right.text) }

  package func hash(into hasher: inout Hasher) {
    let isHashed: Void? = text.utf8.withContiguousStorageIfAvailable {
      hasher.combine(bytes: UnsafeRawBufferPointer($0))
    }
    if isHashed == nil { for byte in text.utf8 { hasher.combine(byte) } }
    // No byte of UTF-8: where one text ends and the next begins counts.
    hasher.combine(UInt8.max)
  }
}

extension RawRepresentable where Self: CaseIterable, RawValue == String {
  /// The case that is written like this, by its bytes: `init(rawValue:)` compares by canonical equivalence.
  package init?(word: some StringProtocol) {
    guard let found = Self.allCases.first(where: { isSame($0.rawValue, word) }) else { return nil }
    self = found
  }
}

/// Whether both have the same bytes.
@inline(__always)
func isSame(_ left: some StringProtocol, _ right: some StringProtocol) -> Bool {
  let same = left.utf8.withContiguousStorageIfAvailable { left in
    right.utf8.withContiguousStorageIfAvailable { right in
      guard left.count == right.count else { return false }
      guard let one = left.baseAddress, let other = right.baseAddress else { return true }
      return memcmp(one, other, left.count) == 0
    }
  }
  return (same ?? nil) ?? left.utf8.elementsEqual(right.utf8)
}

/// Where `needle` first is in `bytes`, at or after `start`: in time that grows with their sum, whatever they are
/// (Knuth, Morris and Pratt). An empty one is at `start`.
package func firstPlace(
  of needle: some RandomAccessCollection<UInt8>, in bytes: UnsafeBufferPointer<UInt8>, from start: Int = 0
) -> Int? {
  let needle = Array(needle)
  guard let first = needle.first else { return start <= bytes.count ? start : nil }
  guard start >= 0, start <= bytes.count - needle.count else { return nil }
  let borders = needle.count > 1 ? bordersOfPrefixes(needle) : [0]
  var (index, matched) = (start, 0)
  while index < bytes.count {
    if matched == 0 {
      // Most of a text is nothing like the beginning.
      guard let base = bytes.baseAddress, let hit = memchr(base + index, Int32(first), bytes.count - index)
      else { return nil }
      index = UnsafeRawPointer(base).distance(to: UnsafeRawPointer(hit)) + 1
      matched = 1
    } else if bytes[index] == needle[matched] {
      matched += 1
      index += 1
    } else {
      matched = borders[matched - 1]
      continue
    }
    if matched == needle.count { return index - needle.count }
  }
  return nil
}

package func firstPlace(of needle: [UInt8], in bytes: [UInt8], from start: Int = 0) -> Int? {
  bytes.withUnsafeBufferPointer { firstPlace(of: needle, in: $0, from: start) }
}

/// Of each prefix, the length of the longest proper one that it also ends with.
private func bordersOfPrefixes(_ needle: [UInt8]) -> [Int] {
  var borders = [Int](repeating: 0, count: needle.count)
  var length = 0
  for index in 1..<needle.count {
    while length > 0, needle[index] != needle[length] { length = borders[length - 1] }
    if needle[index] == needle[length] { length += 1 }
    borders[index] = length
  }
  return borders
}
