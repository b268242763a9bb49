// SPDX-License-Identifier: MIT

import Agent
import Basics
import Checks
import Monitoring
import Network

/// The one probe in the place of the engine's, with the runner's canaries and parents around it.
struct ScriptedProbing: Probing {
  let executor: EventLoop? = nil
  let heartbeats: HeartbeatDesk
  let threads: [WatchedThread] = []
  let waits: [QueueWait] = []
  let judging = JudgingFigures()
  let budget: EgressBudget
  private var runner: CheckRunner
  private let canaries: CanaryWatch
  private let parents: ParentWatch
  private let time: TimeSource

  init(_ probe: ScriptedProbe, _ life: Life) {
    let time = life.time
    self.time = time
    heartbeats = HeartbeatDesk(time: time)
    budget = EgressBudget(EgressBudget.Limits(destinations: 500), time: time)
    func runner(_ probe: ScriptedProbe) -> CheckRunner {
      CheckRunner(http: probe, tcp: probe, dns: probe, tls: probe, ping: probe, time: time)
    }
    var look = probe
    look.isLook = true
    let looks = runner(look)
    canaries = CanaryWatch(time: time) { try await looks.verdictNow($0) }
    parents = ParentWatch(time: time) { try await looks.verdictNow($0) }
    var runner = runner(probe)
    (runner.canaries, runner.parents) = (canaries, parents)
    self.runner = runner
  }

  func run(
    _ check: MonitoringCheck, slot: ProbeSlot, _ plan: MaintenancePlan
  ) async throws(CancellationError) -> CheckResult {
    var result = try await runner.run(check, slot: slot)
    plan.stamp(&result, endedAt: time.wall())
    return result
  }

  func runNow(
    _ check: MonitoringCheck, _ plan: MaintenancePlan, isAsked: Bool
  ) async throws(CancellationError) -> CheckResult {
    try await run(check, slot: ProbeSlot(scheduledAt: time.wall(), trigger: .manual), plan)
  }

  func follow(_ catalog: CheckCatalog) {
    canaries.replace(catalog.canaries)
    parents.replace(catalog.dependencies)
  }
}
