// SPDX-License-Identifier: MIT

import AgentConfig
import Alerts
import Basics
import Checks
import History
import Logging
import Monitoring
import Network
import QuartzAPI
import Scheduler
import Spool
import Synchronization
import TestSupport
import Tracing

@testable import Agent

/// A world in which nothing is reached: for parts of the agent that look at its settings, its checks and its store alone.
struct NoWorld: HistoryFiles, WakeSource, Probing, RouteTracing, MessageSending, HTTPExchanging, SlotWitness {
  let clock: FakeClock

  // Files of the history.
  var path: String { "" }
  func read() async -> (reading: HistoryReading, problems: [String]) { fatalError("there is no history") }
  func write(_ number: Int, _ bytes: [UInt8]) async throws(StateFile.Failure) {}
  func remove(_ number: Int) async throws(StateFile.Failure) {}
  func name(_ number: Int) -> String { "\(number)" }

  // The timer of the schedule.
  var wakes: AsyncStream<Void> { AsyncStream { $0.finish() } }
  func now() -> ClockReading { clock.reading }
  func arm(at deadline: Instant?) {}
  func wake() {}

  // Probes.
  var executor: EventLoop? { nil }
  var heartbeats: HeartbeatDesk { HeartbeatDesk(time: clock.time) }
  var threads: [WatchedThread] { [] }
  var waits: [QueueWait] { [] }
  var judging: JudgingFigures { fatalError("nothing is judged") }
  var budget: EgressBudget { fatalError("nothing is probed") }

  func run(
    _ check: MonitoringCheck, slot: ProbeSlot, _ plan: MaintenancePlan
  ) async throws(CancellationError) -> CheckResult { throw CancellationError() }

  func runNow(
    _ check: MonitoringCheck, _ plan: MaintenancePlan, isAsked: Bool
  ) async throws(CancellationError) -> CheckResult { throw CancellationError() }

  func follow(_ catalog: CheckCatalog) {}

  func trace(
    _ request: TraceRequest, each: (@Sendable (RouteTrace) -> Void)?
  ) async throws(CancellationError) -> RouteTrace { throw CancellationError() }

  func send(_ message: AlertMessage, by channel: AlertChannel, to recipients: [String]?) async -> SendOutcome
  { .refused("there is no receiver") }

  func exchange(_ request: APIRequest) async throws(CancellationError) -> APIReply {
    throw CancellationError()
  }

  // Slots.
  func began(_ due: DueCheck) {}
  func abandoned(_ due: DueCheck) {}
  func found(_ result: CheckResult, _ check: MonitoringCheck, _ sequence: UInt64?, spanned: SlotRange?) {}
  func skipped(_ due: DueCheck) {}
  func note(_ event: ScheduleEvent) {}

  func outside(_ spool: ResultSpool, disk: StateDisk) -> Outside {
    Outside(
      time: clock.time, disk: disk, history: self, spool: spool, wakes: self, probes: self,
      tracer: { self }, sender: self, call: { _, _ in .refused("there is no receiver") },
      exchange: { _ in self }, stores: nil,
      discover: { _ throws(CancellationError) in throw CancellationError() }, pace: .seconds(1),
      looks: .seconds(5), slots: self, further: [])
  }
}
