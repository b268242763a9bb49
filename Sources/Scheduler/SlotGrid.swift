// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The name that shifts the slots of a check: the agent's, or that of the group which shares it, so that all members
/// are on one grid.
package struct SlotGrid: Hashable, Sendable {
  /// A group that this agent is in.
  package struct Group: Hashable, Sendable {
    package var name: String
    /// The checks of the file are shared, too; those of the API and those with `confirm` always are.
    package var sharesFile: Bool

    package init(name: String, sharesFile: Bool) { (self.name, self.sharesFile) = (name, sharesFile) }

    /// Whether one member runs it for all. Heartbeats report to one agent, and only that one knows.
    package func shares(_ check: MonitoringCheck) -> Bool {
      if case .heartbeat = check.kind { return false }
      // A place has one voice, so a check that places decide on is run once in each.
      return check.origin == .api || sharesFile || check.plan.confirm != nil
    }
  }

  package var agent: String
  package var group: Group?

  package init(agent: String, group: Group? = nil) { (self.agent, self.group) = (agent, group) }

  package func isShared(_ check: MonitoringCheck) -> Bool { group?.shares(check) ?? false }

  package func timeline(_ check: MonitoringCheck, _ interval: Duration) -> Timeline {
    guard let group, group.shares(check) else {
      return Timeline(agent: agent, check: check.id, interval: interval)
    }
    return Timeline(agent: group.name, check: check.id, interval: interval)
  }
}
