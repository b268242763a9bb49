// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network

/// The MPLS labels that a router says a packet bore when it came to it (RFC 4950), in the extensions behind the packet
/// that it quotes (RFC 4884 7). Pure.
enum LabelQuote {
  /// Eight are more than a packet has; the rest is left.
  static let limit = 8

  /// - Parameters:
  ///   - quoted: what the error queue gives: the packet from its transport header, or its payload, on, and what follows.
  ///   - place: where the kernel says the extensions begin; `nil` when it does not, and `guess` is tried.
  ///   - guess: where those of a router begin that is older than RFC 4884: it quotes 128 bytes and says no length
  ///     (RFC 4884 5.5). Only a checksum that holds makes it one.
  static func labels(in quoted: ArraySlice<UInt8>, at place: Int?, orAt guess: Int) -> [MPLSLabel] {
    let bytes = Array(quoted.prefix(1500))
    if let place { return labels(bytes, from: place, needsSum: false) }
    return labels(bytes, from: guess, needsSum: true)
  }

  private static func labels(_ bytes: [UInt8], from start: Int, needsSum: Bool) -> [MPLSLabel] {
    guard start >= 0, let first = start.sum(4), first <= bytes.count, bytes[start] >> 4 == 2 else {
      return []
    }
    // bounded: two bytes behind a place that has four
    let sum = UInt16(bytes[start + 2]) << 8 | UInt16(bytes[start + 3])
    // Zero: there is none.
    guard sum == 0 ? !needsSum : RawEcho.checksum(bytes[start...]) == 0 else { return [] }
    var offset = first
    // bounded: places within bytes that are there
    while offset + 4 <= bytes.count {
      let length = Int(bytes[offset]) << 8 | Int(bytes[offset + 1])  // bounded: of 16 bits
      guard length >= 4, length <= bytes.count - offset else { return [] }  // bounded: of counts
      // An MPLS label stack is class 1, type 1.
      if bytes[offset + 2] == 1, bytes[offset + 3] == 1 {  // bounded: by the loop's condition
        return stack(bytes[(offset + 4)..<(offset + length)])  // bounded: by the guard
      }
      offset += (length + 3) & ~3  // bounded: of 16 bits, on a place within the bytes
    }
    return []
  }

  /// Entries of RFC 3032 2.1: label 20 bits, class 3, bottom of the stack 1, TTL 8.
  private static func stack(_ bytes: ArraySlice<UInt8>) -> [MPLSLabel] {
    var labels: [MPLSLabel] = []
    var rest = bytes
    while rest.count >= 4, labels.count < limit {
      // bounded: a byte of four
      let word = rest.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      rest = rest.dropFirst(4)
      labels.append(
        MPLSLabel(label: Int(truncatingIfNeeded: word >> 12), ttl: Int(truncatingIfNeeded: word & 255)))
      if word & 0x100 != 0 { break }
    }
    return labels
  }
}
