// SPDX-License-Identifier: MIT

import Basics

/// The keys of a window, of the section or of one check.
extension MaintenanceDefinition {
  static let keys: [Key<MaintenanceDefinition>] =
    [
      Key(\.name, "name", .text, "Name of the work, as it is shown; each only once").required,
      Key(\.checks, "checks", .texts, "Names or ids of the checks it applies to", default: "every check"),
      Key(\.tags, "tags", .texts, "Checks with any of these tags, too"),
      Key(\.resources, "resources", .texts, "Checks of these resources (ids), too"),
    ] + hours

  static let ownKeys: [Key<MaintenanceDefinition>] =
    [Key(\.name, "name", .text, "Name of the work, as it is shown", default: "the check's name")] + hours

  private static let hours: [Key<MaintenanceDefinition>] = [
    Key(
      \.start, "start", .text,
      "Date and time of the first window on the clock of `timezone`, such as `2026-01-04T02:00`"
    ).required,
    Key(
      \.duration, "duration", .duration(MaintenanceLimits.duration),
      "Duration in elapsed time, also in the night in which the clocks change",
      default: "this or `end`"),
    Key(
      \.end, "end", .text,
      "Date and time, or a time of day such as `\"04:00\"`, the next after start; as the clock shows it",
      default: "this or `duration`"),
    Key(\.repetition, "repeat", .word(MaintenanceRepetition.self), "Repetition of the window"),
    Key(\.timezone, "timezone", .text, "Time zone of the window, an IANA name such as Europe/London"),
    Key(\.skip, "skip", .flag, "true: do not probe during the window"),
  ]

  private static let list = KeyList(keys)

  /// The judge's result for a window with only its required keys.
  fileprivate static let plain: [MaintenanceDefinition] = {
    var definition = MaintenanceDefinition()
    definition.name = "A"
    definition.start = "2026-01-04T02:00"
    definition.end = "2026-01-04T03:00"
    return [try? MaintenanceWindow(definition)].compactMap { $0.map(MaintenanceDefinition.init) }
  }()

  package init(_ map: GivenMap, _ reader: inout KeyReader) {
    self.init()
    reader.fill(&self, map, Self.list)
  }

  /// The definition that a window would be made of; a window of a check names the check by id.
  init(_ window: MaintenanceWindow) {
    self.init()
    name = window.name
    let selection = window.selection
    checks = selection.checks.isEmpty ? nil : selection.checks.map(\.text).sorted()
    tags = selection.tags.isEmpty ? nil : selection.tags.map(\.text).sorted()
    resources = selection.resources.isEmpty ? nil : selection.resources.sorted().map(\.description)
    start = window.start.text
    switch window.length {
    case .elapsed(let elapsed): duration = elapsed
    case .clock(let seconds): end = LocalTime(seconds: window.start.seconds + seconds).text
    }
    repetition = window.repetition.rawValue
    timezone = window.zone.name
    skip = window.skip
  }
}

extension KeyTable {
  /// A window of the section `maintenance`.
  package static let maintenance = table(MaintenanceDefinition.keys)

  /// A window of one check.
  static let ownMaintenance = table(MaintenanceDefinition.ownKeys)

  private static func table(_ keys: [Key<MaintenanceDefinition>]) -> KeyTable {
    KeyTable(keys: keys.map { $0.facts(defaults: MaintenanceDefinition.plain) })
  }
}

extension KeyPrinter {
  /// All windows in the section, also those of checks.
  package mutating func maintenance(_ windows: [MaintenanceWindow]) {
    guard !windows.isEmpty else { return }
    map("maintenance") { printer in
      for (index, window) in windows.enumerated() {
        printer.item(String(index)) { printer in
          let definition = MaintenanceDefinition(window)
          for key in MaintenanceDefinition.keys { key.print(definition, &printer) }
        }
      }
    }
  }
}
