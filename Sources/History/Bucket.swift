// SPDX-License-Identifier: MIT

import Basics

/// Results of one stretch of wall-clock time, or, with the same arithmetic, of a whole window.
struct Bucket: Hashable, Sendable {
  /// Start of the stretch divided by the series' width.
  var key: Int64
  /// Microseconds.
  var seconds = Tally()
  /// Verdicts.
  var counts = Tally()
  var latency = LatencySum()
  var sketch = LatencySketch()

  init(key: Int64) { self.key = key }

  mutating func merge(_ other: Bucket) {
    // bounded: what a file says was held to ranges whose sums fit
    seconds += other.seconds
    counts += other.counts
    latency.merge(other.latency)
    sketch += other.sketch
  }

  /// Takes away what was merged before. Extremes cannot be taken away: true when they must be looked for again.
  mutating func subtract(_ other: Bucket) -> Bool {
    // bounded: what a file says was held to ranges whose sums fit
    seconds -= other.seconds
    counts -= other.counts
    sketch -= other.sketch
    return latency.subtract(other.latency)
  }
}

/// Sum and extremes of the latencies of successes, in microseconds.
struct LatencySum: Hashable, Sendable {
  var count: Int64 = 0
  var sum: Int64 = 0
  /// Meaningless while `count` is 0.
  var minimum: Int64 = 0
  var maximum: Int64 = 0

  /// Longest response time that a record may hold, in microseconds: 71 minutes. No check waits as long; a damaged
  /// record may say so.
  static let range: ClosedRange<Int64> = 0...1 << 32

  static func within(_ microseconds: Int64) -> Int64 {
    min(max(microseconds, range.lowerBound), range.upperBound)
  }

  mutating func merge(_ other: LatencySum) {
    // bounded: what a file says was held to ranges whose sums fit
    guard other.count > 0 else { return }
    minimum = count == 0 ? other.minimum : min(minimum, other.minimum)
    maximum = count == 0 ? other.maximum : max(maximum, other.maximum)
    count += other.count
    sum += other.sum
  }

  mutating func subtract(_ other: LatencySum) -> Bool {
    // bounded: what a file says was held to ranges whose sums fit
    guard other.count > 0 else { return false }
    count -= other.count
    sum -= other.sum
    return count > 0 && (other.minimum <= minimum || other.maximum >= maximum)
  }
}

extension Bucket {
  // What a file may say, so that hundreds of buckets still add up: 9 years, a million million results, and as many
  // microseconds as four million of the slowest take.
  private static let span: ClosedRange<Int64> = 0...1 << 48
  private static let count: ClosedRange<Int64> = 0...1 << 40
  private static let sum: ClosedRange<Int64> = 0...1 << 54

  /// Everything but the key. A first number says which fields follow, because most buckets hold one standing only.
  func encode(into writer: inout ByteWriter) {
    var mask: UInt64 = 0
    for standing in Standing.allCases {
      if seconds[standing] != 0 { mask |= 1 << UInt64(standing.rawValue) }  // bounded: standings are few
      if counts[standing] != 0 { mask |= 32 << UInt64(standing.rawValue) }  // bounded: standings are few
    }
    if latency.count != 0 { mask |= 1 << 10 }
    if !sketch.bins.isEmpty { mask |= 1 << 11 }
    writer.unsigned(mask)
    for standing in Standing.allCases where seconds[standing] != 0 { writer.signed(seconds[standing]) }
    for standing in Standing.allCases where counts[standing] != 0 { writer.signed(counts[standing]) }
    if latency.count != 0 {
      writer.signed(latency.count)
      writer.signed(latency.sum)
      writer.signed(latency.minimum)
      writer.signed(latency.maximum - latency.minimum)  // bounded: both are within the range of latencies
    }
    if !sketch.bins.isEmpty { sketch.encode(into: &writer) }
  }

  init(key: Int64, from reader: inout ByteReader) throws(CodingDamage) {
    self.key = key
    let mask = try reader.unsigned()
    // bounded: standings are few
    for standing in Standing.allCases where mask & 1 << UInt64(standing.rawValue) != 0 {
      seconds[standing] = try reader.signed(in: Self.span)
    }
    // bounded: standings are few
    for standing in Standing.allCases where mask & 32 << UInt64(standing.rawValue) != 0 {
      counts[standing] = try reader.signed(in: Self.count)
    }
    if mask & 1 << 10 != 0 {
      latency.count = try reader.signed(in: Self.count)
      latency.sum = try reader.signed(in: Self.sum)
      latency.minimum = try reader.signed(in: LatencySum.range)
      // bounded: both are within the range of latencies, twice which fits
      latency.maximum = latency.minimum + (try reader.signed(in: LatencySum.range))
    }
    if mask & 1 << 11 != 0 { sketch = try LatencySketch(from: &reader) }
  }
}
