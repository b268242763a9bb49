// SPDX-License-Identifier: MIT

import Basics

/// `alerts.reports`: a report that is sent when a month or a week is over.
package struct ReportSchedule: Hashable, Sendable {
  /// File beside the text of a mail.
  package enum Format: String, CaseIterable, Hashable, Sendable { case html, csv }

  /// A report that is due: when, and of which period.
  package struct Due: Hashable, Sendable {
    package var at: Timestamp
    package var period: CalendarPeriod

    package init(at: Timestamp, period: CalendarPeriod) { (self.at, self.period) = (at, period) }
  }

  /// Unique.
  package var name: String
  package var every: CalendarPeriod.Unit
  /// Of a month 1 to 31, where a month without that day has its last one; of a week 0 to 6, where 0 is Monday.
  package var day: Int
  /// Seconds since midnight on the clock of `zone`.
  package var at: Int64
  package var zone: TimeZoneRules
  /// Checks that the report is of.
  package var selection: MaintenanceSelection
  /// Names of channels.
  package var channels: [String]
  package var format: Format
  /// Percent, of checks without an alerting rule that names one; `nil` for the usual one.
  package var objective: Double?

  package init(
    name: String, every: CalendarPeriod.Unit = .month, day: Int? = nil, at: Int64 = ReportSchedule.usualTime,
    zone: TimeZoneRules = .utc, selection: MaintenanceSelection = MaintenanceSelection(), channels: [String],
    format: Format = .html, objective: Double? = nil
  ) {
    (self.name, self.every, self.at, self.zone) = (name, every, at, zone)
    self.day = day ?? Self.firstDay(every)
    (self.selection, self.channels) = (selection, channels)
    (self.format, self.objective) = (format, objective)
  }

  package static func firstDay(_ every: CalendarPeriod.Unit) -> Int { every == .month ? 1 : 0 }

  /// Schedules of a configuration.
  package static let limit = 16
  package static let days = 1...31
  /// Percent.
  package static let objectives: Range<Double> = 50..<100
  package static let usualTime: Int64 = 8 * 3600

  private static let day: Int64 = 86_400

  /// The last report that was due by an instant.
  package func last(by instant: Timestamp) -> Due? {
    moments(around: instant).filter { $0.at <= instant }.max { $0.at < $1.at }
  }

  /// The first report that is due after an instant.
  package func next(after instant: Timestamp) -> Due? {
    moments(around: instant).filter { $0.at > instant }.min { $0.at < $1.at }
  }

  /// Those of the two periods before, the one of, and the two after an instant.
  private func moments(around instant: Timestamp) -> [Due] {
    let local = zone.local(instant)
    return (Int64(-2)...2).compactMap { step in
      switch every {
      case .month: monthly(local, step)
      case .week: weekly(local, step)
      }
    }
  }

  private func monthly(_ local: LocalTime, _ step: Int64) -> Due? {
    let date = local.date
    guard let january = LocalTime(year: date.year, month: 1, day: Int64(day)) else { return nil }
    let moment = january.adding(months: date.month - 1 + step)
    return due(moment, of: .month(CalendarMonth(Timestamp(seconds: moment.seconds))))
  }

  private func weekly(_ local: LocalTime, _ step: Int64) -> Due? {
    let midnight = local.seconds - local.timeOfDay
    let monday = midnight - Int64(local.weekday) * Self.day + step * 7 * Self.day
    let moment = LocalTime(seconds: monday + Int64(day) * Self.day)
    return due(moment, of: .week(CalendarWeek(Timestamp(seconds: monday))))
  }

  /// - Parameters:
  ///   - midnight: of the day on which it is due.
  ///   - current: the period of that day; the report is of the one before, and never due before that is over in UTC.
  private func due(_ midnight: LocalTime, of current: CalendarPeriod) -> Due {
    let moment = zone.instant(LocalTime(seconds: midnight.seconds + at))
    let period = current.adding(-1)
    return Due(at: max(moment, period.end), period: period)
  }
}

extension ReportSchedule {
  /// The query of `/report` and its documents that shows the same.
  package func query(of period: CalendarPeriod) -> String {
    let selected =
      selection.checks.map(\.text).sorted().map { "check=\(percentEncoded($0))" }
      + selection.tags.map(\.text).sorted().map { "tag=\(percentEncoded($0))" }
    let rest = objective.map { ["objective=\($0)"] } ?? []
    return (["\(period.unit.rawValue)=\(period)"] + selected + rest).joined(separator: "&")
  }
}
