// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization

/// Acts on `confirm`: sends this place's verdicts to the other places, asks them to probe when something would become
/// down, and probes when they ask.
///
/// A result that has to wait for others waits in a queue of its own check, for `within` at most; no probe and no other
/// check's result ever waits. Without a store the agent runs on, and a failure is unconfirmed.
///
/// The wanted votes are in `OwnVotes`, the store's content is in `VoteMirror`; one task follows the lease, one
/// the store, one writes due votes, one probes when others ask. Settling a result never waits for a vote to be written.
package final class QuorumDesk: Sendable {
  /// Outcome of settling a result.
  package struct Settled: Sendable {
    package var result: CheckResult
    /// This agent tells people of it, and no other place does.
    package var isOurs: Bool
  }

  package struct Figures: Hashable, Sendable {
    /// Questions to the others, and answers to theirs, since the start.
    package var asked = 0
    package var answered = 0
    package var confirmed = 0
    package var regional = 0
    package var unconfirmed = 0
  }

  struct State {
    /// Checks that ask this place, and may be asked.
    var watched: [UniqueID: Watched] = [:]
    var figures = Figures()
    var link = QuorumLink()
    var mirror = VoteMirror()
    var own = OwnVotes()
    /// Checks that the others were asked about in this outage, and that they are being asked about now.
    var asked: Set<UniqueID> = []
    var asking: Set<UniqueID> = []
    /// Checks whose last verdict is down.
    var down: Set<UniqueID> = []
    /// Checks that this agent tells people of, with the revision of the key that says so.
    var incidents: [UniqueID: Int64] = [:]
    /// Results that wait, by check; the first of each is being settled.
    var queues: [UniqueID: [Waiting]] = [:]
    var answers = AnswerQueue()
    /// No result is waited for any more.
    var isEnding = false
  }

  struct Watched: Sendable {
    var check: MonitoringCheck
    var confirm: ConfirmSettings
  }

  struct Waiting: Sendable {
    var result: CheckResult
    var check: MonitoringCheck
    var then: @Sendable (Settled) -> Void
  }

  /// This place's name: the group's.
  package let place: String
  let store: any QuorumStore
  /// That the votes live with.
  let lease: any AgentLease
  let ttl: Duration
  let time: TimeSource
  let state = Mutex(State())
  /// Rung when something is to be written.
  let bell = Bell()
  /// Runs a check now, beside its schedule; nil: it could not be run.
  let probe: @Sendable (MonitoringCheck) async -> Verdict?

  package init(
    place: String, store: any QuorumStore, lease: any AgentLease, ttl: Duration, time: TimeSource,
    probe: @escaping @Sendable (MonitoringCheck) async -> Verdict?
  ) {
    (self.place, self.store, self.lease, self.ttl, self.time) = (place, store, lease, ttl, time)
    self.probe = probe
  }

  package var figures: Figures { state.withLock { $0.figures } }

  /// Until the task is cancelled.
  package func run() async {
    state.withLock { $0.link.seeking = time.instant() }
    await withDiscardingTaskGroup { group in
      group.addTask { await self.followLease() }
      group.addTask { await self.follow() }
      group.addTask { await self.write() }
      group.addTask { await self.answer() }
    }
  }

  /// Takes over other checks: those that ask this place, of what is run here.
  package func apply(_ checks: [MonitoringCheck]) {
    var next: [UniqueID: Watched] = [:]
    for check in checks where check.enabled {
      guard let confirm = check.plan.confirm, confirm.of.contains(place) else { continue }
      next[check.id] = Watched(check: check, confirm: confirm)
    }
    let now = time.instant()
    state.withLock { state in
      let before = state.watched
      state.watched = next
      if before.isEmpty, !hears(state, at: now) { state.link.seeking = now }
      for check in before.keys where next[check] == nil { drop(check, &state) }
      for check in next.keys where before[check] == nil {
        lookAt(check, &state)
        lookAtQuestions(check, &state)
      }
    }
    bell.ring()
  }

  /// The check has another owner or none: nothing of it is left behind.
  private func drop(_ check: UniqueID, _ state: inout State) {
    state.own.drop(check, place: place, lease: state.link.lease)
    state.asked.remove(check)
    state.down.remove(check)
    state.answers.drop(check)
    guard let revision = state.incidents.removeValue(forKey: check) else { return }
    state.own.delete(.incident(check: check), revision: revision)
  }

  /// Whether a result of this check has to go through here.
  package func concerns(_ check: MonitoringCheck) -> Bool { check.plan.confirm?.of.contains(place) == true }

  /// A result of the schedule: `then` is called with what becomes of it, in the order of the check's results, at once or when
  /// the others have spoken.
  package func take(
    _ result: CheckResult, of check: MonitoringCheck, then: @escaping @Sendable (Settled) -> Void
  ) {
    let isFirst = state.withLock { state in
      state.queues[check.id, default: []].append(Waiting(result: result, check: check, then: then))
      return state.queues[check.id]?.count == 1
    }
    guard isFirst else { return }
    Task { await work(check.id) }
  }

  private func work(_ check: UniqueID) async {
    while let waiting = state.withLock({ $0.queues[check]?.first }) {
      let (settled, question) = await settle(waiting.result, of: waiting.check)
      waiting.then(settled)
      if let question { await withdraw(check, question) }
      let isDone = state.withLock { state in
        state.queues[check]?.removeFirst()
        guard state.queues[check]?.isEmpty == true else { return false }
        state.queues[check] = nil
        return true
      }
      if isDone { return }
    }
  }

  /// Results that are not settled yet.
  package var waiting: Int { state.withLock { $0.queues.values.reduce(0) { $0 + $1.count } } }

  /// Settles what waits with what there is, for the end of the agent. Its votes go with the agent's lease.
  package func drain() async {
    state.withLock { $0.isEnding = true }
    for _ in 0..<100 where waiting > 0 { try? await time.sleep(for: Self.pace) }
    state.withLock { $0.link.lease = nil }
  }
}
