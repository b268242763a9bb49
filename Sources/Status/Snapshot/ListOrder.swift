// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// Requested order of the list: names from a to z, everything else the worst first. Equal checks keep the order of the
/// configuration.
package enum ListOrder: String, CaseIterable, Sendable {
  case name, state
  /// The slowest last result first, those without one last.
  case latency
  /// The lowest of 24h first, those without data last.
  case uptime

  package func sorted(_ checks: [CheckStatus]) -> [CheckStatus] {
    switch self {
    case .name: Self.sorted(checks) { $0.name.lowercased() }
    case .state: Self.sorted(checks, by: Self.rank)
    case .latency:
      Self.sorted(checks) { $0.last?.responseTime.map { -$0.seconds } ?? .infinity }
    case .uptime: Self.sorted(checks) { $0.window(.day).uptime ?? .infinity }
    }
  }

  private static func rank(_ check: CheckStatus) -> Int {
    guard check.enabled else { return 6 }
    if check.maintenance != nil { return 5 }
    switch check.state {
    case .down: return 0
    case .degraded: return 1
    case .unknown: return check.isPending ? 3 : 2
    case .up: return 4
    }
  }

  private static func sorted<Key: Comparable>(_ checks: [CheckStatus], by key: (CheckStatus) -> Key)
    -> [CheckStatus]
  {
    checks.enumerated().map { (key: key($1), index: $0, check: $1) }
      .sorted { $0.key != $1.key ? $0.key < $1.key : $0.index < $1.index }
      .map(\.check)
  }
}
