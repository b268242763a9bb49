// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Work and punctuality of the schedule, for status and metrics.
package struct ScheduleStatus: Hashable, Sendable {
  /// Enabled checks.
  package var checks = 0
  package var inFlight = 0
  /// Runs that may be in flight at once.
  package var limit = 0
  /// Due, but held by a limit.
  package var waiting = 0
  /// Of them, those for which all places of their origin are taken.
  package var waits: [QueueWait] = []
  /// Runs since the start.
  package var started = 0
  /// Slots since the start that were not run for our own reasons.
  package var missed: Int { missedBy.values.reduce(0, +) }
  /// Of them, by cause; causes that never were are left out.
  package var missedBy: [MissCause: Int] = [:]
  /// Slots since the start that took the verdict of a run still going.
  package var spanned = 0
  /// From the slot to the start of the run, over the last 10 to 20 minutes; nil without a run in them. At most
  /// 3.2 % too high.
  package var lateP50: Duration?
  package var lateP99: Duration?
  /// Exact, over the same time.
  package var lateMax: Duration?

  package init() {}

  mutating func miss(_ slots: Int, _ cause: MissCause) {
    guard slots > 0 else { return }
    missedBy[cause, default: 0] += slots
  }
}

/// Lateness of started runs: two sketches that take turns, so that an old stall does not colour the figures for
/// ever and memory stays the same.
struct Lateness {
  static let period = Duration.seconds(600)

  private var current = LatenessSketch()
  private var previous = LatenessSketch()
  private var periodEnd: Instant?

  mutating func record(_ late: Duration, at now: Instant) {
    rotate(now)
    current.add(late.microseconds)
  }

  /// Median, 99th percentile and maximum; nil without a run in the last two periods.
  func figures(at now: Instant) -> (p50: Duration, p99: Duration, max: Duration)? {
    var upToDate = self
    upToDate.rotate(now)
    let both = upToDate.current.merged(with: upToDate.previous)
    guard both.count > 0 else { return nil }
    return (
      .microseconds(both.quantile(0.5)), .microseconds(both.quantile(0.99)), .microseconds(both.maximum)
    )
  }

  private mutating func rotate(_ now: Instant) {
    guard let end = periodEnd else {
      periodEnd = now.advanced(by: Self.period)
      return
    }
    guard now >= end else { return }
    // After a gap of more than a period both are old.
    previous = now < end.advanced(by: Self.period) ? current : LatenessSketch()
    current = LatenessSketch()
    periodEnd = now.advanced(by: Self.period)
  }
}

/// Counts of microseconds in buckets that grow with the value: 32 to each power of two, exact below 32. A quantile
/// is its bucket's upper end, so never too low.
struct LatenessSketch {
  private(set) var count: UInt64 = 0
  private(set) var maximum: Int64 = 0
  /// As long as the largest value needs: at most 1,888 numbers, a few hundred in practice.
  private var buckets: [UInt32] = []

  mutating func add(_ microseconds: Int64) {
    let value = max(0, microseconds)
    let bucket = Self.bucket(of: value)
    if bucket >= buckets.count {
      buckets.append(contentsOf: repeatElement(0, count: bucket + 1 - buckets.count))
    }
    buckets[bucket] &+= 1
    count += 1
    maximum = max(maximum, value)
  }

  func merged(with other: LatenessSketch) -> LatenessSketch {
    var sum = buckets.count >= other.buckets.count ? self : other
    let smaller = buckets.count >= other.buckets.count ? other : self
    for (index, number) in smaller.buckets.enumerated() { sum.buckets[index] &+= number }
    sum.count = count + other.count
    sum.maximum = max(maximum, other.maximum)
    return sum
  }

  /// The smallest bucket's end that at least this share of the values does not exceed; 0 without values.
  func quantile(_ share: Double) -> Int64 {
    let rank = max(1, UInt64((Double(count) * share).rounded(.up)))
    var seen: UInt64 = 0
    for (index, number) in buckets.enumerated() {
      seen += UInt64(number)
      if seen >= rank { return min(Self.upperEnd(of: index), maximum) }
    }
    return maximum
  }

  private static func bucket(of value: Int64) -> Int {
    guard value >= 32 else { return Int(value) }
    let shift = 58 - value.leadingZeroBitCount
    return shift * 32 + Int(value >> Int64(shift))
  }

  private static func upperEnd(of bucket: Int) -> Int64 {
    guard bucket >= 64 else { return Int64(bucket) }
    let shift = Int64(bucket / 32 - 1)
    return ((Int64(bucket % 32) + 33) << shift) - 1
  }
}
