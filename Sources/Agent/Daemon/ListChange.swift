// SPDX-License-Identifier: MIT

import Basics
import Logging
import Monitoring

/// Difference between two lists of checks, for the log line of a reload.
struct ListChange {
  var added: [String] = []
  var removed: [String] = []
  /// Checks with other settings under the same name.
  var changed: [String] = []
  /// Checks of the same id under another name, as `old -> new`.
  var renamed: [String] = []
  /// Checks whose `was` is a name that came of an earlier rename or beside an `id`: history belongs to another id.
  var parted: [(old: MonitoringCheck, new: MonitoringCheck)] = []

  init(from before: [MonitoringCheck], to after: [MonitoringCheck]) {
    let known = Dictionary(before.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    for check in after {
      guard let old = known[check.id] else {
        added.append(check.name)
        continue
      }
      if old.name != check.name {
        renamed.append("\(old.name) -> \(check.name)")
      } else if old != check {
        changed.append(check.name)
      }
    }
    let kept = Set(after.map(\.id))
    let gone = before.filter { !kept.contains($0.id) }
    removed = gone.map(\.name)
    let new = Dictionary(after.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    for old in gone {
      let derived = MonitoringCheck.derivedID(name: old.name)
      guard derived != old.id, known[derived] == nil, let check = new[derived], check.name != old.name else {
        continue
      }
      parted.append((old, check))
    }
  }

  /// Histories that a rename left behind, each with the way to keep it.
  var warnings: [(message: String, hint: String)] {
    parted.prefix(Self.shown).map { old, new in
      (
        "\(StatusFormat.name(new.name)) begins without the history of \(StatusFormat.name(old.name)): was names the first name of a check",
        "to keep it, give was its value of before this rename, or replace it by id: \(old.id)"
      )
    }
  }

  /// Names that are written out; the rest is counted.
  private static let shown = 5

  /// Log metadata: one entry for each kind of change there is.
  var facts: Logger.Metadata {
    var facts: Logger.Metadata = [:]
    for (key, names) in [("added", added), ("removed", removed), ("changed", changed), ("renamed", renamed)]
    where !names.isEmpty {
      let rest = names.count - Self.shown
      let words = names.prefix(Self.shown).map { StatusFormat.name($0) } + (rest > 0 ? ["\(rest) more"] : [])
      facts[key] = "\(words.joined(separator: ", "))"
    }
    return facts
  }
}
