// SPDX-License-Identifier: MIT

import Basics

/// How a maintenance window comes again.
package enum MaintenanceRepetition: String, CaseIterable, Hashable, Sendable {
  case none, daily, weekly, monthly

  /// From one start to the next at least; nil for a window that comes once.
  var shortestPeriod: Duration? {
    switch self {
    case .none: nil
    case .daily: .seconds(86_400)
    case .weekly: .seconds(7 * 86_400)
    case .monthly: .seconds(28 * 86_400)
    }
  }
}

/// Which checks a window is for. A check that any list names is; three empty lists name every check.
package struct MaintenanceSelection: Hashable, Sendable {
  /// Names or ids (lower case).
  package var checks: Set<ByteText>
  package var tags: Set<ByteText>
  package var resources: Set<UniqueID>

  package init(checks: Set<ByteText> = [], tags: Set<ByteText> = [], resources: Set<UniqueID> = []) {
    self.checks = checks
    self.tags = tags
    self.resources = resources
  }

  package var isEverything: Bool { checks.isEmpty && tags.isEmpty && resources.isEmpty }

  package func contains(_ check: MonitoringCheck) -> Bool {
    contains(name: check.name, id: check.id, tags: check.tags, resource: check.resourceID)
  }

  package func contains(name: String, id: UniqueID, tags names: [String], resource: UniqueID? = nil) -> Bool {
    if isEverything { return true }
    if let resource, resources.contains(resource) { return true }
    if !tags.isEmpty, names.contains(where: { tags.contains(ByteText($0)) }) { return true }
    return !checks.isEmpty
      && (checks.contains(ByteText(name)) || checks.contains(ByteText(id.description)))
  }
}

/// Time of work on the targets: failures in it are shown, but are no downtime.
///
/// Times are those of the wall clock in `zone`: a window at 02:00 stays at 02:00 when the clocks change. A window that
/// begins at a time that comes twice begins the first time; at a time that never comes, at the change. A monthly window
/// on a day that a month does not have is on that month's last day.
package struct MaintenanceWindow: Hashable, Sendable {
  package enum Length: Hashable, Sendable {
    /// Time that passes: two hours are two hours in the night of a change, too.
    case elapsed(Duration)
    /// From the start to the end as the wall clock shows them.
    case clock(seconds: Int64)
  }

  package let origin: CheckOrigin
  /// The API's; nil for one of the file.
  package let id: UniqueID?
  package let name: String
  package let selection: MaintenanceSelection
  /// Of the first time.
  package let start: LocalTime
  package let zone: TimeZoneRules
  package let length: Length
  package let repetition: MaintenanceRepetition
  /// Do not probe meanwhile.
  package let skip: Bool

  /// The window of this number, from 0; nil where the change of the clocks swallows it whole.
  private func occurrence(_ number: Int64) -> Range<Timestamp>? {
    guard number >= 0, number == 0 || repetition != .none else { return nil }
    let begins: LocalTime =
      switch repetition {
      case .none: start
      case .daily: LocalTime(seconds: start.seconds + number * 86_400)
      case .weekly: LocalTime(seconds: start.seconds + number * 7 * 86_400)
      case .monthly: start.adding(months: number)
      }
    let from = zone.instant(begins)
    let to: Timestamp =
      switch length {
      case .elapsed(let duration): from.advanced(by: duration)
      case .clock(let seconds): zone.instant(LocalTime(seconds: begins.seconds + seconds))
      }
    return from < to ? from..<to : nil
  }

  /// The number of the last window that began by then, give or take one.
  private func number(near instant: Timestamp) -> Int64 {
    let local = zone.local(instant)
    switch repetition {
    case .none: return 0
    case .daily: return floorDivide(local.seconds - start.seconds, 86_400).quotient
    case .weekly: return floorDivide(local.seconds - start.seconds, 7 * 86_400).quotient
    case .monthly:
      let (now, first) = (local.date, start.date)
      return (now.year - first.year) * 12 + now.month - first.month
    }
  }

  /// The time around this instant that is in the window; nil outside.
  package func occurrence(at instant: Timestamp) -> Range<Timestamp>? {
    let number = number(near: instant)
    for candidate in [number, number - 1, number + 1, number - 2] {
      if let range = occurrence(candidate), range.contains(instant) { return range }
    }
    return nil
  }

  /// The first window that begins after this instant; nil when none does.
  package func next(after instant: Timestamp) -> Range<Timestamp>? {
    let number = max(0, number(near: instant) - 1)
    for candidate in number...number + 4 {
      if let range = occurrence(candidate), range.lowerBound > instant { return range }
    }
    return nil
  }

  /// Whether any part of the closed stretch is in the window.
  package func overlaps(_ from: Timestamp, through to: Timestamp) -> Bool {
    if occurrence(at: from) != nil { return true }
    guard let next = next(after: from) else { return false }
    return next.lowerBound <= to
  }
}
