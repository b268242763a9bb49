// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization

/// A month or a week of one check, in UTC, until now or its end.
package struct MonthFigures: Hashable, Sendable {
  package var period: CalendarPeriod
  /// Microseconds.
  package var time = Tally()
  /// Verdicts.
  package var counts = Tally()
  /// Microseconds of the period that have passed.
  package var span: Int64 = 0
  /// Microseconds in which the check was enabled.
  package var enabled: Int64 = 0
  /// `nil` without a success with a response time.
  package var latency: MonthLatency?
  /// Outages that began in the period, and one that lasted when it began.
  package var outages = 0
  /// There may have been more than `outages`: not all of them were kept.
  package var mayHaveMore = false
  /// Longest unbroken downtime within the period, microseconds.
  package var longest: Int64 = 0
  /// Days with maintenance.
  package var maintenanceDays = 0

  package init(_ period: CalendarPeriod) { self.period = period }

  /// Percent; `nil` where nothing in the period says anything about the target.
  package var uptime: Double? { time.uptime }

  /// Percent of the enabled time outside maintenance that has a verdict; `nil` when there was no such time.
  package var coverage: Double? { time.coverage(enabled: enabled) }

  /// Share of the period so far that has a verdict.
  package var data: DataShare { DataShare(judged: time.judged, span: span) }
}

/// Response times of the successes of a period.
package struct MonthLatency: Hashable, Sendable {
  package var count: Int64
  /// Exact.
  package var mean: Duration
  /// 95th percentiles of single days, each within 5 %: the one in the middle of all days, and the highest.
  package var medianP95: Duration
  package var highestP95: Duration

  package init(count: Int64, mean: Duration, medianP95: Duration, highestP95: Duration) {
    (self.count, self.mean, self.medianP95, self.highestP95) = (count, mean, medianP95, highestP95)
  }
}

extension MonthFigures {
  /// - Parameter days: those of the period that are known, ascending.
  init(_ period: CalendarPeriod, _ days: [DayFigures], enabled: EnabledTime, now: Timestamp) {
    self.init(period)
    let (start, end) = (period.start.microseconds, min(period.end, now).microseconds)
    span = max(0, end - start)
    self.enabled = span > 0 ? enabled.length(from: start, to: end) : 0
    for day in days {
      time += day.time
      counts += day.counts
      if day.time.maintenance > 0 { maintenanceDays += 1 }
      if day.outages.isPartial { mayHaveMore = true }
    }
    addOutages(of: days)
    latency = MonthLatency(days)
  }

  /// An outage that lasts over midnight is one.
  private mutating func addOutages(of days: [DayFigures]) {
    var before: (key: Int64, tail: Int64)?
    for day in days {
      let carried = before.map { $0.key + 1 == day.key ? $0.tail : 0 } ?? 0
      let outage = day.outages
      outages += Int(clamping: outage.begun) + (outage.lead > 0 && carried == 0 ? 1 : 0)
      let run = outage.lead > 0 ? carried + outage.lead : 0
      longest = max(longest, outage.longest, run)
      before = (day.key, outage.lead == DayFigures.width ? run : outage.tail)
    }
  }
}

extension MonthLatency {
  fileprivate init?(_ days: [DayFigures]) {
    let measured = days.filter { $0.latencyCount > 0 }
    let p95s = measured.map(\.p95).sorted()
    guard let highest = p95s.last else { return nil }
    let count = measured.reduce(0) { $0 + $1.latencyCount }
    let sum = measured.reduce(0) { $0 + $1.latencySum }
    self.init(
      count: count, mean: .microseconds(sum / count), medianP95: .microseconds(p95s[(p95s.count - 1) / 2]),
      highestP95: .microseconds(highest))
  }
}

/// The months or weeks of one check, for a report.
package struct CheckMonths: Sendable {
  /// Consecutive, oldest first; the last one is that of the report.
  package var periods: [MonthFigures]
  /// Every day of the last period that has begun, oldest first.
  package var days: [SeriesPoint]
  /// Outages of the last period that are kept, oldest first.
  package var outages: [Outage]
  /// Midnight of the first day of which anything is known; `nil` without any.
  package var begins: Timestamp?
  /// Objective of an alerting rule for the check, percent; `nil` without such a rule.
  package var objective: Double?

  package init(
    periods: [MonthFigures], days: [SeriesPoint] = [], outages: [Outage] = [], begins: Timestamp? = nil,
    objective: Double? = nil
  ) {
    (self.periods, self.days, self.outages) = (periods, days, outages)
    (self.begins, self.objective) = (begins, objective)
  }
}

extension CheckHistory {
  /// The period and those before it, so many in all; `nil` while the check is not configured.
  func periods(through period: CalendarPeriod, count: Int, now: Timestamp) -> CheckMonths? {
    guard let check else { return nil }
    let all = (0..<max(1, count)).reversed().map { period.adding(-$0) }
    let days = timeline.calendarDays(in: all[0].days.lowerBound..<period.days.upperBound, now: now)
    let periods = all.map { one in
      MonthFigures(one, days.filter { one.days.contains($0.key) }, enabled: enabled, now: now)
    }
    let outages = timeline.outages(now: now, lasts: lasts(check, now: now)).filter {
      $0.begin < period.end && ($0.isOver ? $0.heldUntil : now) > period.start
    }
    return CheckMonths(
      periods: periods, days: points(of: period, days, now: now), outages: outages,
      begins: timeline.firstDay.map { Timestamp(microseconds: DayFigures(key: $0).span.start) })
  }

  private func points(of period: CalendarPeriod, _ days: [DayFigures], now: Timestamp) -> [SeriesPoint] {
    let known = Dictionary(days.map { ($0.key, $0) }) { first, _ in first }
    return period.days.compactMap { key in
      let day = known[key] ?? DayFigures(key: key)
      guard let part = day.span.clipped(from: day.span.start, to: now.microseconds) else { return nil }
      let mean = day.latencyCount > 0 ? Duration.microseconds(day.latencySum / day.latencyCount) : nil
      return SeriesPoint(
        start: Timestamp(microseconds: part.start), width: .microseconds(part.length),
        count: day.latencyCount, mean: mean, p95: mean == nil ? nil : .microseconds(day.p95), time: day.time)
    }
  }
}

extension HistoryStore {
  /// A month or week and those before it, so many in all, of every configured check.
  package func periods(
    through period: CalendarPeriod, count: Int, now: Timestamp
  ) -> [UniqueID: CheckMonths] {
    var found: [UniqueID: CheckMonths] = [:]
    for id in state.withLock({ $0.order }) {
      // A copy of a value type: the lock is not held while the days are read.
      let history = state.withLock { $0.histories[id] }
      found[id] = history?.periods(through: period, count: count, now: now)
    }
    return found
  }
}
