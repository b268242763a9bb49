// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Encoding of the shares that members exchange: bytes of the history's own kind. The reader checks their limits, since
/// another machine wrote them.
extension WindowShare {
  /// Bytes of one at most: a reader takes no more.
  package static let limit = 64 << 10

  private static let mark: [UInt8] = Array("QGW1".utf8)

  package var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.bytes += Self.mark
    writer.signed(now)
    encodeSpans(enabled, into: &writer)
    for part in parts {
      writer.count(part.time.count)
      for bucket in part.time {
        writer.signed(bucket.key)
        bucket.encode(into: &writer)
      }
      part.sums.encode(into: &writer)
      part.sketch.encode(into: &writer)
    }
    return writer.bytes
  }

  /// `nil` for what is damaged, too long, for another instant, or holds what no member can have seen.
  ///
  /// - Parameter asked: the instant that it was asked for.
  package init?(_ bytes: [UInt8], for asked: Timestamp) {
    guard bytes.count <= Self.limit, bytes.starts(with: Self.mark) else { return nil }
    var reader = ByteReader(bytes, from: Self.mark.count)
    do {
      now = try reader.signed(in: Span.told)
      guard now == asked.microseconds else { return nil }
      enabled = try decodeSpans(from: &reader)
      guard enabled.count <= ClaimedTime.limit else { return nil }
      parts = []
      for period in UptimePeriod.allCases {
        parts.append(try Part(WindowShape.of(period), now: now, from: &reader))
      }
      guard reader.atEnd else { return nil }
    } catch {
      return nil
    }
  }
}

extension WindowShare.Part {
  fileprivate init(_ shape: WindowShape, now: Int64, from reader: inout ByteReader) throws(CodingDamage) {
    let keys = shape.keys(now: now)
    let count = try reader.count()
    guard count <= shape.length else { throw CodingDamage() }
    for _ in 0..<count {
      let key = try reader.signed(in: keys)
      let bucket = try Bucket(key: key, from: &reader)
      let times = Standing.allCases.map { bucket.seconds[$0] }
      // bounded: none is beyond the width, as was asked before
      guard times.allSatisfy({ $0 <= 2 * shape.width }), key > time.last?.key ?? .min,
        bucket.counts == Tally(), bucket.latency == LatencySum(), bucket.sketch.bins.isEmpty
      else { throw CodingDamage() }
      time.append(bucket)
    }
    sums = try Bucket(key: 0, from: &reader)
    guard sums.seconds == Tally(), sums.sketch.bins.isEmpty else { throw CodingDamage() }
    sketch = try LatencySketch(from: &reader)
  }
}
