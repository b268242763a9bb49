// SPDX-License-Identifier: MIT

import Basics

/// A day of a check in UTC, as it is kept for thirteen months: uptime, coverage, counts, outages, latency and maintenance of
/// that day can be read from it.
struct DayFigures: Hashable, Sendable {
  /// Days since 1970.
  var key: Int64
  /// Microseconds.
  var time = Tally()
  /// Verdicts.
  var counts = Tally()
  /// Successes with a response time, and the sum of these in microseconds.
  var latencyCount: Int64 = 0
  var latencySum: Int64 = 0
  /// 95th percentile in microseconds, within 5 %; 0 without any.
  var p95: Int64 = 0
  var outages = DayOutages()

  /// Microseconds of a day.
  static let width: Int64 = 86_400_000_000
  /// The largest numbers that are kept, so that those of all days add up: as of the buckets.
  private static let most: (time: Int64, count: Int64, sum: Int64) = (1 << 48, 1 << 40, 1 << 54)

  init(key: Int64) { self.key = key }

  /// Without its outages.
  ///
  /// - Parameter bucket: of a series as wide as a day, with coarse sketches.
  init(_ bucket: Bucket) {
    key = bucket.key
    for standing in Standing.allCases {
      time[standing] = min(max(0, bucket.seconds[standing]), Self.most.time)
      counts[standing] = min(max(0, bucket.counts[standing]), Self.most.count)
    }
    guard let stats = LatencyStats(bucket.latency, bucket.sketch, .coarse) else { return }
    latencyCount = min(max(0, bucket.latency.count), Self.most.count)
    latencySum = min(max(0, bucket.latency.sum), Self.most.sum)
    p95 = LatencySum.within(stats.p95.microseconds)
  }

  /// Counts the outages of the day.
  ///
  /// - Parameter down: stretches of downtime, some of which may lie on this day.
  mutating func explain(_ down: [Span]) { outages = DayOutages(of: span, down, total: time.down) }

  /// The same day at a later look. Outages that are not kept any more were counted then.
  func since(_ earlier: DayFigures) -> DayFigures {
    guard outages.isPartial else { return self }
    var day = self
    let isKnown = !earlier.outages.isPartial && earlier.time.down == time.down
    day.outages = isKnown ? earlier.outages : outages.joined(earlier.outages)
    return day
  }

  // bounded: a day of 1,100 years
  var span: Span { Span(start: key * Self.width, end: (key + 1) * Self.width) }

  /// Microseconds with a verdict.
  var known: Int64 { Standing.allCases.reduce(0) { $0 + time[$1] } }  // bounded: five times 2^48 at most
}

/// Outages of one day, so that those of several days add up: one that lasts over midnight is one.
struct DayOutages: Hashable, Sendable {
  /// Outages that began on this day.
  var begun: Int64 = 0
  /// Longest unbroken downtime within the day, microseconds.
  var longest: Int64 = 0
  /// Downtime of an outage from the day before, from midnight on, microseconds.
  var lead: Int64 = 0
  /// Downtime that lasts until midnight, microseconds.
  var tail: Int64 = 0
  /// There may have been more: not all downtime of the day is in an outage that is known.
  var isPartial = false

  init() {}

  init(of day: Span, _ down: [Span], total: Int64) {
    var told: Int64 = 0
    for span in down {
      guard let part = span.clipped(from: day.start, to: day.end) else { continue }
      told += min(part.length, DayFigures.width)  // bounded: some hundred times a day
      // bounded: one for each stretch
      if span.start >= day.start { begun += 1 } else { lead = max(lead, part.length) }
      longest = max(longest, part.length)
      if part.end == day.end { tail = max(tail, part.length) }
    }
    guard told < total else { return }
    isPartial = true
    if begun == 0, lead == 0 { begun = 1 }
  }

  /// Everything that one of two looks at the same day knows.
  fileprivate func joined(_ other: DayOutages) -> DayOutages {
    var all = self
    // Without any that was known, one was assumed.
    all.begun = longest == 0 && other.longest > 0 ? other.begun : max(begun, other.begun)
    all.longest = max(longest, other.longest)
    (all.lead, all.tail) = (max(lead, other.lead), max(tail, other.tail))
    return all
  }
}

extension DayFigures {
  /// Which fields follow. Those of a day without a fault are in the first byte.
  private struct Marks: OptionSet {
    let rawValue: UInt64

    /// The day has a verdict throughout: the time up is what the other times leave.
    static let upIsRest = Marks(rawValue: 1)
    static let upCount = Marks(rawValue: 1 << 1)
    static let latency = Marks(rawValue: 1 << 2)
    /// Each success has a response time.
    static let latencyOfAll = Marks(rawValue: 1 << 3)
    static let outages = Marks(rawValue: 1 << 4)
    /// All downtime is one outage, which began on this day.
    static let oneOutage = Marks(rawValue: 1 << 5)
    static let upTime = Marks(rawValue: 1 << 7)
    static let lead = Marks(rawValue: 1 << 16)
    static let tail = Marks(rawValue: 1 << 17)
    static let partial = Marks(rawValue: 1 << 18)

    /// Of the standings besides up.
    static func time(_ standing: Standing) -> Marks {
      Marks(rawValue: 1 << (7 + UInt64(standing.rawValue)))  // bounded: standings are few
    }
    static func count(_ standing: Standing) -> Marks {
      Marks(rawValue: 1 << (11 + UInt64(standing.rawValue)))  // bounded: standings are few
    }
  }

  private static let others = Standing.allCases.filter { $0 != .up }

  private var successes: Int64 { counts.up + counts.degraded }  // bounded: twice 2^40

  private var marks: Marks {
    var marks: Marks = []
    if known == Self.width, time.up > 0 {
      marks.insert(.upIsRest)
    } else if time.up != 0 {
      marks.insert(.upTime)
    }
    if counts.up != 0 { marks.insert(.upCount) }
    for standing in Self.others {
      if time[standing] != 0 { marks.insert(.time(standing)) }
      if counts[standing] != 0 { marks.insert(.count(standing)) }
    }
    if latencyCount != 0 { marks.insert(latencyCount == successes ? [.latency, .latencyOfAll] : .latency) }
    if outages.begun == 1, outages.longest == time.down, time.down > 0 {
      marks.insert(.oneOutage)
    } else if outages.begun != 0 || outages.longest != 0 {
      marks.insert(.outages)
    }
    if outages.lead != 0 { marks.insert(.lead) }
    if outages.tail != 0 { marks.insert(.tail) }
    if outages.isPartial { marks.insert(.partial) }
    return marks
  }

  func encode(into writer: inout ByteWriter) {
    let marks = marks
    writer.signed(key)
    writer.unsigned(marks.rawValue)
    func number(_ mark: Marks, _ value: Int64) {
      if marks.contains(mark) { writer.unsigned(UInt64(clamping: value)) }
    }
    for standing in Self.others {
      number(.time(standing), time[standing])
      number(.count(standing), counts[standing])
    }
    number(.upTime, time.up)
    number(.upCount, counts.up)
    if !marks.contains(.latencyOfAll) { number(.latency, latencyCount) }
    number(.latency, latencySum)
    number(.latency, p95)
    number(.outages, outages.begun)
    number(.outages, outages.longest)
    number(.lead, outages.lead)
    number(.tail, outages.tail)
  }

  init(from reader: inout ByteReader) throws(CodingDamage) {
    key = try reader.signed(in: Self.keys)
    let marks = Marks(rawValue: try reader.unsigned())
    for standing in Self.others {
      if marks.contains(.time(standing)) { time[standing] = try reader.number(through: Self.most.time) }
      if marks.contains(.count(standing)) { counts[standing] = try reader.number(through: Self.most.count) }
    }
    if marks.contains(.upTime) { time.up = try reader.number(through: Self.most.time) }
    if marks.contains(.upIsRest) {
      guard time.up == 0, known < Self.width else { throw CodingDamage() }
      time.up = Self.width - known  // bounded: at most a day, as was asked before
    }
    if marks.contains(.upCount) { counts.up = try reader.number(through: Self.most.count) }
    if marks.contains(.latency) {
      latencyCount = try marks.contains(.latencyOfAll) ? successes : reader.number(through: Self.most.count)
      latencySum = try reader.number(through: Self.most.sum)
      p95 = try reader.number(through: LatencySum.range.upperBound)
    }
    if marks.contains(.oneOutage) { (outages.begun, outages.longest) = (1, time.down) }
    if marks.contains(.outages) {
      outages.begun = try reader.number(through: 1 << 32)
      outages.longest = try reader.number(through: Self.width)
    }
    if marks.contains(.lead) { outages.lead = try reader.number(through: Self.width) }
    if marks.contains(.tail) { outages.tail = try reader.number(through: Self.width) }
    outages.isPartial = marks.contains(.partial)
  }

  /// Days that a file may tell: 1,100 years around 1970.
  static let keys: ClosedRange<Int64> = -417_000...417_000
}

extension ByteReader {
  /// A number that is not negative.
  fileprivate mutating func number(through limit: Int64) throws(CodingDamage) -> Int64 {
    Int64(clamping: try unsigned(through: UInt64(clamping: limit)))
  }
}
