// SPDX-License-Identifier: MIT

import Basics

/// A maintenance window as it was written: nothing judged, everything optional. `MaintenanceWindow.init(_:)` is the
/// only judge of it.
package struct MaintenanceDefinition: Sendable {
  package var name: String?
  /// Names or ids of checks.
  package var checks: [String]?
  package var tags: [String]?
  package var resources: [String]?
  /// A local time without a zone, such as `2026-01-04T02:00`.
  package var start: String?
  package var duration: Duration?
  /// Instead of `duration`: a local time, or a time of day such as `04:00`, which is the next one after `start`.
  package var end: String?
  package var repetition: String?
  /// An IANA name; nil: UTC.
  package var timezone: String?
  package var skip: Bool?

  package init() {}
}

/// Thrown with every problem found, never only the first.
package struct InvalidMaintenance: Error, Hashable, Sendable {
  package var problems: [CheckProblem]
}

/// The bounds of what a window may be. The judge, the JSON Schema and the documentation all use these.
package enum MaintenanceLimits {
  package static let duration: ClosedRange<Duration> = .seconds(60) ... .seconds(366 * 86_400)
  /// Windows of the file, and of the API, each.
  package static let windows = 500
  /// Entries of `checks`, `tags` or `resources`.
  package static let selected = 256
}

extension MaintenanceWindow {
  /// Judges a definition.
  ///
  /// - Parameter zones: where time zones are read; blocks for the time of reading one small file.
  /// - Throws: `InvalidMaintenance` with every problem found, in the order of the keys in docs/configuration.md.
  package init(
    _ definition: MaintenanceDefinition, zones: TimeZoneFiles = TimeZoneFiles()
  ) throws(InvalidMaintenance) {
    var judge = MaintenanceJudge(definition: definition)
    let name = judge.name()
    let selection = judge.selection()
    let start = judge.start()
    let repetition = judge.repetition()
    let length = judge.length(from: start)
    if start != nil, let length { judge.period(length, repetition) }
    let zone = judge.zone(zones)
    guard judge.problems.isEmpty, let name, let start, let length, let zone else {
      throw InvalidMaintenance(problems: judge.problems)
    }
    self.init(
      origin: .local, id: nil, name: name, selection: selection, start: start, zone: zone, length: length,
      repetition: repetition, skip: definition.skip ?? false)
  }

  /// A window of the API: two instants in UTC and what repeats. The backend has no time zone, so a repeated one keeps
  /// its time of day in UTC.
  ///
  /// - Parameters:
  ///   - repetition: `daily`, `weekly` or `monthly`; nil: once.
  /// - Throws: `InvalidMaintenance` when the window ends before or when it begins, is longer than what it repeats
  ///   after, or repeats in an unknown way.
  package init(
    id: UniqueID, title: String, resource: UniqueID, starts: Timestamp, ends: Timestamp, repetition: String?
  ) throws(InvalidMaintenance) {
    var judge = MaintenanceJudge(definition: MaintenanceDefinition())
    judge.definition.repetition = repetition
    let start = LocalTime(starts)
    let duration = starts.duration(to: ends)
    if duration <= .zero {
      judge.problem(["ends_at"], "the window ends (\(ends)) before or when it begins (\(starts))")
    }
    let parsed = judge.repetition()
    if duration > .zero { judge.period(.elapsed(duration), parsed) }
    guard judge.problems.isEmpty else { throw InvalidMaintenance(problems: judge.problems) }
    self.init(
      origin: .api, id: id, name: title.printable(maxBytes: CheckLimits.nameBytes),
      selection: MaintenanceSelection(resources: [resource]), start: start, zone: .utc,
      length: .elapsed(duration), repetition: parsed, skip: false)
  }
}

extension MaintenanceWindow {
  /// A window that an operator opened: between two instants, once.
  package init(
    id: UniqueID, name: String, selection: MaintenanceSelection, from: Timestamp, until: Timestamp, skip: Bool
  ) {
    // Starts are whole seconds; the one it begins in counts as a whole.
    let start = LocalTime(from)
    let begin = Timestamp(seconds: start.seconds)
    self.init(
      origin: .local, id: id, name: name, selection: selection, start: start, zone: .utc,
      length: .elapsed(begin.duration(to: until)), repetition: .none, skip: skip)
  }
}

/// Collects what is wrong with one definition while it reads it.
private struct MaintenanceJudge {
  var definition: MaintenanceDefinition
  var problems: [CheckProblem] = []

  mutating func problem(_ path: [String], _ message: String, hint: String? = nil) {
    problems.append(CheckProblem(path, message, hint: hint))
  }

  mutating func name() -> String? {
    guard let name = definition.name else {
      problem(["name"], "name is missing")
      return nil
    }
    if let fault = CheckProblem.name(name) { problems.append(fault) }
    return name
  }

  mutating func selection() -> MaintenanceSelection {
    for (key, list) in [
      ("checks", definition.checks), ("tags", definition.tags), ("resources", definition.resources),
    ] {
      let fault = CheckProblem.selection(key, list, most: MaintenanceLimits.selected)
      if let fault { problems.append(fault) }
    }
    var resources: [UniqueID] = []
    for (index, text) in (definition.resources ?? []).enumerated() {
      if let id = UniqueID(text) {
        resources.append(id)
      } else {
        problem(
          ["resources", "\(index)"],
          "resources[\(index)] must be a UUID, found \"\(text.shown(maxBytes: 60))\"",
          hint: "such as 0b8f1c9e-3d52-4a7b-8c11-5e6f7a8b9c0d")
      }
    }
    return MaintenanceSelection(
      checks: Set((definition.checks ?? []).map { ByteText($0) }),
      tags: Set((definition.tags ?? []).map { ByteText($0) }), resources: Set(resources))
  }

  mutating func start() -> LocalTime? {
    guard let text = definition.start else {
      problem(["start"], "start is missing", hint: "such as 2026-01-04T02:00")
      return nil
    }
    return localTime(text, "start")
  }

  private mutating func localTime(_ text: String, _ key: String) -> LocalTime? {
    if let time = LocalTime(text: text) { return time }
    let found = text.shown(maxBytes: 60)
    if Timestamp(rfc3339: text) != nil || text.hasSuffix("Z") {
      problem(
        [key], "\(key) must be a local time without an offset, found \"\(found)\"",
        hint: "write the zone in timezone, such as timezone: Europe/London")
    } else {
      problem(
        [key], "\(key) must be a date and a time of day, found \"\(found)\"", hint: "such as 2026-01-04T02:00"
      )
    }
    return nil
  }

  mutating func repetition() -> MaintenanceRepetition {
    guard let text = definition.repetition else { return .none }
    if let repetition = MaintenanceRepetition(word: text) { return repetition }
    let words = MaintenanceRepetition.allCases.map(\.rawValue).joined(separator: ", ")
    problem(["repeat"], "repeat must be one of \(words), found \"\(text.shown(maxBytes: 60))\"")
    return .none
  }

  mutating func length(from start: LocalTime?) -> MaintenanceWindow.Length? {
    switch (definition.duration, definition.end) {
    case (nil, nil):
      problem(["duration"], "the window has no end", hint: "give it a duration, such as 2h, or an end")
      return nil
    case (.some, .some):
      problem(["end"], "duration and end exclude each other", hint: "leave one of them out")
      return nil
    case (.some(let duration), nil):
      let wrong = CheckProblem.bounds(["duration"], duration, in: MaintenanceLimits.duration, text: \.text)
      if let wrong { problems.append(wrong) }
      return wrong == nil ? .elapsed(duration) : nil
    case (nil, .some(let end)): return until(end, from: start)
    }
  }

  private mutating func until(_ text: String, from start: LocalTime?) -> MaintenanceWindow.Length? {
    var end: LocalTime?
    if let time = LocalTime.timeOfDay(text) {
      guard let start else { return nil }
      let ahead = time - start.timeOfDay
      end = LocalTime(seconds: start.seconds + ahead + (ahead < 0 ? 86_400 : 0))
    } else {
      end = localTime(text, "end")
    }
    guard let start, let end else { return nil }
    let seconds = end.seconds - start.seconds
    if seconds == 0 {
      problem(
        ["end"], "end is the start itself: the window would never hold",
        hint: "for a whole day write duration: 1d")
      return nil
    }
    if seconds < 0 {
      problem(["end"], "end (\(end.text)) must be after start (\(start.text))")
      return nil
    }
    let wrong = CheckProblem.bounds(
      ["end"], .seconds(seconds), in: MaintenanceLimits.duration, text: { "\($0.text) after start" })
    if let wrong { problems.append(wrong) }
    return wrong == nil ? .clock(seconds: seconds) : nil
  }

  /// A window that is still open when it begins again would be one that never ends.
  mutating func period(_ length: MaintenanceWindow.Length, _ repetition: MaintenanceRepetition) {
    guard let shortest = repetition.shortestPeriod else { return }
    let (key, duration): (String, Duration) =
      switch length {
      case .elapsed(let duration): ("duration", duration)
      case .clock(let seconds): ("end", .seconds(seconds))
      }
    guard duration > shortest else { return }
    problem(
      [key], "a \(repetition.rawValue) window may last at most \(shortest.text), found \(duration.text)",
      hint: "it would begin again before it ends")
  }

  mutating func zone(_ zones: TimeZoneFiles) -> TimeZoneRules? {
    guard let name = definition.timezone else { return .utc }
    do throws(TimeZoneFiles.Failure) {
      return try zones.zone(name)
    } catch {
      problem(
        ["timezone"], "timezone \(error.message), found \"\(name.shown(maxBytes: 60))\"", hint: error.hint
      )
      return nil
    }
  }
}
