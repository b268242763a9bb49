// SPDX-License-Identifier: MIT

import Basics

/// An item of `alerts.reports` as it was written: nothing judged, everything optional.
package struct ReportDefinition: Sendable {
  package var name: String?
  package var every: String?
  package var weekday: String?
  package var day: Int?
  package var at: String?
  package var timezone: String?
  package var channels: [String]?
  package var checks: [String]?
  package var tags: [String]?
  package var format: String?
  /// Percent.
  package var objective: Double?

  package init() {}
}

extension ReportDefinition {
  static let keys: [Key<ReportDefinition>] = [
    Key(\.name, "name", .text, "Name in notifications and commands; unique").required,
    Key(
      \.every, "every", .word(CalendarPeriod.Unit.self),
      "Period of the report: it is sent when one is over, in UTC", default: "month"),
    Key(
      \.weekday, "weekday", .word(among: QuietHours.dayWords), "week: the day on which it is sent",
      default: "mon"),
    Key(
      \.day, "day", .integer(ReportSchedule.days),
      "month: the day on which it is sent; the last day of a month that does not have it", default: "1"),
    Key(
      \.at, "at", .text, "Time of day at which it is sent, such as \"08:00\"",
      default: QuietHoursDefinition.text(ReportSchedule.usualTime)),
    Key(
      \.timezone, "timezone", .text, "Time zone of `at`, an IANA name", default: "alerts.timezone"),
    Key(
      \.channels, "channels", .texts,
      "Names of the channels that get it; not those of PagerDuty and Alertmanager"
    ).required,
    Key(\.checks, "checks", .texts, "Names or ids of the checks it is of", default: "every check"),
    Key(\.tags, "tags", .texts, "Checks with any of these tags, too"),
    Key(\.format, "format", .word(ReportSchedule.Format.self), "File in a mail", default: "html"),
    Key(
      \.objective, "objective", .percent,
      "Objective of checks without an alerting rule of type burn_rate; 50% to below 100%",
      default: "99.9%"),
  ]

  private static let list = KeyList(keys)

  package init(_ map: GivenMap, _ reader: inout KeyReader) {
    self.init()
    reader.fill(&self, map, Self.list)
  }

  /// The definition that a schedule would be made of.
  init(_ schedule: ReportSchedule) {
    self.init()
    (name, every, at) = (schedule.name, schedule.every.rawValue, QuietHoursDefinition.text(schedule.at))
    switch schedule.every {
    case .month: day = schedule.day
    case .week: weekday = QuietHours.dayWords[schedule.day]
    }
    (timezone, channels) = (schedule.zone.name, schedule.channels)
    let selection = schedule.selection
    checks = selection.checks.isEmpty ? nil : selection.checks.map(\.text).sorted()
    tags = selection.tags.isEmpty ? nil : selection.tags.map(\.text).sorted()
    (format, objective) = (schedule.format.rawValue, schedule.objective)
  }
}

extension ReportSchedule {
  /// Judges a definition.
  ///
  /// - Parameter usual: the zone where the definition names none.
  /// - Throws: `InvalidAlerts` with every problem found.
  package init(
    _ definition: ReportDefinition, usual: TimeZoneRules, zones: TimeZoneFiles
  ) throws(InvalidAlerts) {
    var judge = ReportJudge(definition: definition)
    let name = judge.name()
    let every = definition.every.flatMap(CalendarPeriod.Unit.init) ?? .month
    let day = judge.day(every)
    let at = judge.time()
    let zone = judge.zone(usual, zones)
    judge.lists()
    guard judge.problems.isEmpty, let at, let zone else { throw InvalidAlerts(problems: judge.problems) }
    self.init(
      name: name, every: every, day: day, at: at, zone: zone,
      selection: MaintenanceSelection(
        checks: Set((definition.checks ?? []).map { ByteText($0) }),
        tags: Set((definition.tags ?? []).map { ByteText($0) })),
      channels: definition.channels ?? [],
      format: definition.format.flatMap(ReportSchedule.Format.init) ?? .html, objective: definition.objective)
  }
}

/// Collects what is wrong with one schedule while it reads it.
private struct ReportJudge {
  let definition: ReportDefinition
  var problems: [CheckProblem] = []

  private mutating func problem(_ key: String, _ message: String, hint: String? = nil) {
    problems.append(CheckProblem([key], message, hint: hint))
  }

  mutating func name() -> String {
    guard let name = definition.name else {
      problem("name", "name is missing", hint: "such as monthly")
      return ""
    }
    if let fault = CheckProblem.name(name) { problems.append(fault) }
    return name
  }

  /// A key of the other period would look as if it did something.
  mutating func day(_ every: CalendarPeriod.Unit) -> Int? {
    switch every {
    case .month:
      if definition.weekday != nil {
        problem("weekday", "weekday has no effect in a report of a month", hint: "use day, or every: week")
      }
      return definition.day
    case .week:
      if definition.day != nil {
        problem("day", "day has no effect in a report of a week", hint: "use weekday, such as mon")
      }
      return definition.weekday.flatMap { QuietHours.dayWords.firstIndex(of: $0) }
    }
  }

  mutating func time() -> Int64? {
    guard let text = definition.at else { return ReportSchedule.usualTime }
    if let time = LocalTime.timeOfDay(text) { return time }
    problem("at", "at must be a time of day, found \(quoted(text))", hint: "such as \"08:00\"")
    return nil
  }

  mutating func zone(_ usual: TimeZoneRules, _ zones: TimeZoneFiles) -> TimeZoneRules? {
    guard let name = definition.timezone else { return usual }
    do throws(TimeZoneFiles.Failure) {
      return try zones.zone(name)
    } catch {
      problem("timezone", "timezone \(error.message)", hint: error.hint)
      return nil
    }
  }

  mutating func lists() {
    for (key, list) in [("checks", definition.checks), ("tags", definition.tags)] {
      if let fault = CheckProblem.selection(key, list, most: AlertLimits.selected) { problems.append(fault) }
    }
    if definition.channels?.isEmpty ?? true {
      problem("channels", "channels is missing", hint: "name the channels that get the report")
    }
    if let objective = definition.objective, !ReportSchedule.objectives.contains(objective) {
      problem("objective", "objective must be at least 50% and below 100%, found \(objective)%")
    }
  }
}

extension KeyTable {
  /// An item of `alerts.reports`.
  package static let report = KeyTable(ReportDefinition.keys)
}

extension KeyPrinter {
  package mutating func reports(_ schedules: [ReportSchedule]) {
    guard !schedules.isEmpty else { return }
    map("reports") { printer in
      for (index, schedule) in schedules.enumerated() {
        printer.item(String(index)) { printer in
          let definition = ReportDefinition(schedule)
          for key in ReportDefinition.keys { key.print(definition, &printer) }
        }
      }
    }
  }
}
