// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization

/// One member's data of a check's windows, in a form that adds up: time by bucket, because no bucket may hold more than
/// its length whichever member measured it, and sums of all that has no length.
///
/// Shares are made for one instant, which the member that adds them names, so that all windows begin at the same edges
/// whatever the members' clocks say.
package struct WindowShare: Hashable, Sendable {
  /// One window.
  struct Part: Hashable, Sendable {
    /// Ascending by key; only time is in them.
    var time: [Bucket] = []
    /// Counts and latencies.
    var sums = Bucket(key: 0)
    /// Of the window that the quantiles are read from, whose buckets are wider.
    var sketch = LatencySketch()
  }

  /// Microseconds.
  var now: Int64
  /// In the order of `UptimePeriod.allCases`.
  var parts: [Part]
  /// When the check was switched on there.
  var enabled: [Span]

  /// Of who has never heard of the check.
  package init(emptyAt instant: Timestamp) {
    self.init(
      now: instant.microseconds, parts: UptimePeriod.allCases.map { _ in Part() }, enabled: [])
  }

  init(now: Int64, parts: [Part], enabled: [Span]) {
    (self.now, self.parts, self.enabled) = (now, parts, enabled)
  }

  package var at: Timestamp { Timestamp(microseconds: now) }
  /// It has nothing to tell.
  package var isEmpty: Bool { parts.allSatisfy { $0 == Part() } }
}

/// The edges of one window, the same for everybody.
struct WindowShape: Sendable {
  /// Of a bucket, microseconds.
  let width: Int64
  /// Buckets, the unfinished one included.
  let length: Int64
  let resolution: SketchResolution

  static func of(_ period: UptimePeriod) -> WindowShape {
    switch period {
    case .day: WindowShape(width: 300_000_000, length: 288, resolution: .fine)
    case .week: WindowShape(width: 3_600_000_000, length: 168, resolution: .fine)
    case .month: WindowShape(width: 21_600_000_000, length: 120, resolution: .coarse)
    case .quarter: WindowShape(width: 86_400_000_000, length: 90, resolution: .coarse)
    }
  }

  func key(of instant: Int64) -> Int64 { floorDivide(instant, width).quotient }

  /// Keys of the window that ends now.
  // bounded: quotients of instants within 2^55, and lengths of ours
  func keys(now: Int64) -> ClosedRange<Int64> { key(of: now) - length + 1...key(of: now) }

  // bounded: instants are within 2^55
  func start(now: Int64) -> Int64 { keys(now: now).lowerBound * width }
}

extension HeldVerdicts {
  /// The window's part of a share.
  mutating func share(_ period: UptimePeriod, now: Int64) -> WindowShare.Part {
    let shape = WindowShape.of(period)
    let keys = shape.keys(now: now)
    var part = WindowShare.Part()
    let (series, sums, sketch) = shareSources(period, now: now)
    (part.sums.counts, part.sums.latency, part.sketch) = (sums.counts, sums.latency, sketch)
    series.forEach { bucket in
      guard keys.contains(bucket.key), bucket.seconds != Tally() else { return }
      var time = Bucket(key: bucket.key)
      time.seconds = bucket.seconds
      part.time.append(time)
    }
    if let open, let rest = open.span.clipped(from: keys.lowerBound * shape.width, to: now) {
      part.add(open.standing, rest, shape)
    }
    return part
  }
}

extension WindowShare.Part {
  /// The newest verdict's time, which no bucket has yet; cut at the edges of the buckets.
  fileprivate mutating func add(_ standing: Standing, _ span: Span, _ shape: WindowShape) {
    var start = span.start
    while start < span.end {
      let key = shape.key(of: start)
      let end = min(span.end, (key + 1) * shape.width)  // bounded: instants are within 2^55
      var bucket = Bucket(key: key)
      bucket.seconds[standing] = end - start  // bounded: both are within the bucket
      add(bucket)
      start = end
    }
  }

  private mutating func add(_ bucket: Bucket) {
    // What is newest is at the end.
    let place =
      (time.lastIndex { $0.key <= bucket.key }).map { time[$0].key == bucket.key ? $0 : $0 + 1 } ?? 0
    if place < time.count, time[place].key == bucket.key {
      time[place].merge(bucket)
    } else {
      time.insert(bucket, at: place)
    }
  }
}

extension HistoryStore {
  /// This agent's data of a check's windows that end at that instant. `nil` where it has never heard of the check.
  package func share(of checkID: UniqueID, now: Timestamp) -> WindowShare? {
    guard Span.told.contains(now.microseconds) else { return nil }
    // A copy of a value type: the lock is not held while the buckets are read.
    guard var history = state.withLock({ $0.histories[checkID] }) else { return nil }
    return history.share(now: now)
  }
}
