// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A stretch of a window: latency of its successes, and its time by standing. All points of a line together are the
/// window: their times add up to its.
package struct SeriesPoint: Hashable, Sendable {
  package var start: Timestamp
  /// The last one ends now.
  package var width: Duration
  /// Successes with a latency.
  package var count: Int64
  /// Exact; nil without a success.
  package var mean: Duration?
  package var maximum: Duration?
  /// Within 2 % for 24h and 7d, 5 % for 30d and 90d. Of the full hours (24h) or days (30d) that the point lies in, whose
  /// sketches the history keeps, but within the least and the greatest of the point's own.
  package var p95: Duration?
  /// Microseconds.
  package var time: Tally

  package init(
    start: Timestamp, width: Duration, count: Int64 = 0, mean: Duration? = nil, maximum: Duration? = nil,
    p95: Duration? = nil, time: Tally = Tally()
  ) {
    (self.start, self.width, self.count) = (start, width, count)
    (self.mean, self.maximum, self.p95, self.time) = (mean, maximum, p95, time)
  }

  /// Points of a line at most.
  package static let limit = 300
}

extension HeldVerdicts {
  /// The window in at most so many points, oldest first; those without data are there as well.
  func series(_ period: UptimePeriod, now: Timestamp, points: Int) -> [SeriesPoint] {
    let now = now.microseconds
    let (buckets, sketches, resolution) = sources(period)
    let start = buckets.start(0, now: now)
    let grid = SeriesGrid(
      first: buckets.key(of: start), last: buckets.key(of: now),
      points: max(2, min(points, SeriesPoint.limit)))
    var sums = [Bucket](repeating: Bucket(key: 0), count: grid.count)
    buckets.forEach { bucket in
      if let place = grid.place(of: bucket.key) { sums[place].merge(bucket) }
    }
    var fine: [(span: Span, sketch: LatencySketch)] = []
    sketches.forEach { bucket in
      guard !bucket.sketch.bins.isEmpty else { return }
      let begin = bucket.key * sketches.width
      fine.append((Span(start: begin, end: begin + sketches.width), bucket.sketch))
    }
    return (0..<grid.count).map { place in
      let keys = grid.keys(place)
      let span = Span(
        start: max(start, keys.lowerBound * buckets.width), end: min(now, keys.upperBound * buckets.width))
      var sum = sums[place]
      if let open, let part = open.span.clipped(from: span.start, to: span.end) {
        sum.seconds[open.standing] += part.length
      }
      let sketch = fine.reduce(into: LatencySketch()) { all, hour in
        if hour.span.clipped(from: span.start, to: max(span.end, span.start + 1)) != nil {
          all += hour.sketch
        }
      }
      return SeriesPoint(span, sum, p95: sum.latency.count > 0 ? sketch.p95(resolution) : nil)
    }
  }

  /// Down within the last so many, at most 24 hours; of a stretch of five minutes that lies in it in part, that part. All down
  /// time of the newest stretch lies in what has passed of it.
  func down(last span: Duration, now: Timestamp) -> Duration {
    let whole = Span(start: now.microseconds - span.microseconds, end: now.microseconds)
    var down: Int64 = 0
    minutes.forEach { bucket in
      let start = bucket.key * minutes.width
      let passed = Span(start: start, end: min(start + minutes.width, whole.end))
      guard let part = passed.clipped(from: whole.start, to: whole.end) else { return }
      // bounded: at most five minutes of microseconds, twice
      down += min(bucket.seconds.down, passed.length) * part.length / passed.length
    }
    if let open, open.standing == .down, let part = open.span.clipped(from: whole.start, to: whole.end) {
      down += part.length
    }
    return .microseconds(min(down, whole.length))
  }

  private func sources(_ period: UptimePeriod) -> (BucketSeries, sketches: BucketSeries, SketchResolution) {
    switch period {
    case .day: (minutes, hours, .fine)
    case .week: (hours, hours, .fine)
    case .month: (quarters, days, .coarse)
    case .quarter: (days, days, .coarse)
    }
  }
}

extension SeriesPoint {
  fileprivate init(_ span: Span, _ sum: Bucket, p95: Duration?) {
    let latency = sum.latency
    self.init(
      start: Timestamp(microseconds: span.start), width: .microseconds(span.length), count: latency.count,
      mean: latency.count > 0 ? .microseconds(latency.sum / latency.count) : nil,
      maximum: latency.count > 0 ? .microseconds(latency.maximum) : nil,
      p95: p95.map { min(max($0, .microseconds(latency.minimum)), .microseconds(latency.maximum)) },
      time: sum.seconds)
  }
}

/// Keys of buckets, so many of them a point. The edges lie on whole multiples, so that they stay where they are while
/// the window moves on.
struct SeriesGrid {
  private let first: Int64
  private let last: Int64
  private let step: Int64

  init(first: Int64, last: Int64, points: Int) {
    (self.first, self.last) = (first, last)
    var step = max(1, (last - first + 1) / Int64(points))
    while floorDivide(last, step).quotient - floorDivide(first, step).quotient + 1 > Int64(points) {
      step += 1
    }
    self.step = step
  }

  var count: Int { Int(group(last) - group(first) + 1) }

  private func group(_ key: Int64) -> Int64 { floorDivide(key, step).quotient }

  /// `nil` for a key outside.
  func place(of key: Int64) -> Int? { first <= key && key <= last ? Int(group(key) - group(first)) : nil }

  func keys(_ place: Int) -> Range<Int64> {
    let begin = (group(first) + Int64(place)) * step
    return begin..<begin + step
  }
}

extension LatencySketch {
  fileprivate func p95(_ resolution: SketchResolution) -> Duration? {
    var count: Int64 = 0
    for bin in bins { count += Int64(bin.count) }
    guard count > 0 else { return nil }
    var walk = walk
    return .microseconds(walk.value(atRank: max(1, (count * 95 + 99) / 100), resolution))
  }
}
