// SPDX-License-Identifier: MIT

import Basics

/// A rule as it was written: nothing judged, everything optional. `AlertRule.init(_:)` is the only judge of it.
package struct AlertRuleDefinition: Sendable {
  package var type: String?
  package var name: String?
  package var severity: String?
  package var checks: [String]?
  package var tags: [String]?
  package var channels: [String]?
  package var threshold: Int?
  package var recoveries: Int?
  package var state: String?
  package var lasting: Duration?
  package var above: Duration?
  package var percentile: Int?
  package var window: Duration?
  package var before: [Duration]?
  /// Percent.
  package var objective: Double?

  package init() {}
}

/// Thrown with every problem found, never only the first.
package struct InvalidAlerts: Error, Hashable, Sendable {
  package var problems: [CheckProblem]
}

/// The bounds of what a rule may say. The judge, the JSON Schema and the documentation all use these.
package enum AlertLimits {
  package static let threshold = 1...1000
  package static let recoveries = 1...100
  package static let lasting: ClosedRange<Duration> = .zero ... .seconds(7 * 86_400)
  /// Of response times and of time down.
  package static let above: ClosedRange<Duration> = .milliseconds(1) ... .seconds(90 * 86_400)
  package static let percentile = 1...99
  /// Of the percentile of response times.
  package static let window: ClosedRange<Duration> = .seconds(60) ... .seconds(90 * 86_400)
  static let longestPercentileWindow: Duration = .seconds(6 * 3600)
  package static let before: ClosedRange<Duration> = .seconds(3600) ... .seconds(365 * 86_400)
  package static let steps = 8
  /// Entries of `checks`, `tags` or `channels`.
  package static let selected = 256
}

extension AlertRuleDefinition {
  static let keys: [Key<AlertRuleDefinition>] = [
    Key(\.type, "type", .word(AlertRuleType.self), "Type of the rule").required,
    Key(
      \.name, "name", .text, "Name in notifications, on the page and in the API; unique",
      default: "the type"),
    Key(\.severity, "severity", .word(AlertSeverity.self), "Severity of the rule's alerts", default: "high"),
    Key(\.checks, "checks", .texts, "Names or ids of the checks it applies to", default: "every check"),
    Key(\.tags, "tags", .texts, "Checks with any of these tags, too"),
    Key(\.channels, "channels", .texts, "Names of the channels that are notified", default: "every channel"),
    Key(
      \.threshold, "threshold", .integer(AlertLimits.threshold),
      "consecutive_failures: results in a row that are down",
      default: "the check's failure_threshold"),
    Key(
      \.recoveries, "recoveries", .integer(AlertLimits.recoveries),
      "consecutive_failures: successes in a row that resolve it", default: "1"),
    Key(\.state, "state", .word(among: ["down", "degraded", "unknown"]), "state: the state"),
    Key(
      \.lasting, "for", .duration(AlertLimits.lasting),
      "state, agent: duration without a break", default: "5m"),
    Key(
      \.above, "above", .duration(AlertLimits.above),
      "response_time: longer than this; downtime: down for longer than this in the window, and less than the window"
    ),
    Key(
      \.percentile, "percentile", .integer(AlertLimits.percentile),
      "response_time: of the successes of the window, at least ten", default: "each one"),
    Key(
      \.window, "window", .duration(AlertLimits.window),
      "response_time with percentile: at most 6h; downtime: 24h, 7d, 30d or 90d", default: "15m, 24h"),
    Key(
      \.before, "before", .list(.duration(AlertLimits.before)),
      "certificate_expiry: time before expiry; each step is notified", default: "[21d, 7d, 1d]"),
    Key(
      \.objective, "objective", .percent,
      "burn_rate: share of the time that is up, 94% to below 100%, such as 99.9%; fires when its error budget burns "
        + "14.4 times too fast over 5m and 1h, or 6 times over 30m and 6h"),
  ]

  private static let list = KeyList(keys)

  package init(_ map: GivenMap, _ reader: inout KeyReader) {
    self.init()
    reader.fill(&self, map, Self.list)
    // Where each entry was refused, the list is not empty as well.
    if before?.isEmpty == true, map["before"]?.list?.isEmpty == false { before = nil }
  }

  /// The definition that a rule would be made of.
  init(_ rule: AlertRule) {
    self.init()
    (type, name, severity) = (rule.kind.word.rawValue, rule.name, rule.severity.rawValue)
    checks = rule.selection.checks.isEmpty ? nil : rule.selection.checks.map(\.text).sorted()
    tags = rule.selection.tags.isEmpty ? nil : rule.selection.tags.map(\.text).sorted()
    channels = rule.channels.isEmpty ? nil : rule.channels
    switch rule.kind {
    case .consecutiveFailures(let threshold, let recoveries):
      (self.threshold, self.recoveries) = (threshold, recoveries)
    case .state(let state, let lasting): (self.state, self.lasting) = (state.rawValue, lasting)
    case .responseTime(let above, let percentile, let window):
      (self.above, self.percentile, self.window) = (above, percentile, percentile == nil ? nil : window)
    case .certificateExpiry(let before): self.before = before
    case .downtime(let above, let window): (self.above, self.window) = (above, window.duration)
    case .burnRate(let objective): self.objective = objective
    case .agent(let lasting): self.lasting = lasting
    }
  }
}

extension KeyTable {
  /// A rule of the section `alerts`.
  package static let alertRule = KeyTable(AlertRuleDefinition.keys)
}

extension KeyPrinter {
  package mutating func alertRules(_ rules: [AlertRule]) {
    map("rules") { printer in
      for (index, rule) in rules.enumerated() {
        printer.item(String(index)) { printer in
          let definition = AlertRuleDefinition(rule)
          for key in AlertRuleDefinition.keys { key.print(definition, &printer) }
        }
      }
    }
  }
}
