// SPDX-License-Identifier: MIT

import Basics

/// Puts the pieces of a body together to lines. Each byte is looked at once, however small the pieces are: a store that
/// sends a line byte by byte costs no more than one that sends it whole.
struct LineCutter: Sendable {
  /// Bytes of a line at most.
  static let most = 4 << 20

  /// The line that has no end yet.
  private var rest: [UInt8] = []

  /// - Returns: the lines that have ended, without the empty ones; nil: one is longer than it may be.
  mutating func take(_ bytes: [UInt8]) -> [[UInt8]]? {
    var lines: [[UInt8]] = []
    var start = bytes.startIndex
    while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
      guard append(bytes[start..<end]) else { return nil }
      if !rest.isEmpty { lines.append(rest) }
      rest = []
      start = end + 1  // bounded: a place in memory
    }
    return append(bytes[start...]) ? lines : nil
  }

  private mutating func append(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard bytes.count <= Self.most - rest.count else {  // bounded: bytes in memory
      rest = []
      return false
    }
    rest += bytes
    return true
  }
}
