// SPDX-License-Identifier: MIT

import Basics
import Monitoring

extension WindowShare {
  /// The windows of a group from the shares of its members: sums of their buckets, each cut at its length. A member
  /// that is away adds no time, which lowers coverage and touches no uptime.
  ///
  /// Shares for another instant are left out. `nil` without any.
  package static func merged(_ shares: [WindowShare], now: Timestamp) -> [WindowStatus]? {
    let instant = now.microseconds
    let shares = shares.filter { $0.now == instant && $0.parts.count == UptimePeriod.allCases.count }
    guard !shares.isEmpty else { return nil }
    let enabled = united(shares.flatMap(\.enabled))
    return UptimePeriod.allCases.enumerated().map { place, period in
      window(period, shares.map { $0.parts[place] }, enabled, now: instant)
    }
  }

  private static func window(
    _ period: UptimePeriod, _ parts: [Part], _ enabled: [Span], now: Int64
  ) -> WindowStatus {
    let shape = WindowShape.of(period)
    var status = WindowStatus(period: period)
    let from = shape.start(now: now)
    status.from = Timestamp(microseconds: from)
    status.span = now - from  // bounded: instants are within 2^55
    var buckets: [Int64: Tally] = [:]
    var sums = Bucket(key: 0)
    var sketch = LatencySketch()
    for part in parts {
      for bucket in part.time { buckets[bucket.key, default: Tally()] += bucket.seconds }
      sums.merge(part.sums)
      sketch += part.sketch
    }
    for (key, time) in buckets {
      // bounded: instants are within 2^55
      let length = min(shape.width, now - key * shape.width)
      status.time += time.cut(at: max(0, length))
    }
    status.counts = sums.counts
    for span in enabled {
      // bounded: within the window, spans apart from one another
      status.enabled += span.clipped(from: from, to: now)?.length ?? 0
    }
    status.latency = LatencyStats(sums.latency, sketch, shape.resolution)
    return status
  }
}

extension Tally {
  /// No more in all than the length: where two looked at the same time, each standing keeps its share.
  fileprivate func cut(at length: Int64) -> Tally {
    // bounded: of a few members, each no more than a bucket's length
    let all = Standing.allCases.reduce(0) { $0 + self[$1] }
    guard all > length, all > 0 else { return self }
    var tally = Tally()
    for standing in Standing.allCases where self[standing] > 0 {
      // The product takes more than 64 bits; the quotient is no more than the length.
      tally[standing] = all.dividingFullWidth(self[standing].multipliedFullWidth(by: length)).quotient
    }
    return tally
  }
}
