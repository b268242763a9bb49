// SPDX-License-Identifier: MIT

import Monitoring

extension ConfigPrinter {
  /// All windows in the section; one that a check brought names its check by id.
  mutating func maintenance(_ windows: [MaintenanceWindow]) {
    guard !windows.isEmpty else { return }
    map("maintenance") { printer in
      for (index, window) in windows.enumerated() {
        printer.item(String(index)) { $0.window(window) }
      }
    }
  }

  private mutating func window(_ window: MaintenanceWindow) {
    text("name", window.name)
    let selection = window.selection
    if !selection.checks.isEmpty { texts("checks", selection.checks.map(\.text).sorted()) }
    if !selection.tags.isEmpty { texts("tags", selection.tags.map(\.text).sorted()) }
    if !selection.resources.isEmpty { texts("resources", selection.resources.sorted().map(\.description)) }
    text("start", window.start.text)
    switch window.length {
    case .elapsed(let duration): word("duration", duration.text)
    case .clock(let seconds): text("end", LocalTime(seconds: window.start.seconds + seconds).text)
    }
    word("repeat", window.repetition.rawValue)
    text("timezone", window.zone.name)
    flag("skip", window.skip)
  }
}
