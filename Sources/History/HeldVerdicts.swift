// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// When a check was in which standing: the arithmetic behind uptime.
///
/// A verdict holds from its slot to the next slot. When the next verdict is at least one and a half intervals away,
/// a slot between them was missed, and the verdict holds for one interval. The newest verdict stays open, because its
/// end is only known with its successor; it is added to the buckets when that comes.
struct HeldVerdicts: Sendable {
  struct Open: Sendable {
    var slot: Int64
    var interval: Int64
    var standing: Standing
    /// While it is down.
    var note: OutageNote?
    /// False for a slot that a run spanned.
    var isResult = true

    var span: Span { Span(start: slot, end: slot + interval) }
  }

  private(set) var open: Open?
  private var claimed = ClaimedTime()
  private(set) var outages = OutageLog()
  private(set) var minutes = BucketSeries(shapes.minutes)
  private(set) var hours = BucketSeries(shapes.hours)
  private(set) var quarters = BucketSeries(shapes.quarters)
  private(set) var days = BucketSeries(shapes.days)
  /// Finished days of 13 months.
  var past = DayArchive()

  private static let shapes = (
    minutes: SeriesShape(width: 300_000_000, windows: [288]),
    hours: SeriesShape(width: 3_600_000_000, windows: [168, 24], resolution: .fine),
    quarters: SeriesShape(width: 21_600_000_000, windows: [120]),
    days: SeriesShape(width: 86_400_000_000, windows: [90, 30], resolution: .coarse)
  )

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
  ///   - note: of a verdict that is down, for its outage.
  mutating func add(
    _ standing: Standing, slot: Timestamp, interval: Duration, startedAt: Timestamp, latency: Int64?,
    note: OutageNote? = nil, isSpanned: Bool = false
  ) {
    let verdict = Open(
      slot: slot.microseconds, interval: max(1, interval.microseconds), standing: standing, note: note,
      isResult: !isSpanned)
    // First the end of the one before: after a long absence it is the older by more than a series holds, and would
    // take the place of what has just been counted.
    hold(verdict, startedAt: startedAt)
    count(standing, at: slot.microseconds, latency: latency)
    foldDays(before: days.key(of: slot.microseconds))
  }

  /// A slot without a verdict, because of a maintenance window: its time counts, as a verdict it does not.
  mutating func skip(_ slot: Timestamp, interval: Duration) {
    let skipped = Open(
      slot: slot.microseconds, interval: max(1, interval.microseconds), standing: .maintenance)
    hold(skipped, startedAt: slot)
    foldDays(before: days.key(of: slot.microseconds))
  }

  private mutating func hold(_ new: Open, startedAt: Timestamp) {
    let slot = new.slot
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
      for free in claimed.claim(Span(start: slot, end: min(new.span.end, open.slot))) { add(new, free) }
    }
  }

  private mutating func close(_ open: Open, end: Int64) {
    for free in claimed.claim(Span(start: open.slot, end: end)) { add(open, free) }
  }

  /// Adds the part of a verdict's time that no other verdict has.
  private mutating func add(_ verdict: Open, _ span: Span) {
    minutes.add(verdict.standing, span)
    hours.add(verdict.standing, span)
    quarters.add(verdict.standing, span)
    days.add(verdict.standing, span)
    past.touch(days.key(of: span.start))
    if verdict.standing == .down, let note = verdict.note {
      outages.add(OutageSpan(span, note, isResult: verdict.isResult))
    }
  }

  private mutating func count(_ standing: Standing, at slot: Int64, latency: Int64?) {
    minutes.count(standing, at: slot, latency: latency)
    hours.count(standing, at: slot, latency: latency)
    quarters.count(standing, at: slot, latency: latency)
    days.count(standing, at: slot, latency: latency)
    past.touch(days.key(of: slot))
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
    status.latency = LatencyStats(
      totals.latency, sketch(period, sketched, of: totals, from: from), resolution)
    return status
  }

  /// For the quantiles of a window. Its sketches have wider buckets than its sums and begin up to one of them later: where all
  /// its successes are older than that, the bucket in which it begins has them.
  private func sketch(
    _ period: UptimePeriod, _ sketched: Bucket, of sums: Bucket, from: Int64
  ) -> LatencySketch {
    guard sums.latency.count > 0, sketched.sketch.bins.isEmpty else { return sketched.sketch }
    return switch period {
    case .day: hours.sketch(at: from)
    case .month: days.sketch(at: from)
    case .week, .quarter: sketched.sketch
    }
  }

  /// The buckets of a window, its sums, and the sketch that its quantiles are read from.
  mutating func shareSources(
    _ period: UptimePeriod, now: Int64
  ) -> (buckets: BucketSeries, sums: Bucket, sketch: LatencySketch) {
    let (buckets, sums, sketched) =
      switch period {
      case .day: (minutes, minutes.totals(0, now: now), hours.totals(1, now: now))
      case .week: (hours, hours.totals(0, now: now), hours.totals(0, now: now))
      case .month: (quarters, quarters.totals(0, now: now), days.totals(1, now: now))
      case .quarter: (days, days.totals(0, now: now), days.totals(0, now: now))
      }
    return (buckets, sums, sketch(period, sketched, of: sums, from: buckets.start(0, now: now)))
  }

  /// Bytes held beyond the struct itself.
  var footprint: Int {
    minutes.footprint + hours.footprint + quarters.footprint + days.footprint + claimed.spans.capacity * 16
      + outages.footprint + past.footprint
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

extension HeldVerdicts {
  mutating func trimOutages(_ limit: Int) { outages.trim(limit) }

  /// Oldest first; what no window reaches any more, and what the clock has yet to reach again, is left out. The
  /// oldest has the sums of those that it followed closely.
  ///
  /// - Parameter lasts: the newest verdict is not stale, so that its outage goes on when it is down.
  func outages(now: Timestamp, lasts: Bool) -> [Outage] {
    let oldest = now.advanced(by: .seconds(-90 * 86_400))
    var earlier = outages.earlier
    var found: [Outage] = []
    for outage in outages.all(open: openOutage(now: now), lasts: lasts) where outage.begin < now {
      if outage.heldUntil > oldest {
        found.append(outage)
      } else {
        let span = Span(start: outage.begin.microseconds, end: outage.heldUntil.microseconds)
        if earlier == nil { earlier = EarlierOutages(span) } else { earlier?.add(span) }
      }
    }
    if let earlier, let first = found.first, earlier.areFollowed(by: first.begin.microseconds) {
      found[0].earlier = earlier
    }
    return found
  }

  /// The one that began last, within 90 days.
  func latestOutage(now: Timestamp, lasts: Bool) -> Outage? {
    let oldest = now.advanced(by: .seconds(-90 * 86_400))
    return outages.latest(open: openOutage(now: now), lasts: lasts)
      .flatMap { $0.heldUntil > oldest && $0.begin < now ? $0 : nil }
  }

  func openOutage(now: Timestamp) -> OutageSpan? {
    guard let open, open.standing == .down, let note = open.note,
      let span = open.span.clipped(from: open.slot, to: now.microseconds)
    else { return nil }
    return OutageSpan(span, note, isResult: open.isResult)
  }

  func encodeOutages(into writer: inout ByteWriter) {
    outages.encode(into: &writer)
    guard let open, let note = open.note else { return writer.bytes.append(0) }
    writer.bytes.append(open.isResult ? 1 : 2)
    note.encode(into: &writer)
  }

  mutating func decodeOutages(from reader: inout ByteReader) throws(CodingDamage) {
    outages = try OutageLog(from: &reader)
    let mark = try reader.byte()
    guard mark > 0 else { return }
    guard open?.standing == .down else { throw CodingDamage() }
    open?.note = try OutageNote(from: &reader)
    open?.isResult = mark == 1
  }

  func encodeEarlierOutages(into writer: inout ByteWriter) { outages.encodeEarlier(into: &writer) }

  mutating func decodeEarlierOutages(from reader: inout ByteReader) throws(CodingDamage) {
    try outages.decodeEarlier(from: &reader)
  }

  /// For a file of the version that knew no outages: the one that lasts is told by the last result.
  mutating func explain(_ note: OutageNote) {
    if open?.standing == .down { open?.note = note }
  }
}
