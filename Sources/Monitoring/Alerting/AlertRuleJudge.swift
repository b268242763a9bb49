// SPDX-License-Identifier: MIT

import Basics

extension AlertRule {
  /// Judges a definition.
  ///
  /// - Throws: `InvalidAlerts` with every problem found.
  package init(_ definition: AlertRuleDefinition) throws(InvalidAlerts) {
    var judge = AlertRuleJudge(definition: definition)
    let kind = judge.kind()
    let selection = judge.selection(kind?.subject)
    judge.foreignKeys()
    let name = judge.name()
    guard judge.problems.isEmpty, let kind else { throw InvalidAlerts(problems: judge.problems) }
    self.init(
      name, kind, severity: definition.severity.flatMap(AlertSeverity.init) ?? .high, selection: selection,
      channels: definition.channels ?? [])
  }
}

/// Collects what is wrong with one rule while it reads it.
private struct AlertRuleJudge {
  var definition: AlertRuleDefinition
  var problems: [CheckProblem] = []

  private var type: AlertRuleType? { definition.type.flatMap { AlertRuleType(rawValue: $0) } }

  private mutating func problem(_ key: String, _ message: String, hint: String? = nil) {
    problems.append(CheckProblem([key], message, hint: hint))
  }

  mutating func name() -> String {
    let name = definition.name ?? definition.type ?? ""
    if definition.name != nil, let fault = CheckProblem.name(name) { problems.append(fault) }
    return name
  }

  mutating func selection(_ subject: AlertSubject?) -> MaintenanceSelection {
    for (key, list) in [
      ("checks", definition.checks), ("tags", definition.tags), ("channels", definition.channels),
    ] {
      if let fault = CheckProblem.selection(key, list, most: AlertLimits.selected) { problems.append(fault) }
    }
    if subject == .agent {
      for (key, list) in [("checks", definition.checks), ("tags", definition.tags)] where list != nil {
        problem(key, "\(key) has no effect: the rule is about the agent itself", hint: "leave it out")
      }
    }
    return MaintenanceSelection(
      checks: Set((definition.checks ?? []).map { ByteText($0) }),
      tags: Set((definition.tags ?? []).map { ByteText($0) }))
  }

  mutating func kind() -> AlertRule.Kind? {
    guard let type else {
      if definition.type == nil {
        problem(
          "type", "type is missing",
          hint: "one of \(AlertRuleType.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      return nil
    }
    switch type {
    case .consecutiveFailures:
      return .consecutiveFailures(threshold: definition.threshold, recoveries: definition.recoveries ?? 1)
    case .state:
      guard let state = definition.state.flatMap(CheckState.init) else {
        if definition.state == nil { problem("state", "state is missing", hint: "down, degraded or unknown") }
        return nil
      }
      return .state(state, for: definition.lasting ?? .seconds(300))
    case .responseTime: return responseTime()
    case .certificateExpiry: return certificate()
    case .downtime: return downtime()
    case .burnRate: return burnRate()
    case .agent: return .agent(for: definition.lasting ?? .seconds(300))
    }
  }

  private mutating func responseTime() -> AlertRule.Kind? {
    guard let above = definition.above else {
      problem("above", "above is missing", hint: "response time above which the alert fires, such as 800ms")
      return nil
    }
    let window = definition.window ?? .seconds(900)
    if definition.window != nil, definition.percentile == nil {
      problem(
        "window", "window has no effect without percentile", hint: "add percentile: 95, or leave it out")
    } else if window > AlertLimits.longestPercentileWindow {
      problem("window", "window must be at most 6h for a percentile, found \(window.text)")
    }
    return .responseTime(above: above, percentile: definition.percentile, window: window)
  }

  private mutating func certificate() -> AlertRule.Kind? {
    let before = definition.before ?? [.seconds(21 * 86_400), .seconds(7 * 86_400), .seconds(86_400)]
    if before.isEmpty {
      problem("before", "before is empty", hint: "such as [21d, 7d, 1d]")
    } else if before.count > AlertLimits.steps {
      problem("before", "before may list at most \(AlertLimits.steps) steps, found \(before.count)")
    }
    return .certificateExpiry(before: Set(before).sorted(by: >))
  }

  private mutating func downtime() -> AlertRule.Kind? {
    let length = definition.window ?? UptimePeriod.day.duration
    guard let window = UptimePeriod.allCases.first(where: { $0.duration == length }) else {
      problem(
        "window", "window must be 24h, 7d, 30d or 90d for downtime, found \(length.text)",
        hint: "these are the windows that are kept")
      return nil
    }
    guard let above = definition.above else {
      problem("above", "above is missing", hint: "the time down above which the alert fires, such as 10m")
      return nil
    }
    if above >= length { problem("above", "above must be less than the window, found \(above.text)") }
    return .downtime(above: above, window: window)
  }

  private mutating func burnRate() -> AlertRule.Kind? {
    guard let objective = definition.objective else {
      problem("objective", "objective is missing", hint: "such as 99.9%")
      return nil
    }
    // With less than 93 % even all of an hour down would not burn 14.4 times too fast.
    guard objective >= 94, objective < 100 else {
      problem("objective", "objective must be at least 94% and below 100%, found \(objective)%")
      return nil
    }
    return .burnRate(objective: objective)
  }

  /// A key of another type would look as if it did something.
  mutating func foreignKeys() {
    guard let type else { return }
    let given: [(String, Bool, [AlertRuleType])] = [
      ("threshold", definition.threshold != nil, [.consecutiveFailures]),
      ("recoveries", definition.recoveries != nil, [.consecutiveFailures]),
      ("state", definition.state != nil, [.state]),
      ("for", definition.lasting != nil, [.state, .agent]),
      ("above", definition.above != nil, [.responseTime, .downtime]),
      ("percentile", definition.percentile != nil, [.responseTime]),
      ("window", definition.window != nil, [.responseTime, .downtime]),
      ("before", definition.before != nil, [.certificateExpiry]),
      ("objective", definition.objective != nil, [.burnRate]),
    ]
    for (key, isGiven, types) in given where isGiven && !types.contains(type) {
      problem(
        key, "\(key) has no effect in a rule of type \(type.rawValue)",
        hint: "it belongs to \(types.map(\.rawValue).joined(separator: " and "))")
    }
  }
}
