// SPDX-License-Identifier: MIT

import AgentConfig
import Alerts
import Basics
import Groups
import Monitoring
import Status

/// A task that runs beside the schedule until it is cancelled.
package typealias AgentService = @Sendable () async -> Void

/// The agent as a whole, with what all parts contribute.
package typealias AgentPicture = @Sendable () async -> StatusSnapshot

/// A part of the agent: what it runs, follows, tells and keeps, in one place.
///
/// A new part is its file and a line in `AgentParts`. The order of that list is the one in which parts start, take over a list
/// of checks, and stand in the status; they finish in the opposite order.
package protocol AgentPart: Sendable {
  func services(_ picture: @escaping AgentPicture) -> [AgentService]

  /// Takes over another list of checks. Called under the lock of the list, which is never asked to change meanwhile.
  func follow(_ list: FollowedList)

  /// Reads the files again that are its own, beside the configuration.
  func reread() async

  /// Takes over a configuration that was read again and holds.
  func apply(_ settings: Settings)

  /// Its problems at this moment.
  var notices: [Notice] { get async }

  func contribute(to snapshot: inout StatusSnapshot) async
  func contribute(to metrics: inout MetricsView) async

  /// Problems of an agent that is ready all the same, a line each.
  var shortcomings: [String] { get }

  /// After the last probe: what it keeps is on the disk when it returns.
  func finish() async

  /// After all have finished: work with others that may take the time which is left.
  func flush(until deadline: Instant) async
}

extension AgentPart {
  package func services(_ picture: @escaping AgentPicture) -> [AgentService] { [] }
  package func follow(_ list: FollowedList) {}
  package func reread() async {}
  package func apply(_ settings: Settings) {}
  package var notices: [Notice] { [] }
  package func contribute(to snapshot: inout StatusSnapshot) async {}
  package func contribute(to metrics: inout MetricsView) async {}
  package var shortcomings: [String] { [] }
  package func finish() async {}
  package func flush(until deadline: Instant) async {}
}

/// The list of checks in force, as the parts of one agent follow it.
package struct FollowedList: Sendable {
  /// Of the file and of the API, also those that others of the group run.
  let all: [MonitoringCheck]
  /// Those that run here.
  package let here: [MonitoringCheck]
  /// Those of which something is known here: of all, until it is known whose each is.
  let known: [MonitoringCheck]
  /// Those that run here from now on and whose last slots are to be run at once, and for how long those of a dead agent may
  /// not have run.
  let taken: Set<UniqueID>
  let orphaned: [UniqueID: Duration]
  /// Checks that are not in the list yet, and not removed.
  let awaited: Set<UniqueID>
  /// The group's checks. `nil` outside of a group.
  let names: IncidentNames?

  init(_ checks: [MonitoringCheck], of catalog: CheckCatalog, in group: GroupDesk?) {
    let arrangement = group?.arrange(checks, of: catalog.chosen) ?? GroupDesk.Arrangement(here: checks)
    (all, here, awaited) = (checks, arrangement.here, catalog.awaited)
    (taken, orphaned) = (arrangement.taken, arrangement.orphaned)
    // What was known of a check before a restart is kept until it is known whose it is.
    known = group?.runner.isPlaced ?? true ? arrangement.here : checks
    names = group?.names
  }
}
