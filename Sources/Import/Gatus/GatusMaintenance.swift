// SPDX-License-Identifier: MIT

import Basics

/// `maintenance` and `maintenance-windows`: a time of day, on some days of the week.
enum GatusMaintenance {
  static let why = "downtime is not counted meanwhile; Gatus only sends no alerts"

  /// The first of January 2024 was a Monday.
  private static let days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

  /// One window for each day, or one for all days; none when it is off or cannot be.
  static func windows(_ section: Section) -> [ImportedCheck] {
    let ledger = section.ledger
    guard section.flag("enabled") != false else {
      section.list("it is off", "start", "duration", "timezone", "every")
      return []
    }
    guard let start = section["start"]?.text, start.utf8.count == 5, let length = section["duration"]?.text,
      let span = ForeignDuration.milliseconds(length), (60_000...86_400_000).contains(span)
    else {
      section.listAll("it is no start and duration that can be written")
      return []
    }
    let every = section["every"]?.items ?? []
    let chosen = every.compactMap { day in days.firstIndex { $0 == day.text } }
    guard chosen.count == every.count else {
      section.listAll("it names days that are none")
      return []
    }
    ledger.carry(section.node)
    let zone = section["timezone"]?.text
    return (chosen.isEmpty ? [nil] : chosen.map { Optional($0) }).map { day in
      var window = ImportedCheck(named: day.map { "Maintenance on \(days[$0])" } ?? "Maintenance")
      window["start"] = .text("2024-01-0\((day ?? 0) + 1)T\(start)")
      window["duration"] = .duration(span)
      window["repeat"] = .plain(day == nil ? "daily" : "weekly")
      window["timezone"] = zone.map { .text($0) }
      return window
    }
  }
}
