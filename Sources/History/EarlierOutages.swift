// SPDX-License-Identifier: MIT

import Basics

/// Outages of a check that are not kept any more, each of which began shortly after the one before it ended: their sums, so
/// that outages that are told as one keep their begin and their number.
package struct EarlierOutages: Hashable, Sendable {
  /// From the begin of the first to the end of the last.
  private var span: Span
  package private(set) var count: Int
  /// Down time of all of them, microseconds.
  private var down: Int64

  private static let most: (count: Int, down: Int64) = (1 << 40, 1 << 56)

  init(_ first: Span) { (span, count, down) = (first, 1, first.length) }

  package var begin: Timestamp { Timestamp(microseconds: span.start) }
  package var length: Duration { .microseconds(down) }

  /// Whether an outage that begins then is told as one with these.
  func areFollowed(by begin: Int64) -> Bool {
    begin - span.end < Outage.gap.microseconds  // bounded: instants are within 2^55
  }

  /// One more that is not kept any more. Where it is not told as one with these, it takes their place.
  mutating func add(_ next: Span) {
    guard areFollowed(by: next.start) else { return self = EarlierOutages(next) }
    span = Span(start: min(span.start, next.start), end: max(span.end, next.end))
    count = min(count + 1, Self.most.count)  // bounded: no more than the most and one
    down = min(down + next.length, Self.most.down)  // bounded: each of them is within 2^56
  }

  func encode(into writer: inout ByteWriter) {
    writer.signed(span.start)
    writer.signed(span.end)
    writer.count(count)
    writer.signed(down)
  }

  init(from reader: inout ByteReader) throws(CodingDamage) {
    span = Span(start: try reader.signed(in: Span.told), end: try reader.signed(in: Span.told))
    count = Int(clamping: try reader.unsigned(through: UInt64(Self.most.count)))
    down = try reader.signed(in: 1...Self.most.down)
    guard span.end > span.start, count > 0 else { throw CodingDamage() }
  }
}
