// SPDX-License-Identifier: MIT

import Basics
import History
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
    removed = before.filter { !kept.contains($0.id) }.map(\.name)
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
