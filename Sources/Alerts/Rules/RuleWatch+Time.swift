// SPDX-License-Identifier: MIT

import Basics
import Monitoring

extension RuleWatch {
  /// As time passes: states that have lasted for as long as their rules say.
  package mutating func advance(to now: ClockReading) -> [TroubleEvent] {
    guard !pending.isEmpty else { return [] }
    let due = pending.filter { $0.value.due <= now.boot }.sorted { $0.key < $1.key }
    return due.flatMap { key, item in
      pending[key] = nil
      return holds(item.trouble)
    }
  }

  /// Figures of the windows, asked for from time to time.
  package protocol Figures {
    /// Down outside maintenance within the last so many, as far as it is known; `nil` when the check is not known.
    func down(_ check: UniqueID, last span: Duration) -> Duration?
    /// In maintenance no alert fires, also where the check has no results meanwhile.
    func isInMaintenance(_ check: UniqueID) -> Bool
  }

  /// Whether any rule needs `judge(_:now:)`.
  package var needsFigures: Bool { rules.contains { $0.kind.subject == .budget } }

  /// The rules about windows. Time without a verdict burns no budget.
  package mutating func judge(_ figures: some Figures, now: Timestamp) -> [TroubleEvent] {
    var events: [TroubleEvent] = []
    for rule in rules where rule.kind.subject == .budget {
      for item in watched.values.sorted(by: { $0.check.id < $1.check.id })
      where item.rules.contains(where: { rules[$0].name == rule.name }) {
        let key = Trouble.Key(rule: rule.name, check: item.check.id)
        if figures.isInMaintenance(item.check.id) {
          lent[key] = nil
          events += ended(key, at: now, .maintenance)
          continue
        }
        guard let text = Self.excess(rule.kind, item.check.id, figures) else {
          if let until = lent[key], until > now, open[key] != nil { continue }
          lent[key] = nil
          events += ended(key, at: now)
          continue
        }
        var trouble = Trouble(
          key: key, subject: .budget, severity: rule.severity, name: item.check.name,
          target: item.check.target,
          since: now)
        trouble.text = text
        trouble.relation = Trouble.Relation(item.check, peer: nil)
        trouble.pace = item.check.interval
        events += renewed(trouble)
      }
    }
    return events
  }

  /// In words; nil: within bounds.
  fileprivate static func excess(
    _ kind: AlertRule.Kind, _ check: UniqueID, _ figures: some Figures
  ) -> String? {
    switch kind {
    case .downtime(let above, let window):
      guard let down = figures.down(check, last: window.duration), down > above else { return nil }
      return
        "down for \(StatusFormat.span(down.microseconds)) of the last \(window.rawValue), more than \(above.text)"
    case .burnRate(let objective):
      let budget = (100 - objective) / 100
      for (short, long, factor) in Self.burnWindows {
        let rates = [short, long].compactMap { span in
          figures.down(check, last: span).map { $0.seconds / span.seconds / budget }
        }
        if rates.count == 2, rates.allSatisfy({ $0 >= factor }) {
          return
            "its error budget of \(objective)% burns \(Int(rates[1].rounded())) times too fast over \(long.text)"
        }
      }
      return nil
    default: return nil
    }
  }

  /// Site Reliability Workbook, chapter 5, table 5-8: two of its pages.
  fileprivate static let burnWindows: [(Duration, Duration, Double)] = [
    (.seconds(300), .seconds(3600), 14.4), (.seconds(1800), .seconds(6 * 3600), 6),
  ]

  /// Takes the agent's own problems, each in a part of it.
  package mutating func judge(_ notices: [Notice], now: ClockReading) -> [TroubleEvent] {
    var current: [String: Notice] = [:]  // own text
    for notice in notices where notice.severity != .fine && ![.restart, .fleet].contains(notice.place) {
      if case .part(let part) = notice.place, (current[part]?.severity ?? .fine) < notice.severity {
        current[part] = notice
      }
    }
    parts = parts.filter { current[$0.key] != nil }
    for part in current.keys where parts[part] == nil { parts[part] = now }
    var events: [TroubleEvent] = []
    for rule in rules {
      guard case .agent(let lasting) = rule.kind else { continue }
      let name = ByteText(rule.name)
      for key in open.keys.sorted()
      where key.rule == name && key.check == nil && current[key.part.text] == nil {
        events += ended(key, at: now.wall)
      }
      for (part, since) in parts.sorted(by: { $0.key < $1.key })
      where since.boot.duration(to: now.boot) >= lasting {
        let key = Trouble.Key(rule: rule.name, part: part)
        guard let notice = current[part] else { continue }
        var trouble = Trouble(
          key: key, subject: .agent, severity: rule.severity, name: "agent: \(part)", since: since.wall)
        trouble.text = notice.what
        events += renewed(trouble)
      }
    }
    return events
  }

  /// Opens an alert. One that fires already keeps its begin and gets the other words, where they are others.
  private mutating func renewed(_ trouble: Trouble) -> [TroubleEvent] {
    var trouble = trouble
    if let known = open[trouble.key] {
      trouble.since = known.since
      guard trouble != known else { return [] }
    }
    return holds(trouble)
  }
}

extension AlertRule.Kind {
  /// Of a rule about windows, the longest of them.
  var span: Duration? {
    switch self {
    case .downtime(_, let window): window.duration
    case .burnRate: .seconds(6 * 3600)
    default: nil
    }
  }
}
