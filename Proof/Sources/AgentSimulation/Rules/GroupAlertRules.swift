// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Monitoring

/// A group's incident is told once, whichever member tells it. Pure, and not in force yet: a check that moves while it
/// fails ends its incident with the one and begins another with the other, see docs/groups.md.
struct GroupAlertRules {
  let isInForce: Bool
  /// By check, since anybody last saw it work: what was told of it.
  private var told: [UniqueID: Set<UniqueID>] = [:]
  private var worked: [UniqueID: Timestamp] = [:]
  private var seen: Set<UniqueID> = []
  /// Incidents about a check of which another was told before it worked.
  private(set) var moved = 0

  init(isInForce: Bool) { self.isInForce = isInForce }

  mutating func found(_ result: CheckResult, now: Timestamp) {
    guard result.state == .up || result.state == .degraded else { return }
    worked[result.checkID] = now
    told[result.checkID] = nil
  }

  /// - Parameter now: by the true clock.
  mutating func arrived(_ message: AlertMessage, now: Timestamp) -> Violation.Found? {
    guard message.kind == .opened, seen.insert(message.id).inserted else { return nil }
    let failing = message.members.filter { $0.until == nil }
    for check in failing.compactMap(\.checkID) where message.at >= worked[check] ?? .epoch {
      told[check, default: []].insert(message.incident)
      guard told[check, default: []].count > 1 else { continue }
      moved += 1
      if isInForce {
        return (
          .told, "\"\(message.title)\": a second incident of the group about one that has not worked since"
        )
      }
    }
    return nil
  }
}
