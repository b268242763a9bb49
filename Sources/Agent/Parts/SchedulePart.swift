// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Checks
import Groups
import History
import Monitoring
import Scheduler
import Status

/// The schedule: each check at its slots, and what a run comes to.
struct SchedulePart: AgentPart {
  let scheduler: CheckScheduler
  private let history: HistoryStore
  /// Probes in flight at most.
  private let limit: Int

  init(_ base: AgentBase, _ recorder: Recorder, _ history: HistoryStore, pulse: SchedulerOptions.Pulse?) {
    let (settings, probes) = (base.settings, base.outside.probes)
    let (maintenance, group) = (base.maintenance, base.group)
    limit = inFlightLimit(settings.limits.inFlight)
    self.history = history
    let limits = InFlightLimits(total: limit, perHost: settings.limits.inFlightPerHost)
    var options = SchedulerOptions(
      agent: settings.agent.name, limits: limits, pulse: pulse, executor: probes.executor,
      hostKey: { $0.kind.loadedHost })
    options.group = group?.grid
    let witness = base.outside.slots
    scheduler = CheckScheduler(options, source: base.outside.wakes) { due in
      let plan = maintenance.plan
      group?.runner.lookAtClock()
      if plan.skips(due.check.id, at: due.scheduledAt) {
        return RunOutcome(.unknown, hasResult: false) { _ in
          recorder.skipped(due)
          witness?.skipped(due)
        }
      }
      witness?.began(due)
      let slot = ProbeSlot(scheduledAt: due.scheduledAt, trigger: .schedule, late: due.late)
      // A probe cancelled by the drain says nothing about its target: no result.
      let result = try? await probes.run(due.check, slot: slot, plan)
      guard let result, !result.isHeldBack else {
        witness?.abandoned(due)
        return result == nil ? RunOutcome(.unknown, hasResult: false) : RunOutcome(missed: .budget)
      }
      return RunOutcome(.init(result.state)) { spanned in
        let sequence = recorder.take(result, of: due.check, spanned: spanned)
        witness?.found(result, due.check, sequence, spanned: spanned)
      }
    } events: { event in
      recorder.note(event)
      witness?.note(event)
    }
  }

  func follow(_ list: FollowedList) {
    scheduler.apply(
      list.here, recalling: history.lastStates.mapValues { RunOutcome.Finding($0) }, taking: list.taken,
      orphaned: list.orphaned)
  }

  func contribute(to snapshot: inout StatusSnapshot) {
    snapshot.mark(nextRuns: scheduler.runs(of: snapshot.pending))
    snapshot.scheduler = scheduler.status()
  }
}

extension CheckKind {
  /// Host and port that a probe loads, for the limit per host.
  var loadedHost: String {
    switch self {
    case .http(let http): http.url.endpoint.description
    case .tcp(let tcp): Endpoint(host: tcp.host, port: tcp.port).description
    case .tls(let tls): Endpoint(host: tls.host, port: tls.port).description
    case .dns(let dns): dns.server?.description ?? "system resolver"
    case .ping(let ping): ping.host
    // It loads nothing.
    case .heartbeat: "heartbeat"
    }
  }
}
