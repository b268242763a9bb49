// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// Says of each result, and as time passes, which rules hold: a pure machine, fed with results, pictures of the windows
/// and the time.
///
/// Only results of the schedule count. What is unknown proves nothing: it neither begins a trouble nor ends one, but for
/// the rule that is about being unknown; a failure that goes with a dependency is of no rule at all.
package struct RuleWatch: Sendable {
  private var rules: [AlertRule]
  private var watched: [UniqueID: Watched] = [:]
  /// Troubles that hold, with the level that was told.
  private(set) var open: [Trouble.Key: Int]
  /// Of checks that came from other agents: their windows are not here, and until then say nothing.
  private var lent: [Trouble.Key: Timestamp] = [:]
  /// When a state will have lasted for as long as its rule says, if nothing changes it.
  private var pending: [Trouble.Key: Pending] = [:]
  private var parts: [String: Timestamp] = [:]  // own text

  private struct Watched {
    var check: MonitoringCheck
    /// Places in `rules`.
    var rules: [Int]
    /// A rule needs more than the last response time.
    var keepsTimes = false
    var memory = CheckMemory()
  }

  private struct Pending {
    var due: Timestamp
    var trouble: Trouble
  }

  /// - Parameter open: troubles that held before a restart: they are no news, and end when they end.
  package init(_ rules: [AlertRule], open: [Trouble.Key: Int] = [:]) {
    self.rules = rules
    self.open = open
  }

  /// Takes over other checks: troubles of those that are gone, are off, or have no such rule any more end.
  ///
  /// - Parameter isElsewhere: another agent runs it: its troubles are that one's, and do not end.
  package mutating func apply(
    _ checks: [MonitoringCheck], now: Timestamp, isElsewhere: (UniqueID) -> Bool = { _ in false }
  ) -> [TroubleEvent] {
    var next: [UniqueID: Watched] = [:]
    next.reserveCapacity(checks.count)
    for check in checks where check.enabled {
      let places = rules.indices.filter {
        rules[$0].kind.subject != .agent && rules[$0].selection.contains(check)
      }
      guard !places.isEmpty else { continue }
      let keepsTimes = places.contains { rules[$0].kind.needsTimes }
      next[check.id] = Watched(
        check: check, rules: places, keepsTimes: keepsTimes,
        memory: watched[check.id]?.memory ?? CheckMemory())
    }
    watched = next
    pending = pending.filter { isRuled($0.key) }
    lent = lent.filter { isRuled($0.key) }
    let gone = open.keys.filter { !isRuled($0) }.sorted()
    for key in gone { open[key] = nil }
    return gone.filter { !($0.check.map(isElsewhere) ?? false) }.map { .ended($0, at: now, .removed) }
  }

  /// What another agent found of a check that is here now.
  ///
  /// - Returns: false: no rule of this agent says so.
  mutating func hold(_ trouble: Trouble) -> Bool {
    guard isRuled(trouble.key) else { return false }
    guard open[trouble.key] == nil else { return true }
    open[trouble.key] = trouble.level
    if let rule = rules.first(where: { ByteText($0.name) == trouble.key.rule }), let span = rule.kind.span {
      // What made it hold has left the window by then.
      lent[trouble.key] = trouble.since.advanced(by: span)
    }
    return true
  }

  /// They are nobody's any more: what is found next begins anew.
  mutating func release(_ keys: [Trouble.Key]) {
    for key in keys { (open[key], lent[key]) = (nil, nil) }
  }

  private func isRuled(_ key: Trouble.Key) -> Bool {
    guard let id = key.check else {
      return rules.contains { $0.kind.subject == .agent && ByteText($0.name) == key.rule }
    }
    return watched[id]?.rules.contains { ByteText(rules[$0].name) == key.rule } ?? false
  }

  /// One result.
  package mutating func note(_ result: CheckResult) -> [TroubleEvent] {
    guard result.trigger == .schedule, var item = watched[result.checkID] else { return [] }
    watched[result.checkID] = nil
    defer { watched[result.checkID] = item }
    if result.maintenance { return rest(&item, at: result.scheduledAt) }
    // It failed because something else did: that is told elsewhere.
    guard result.reason != .dependency else { return [] }
    item.memory.add(result, keepsTimes: item.keepsTimes)
    var events: [TroubleEvent] = []
    for place in item.rules { events += judge(rules[place], result, item) }
    return events
  }

  /// In maintenance nothing is anybody's trouble, and afterwards everything begins anew.
  private mutating func rest(_ item: inout Watched, at now: Timestamp) -> [TroubleEvent] {
    item.memory = CheckMemory()
    var events: [TroubleEvent] = []
    for place in item.rules where rules[place].kind.subject != .budget {
      let key = Trouble.Key(rule: rules[place].name, check: item.check.id)
      pending[key] = nil
      if open.removeValue(forKey: key) != nil { events.append(.ended(key, at: now, .maintenance)) }
    }
    return events
  }

  private mutating func judge(
    _ rule: AlertRule, _ result: CheckResult, _ item: Watched
  ) -> [TroubleEvent] {
    let key = Trouble.Key(rule: rule.name, check: item.check.id)
    let memory = item.memory
    switch rule.kind {
    case .consecutiveFailures(let threshold, let recoveries):
      if memory.failures >= threshold ?? item.check.failureThreshold {
        return holds(rule, key, item.check, result, since: memory.failingSince ?? result.scheduledAt)
      }
      return memory.successes >= recoveries ? ended(key, at: result.scheduledAt) : []
    case .state(let state, let lasting):
      return judgeState(state, lasting, rule, key, result, item)
    case .responseTime(let above, let percentile, let window):
      let value = item.memory.responseTime(percentile, within: window, at: result.scheduledAt)
      guard result.state == .up || result.state == .degraded, let value else { return [] }
      guard value > above else { return ended(key, at: result.scheduledAt) }
      var trouble = trouble(rule, key, item.check, result, since: result.scheduledAt)
      let what = percentile.map { "p\($0) of \(window.text)" } ?? "the response time"
      trouble.text = "\(what) is \(StatusFormat.latency(value)), above \(above.text)"
      return holds(trouble)
    case .certificateExpiry(let before):
      guard let end = result.facts.tls?.pathNotAfter ?? result.facts.tls?.notAfter else { return [] }
      let left = result.scheduledAt.duration(to: end)
      let level = before.count { $0 >= left }
      guard level > 0 else { return ended(key, at: result.scheduledAt) }
      var trouble = trouble(rule, key, item.check, result, since: result.scheduledAt)
      trouble.level = level
      trouble.text =
        left > .zero
        ? "a certificate ends in \(StatusFormat.span(left.microseconds)), at \(end.rfc3339)"
        : "a certificate has ended at \(end.rfc3339)"
      return holds(trouble)
    case .downtime, .burnRate, .agent: return []
    }
  }

  private mutating func judgeState(
    _ state: CheckState, _ lasting: Duration, _ rule: AlertRule, _ key: Trouble.Key, _ result: CheckResult,
    _ item: Watched
  ) -> [TroubleEvent] {
    guard let since = item.memory.since(state) else {
      pending[key] = nil
      return ended(key, at: result.scheduledAt)
    }
    // Down stays down as far as anybody knows while nobody can look.
    guard result.state == state else { return [] }
    let trouble = trouble(rule, key, item.check, result, since: since)
    guard since.duration(to: result.scheduledAt) >= lasting else {
      if open[key] == nil { pending[key] = Pending(due: since.advanced(by: lasting), trouble: trouble) }
      return []
    }
    pending[key] = nil
    return holds(trouble)
  }

  private func trouble(
    _ rule: AlertRule, _ key: Trouble.Key, _ check: MonitoringCheck, _ result: CheckResult, since: Timestamp
  ) -> Trouble {
    var trouble = Trouble(
      key: key, subject: rule.kind.subject, severity: rule.severity, name: check.name, target: check.target,
      since: since)
    (trouble.state, trouble.reason, trouble.text) = (result.state, result.reason, result.message)
    trouble.relation = Trouble.Relation(check, peer: result.facts.peer?.address)
    return trouble
  }

  private mutating func holds(
    _ rule: AlertRule, _ key: Trouble.Key, _ check: MonitoringCheck, _ result: CheckResult, since: Timestamp
  ) -> [TroubleEvent] {
    // What holds already is only told when it is down now: the last words stay otherwise.
    guard result.state == .down || open[key] == nil else { return [] }
    return holds(trouble(rule, key, check, result, since: since))
  }

  private mutating func holds(_ trouble: Trouble) -> [TroubleEvent] {
    open[trouble.key] = trouble.level
    return [.holds(trouble)]
  }

  private mutating func ended(_ key: Trouble.Key, at now: Timestamp) -> [TroubleEvent] {
    open.removeValue(forKey: key) == nil ? [] : [.ended(key, at: now, .recovered)]
  }
}

extension RuleWatch {
  /// As time passes: states that have lasted for as long as their rules say.
  package mutating func advance(to now: Timestamp) -> [TroubleEvent] {
    guard !pending.isEmpty else { return [] }
    let due = pending.filter { $0.value.due <= now }.sorted { $0.key < $1.key }
    return due.flatMap { key, item in
      pending[key] = nil
      return holds(item.trouble)
    }
  }

  /// What the windows say, asked for from time to time.
  package protocol Figures {
    /// Down outside maintenance within the last so many, as far as it is known; nil: the check is not known.
    func down(_ check: UniqueID, last span: Duration) -> Duration?
  }

  /// Whether any rule needs `judge(_:now:)`.
  package var needsFigures: Bool { rules.contains { $0.kind.subject == .budget } }

  /// The rules about windows. Time without a verdict is not held against anybody: it burns nothing.
  package mutating func judge(_ figures: some Figures, now: Timestamp) -> [TroubleEvent] {
    var events: [TroubleEvent] = []
    for rule in rules where rule.kind.subject == .budget {
      for item in watched.values.sorted(by: { $0.check.id < $1.check.id })
      where item.rules.contains(where: { rules[$0].name == rule.name }) {
        let key = Trouble.Key(rule: rule.name, check: item.check.id)
        guard let text = Self.excess(rule.kind, item.check.id, figures) else {
          if let until = lent[key], until > now, open[key] != nil { continue }
          lent[key] = nil
          events += ended(key, at: now)
          continue
        }
        guard open[key] == nil else { continue }
        var trouble = Trouble(
          key: key, subject: .budget, severity: rule.severity, name: item.check.name,
          target: item.check.target,
          since: now)
        trouble.text = text
        trouble.relation = Trouble.Relation(item.check, peer: nil)
        events += holds(trouble)
      }
    }
    return events
  }

  /// In words; nil: within bounds.
  private static func excess(
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
  private static let burnWindows: [(Duration, Duration, Double)] = [
    (.seconds(300), .seconds(3600), 14.4), (.seconds(1800), .seconds(6 * 3600), 6),
  ]

  /// What the agent says of itself: its problems, each in a part of it.
  package mutating func judge(_ notices: [Notice], now: Timestamp) -> [TroubleEvent] {
    var current: [String: Notice] = [:]  // own text
    for notice in notices where notice.severity != .fine {
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
        events += ended(key, at: now)
      }
      for (part, since) in parts.sorted(by: { $0.key < $1.key }) where since.duration(to: now) >= lasting {
        let key = Trouble.Key(rule: rule.name, part: part)
        guard open[key] == nil, let notice = current[part] else { continue }
        var trouble = Trouble(
          key: key, subject: .agent, severity: rule.severity, name: "agent: \(part)", since: since)
        trouble.text = notice.what
        events += holds(trouble)
      }
    }
    return events
  }
}

extension AlertRule.Kind {
  /// Of a rule about windows, the longest of them.
  fileprivate var span: Duration? {
    switch self {
    case .downtime(_, let window): window.duration
    case .burnRate: .seconds(6 * 3600)
    default: nil
    }
  }

  fileprivate var needsTimes: Bool {
    if case .responseTime(_, .some, _) = self { true } else { false }
  }
}
