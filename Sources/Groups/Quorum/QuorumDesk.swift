// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization

/// Acts on `confirm`: tells the other places what is found here, asks them to look when something would become down, and
/// looks when they ask.
///
/// A result that has to wait for others waits in a queue of its own check, for `within` at most; no probe and no other
/// check's result ever waits. Without a store everything goes on, and a failure is unconfirmed.
package final class QuorumDesk: Sendable {
  /// What becomes of a result.
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
    var book: VoteBook
    var figures = Figures()
    var lease: Int64?
    /// Before the request left that was answered last: wall clocks decide nothing here.
    var lastOK: Instant?
    var trouble: StoreTrouble?
    /// What was last told, with which lease.
    var told: [UniqueID: Told] = [:]
    /// The state that the schedule last found here.
    var found: [UniqueID: CheckState] = [:]
    /// Checks that this agent tells people of.
    var incidents: Set<UniqueID> = []
    /// Results that wait, by check; the first of each is being settled.
    var queues: [UniqueID: [Waiting]] = [:]
    var answers = AnswerQueue()
    /// Nobody is waited for any more.
    var isEnding = false
  }

  struct Told: Hashable {
    var vote: Vote
    var lease: Int64
    /// When the probe that found it began.
    var began: Timestamp
  }

  struct Waiting: Sendable {
    var result: CheckResult
    var check: MonitoringCheck
    var then: @Sendable (Settled) -> Void
  }

  /// This place's name: the group's.
  package let place: String
  let store: any QuorumStore
  let ttl: Duration
  let time: TimeSource
  let state: Mutex<State>
  /// Runs a check now, beside its schedule; nil: it could not be run.
  let probe: @Sendable (MonitoringCheck) async -> Verdict?
  /// Whether this agent is the one of its place that runs a check.
  let isOwner: @Sendable (UniqueID) -> Bool

  package init(
    place: String, store: any QuorumStore, ttl: Duration, time: TimeSource,
    isOwner: @escaping @Sendable (UniqueID) -> Bool = { _ in true },
    probe: @escaping @Sendable (MonitoringCheck) async -> Verdict?
  ) {
    (self.place, self.store, self.ttl, self.time) = (place, store, ttl, time)
    (self.probe, self.isOwner) = (probe, isOwner)
    state = Mutex(State(book: VoteBook(place: place)))
  }

  package var figures: Figures { state.withLock { $0.figures } }

  /// Why the others are not heard; nil: they are.
  package var trouble: StoreTrouble? { state.withLock { isInTouch($0) ? nil : $0.trouble } }

  /// What each place says of a check now, in the order of the configuration; empty where nobody is asked.
  package func verdicts(of check: UniqueID) -> [PlaceVerdict] {
    state.withLock { state in
      guard let item = state.book.watched[check] else { return [] }
      let isInTouch = isInTouch(state)
      return item.confirm.of.map { name in
        if name == place {
          let own = state.told[check]?.vote
          return PlaceVerdict(name, own?.state, own?.reason)
        }
        guard isInTouch, let vote = item.votes[ByteText(name)] else {
          return PlaceVerdict(name, isAlive: false)
        }
        var verdict = PlaceVerdict(name, vote.state, vote.reason)
        verdict.since = item.since[ByteText(name)]
        return verdict
      }
    }
  }

  /// Takes over other checks.
  package func apply(_ checks: [MonitoringCheck]) {
    state.withLock { state in
      for id in state.book.apply(checks) {
        (state.told[id], state.found[id]) = (nil, nil)
        state.incidents.remove(id)
      }
    }
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
      waiting.then(await settle(waiting.result, of: waiting.check))
      let isDone = state.withLock { state in
        state.queues[check]?.removeFirst()
        guard state.queues[check]?.isEmpty == true else { return false }
        state.queues[check] = nil
        return true
      }
      if isDone { return }
    }
  }

  /// Results that nobody has been told of yet.
  package var waiting: Int { state.withLock { $0.queues.values.reduce(0) { $0 + $1.count } } }

  /// The store answers us, and so its leases and what it tells are of now.
  func isInTouch(_ state: State) -> Bool {
    guard state.lease != nil, let lastOK = state.lastOK else { return false }
    return lastOK.duration(to: time.instant()) <= ttl
  }

  /// Between looks at what the others have said.
  static let pace: Duration = .milliseconds(50)

  private func settle(_ result: CheckResult, of check: MonitoringCheck) async -> Settled {
    guard let confirm = check.plan.confirm, confirm.of.contains(place), result.trigger == .schedule else {
      return Settled(result: result, isOurs: true)
    }
    let own = result.ownVerdict
    // In a window somebody is at work: this place has no say, and asks nobody.
    let vote = result.maintenance ? Vote(.unknown, own.reason) : Vote(own.state, own.reason)
    let isNews = state.withLock { state in
      defer { state.found[check.id] = vote.state }
      return vote.state == .down && state.found[check.id] != .down
    }
    await tell(check.id, vote, began: result.startedAt)
    guard !result.maintenance else {
      await release(check.id)
      return Settled(result: result, isOurs: true)
    }
    let began = time.instant()
    let asked = isNews ? await ask(check.id) : nil
    let rule = QuorumRule(confirm, place: place)
    while true {
      let decision = decide(rule, own, check.id, asked, since: began)
      if case .settled(let confirmation) = decision {
        if asked != nil { await withdraw(check.id) }
        note(confirmation)
        let settled = result.settled(by: confirmation)
        return Settled(result: settled, isOurs: await isOurs(check.id, settled))
      }
      try? await time.sleep(for: Self.pace)
    }
  }

  /// Settles what waits with what there is, for the end of the agent.
  package func drain() async {
    state.withLock { $0.isEnding = true }
    for _ in 0..<100 where waiting > 0 { try? await time.sleep(for: Self.pace) }
  }

  private func decide(
    _ rule: QuorumRule, _ own: Verdict, _ check: UniqueID, _ asked: Int64?, since began: Instant
  ) -> QuorumRule.Decision {
    state.withLock { state in
      guard isInTouch(state) else { return rule.decide(own, votes: [:], alive: [], asked: nil) }
      let votes = state.book.votes(check, since: asked)
      return rule.decide(
        own, votes: votes, alive: Set(votes.keys),
        asked: asked.map { _ in state.isEnding ? rule.settings.within : began.duration(to: time.instant()) })
    }
  }

  private func note(_ confirmation: QuorumVerdict) {
    state.withLock { state in
      switch confirmation.outcome {
      case .confirmed: state.figures.confirmed += 1
      case .regional: state.figures.regional += 1
      case .unconfirmed: state.figures.unconfirmed += 1
      case .own, .outvoted: break
      }
    }
  }
}
