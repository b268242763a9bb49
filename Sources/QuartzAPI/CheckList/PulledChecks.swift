// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The API's list, as it applies to this agent.
package struct PulledChecks: Hashable, Sendable {
  /// To run, by id.
  package var checks: [MonitoringCheck] = []
  /// In the list and not run: name and type, each with the reason.
  package var skipped: [Notice] = []
  /// Run, but not exactly as written.
  package var warnings: [Notice] = []
  /// Not chosen by `only` and `except`.
  package var filtered = 0
  /// Every check in the list, run or not: whose results the receiver takes.
  package var listed: Set<UniqueID> = []
  /// Those of them that `only` and `except` leave, run or not.
  package var chosen: Set<UniqueID> = []
  /// Maintenance windows of the resources that these checks belong to.
  package var windows: [MaintenanceWindow] = []
  /// Windows that are not kept, each with its name and the reason.
  package var windowProblems: [String] = []
  /// Refused because the list has more destinations than allowed: an operator has to look at it.
  package var refusedDestinations = 0
  /// Checks that wait for what the list on disk does not keep, each with its destination where it has one that can be read:
  /// they are not removed, and their destinations stay in use.
  package var awaited: [UniqueID: DestinationBudget.Destination?] = [:]
  /// Differences from the list before; empty for the first one.
  package var changes: [CheckChange] = []

  package init() {}
}

/// The local file's word on what a stranger's check may be.
package struct MappingRules: Hashable, Sendable {
  package var only = CheckFilter()
  package var except = CheckFilter()
  /// `limits.remote_checks`.
  package var limit = 2000
  /// `limits.remote_interval_min`.
  package var minimumInterval: Duration = .seconds(10)
  /// Methods that requests of an untrusted check may use.
  package var methods: Set<ByteText> = ["GET", "HEAD"]
  package var pingICMP = false
  package var readBody = false
  package var destinations = DestinationBudget.Limits()
  package var own = SelfTargets()

  package init() {}

  package init(_ pull: PullSettings) {
    self.only = pull.only
    self.except = pull.except
    self.pingICMP = pull.pingICMP
    self.readBody = pull.readBody
  }
}
