// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring
import Spool
import Status

/// What is held against the rules from time to time, and at the end.
extension Simulation {
  /// Every hour: nobody is forgotten, starts are spread, nothing grows.
  func sweep() {
    guard let agent, life.isAlive, !life.isPaused else { return }
    hold(slots.sweep(now: clock.now, isCrowded: clock.now < crowdedUntil))
    if scenario.clockSteps == nil { hold(slots.spread()) }
    hold(alerts.sweep(now: clock.now))
    judgeGrowth(agent)
  }

  /// The windows against the results. Not where the clock was set: time is lived twice there.
  ///
  /// - Parameter isStart: they have just been read from the disk.
  func judgeWindows(_ agent: SimulatedAgent, isStart: Bool = false) {
    guard !clockWasSet, let history = agent.history else { return }
    let known = Dictionary(
      history.checks(now: wall).map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let rules = WindowRules(agent: setup.name)
    for check in inForce {
      guard let figures = known[check.id] else { continue }
      if isStart { settleLost(check, figures, rules) }
      hold(rules.judge(check, figures, ledger, now: wall))
    }
  }

  /// While the disk takes no results the history's files are written all the same: what the store has lost then is in the
  /// windows up to one result, and not beyond it; and so it stays.
  private func settleLost(_ check: MonitoringCheck, _ figures: CheckFigures, _ rules: WindowRules) {
    guard diskHadFailed, let lost = ledger.justLost[check.id] else { return }
    for count in 1...lost.count {
      let known = Set(lost.prefix(count))
      guard rules.judge(check, figures, ledger, counting: known, now: wall) == nil else { continue }
      return rules.judge(check, figures, ledger, now: wall) == nil ? () : ledger.count(known)
    }
  }

  private func judgeGrowth(_ agent: SimulatedAgent) {
    machine.store.tidy()
    hold(GrowthRules.judge(life, agent, machine, setup, mostTasks: 3 * inForce.count + 70))
    figures.mostSleepers = max(figures.mostSleepers, life.sleeping)
    figures.mostBytes = max(
      figures.mostBytes, GrowthRules.bytes(machine) + GrowthRules.stateBytes(machine))
    figures.mostEvents = max(figures.mostEvents, clock.pending)
    if clock.pending > 20_000 { hold((.growth, "\(clock.pending) events are to come")) }
  }

  /// All has been well for a while: what was recorded is there, once, or counted as lost.
  func judgeEnd() {
    guard let agent, life.isAlive else { return hold((.ends, "no agent lives at the end")) }
    judgeWindows(agent)
    let status = agent.spool.status()
    // Not those that wait for company still.
    let missing = ledger.missing { backend.rows[$0] != nil || backend.refused.contains($0) }
      .filter { $0.startedAt.duration(to: wall) > .seconds(600) }
    if missing.count > status.lostInGaps {
      let first = missing.first.map { "the first is of \($0.slot)" } ?? ""
      hold(
        (
          .lost,
          "\(missing.count) recorded results have not arrived, and \(status.lostInGaps) are counted; \(first)"
        ))
    }
    if !scenario.hasSmallStore, scenario.disk == nil, status.dropped > 0 {
      hold((.lost, "\(status.dropped) results were dropped although there was room"))
    }
    if missing.isEmpty, status.depth > inForce.count * 2 {
      hold((.growth, "\(status.depth) results wait although all have arrived"))
    }
    guard !clockWasSet else { return }
    var slots: Set<SlotKey> = []
    for row in backend.rows.values
    where !slots.insert(SlotKey(check: row.check, slot: row.scheduledAt)).inserted {
      hold((.twice, "two rows for the slot \(row.scheduledAt) of one check"))
    }
  }

  private struct SlotKey: Hashable {
    let check: UniqueID
    let slot: Timestamp
  }
}
