// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// When a check was in which standing: the arithmetic behind uptime.
///
/// A verdict holds from its slot to the next slot. When the next verdict is at least one and a half intervals away,
/// a slot between them was missed, and the verdict holds for one interval. The newest verdict stays open, because its
/// end is only known with its successor; it is added to the buckets when that comes.
struct HeldVerdicts: Sendable {
  private struct Open: Sendable {
    var slot: Int64
    var interval: Int64
    var standing: Standing

    var span: Span { Span(start: slot, end: slot + interval) }
  }

  private var open: Open?
  private var claimed = ClaimedTime()
  private var minutes = BucketSeries(width: 300_000_000, windows: [288])
  private var hours = BucketSeries(width: 3_600_000_000, windows: [168, 24], resolution: .fine)
  private var quarters = BucketSeries(width: 21_600_000_000, windows: [120])
  private var days = BucketSeries(width: 86_400_000_000, windows: [90, 30], resolution: .coarse)

  /// Below this a verdict that comes out of order is late; beyond it, the clock was set back.
  private static let stepBack: Int64 = 300_000_000
  /// No window reaches further.
  private static let horizon: Int64 = 91 * 86_400_000_000

  init() {}

  /// One verdict.
  ///
  /// - Parameters:
  ///   - latency: microseconds; nil when the verdict is no success or is in maintenance.
  ///   - startedAt: when the run began, by which a clock set back is told from a late arrival.
  mutating func add(
    _ standing: Standing, slot: Timestamp, interval: Duration, startedAt: Timestamp, latency: Int64?
  ) {
    count(standing, at: slot.microseconds, latency: latency)
    hold(standing, slot.microseconds, interval, startedAt: startedAt)
  }

  /// A slot without a verdict, because of a maintenance window: its time counts, as a verdict it does not.
  mutating func skip(_ slot: Timestamp, interval: Duration) {
    hold(.maintenance, slot.microseconds, interval, startedAt: slot)
  }

  private mutating func hold(
    _ standing: Standing, _ slot: Int64, _ interval: Duration, startedAt: Timestamp
  ) {
    let new = Open(slot: slot, interval: max(1, interval.microseconds), standing: standing)
    guard let open else {
      self.open = new
      return
    }
    if startedAt.microseconds < open.slot - max(2 * open.interval, Self.stepBack) {
      close(open, end: open.span.end)
      claimed.release(after: slot)
      self.open = new
    } else if slot > open.slot {
      let gap = slot - open.slot
      close(open, end: 2 * gap < 3 * open.interval ? slot : open.span.end)
      claimed.forget(before: slot - Self.horizon)
      self.open = new
    } else {
      for free in claimed.claim(Span(start: slot, end: min(new.span.end, open.slot))) { add(standing, free) }
    }
  }

  private mutating func close(_ open: Open, end: Int64) {
    for free in claimed.claim(Span(start: open.slot, end: end)) { add(open.standing, free) }
  }

  private mutating func add(_ standing: Standing, _ span: Span) {
    minutes.add(standing, span)
    hours.add(standing, span)
    quarters.add(standing, span)
    days.add(standing, span)
  }

  private mutating func count(_ standing: Standing, at slot: Int64, latency: Int64?) {
    minutes.count(standing, at: slot, latency: latency)
    hours.count(standing, at: slot, latency: latency)
    quarters.count(standing, at: slot, latency: latency)
    days.count(standing, at: slot, latency: latency)
  }

  mutating func window(_ period: UptimePeriod, now: Timestamp, enabled: EnabledTime) -> WindowStatus {
    let now = now.microseconds
    let totals: Bucket
    let sketched: Bucket
    let resolution: SketchResolution
    let from: Int64
    switch period {
    case .day:
      totals = minutes.totals(0, now: now)
      sketched = hours.totals(1, now: now)
      (resolution, from) = (.fine, minutes.start(0, now: now))
    case .week:
      totals = hours.totals(0, now: now)
      sketched = totals
      (resolution, from) = (.fine, hours.start(0, now: now))
    case .month:
      totals = quarters.totals(0, now: now)
      sketched = days.totals(1, now: now)
      (resolution, from) = (.coarse, quarters.start(0, now: now))
    case .quarter:
      totals = days.totals(0, now: now)
      sketched = totals
      (resolution, from) = (.coarse, days.start(0, now: now))
    }
    var status = WindowStatus(period: period)
    status.from = Timestamp(microseconds: from)
    status.time = totals.seconds
    status.counts = totals.counts
    if let open, let part = open.span.clipped(from: from, to: now) {
      status.time[open.standing] += part.length
    }
    status.span = now - from
    status.enabled = enabled.length(from: from, to: now)
    status.latency = LatencyStats(totals.latency, sketched.sketch, resolution)
    return status
  }

  /// Bytes held beyond the struct itself.
  var footprint: Int {
    minutes.footprint + hours.footprint + quarters.footprint + days.footprint + claimed.spans.capacity * 16
  }

  func encode(into writer: inout ByteWriter) {
    writer.bytes.append(open == nil ? 0 : 1)
    if let open {
      writer.signed(open.slot)
      writer.signed(open.interval)
      writer.bytes.append(open.standing.rawValue)
    }
    encodeSpans(claimed.spans, into: &writer)
    for series in [minutes, hours, quarters, days] { series.encode(into: &writer) }
  }

  init(from reader: inout ByteReader) throws(CodingDamage) {
    if try reader.byte() == 1 {
      let slot = try reader.signed(in: Span.told)
      let interval = try reader.signed(in: 1...1 << 50)
      guard let standing = Standing(rawValue: try reader.byte()) else { throw CodingDamage() }
      open = Open(slot: slot, interval: interval, standing: standing)
    }
    claimed = ClaimedTime(spans: try decodeSpans(from: &reader))
    try minutes.decode(from: &reader)
    try hours.decode(from: &reader)
    try quarters.decode(from: &reader)
    try days.decode(from: &reader)
  }
}

extension LatencyStats {
  fileprivate init?(_ sum: LatencySum, _ sketch: LatencySketch, _ resolution: SketchResolution) {
    guard sum.count > 0 else { return nil }
    // The sketch's window may be up to an hour or a day shorter than the sum's: its own count gives the ranks.
    var sketched: Int64 = 0
    for bin in sketch.bins { sketched += Int64(bin.count) }
    guard sketched > 0 else { return nil }
    var walk = sketch.walk
    func quantile(_ percent: Int64) -> Duration {
      let value = walk.value(atRank: max(1, (sketched * percent + 99) / 100), resolution)
      return .microseconds(min(max(value, sum.minimum), sum.maximum))
    }
    self.count = sum.count
    self.mean = .microseconds(sum.sum / sum.count)
    self.minimum = .microseconds(sum.minimum)
    self.maximum = .microseconds(sum.maximum)
    (p50, p90, p95, p99) = (quantile(50), quantile(90), quantile(95), quantile(99))
  }
}
