// SPDX-License-Identifier: MIT

import Basics

/// How bad it is that a rule holds; what is worse is greater.
package enum AlertSeverity: String, CaseIterable, Hashable, Comparable, Sendable {
  /// Can wait for the daily digest.
  case low
  case medium
  case high
  case critical

  package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

  private var rank: Int {
    switch self {
    case .low: 0
    case .medium: 1
    case .high: 2
    case .critical: 3
    }
  }
}

/// Condition for an alert of a check, or of the agent itself.
package struct AlertRule: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// So many results in a row that are down; nil: the check's own `failure_threshold`. It ends after so many that work.
    case consecutiveFailures(threshold: Int?, recoveries: Int)
    /// In a state for so long without a break.
    case state(CheckState, for: Duration)
    /// Response times of successes: the last one, or a percentile of those of a while, is above a bound.
    case responseTime(above: Duration, percentile: Int?, window: Duration)
    /// A certificate of the path ends within this time; each step is told again. Descending.
    case certificateExpiry(before: [Duration])
    /// Seconds down in a window exceed a bound.
    case downtime(above: Duration, window: UptimePeriod)
    /// The error budget of an objective burns so fast that it will not last (Site Reliability Workbook, chapter 5): 14.4
    /// times over 5 minutes and 1 hour, or 6 times over 30 minutes and 6 hours.
    case burnRate(objective: Double)
    /// The store, the delivery, the clock or a thread of the agent has a problem for so long.
    case agent(for: Duration)
  }

  /// Unique.
  package var name: String
  package var kind: Kind
  package var severity: AlertSeverity
  /// Names or ids of checks and tags; neither: every check.
  package var selection: MaintenanceSelection
  /// Names; empty: every channel.
  package var channels: [String]

  package init(
    _ name: String, _ kind: Kind, severity: AlertSeverity,
    selection: MaintenanceSelection = MaintenanceSelection(), channels: [String] = []
  ) {
    (self.name, self.kind, self.severity) = (name, kind, severity)
    (self.selection, self.channels) = (selection, channels)
  }

  /// Share of the time that is to be up, percent; `nil` where the rule names none.
  package var objective: Double? { if case .burnRate(let objective) = kind { objective } else { nil } }

  /// Rules that apply where none is configured.
  package static let defaults = [
    AlertRule("down", .consecutiveFailures(threshold: nil, recoveries: 1), severity: .high),
    AlertRule(
      "certificate",
      .certificateExpiry(before: [.seconds(21 * 86_400), .seconds(7 * 86_400), .seconds(86_400)]),
      severity: .low),
    AlertRule("agent", .agent(for: .seconds(300)), severity: .high),
  ]

  /// Rules of a configuration.
  package static let limit = 64
}

/// Subject of a rule's alerts. Only alerts with the same subject form one incident: that a certificate ends in two
/// weeks must not hide that its server is down.
package enum AlertSubject: String, CaseIterable, Hashable, Sendable {
  case availability, performance, certificate, budget, agent
}

extension AlertRule.Kind {
  package var subject: AlertSubject {
    switch self {
    case .consecutiveFailures, .state: .availability
    case .responseTime: .performance
    case .certificateExpiry: .certificate
    case .downtime, .burnRate: .budget
    case .agent: .agent
    }
  }

  /// As in agent.yaml.
  package var word: AlertRuleType {
    switch self {
    case .consecutiveFailures: .consecutiveFailures
    case .state: .state
    case .responseTime: .responseTime
    case .certificateExpiry: .certificateExpiry
    case .downtime: .downtime
    case .burnRate: .burnRate
    case .agent: .agent
    }
  }
}

/// `type` of a rule.
package enum AlertRuleType: String, CaseIterable, Hashable, Sendable {
  case consecutiveFailures = "consecutive_failures"
  case state
  case responseTime = "response_time"
  case certificateExpiry = "certificate_expiry"
  case downtime
  case burnRate = "burn_rate"
  case agent
}
