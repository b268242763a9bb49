// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// The window a check is in now.
package struct CheckMaintenance: Hashable, Sendable {
  package var name: String
  package var until: Timestamp
  /// The check is not probed meanwhile.
  package var skip: Bool

  package init(name: String, until: Timestamp, skip: Bool) {
    self.name = name
    self.until = until
    self.skip = skip
  }
}

/// A maintenance window as people see it.
package struct MaintenanceView: Hashable, Sendable {
  package var name: String
  package var origin: CheckOrigin
  package var repetition: MaintenanceRepetition
  /// Whose clock is meant, IANA.
  package var timezone: String
  package var skip: Bool
  /// How many checks it is for.
  package var checks: Int
  /// The time it holds now, or the next; nil when it is over for good.
  package var hours: Range<Timestamp>?
  package var isActive: Bool
  /// `nil` for a window of the settings.
  package var id: UniqueID?
}

extension StatusSnapshot {
  /// Tells each check the window it is in, and lists the windows: those that hold now, then the next to come.
  package mutating func mark(_ plan: MaintenancePlan) {
    maintenancePlan = plan
    maintenance = plan.windows.enumerated().compactMap { index, window in
      let active = window.occurrence(at: now)
      guard let hours = active ?? window.next(after: now) else { return nil }
      return MaintenanceView(
        name: window.name, origin: window.origin, repetition: window.repetition, timezone: window.zone.name,
        skip: window.skip, checks: plan.counts[index], hours: hours, isActive: active != nil,
        id: window.id)
    }.sorted { left, right in
      if left.isActive != right.isActive { return left.isActive }
      return (left.hours?.lowerBound ?? .epoch) < (right.hours?.lowerBound ?? .epoch)
    }
    guard maintenance.contains(where: \.isActive) else { return }
    for index in checks.indices {
      let active = plan.active(checks[index].id, at: now)
      let ends = active.compactMap { window in window.occurrence(at: now).map { (window, $0.upperBound) } }
      // Of several the one that ends last: until then nothing counts.
      guard let (window, until) = ends.max(by: { $0.1 < $1.1 }) else { continue }
      let skips = active.contains(where: \.skip)
      checks[index].maintenance = CheckMaintenance(name: window.name, until: until, skip: skips)
      if skips { checks[index].stale = false }
    }
  }
}

extension CheckMaintenance {
  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("name", name)
      json.field("until", until)
      json.field("skip", skip)
    }
  }
}

extension MaintenanceView {
  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("name", name)
      json.field("origin", origin == .api ? "api" : "file")
      json.field("active", isActive)
      json.fieldIfPresent("from", hours?.lowerBound)
      json.fieldIfPresent("until", hours?.upperBound)
      json.field("repeat", repetition.rawValue)
      json.field("timezone", timezone)
      json.field("skip", skip)
      json.field("checks", checks)
    }
  }

  /// `until 2026-01-04 04:00 UTC`, or when it begins.
  package var when: String {
    guard let hours else { return "over" }
    if isActive { return "until \(minute(hours.upperBound)) UTC" }
    return "begins \(minute(hours.lowerBound)) UTC"
  }

  private func minute(_ instant: Timestamp) -> String { StatusFormat.minute(instant) }
}
