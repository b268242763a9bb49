// SPDX-License-Identifier: MIT

import Agent
import AgentConfig
import Basics
import Import
import Monitoring

/// Channels, rules, windows and the page, by the names that checks have in the end; each is judged alone.
struct ImportSections {
  typealias Refused = (entry: ImportedCheck, why: String)

  private let given: ImportedSections
  private var names: [Int: String] = [:]
  private var refused: [Refused] = []

  init(_ given: ImportedSections, _ checks: [ImportedCheck]) {
    self.given = given
    for check in checks where check.key > 0 { names[check.key] = check.name }
  }

  func valid() -> (ImportedSections, [Refused]) {
    var work = self
    return (work.sections(), work.refused)
  }

  private mutating func sections() -> ImportedSections {
    var made = ImportedSections()
    made.reminders = given.reminders.filter { names[$0.key] != nil }
    for channel in given.channels.prefix(AlertChannel.limit) {
      var alone = ImportedSections()
      alone.channels = [channel]
      keep(channel, alone, &made.channels)
    }
    tooMany(given.channels, AlertChannel.limit, "channels")
    rules(&made)
    let notified = Set(made.rules.flatMap(Self.channels))
    for channel in made.channels where !notified.contains(ByteText(channel.name)) {
      refused.append((channel, "no rule notifies it"))
    }
    made.channels.removeAll { !notified.contains(ByteText($0.name)) }
    if let quiet = given.quiet, !made.channels.isEmpty {
      var alone = ImportedSections()
      (alone.channels, alone.quiet) = (made.channels, quiet)
      var kept: [ImportedCheck] = []
      keep(quiet, alone, &kept)
      made.quiet = kept.first
    }
    windows(&made)
    if let page = given.page {
      var alone = ImportedSections()
      alone.page = page
      var kept: [ImportedCheck] = []
      keep(page, alone, &kept)
      made.page = kept.first
    }
    return made
  }

  private mutating func rules(_ made: inout ImportedSections) {
    let known = Set(made.channels.map { ByteText($0.name) })
    var all: [ImportedCheck] = []
    for rule in given.rules {
      guard Self.channels(of: rule).contains(where: known.contains) else {
        refused.append((rule, "its channel was left out"))
        continue
      }
      all += selected(rule, most: AlertLimits.selected)
    }
    for rule in all.prefix(AlertRule.limit) {
      var alone = ImportedSections()
      (alone.channels, alone.rules) = (made.channels, [without(rule)])
      keep(rule, alone, &made.rules)
    }
    tooMany(all, AlertRule.limit, "rules")
  }

  private static func channels(of rule: ImportedCheck) -> [ByteText] {
    guard case .list(let channels)? = rule["channels"] else { return [] }
    return channels.map { ByteText($0.word ?? "") }
  }

  private mutating func windows(_ made: inout ImportedSections) {
    var taken: Set<ByteText> = []
    let all = given.windows.flatMap { selected($0, most: AlertLimits.selected) }
    for var window in all.prefix(MaintenanceLimits.windows) {
      let words = window.name.printable(maxBytes: 150)
      let stem = words.isEmpty ? "Maintenance" : words
      window.name = stem
      var number = 1
      while !taken.insert(ByteText(window.name)).inserted {
        number += 1
        window.name = "\(stem) (\(number))"
      }
      var alone = ImportedSections()
      alone.windows = [without(window)]
      keep(window, alone, &made.windows)
    }
    tooMany(all, MaintenanceLimits.windows, "maintenance windows")
  }

  /// The entry with the names of its checks, in as many entries as they take; none when all its checks are gone.
  private mutating func selected(_ entry: ImportedCheck, most: Int) -> [ImportedCheck] {
    guard let keys = entry.selected else { return [entry] }
    let found = keys.withoutRepetitions().compactMap { names[$0] }
    guard !found.isEmpty else {
      refused.append((entry, "none of its checks is here"))
      return []
    }
    guard found.count > most, found.count == names.count else {
      return stride(from: 0, to: found.count, by: most).map { start in
        var part = entry
        if start > 0 { part.name += " (\(start / most + 1))" }
        part["checks"] = .list(found[start..<min(start + most, found.count)].map { .text($0) })
        return part
      }
    }
    return [entry]
  }

  private func without(_ entry: ImportedCheck) -> ImportedCheck {
    var entry = entry
    entry.remove("checks")
    return entry
  }

  private mutating func keep(_ entry: ImportedCheck, _ alone: ImportedSections, _ kept: inout [ImportedCheck])
  {
    var check = ImportedCheck(name: "check", type: "ping")
    check["host"] = .text("192.0.2.1")
    guard let why = ImportJudge.problems([check], alone).first?.value else { return kept.append(entry) }
    refused.append((entry, why))
  }

  private mutating func tooMany(_ entries: [ImportedCheck], _ most: Int, _ what: String) {
    for entry in entries.dropFirst(most) { refused.append((entry, "agent.yaml takes \(most) \(what)")) }
  }
}
