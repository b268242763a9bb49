// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Evaluates the rules for each result, and as time passes: a pure machine, fed with results, pictures of the windows
/// and the time.
///
/// Only results of the schedule count. An unknown result proves nothing: it neither opens an alert nor ends it, except
/// for the rule about unknown; a failure that goes with a dependency is of no rule at all.
package struct RuleWatch: Sendable {
  private(set) var rules: [AlertRule]
  private(set) var watched: [UniqueID: Watched] = [:]
  /// Checks of the list that no rule watches, and those that are off.
  private var idle: [UniqueID: CheckSite] = [:]
  /// From before the start, until there is a list.
  private var saved: SavedRules
  /// Alerts that fire.
  private(set) var open: [Trouble.Key: Trouble]
  /// Checks that failed with what they depend on, until they have a verdict of their own.
  private(set) var shadowed: Set<UniqueID> = []
  /// Of checks that came from other agents: their windows are not here, and until then say nothing.
  var lent: [Trouble.Key: Timestamp] = [:]
  /// When a state will have lasted for as long as its rule says, if nothing changes it.
  var pending: [Trouble.Key: Pending] = [:]
  var parts: [String: ClockReading] = [:]  // own text

  struct Watched {
    var check: MonitoringCheck
    /// Places in `rules`.
    var rules: [Int]
    /// A rule needs more than the last response time.
    var keepsTimes = false
    var memory = CheckMemory()
    /// As it was kept last.
    var row: SavedRow?
  }

  /// Another one: results in a row changed that a restart must not forget.
  private(set) var rowsVersion = 0

  struct Pending {
    var due: Instant
    var trouble: Trouble
  }

  /// - Parameter open: troubles that held before a restart: they are no news, and end when they end.
  package init(_ rules: [AlertRule], open: [Trouble.Key: Trouble] = [:]) {
    self.init(rules, open: open, SavedRules())
  }

  init(_ rules: [AlertRule], open: [Trouble.Key: Trouble], _ saved: SavedRules) {
    (self.rules, self.open, self.saved) = (rules, open, saved)
  }

  /// Takes over other rules; `apply` has to follow. Alerts of rules that are gone or say something else end.
  package mutating func replace(_ rules: [AlertRule], now: Timestamp) -> [TroubleEvent] {
    let before = self.rules
    self.rules = rules
    func kind(_ name: ByteText, in rules: [AlertRule]) -> AlertRule.Kind? {
      rules.first { ByteText($0.name) == name }?.kind
    }
    let changed = open.keys.filter { key in
      let new = kind(key.rule, in: rules)
      return new == nil || new != kind(key.rule, in: before)
    }.sorted()
    watched = watched.mapValues { item in
      var item = item
      item.rules = []
      return item
    }
    return changed.map { key in
      open[key] = nil
      return .ended(key, at: now, .ruleChanged)
    }
  }

  /// Takes over other checks: troubles of those that are gone, are off, or have no such rule any more end.
  ///
  /// - Parameters:
  ///   - awaited: not in the list yet: what is open of these checks stays so until they are, or are gone.
  ///   - isElsewhere: another agent runs it: its troubles are that one's, and do not end.
  package mutating func apply(
    _ checks: [MonitoringCheck], awaited: Set<UniqueID> = [], now: Timestamp,
    isElsewhere: (UniqueID) -> Bool = { _ in false }
  ) -> [TroubleEvent] {
    let (before, beforeIdle, saved) = (watched, idle, saved)
    self.saved = SavedRules()
    // The list may come in parts.
    self.saved.rows = saved.rows.filter { $0.value.isYoung(at: now) }
    self.saved.sites = saved.sites.filter { awaited.contains($0.key) }
    idle = [:]
    var next: [UniqueID: Watched] = [:]
    next.reserveCapacity(checks.count)
    for check in checks {
      let places = rules.indices.filter {
        check.enabled && rules[$0].kind.subject != .agent && rules[$0].selection.contains(check)
      }
      guard !places.isEmpty else {
        idle[check.id] = CheckSite(check)
        continue
      }
      let keepsTimes = places.contains { rules[$0].kind.needsTimes }
      let row = self.saved.rows.removeValue(forKey: check.id).flatMap {
        $0.continues(check, at: now) ? $0 : nil
      }
      next[check.id] = Watched(
        check: check, rules: places, keepsTimes: keepsTimes,
        memory: watched[check.id]?.memory ?? row.map(CheckMemory.init) ?? CheckMemory(),
        row: watched[check.id].map(\.row) ?? row)
    }
    watched = next
    pending = pending.filter { isRuled($0.key) }
    lent = lent.filter { isRuled($0.key) }
    shadowed = shadowed.filter { watched[$0] != nil }
    let gone = open.keys.filter { key in
      isRewritten(key, saved) || !(isRuled(key) || key.check.map(awaited.contains) ?? false)
    }.sorted()
    for key in gone { open[key] = nil }
    // Alerts of a rewritten rule end, also where another member has the check.
    let lost = gone.filter { isRuled($0) || !($0.check.map(isElsewhere) ?? false) }
    guard !lost.isEmpty else { return [] }
    let former = Self.sites(before, beforeIdle).merging(saved.sites) { now, _ in now }
      .filter { !awaited.contains($0.key) }
    let renames = CheckRenames(from: former, to: checks)
    let here = Dictionary(checks.map { ($0.id, $0.enabled) }) { first, _ in first }
    return lost.map { key in
      guard let id = key.check else { return .ended(key, at: now, .ruleChanged) }
      if awaited.contains(id) { return .ended(key, at: now, .ruleChanged) }
      if let isEnabled = here[id] { return .ended(key, at: now, isEnabled ? .ruleChanged : .disabled) }
      let (end, name) = renames.outcome(of: id)
      return .ended(key, at: now, end, note: name)
    }
  }

  /// Whether a rule that fires since before the start says something else now.
  private func isRewritten(_ key: Trouble.Key, _ saved: SavedRules) -> Bool {
    guard let text = saved.rules[key.rule] else { return false }
    return text != rules.first { ByteText($0.name) == key.rule }?.kind.saved
  }

  private static func sites(
    _ watched: [UniqueID: Watched], _ idle: [UniqueID: CheckSite]
  ) -> [UniqueID: CheckSite] {
    idle.merging(watched.mapValues { CheckSite($0.check) }) { _, now in now }
  }

  /// State to keep over a restart.
  var kept: SavedRules {
    var kept = saved
    for (id, item) in watched { kept.rows[id] = item.row }
    guard !open.isEmpty else { return kept }
    for key in open.keys {
      kept.rules[key.rule] = rules.first { ByteText($0.name) == key.rule }?.kind.saved
    }
    let sites = Self.sites(watched, idle)
    let wanted = Set(open.keys.compactMap { $0.check.flatMap { sites[$0] } })
    kept.sites.merge(sites.filter { wanted.contains($0.value) }) { _, now in now }
    return kept
  }

  /// Takes over another agent's alert of a check that runs here now.
  ///
  /// - Returns: false where no rule of this agent gives such an alert.
  mutating func hold(_ trouble: Trouble) -> Bool {
    guard isRuled(trouble.key) else { return false }
    guard open[trouble.key] == nil else { return true }
    open[trouble.key] = trouble
    if let rule = rules.first(where: { ByteText($0.name) == trouble.key.rule }), let span = rule.kind.span {
      // What made it hold has left the window by then.
      lent[trouble.key] = trouble.since.advanced(by: span)
    }
    return true
  }

  /// Whether the last verdict of this process is that it works.
  func works(_ check: UniqueID) -> Bool { watched[check].map { $0.memory.successes > 0 } ?? false }

  /// The alerts are not held here any more: the next failure opens a new one.
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
  package mutating func note(_ result: CheckResult, now: ClockReading) -> [TroubleEvent] {
    guard result.trigger == .schedule, var item = watched[result.checkID] else { return [] }
    watched[result.checkID] = nil
    defer {
      keepRow(&item)
      watched[result.checkID] = item
    }
    if result.maintenance {
      shadowed.remove(result.checkID)
      return rest(&item, at: result.scheduledAt)
    }
    // It failed because something else did: the alert is that one's.
    guard result.reason != .dependency else {
      shadowed.insert(result.checkID)
      return []
    }
    item.memory.add(result, keepsTimes: item.keepsTimes)
    var events: [TroubleEvent] = []
    for place in item.rules { events += judge(rules[place], result, item, now) }
    let fires = events.contains { if case .holds = $0 { true } else { false } }
    if fires || item.memory.successes > 0 { shadowed.remove(result.checkID) }
    return events
  }

  /// A slot that was not run, for a maintenance window leaves it out.
  package mutating func skipped(_ check: UniqueID, at slot: Timestamp) -> [TroubleEvent] {
    guard var item = watched.removeValue(forKey: check) else { return [] }
    shadowed.remove(check)
    let events = rest(&item, at: slot)
    keepRow(&item)
    watched[check] = item
    return events
  }

  /// Notes what is in a row where it decides something.
  private mutating func keepRow(_ item: inout Watched) {
    var (failures, successes, states) = (0, 0, Set<CheckState>())
    for place in item.rules {
      switch rules[place].kind {
      case .consecutiveFailures(let threshold, let recoveries):
        failures = max(failures, threshold ?? item.check.failureThreshold)
        let key = Trouble.Key(rule: rules[place].name, check: item.check.id)
        if open[key] != nil { successes = max(successes, recoveries) }
      case .state(let state, _): states.insert(state)
      case .responseTime, .certificateExpiry, .downtime, .burnRate, .agent: break
      }
    }
    let row = item.memory.row(failures: failures, successes: successes, states: states)
    guard row != item.row, row?.isNews(after: item.row) ?? true else { return }
    item.row = row
    rowsVersion &+= 1
  }

  /// In maintenance no alert fires, and counting starts over after it.
  private mutating func rest(_ item: inout Watched, at now: Timestamp) -> [TroubleEvent] {
    item.memory = CheckMemory()
    var events: [TroubleEvent] = []
    for place in item.rules {
      let key = Trouble.Key(rule: rules[place].name, check: item.check.id)
      pending[key] = nil
      events += ended(key, at: now, .maintenance)
    }
    return events
  }

  private mutating func judge(
    _ rule: AlertRule, _ result: CheckResult, _ item: Watched, _ now: ClockReading
  ) -> [TroubleEvent] {
    let key = Trouble.Key(rule: rule.name, check: item.check.id)
    let memory = item.memory
    switch rule.kind {
    case .consecutiveFailures(let threshold, let recoveries):
      if memory.failures >= threshold ?? item.check.failureThreshold {
        return holds(rule, key, item, result, since: memory.failingSince ?? result.scheduledAt)
      }
      return memory.successes >= recoveries ? ended(key, at: result.scheduledAt) : []
    case .state(let state, let lasting):
      return judgeState(state, lasting, rule, key, result, item, now)
    case .responseTime(let above, let percentile, let window):
      let value = item.memory.responseTime(percentile, within: window, at: result.scheduledAt)
      guard result.state == .up || result.state == .degraded, let value else { return [] }
      guard value > above else { return ended(key, at: result.scheduledAt) }
      var trouble = trouble(rule, key, item.check, result, since: result.scheduledAt)
      let what = percentile.map { "p\($0) over \(window.text)" } ?? "the response time"
      // The check works: what fires is that it is slow.
      trouble.state = .degraded
      trouble.reason = .responseTime
      trouble.text = "\(what) is \(StatusFormat.latency(value)), above \(StatusFormat.latency(above))"
      return holds(trouble)
    case .certificateExpiry(let before):
      guard let end = result.facts.tls?.pathNotAfter ?? result.facts.tls?.notAfter else { return [] }
      let left = result.scheduledAt.duration(to: end)
      let level = before.count { $0 >= left }
      guard level > 0 else { return ended(key, at: result.scheduledAt) }
      var trouble = trouble(rule, key, item.check, result, since: result.scheduledAt)
      trouble.since = open[key]?.since ?? trouble.since
      (trouble.level, trouble.state) = (level + (left > .zero ? 0 : 1), .degraded)
      trouble.reason = .certificateExpiring
      trouble.severity = Self.severity(of: rule, level: level, isOver: left <= .zero)
      trouble.text =
        left > .zero
        ? "a certificate expires in \(StatusFormat.span(left.microseconds)), at \(end.rfc3339Seconds)"
        : "a certificate expired at \(end.rfc3339Seconds)"
      return holds(trouble)
    case .downtime, .burnRate, .agent: return []
    }
  }

  /// Each step of a certificate's rule is one severity worse than the one before; one that has ended is critical.
  private static func severity(of rule: AlertRule, level: Int, isOver: Bool) -> AlertSeverity {
    if isOver { return .critical }
    let scale = AlertSeverity.allCases
    let first = scale.firstIndex(of: rule.severity) ?? 0
    return scale[min(first + level - 1, scale.count - 1)]  // bounded: steps of a rule
  }

  private mutating func judgeState(
    _ state: CheckState, _ lasting: Duration, _ rule: AlertRule, _ key: Trouble.Key, _ result: CheckResult,
    _ item: Watched, _ now: ClockReading
  ) -> [TroubleEvent] {
    guard let since = item.memory.since(state) else {
      pending[key] = nil
      return ended(key, at: result.scheduledAt)
    }
    // An unknown result leaves the state as it was last known.
    guard result.state == state else { return [] }
    var trouble = trouble(rule, key, item.check, result, since: since)
    trouble.lastGood = item.memory.good(before: since)
    guard since.duration(to: result.scheduledAt) >= lasting else {
      let rest = lasting - since.duration(to: result.scheduledAt)
      if open[key] == nil { pending[key] = Pending(due: now.boot + rest, trouble: trouble) }
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
    (trouble.state, trouble.text) = (result.state, result.message)
    // A rule may fire for a check that works: `ok` is no reason of an alert.
    trouble.reason = result.reason == .ok ? nil : result.reason
    trouble.relation = Trouble.Relation(check, peer: result.facts.peer?.address)
    trouble.pace = check.interval
    return trouble
  }

  private mutating func holds(
    _ rule: AlertRule, _ key: Trouble.Key, _ item: Watched, _ result: CheckResult, since: Timestamp
  ) -> [TroubleEvent] {
    // What holds already is only told when it is down now: the last words stay otherwise.
    guard result.state == .down || open[key] == nil else { return [] }
    var trouble = trouble(rule, key, item.check, result, since: since)
    trouble.lastGood = item.memory.good(before: since)
    return holds(trouble)
  }

  mutating func holds(_ trouble: Trouble) -> [TroubleEvent] {
    var trouble = trouble
    // As at its opening: after a restart the results before it may not be known.
    if let known = open[trouble.key] { trouble.lastGood = known.lastGood }
    open[trouble.key] = trouble
    return [.holds(trouble)]
  }

  mutating func ended(_ key: Trouble.Key, at now: Timestamp, _ end: TroubleEnd = .recovered) -> [TroubleEvent]
  {
    open.removeValue(forKey: key) == nil ? [] : [.ended(key, at: now, end)]
  }
}

extension AlertRule.Kind {
  fileprivate var needsTimes: Bool {
    if case .responseTime(_, .some, _) = self { true } else { false }
  }
}
