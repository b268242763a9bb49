// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// A month or a week of all checks, for people: a plain value that renderers turn into text, CSV, JSON or HTML.
///
/// Days, weeks and months are those of UTC. Time without a verdict is neither up nor down.
package struct MonthReport: Sendable {
  package var agent: AgentIdentity
  /// The instant it was made for.
  package var now: Timestamp
  package var period: CalendarPeriod
  /// In the order of the configuration: enabled checks, and others with data in the period.
  package var checks: [CheckReport]
  /// By tag, in the order in which the configuration first names them; checks without a tag come last.
  package var groups: [Group]
  /// Incidents that lasted within the period, as far as they are kept, oldest first.
  package var incidents: [IncidentStatus]
  /// Midnight of the first day of which anything is known; `nil` without any.
  package var begins: Timestamp?
  /// The agent is one of a group, and others run further checks.
  var isOfMember: Bool
  /// There are checks, and none of them was asked for.
  package var selectsNone: Bool

  package struct Group: Hashable, Sendable {
    /// The tag; `nil` for checks without one.
    package var tag: String?
    /// Places in `checks`.
    package var places: [Int]
  }

  /// Periods that are told of each check: the report's, and those before it.
  package static let trend = 6
  /// Objective of checks without an alerting rule that names one, percent.
  package static let objective = 99.9
  /// Percent.
  package static let objectives = ReportSchedule.objectives
  /// In place of a period: the last finished one.
  package static let lastWord = "last"
  /// Finished months that are kept.
  package static let kept = 13

  /// - Parameters:
  ///   - past: of each check, through the period.
  ///   - objective: of checks without one of their own, percent.
  ///   - isShown: which checks the report is of.
  package init(
    _ snapshot: StatusSnapshot, _ past: [UniqueID: CheckMonths], of period: CalendarPeriod, objective: Double,
    isShown: (CheckStatus) -> Bool = { _ in true }
  ) {
    (agent, now, self.period) = (snapshot.agent, snapshot.now, period)
    let shown = snapshot.checks.filter(isShown)
    let checks = shown.compactMap { check -> CheckReport? in
      let months = past[check.id] ?? CheckMonths(periods: [MonthFigures(period)])
      let report = CheckReport(check, months, of: period, objective: objective)
      return check.enabled || report.hasData ? report : nil
    }
    (self.checks, groups) = (checks, Self.groups(checks))
    let isWhole = shown.count == snapshot.checks.count
    incidents = Self.incidents(snapshot, period).compactMap { $0.told(with: checks, isWhole: isWhole) }
    begins = checks.compactMap { past[$0.id]?.begins }.min()
    isOfMember = snapshot.group != nil
    selectsNone = shown.isEmpty && !snapshot.checks.isEmpty
  }

  /// The period is not over.
  package var isPartial: Bool { now < period.end }

  /// Mean over the checks that have data, percent; `nil` without any.
  package var averageUptime: Double? {
    let uptimes = checks.compactMap(\.figures.uptime)
    return uptimes.isEmpty ? nil : uptimes.reduce(0, +) / Double(uptimes.count)
  }

  package var outages: Int { checks.reduce(0) { $0 + $1.figures.outages } }
  /// Not all outages of every check are known.
  var mayHaveMore: Bool { checks.contains(where: \.figures.mayHaveMore) }

  /// Remarks on what the figures rest on, a sentence each.
  package var remarks: [String] {
    var remarks: [String] = []
    let unit = period.unit.rawValue
    if now < period.start { return ["The \(unit) has not begun."] }
    if isPartial {
      remarks.append("The \(unit) is not over: figures are until \(StatusFormat.minute(now)) UTC.")
    }
    if CalendarMonth(period.start).adding(Self.kept) < CalendarMonth(now) {
      remarks.append("Days are kept for \(Self.kept) months: there is none of this \(unit) any more.")
    } else if let begins, begins > period.start {
      let day = begins.rfc3339.prefix(10)
      remarks.append(
        begins < period.end
          ? "Nothing is known before \(day)."
          : "Nothing is known of this \(unit): the history begins on \(day).")
    } else if begins == nil {
      remarks.append(selectsNone ? "No check matches." : "Nothing is known of any check yet.")
    }
    if mayHaveMore {
      remarks.append(
        "Of checks with a + not all outages were kept: there were at least so many, and one at least so long."
      )
    }
    if isOfMember { remarks.append("Results of this member of the group only.") }
    return remarks
  }

  private static func groups(_ checks: [CheckReport]) -> [Group] {
    var groups: [Group] = []
    var index: [ByteText: Int] = [:]  // bounded: tags of the configuration
    var rest: [Int] = []
    for (place, check) in checks.enumerated() {
      if check.tags.isEmpty { rest.append(place) }
      for tag in check.tags {
        let key = ByteText(tag)
        if index[key] == nil {
          index[key] = groups.count
          groups.append(Group(tag: tag, places: []))
        }
        if let found = index[key] { groups[found].places.append(place) }
      }
    }
    return rest.isEmpty ? groups : groups + [Group(tag: nil, places: rest)]
  }

  private static func incidents(_ snapshot: StatusSnapshot, _ period: CalendarPeriod) -> [IncidentStatus] {
    guard let alerts = snapshot.alerts else { return [] }
    return (alerts.over + alerts.open)
      .filter { $0.begin < period.end && ($0.end ?? snapshot.now) >= period.start }
      .sorted { ($0.begin, $0.id) < ($1.begin, $1.id) }
  }
}

extension IncidentStatus {
  /// As a report of these checks has it. One of some checks alone may be for a customer: it has no incident of the agent itself,
  /// and names no other check.
  fileprivate func told(with reported: [CheckReport], isWhole: Bool) -> IncidentStatus? {
    let own = reported.filter { checks.contains($0.id) }
    if isWhole { return checks.isEmpty || !own.isEmpty ? self : nil }
    guard !own.isEmpty else { return nil }
    guard own.count < checks.count else { return self }
    var incident = self
    incident.title = "\(own.andMore(after: 1) { $0.name }): \(subject.rawValue)"
    return incident
  }
}

/// One check of a report.
package struct CheckReport: Sendable {
  package var id: UniqueID
  package var name: String
  package var type: CheckType
  package var tags: [String]
  /// Of the report's period.
  package var figures: MonthFigures
  /// Consecutive, oldest first; the last one is the report's.
  package var periods: [MonthFigures]
  /// Every day of the period that has begun, oldest first.
  package var days: [SeriesPoint]
  /// Those of the period that are kept, oldest first.
  package var outages: [Outage]
  package var objective: Double

  init(_ check: CheckStatus, _ past: CheckMonths, of period: CalendarPeriod, objective: Double) {
    (id, name, type, tags) = (check.id, check.name, check.type, check.tags)
    (periods, days, outages) = (past.periods, past.days, past.outages)
    figures = past.periods.last ?? MonthFigures(period)
    self.objective = past.objective ?? objective
  }

  var hasData: Bool { figures.time != Tally() }

  /// In percent, as it was given: `99.9`, `95`.
  package var objectiveText: String {
    let text = "\(objective)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// `nil` without data.
  package var budget: ErrorBudget? { ErrorBudget(figures.time, objective: objective) }
}

/// Downtime that an objective allows, of the time that has a verdict, and how much of it is used.
package struct ErrorBudget: Hashable, Sendable {
  /// Microseconds.
  package var allowed: Int64
  package var used: Int64

  /// `nil` without data.
  package init?(_ time: Tally, objective: Double) {
    guard time.judged > 0 else { return nil }
    used = time.down
    allowed = Int64(whole((Double(time.judged) * (100 - objective) / 100).rounded(), in: 0...1 << 55))
  }

  package var isKept: Bool { used <= allowed }

  /// Percent of the allowed downtime; more than 100 when there was more. `nil` where none is allowed.
  package var percent: Double? { allowed > 0 ? Double(used) * 100 / Double(allowed) : nil }

  /// `43.2% used`, `exceeded: 210.5%`, `exceeded: >9999%`
  package var words: String {
    guard let percent else { return isKept ? "kept" : "exceeded" }
    let share = percent < 9999.95 ? StatusFormat.decimal(percent, places: 1) + "%" : ">9999%"
    return isKept ? "\(share) used" : "exceeded: \(share)"
  }
}
