// SPDX-License-Identifier: MIT

import AgentConfig
import Alerts
import Basics
import Checks
import Groups
import Monitoring
import Network
import QuartzAPI
import Scheduler
import Spool
import Tracing

/// The world as one agent reaches it: time, files, the network, and the probes. The command gives the machine's; the simulation
/// of the agent gives its own.
package struct Outside: Sendable {
  var time: TimeSource
  /// The state directory.
  var disk: StateDisk
  var history: any HistoryFiles
  var spool: ResultSpool
  /// `nil` where no input is put aside that starts died over.
  var starts: StartWatch?
  /// Which life of the machine this is. `nil` where that cannot be told.
  var boot: String?
  var wakes: any WakeSource
  var probes: any Probing
  /// Made when the parts are.
  var tracer: @Sendable () async -> any RouteTracing
  var sender: any MessageSending
  /// Calls a dead man's switch.
  var call: @Sendable (HTTPURL, Duration) async -> SendOutcome
  /// Requests to an origin.
  var exchange: QuartzLink.Outside.Exchange
  /// `nil` where the agent is in no group.
  var stores: GroupStores?
  var discover: @Sendable (DiscoverySource) async throws(CancellationError) -> DiscoveryFinding
  /// Probes for `/probe`, at most so many at once. `nil` where there are none.
  var asked: (@Sendable (ProbeSettings, Int) -> ProbeDesk)?
  /// Between two looks of what notifies, and of what tells the log how things are.
  var pace: Duration = AlertDesk.every
  var looks: Duration = .seconds(5)
  /// Told what comes of each slot. `nil` where nothing listens.
  var slots: (any SlotWitness)?
  /// Further parts, which follow a list before the schedule does.
  var further: [any AgentPart] = []

  /// Of a world without inputs that are put aside, other places and `/probe`.
  package init(
    time: TimeSource, disk: StateDisk, history: any HistoryFiles, spool: ResultSpool, wakes: any WakeSource,
    probes: any Probing, tracer: @escaping @Sendable () async -> any RouteTracing,
    sender: any MessageSending,
    call: @escaping @Sendable (HTTPURL, Duration) async -> SendOutcome,
    exchange: @escaping QuartzLink.Outside.Exchange, stores: GroupStores?,
    discover: @escaping @Sendable (DiscoverySource) async throws(CancellationError) -> DiscoveryFinding,
    pace: Duration, looks: Duration, slots: any SlotWitness, further: [any AgentPart]
  ) {
    (self.time, self.disk, self.history, self.spool, self.wakes) = (time, disk, history, spool, wakes)
    (self.probes, self.tracer, self.sender, self.call) = (probes, tracer, sender, call)
    (self.exchange, self.stores, self.discover) = (exchange, stores, discover)
    (self.pace, self.looks, self.slots, self.further) = (pace, looks, slots, further)
  }

  /// A file of the state directory whose reader is watched.
  func watched(_ name: String) -> any DurableBytes {
    disk.file(name) { file in starts.map { WatchedFile(file: file, name: name, watch: $0) } ?? file }
  }
}

/// Looks on while slots are run.
package protocol SlotWitness: Sendable {
  func began(_ due: DueCheck)
  /// The run came to no result.
  func abandoned(_ due: DueCheck)
  /// - Parameter sequence: in the store.
  func found(_ result: CheckResult, _ check: MonitoringCheck, _ sequence: UInt64?, spanned: SlotRange?)
  func skipped(_ due: DueCheck)
  func note(_ event: ScheduleEvent)
}

/// Where the members of a group meet.
package struct GroupStores: Sendable {
  var members: any GroupStore
  var incidents: any IncidentStore
  /// Findings for the status of resources.
  var states: any IncidentStore
  /// `nil` where there are no other places.
  var places: Places?

  package init(
    members: any GroupStore, incidents: any IncidentStore, states: any IncidentStore
  ) {
    (self.members, self.incidents, self.states) = (members, incidents, states)
  }

  /// Where several places have one verdict, and the windows of all.
  struct Places: Sendable {
    var votes: any QuorumStore
    var members: PlaceKeeper.Members
    var fetch: PlaceKeeper.Fetch
  }
}

/// Runs of checks, and what they take of the process.
package protocol Probing: Sendable {
  /// Probes and the schedule's timer are on its thread. `nil`: on the task pool.
  var executor: EventLoop? { get }
  var heartbeats: HeartbeatDesk { get }
  /// Those that probes depend on.
  var threads: [WatchedThread] { get }
  /// Tasks that wait for a budget of the process now.
  var waits: [QueueWait] { get }
  var judging: JudgingFigures { get }
  var budget: EgressBudget { get }

  /// One run of one check, marked by the plan that held when it began.
  func run(
    _ check: MonitoringCheck, slot: ProbeSlot, _ plan: MaintenancePlan
  ) async throws(CancellationError) -> CheckResult

  /// One run of one check, beside the schedule.
  ///
  /// - Parameter isAsked: by someone who shares the process with a schedule.
  func runNow(
    _ check: MonitoringCheck, _ plan: MaintenancePlan, isAsked: Bool
  ) async throws(CancellationError) -> CheckResult

  /// From now on failures are seen in the light of these checks.
  func follow(_ catalog: CheckCatalog)
}
