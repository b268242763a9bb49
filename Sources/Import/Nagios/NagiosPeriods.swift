// SPDX-License-Identifier: MIT

import Basics

/// `timeperiod` objects, and those in which checks run and contacts are notified.
struct NagiosPeriods {
  /// When a period is.
  private enum Hours: Hashable {
    case always, never
    /// The same range each day.
    case daily(ByteText)
    case other
  }

  private static let days = [
    "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
  ]

  private var known: [ByteText: (node: ForeignNode, hours: Hours)] = [:]
  /// Periods with hours, and where they are named.
  private var used: [ByteText: [ForeignNode]] = [:]
  /// Hours of each notification that a channel gets, those of the check and of the contact; none is always.
  private var notified: Set<Set<Hours>> = []
  private var zone: ForeignNode?

  init(_ files: [NagiosFile]) {
    for object in files.flatMap(\.objects) where object.kind == "timeperiod" {
      guard let name = object.node["timeperiod_name"]?.text else { continue }
      known[ByteText(name)] = (object.node, Self.hours(object.node))
    }
    zone = files.flatMap(\.settings).last { $0.name == "use_timezone" }?.value
  }

  private static func hours(_ node: ForeignNode) -> Hours {
    let own = ["timeperiod_name", "alias", "name", "register"]
    let entries = (node.entries ?? []).filter { !own.contains($0.name) }
    let ranges = Set(entries.compactMap { $0.value.text.map { ByteText($0.replacing(" ", with: "")) } })
    guard !entries.isEmpty else { return .never }
    guard entries.count == 7, Set(entries.map { ByteText($0.name) }).count == 7, ranges.count == 1,
      entries.allSatisfy({ Self.days.contains($0.name) }), let range = ranges.first
    else { return .other }
    return range == "00:00-24:00" ? .always : .daily(range)
  }

  private func hours(_ period: ForeignNode) -> Hours {
    let name = ByteText(period.text ?? "")
    return known[name]?.hours ?? (name.text.lowercased() == "24x7" ? .always : .other)
  }

  /// A period whose meaning is carried over without hours.
  private func carry(_ period: ForeignNode, _ ledger: Ledger) {
    ledger.carry(period)
    ledger.carry(known[ByteText(period.text ?? "")]?.node)
  }

  // MARK: Uses

  /// A period in which a contact is notified.
  ///
  /// - Returns: false where it has no hours, so that nothing is notified.
  mutating func use(_ period: ForeignNode?, _ ledger: Ledger) -> Bool {
    guard let period, let name = period.text else { return true }
    let hours = hours(period)
    if hours == .always || hours == .never {
      carry(period, ledger)
    } else {
      used[ByteText(name), default: []].append(period)
    }
    return hours != .never
  }

  /// A channel is notified while all of these hold.
  mutating func notify(in periods: [ForeignNode?]) {
    notified.insert(Set(periods.compactMap { $0.map(hours) }.filter { $0 != .always }))
  }

  /// When a check runs: all day, whatever hours the file says.
  ///
  /// - Returns: false where it has no hours, so that the check never runs.
  func run(_ period: ForeignNode?, _ ledger: Ledger) -> Bool {
    guard let period, period.text != nil else { return true }
    let hours = hours(period)
    guard hours == .always || hours == .never else {
      ledger.list(
        period, "checks run all day; write maintenance for the rest", always: false, .changed)
      return true
    }
    carry(period, ledger)
    return hours != .never
  }

  // MARK: Quiet hours

  /// One time of day for all notifications: quiet hours are the rest of it.
  func quiet(_ ledger: Ledger) -> ImportedCheck? {
    guard !used.isEmpty else { return nil }
    func list(_ why: String) -> ImportedCheck? {
      for place in used.values.joined() { ledger.list(place, why, .changed) }
      return nil
    }
    guard notified.count == 1, notified.first?.count == 1, case .daily(let range)? = notified.first?.first
    else { return list("alerts.quiet_hours is one time of day for all channels") }
    guard let zone, let clock = zone.text else {
      return list("whose clock it means is not in the files (use_timezone): write alerts.quiet_hours")
    }
    let ends = range.text.split(separator: "-").map(String.init)
    guard ends.count == 2, ends.allSatisfy({ $0.utf8.count == 5 }), ends[0] != ends[1] else {
      return list("it is no one time of day")
    }
    for place in used.values.joined() {
      if hours(place) == .daily(range) {
        carry(place, ledger)
      } else {
        ledger.list(place, "no notification of a channel has it", always: false)
      }
    }
    ledger.carry(zone)
    var quiet = ImportedCheck(named: "quiet hours")
    quiet["from"] = .text(ends[1] == "24:00" ? "00:00" : ends[1])
    quiet["to"] = .text(ends[0])
    quiet["timezone"] = .text(clock)
    quiet.note(.changed, "notification_period", "what lasts is told when they end, as one message")
    return quiet
  }
}
