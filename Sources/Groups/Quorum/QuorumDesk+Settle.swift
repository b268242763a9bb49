// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization

// What becomes of a result.
extension QuorumDesk {
  /// Between looks at what the others have said.
  static let pace: Duration = .milliseconds(50)

  /// Results of a check that may wait behind one. With more, the other places are not waited for, so that a slow store
  /// does not pile them up.
  static let mostBehind = 4

  /// - Returns: the question to be withdrawn as well; `nil` when none was asked.
  func settle(
    _ result: CheckResult, of check: MonitoringCheck
  ) async -> (settled: Settled, question: Int64?) {
    guard let confirm = check.plan.confirm, confirm.of.contains(place), result.trigger == .schedule else {
      return (Settled(result: result, isOurs: true), nil)
    }
    let own = result.ownVerdict
    // Work on it is under way in a window: this place has no say, and asks no other.
    say(
      check.id, Vote(result.maintenance ? .unknown : own.state, own.reason), began: result.startedAt)
    guard !result.maintenance else {
      state.withLock { close(check.id, isDown: false, &$0) }
      return (Settled(result: result, isOurs: true), nil)
    }
    let began = time.instant()
    let question = own.state == .down ? await askOnce(check.id, within: confirm.within) : nil
    if own.state != .down { state.withLock { _ = $0.asked.remove(check.id) } }
    let confirmation = await decide(QuorumRule(confirm, place: place), own, check.id, question, since: began)
    note(confirmation)
    let settled = result.settled(by: confirmation)
    let isOurs = await isOurs(check.id, settled)
    return (Settled(result: settled, isOurs: isOurs), question)
  }

  private func isBehind(_ check: UniqueID, _ state: State) -> Bool {
    state.queues[check]?.count ?? 0 > Self.mostBehind
  }

  /// Asks the others to look, once in an outage: it counts as done when the question is in the store.
  private func askOnce(_ check: UniqueID, within: Duration) async -> Int64? {
    await seek(check, at: min(within, ttl))
    let asks = state.withLock { state in
      let asks = state.watched[check] != nil && !state.asked.contains(check) && !isBehind(check, state)
      if asks { state.asking.insert(check) }
      return asks
    }
    guard asks else { return nil }
    let revision = await ask(check)
    state.withLock { state in
      if revision != nil, state.watched[check] != nil { state.asked.insert(check) }
      if revision == nil { state.asking.remove(check) }
    }
    return revision
  }

  /// An agent that has just begun has a moment to find the others.
  private func seek(_ check: UniqueID, at most: Duration) async {
    let isSeeking = {
      self.state.withLock { state in
        guard let began = state.link.seeking, state.watched[check] != nil, !state.isEnding else {
          return false
        }
        let now = self.time.instant()
        return !self.hears(state, at: now) && began.duration(to: now) < most
      }
    }
    while isSeeking(), (try? await time.sleep(for: Self.pace)) != nil {}
  }

  private func decide(
    _ rule: QuorumRule, _ own: Verdict, _ check: UniqueID, _ question: Int64?, since began: Instant
  ) async -> QuorumVerdict {
    while true {
      let decision = state.withLock { state in
        let now = time.instant()
        guard hears(state, at: now) else { return rule.decideAlone(own) }
        var votes: [String: PlaceVote] = [:]  // own text
        for other in rule.settings.of where other != place {
          guard let row = state.mirror.vote(check, of: other) else { continue }
          votes[other] = PlaceVote(
            row.vote.state, row.vote.reason, hasAnswered: question.map { row.vote.answers >= $0 } ?? false)
        }
        let isHurried = state.isEnding || isBehind(check, state)
        return rule.decide(
          own, votes: votes, alive: Set(votes.keys),
          asked: question.map { _ in isHurried ? rule.settings.within : began.duration(to: now) })
      }
      if case .settled(let confirmation) = decision { return confirmation }
      try? await time.sleep(for: Self.pace)
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

  /// Each place's verdict of a check now, in the order of the configuration; empty where no place is asked.
  package func verdicts(of check: UniqueID) -> [PlaceVerdict] {
    state.withLock { state in
      guard let item = state.watched[check] else { return [] }
      let hears = hears(state, at: time.instant())
      return item.confirm.of.map { name in
        if name == place {
          let own = state.own.items[check]?.vote
          return PlaceVerdict(name, own?.state, own?.reason)
        }
        guard hears, let row = state.mirror.vote(check, of: name) else {
          return PlaceVerdict(name, isAlive: false, isHeard: hears)
        }
        var verdict = PlaceVerdict(name, row.vote.state, row.vote.reason)
        verdict.since = row.since
        return verdict
      }
    }
  }
}

// Who tells people.
extension QuorumDesk {
  /// Of what is down one place tells people: the one whose key is there first, as long as its lease lives. Without a store
  /// everybody does: told twice is better than not at all.
  private func isOurs(_ check: UniqueID, _ result: CheckResult) async -> Bool {
    let lease = state.withLock { state -> Int64? in
      close(check, isDown: result.state == .down, &state)
      guard result.state == .down, state.watched[check] != nil, state.incidents[check] == nil,
        isInTouch(state, at: time.instant()), !isBehind(check, state)
      else { return nil }
      return state.link.lease
    }
    guard let lease else { return true }
    var json = JSONWriter()
    json.object { json in
      json.field("place", place)
      json.field("opened_at", result.scheduledAt)
    }
    guard case .success(let revision) = await store.claim(.incident(check: check), json.bytes, lease: lease)
    else { return true }
    guard let revision else { return false }
    state.withLock { state in
      guard state.watched[check] != nil else {
        return state.own.delete(.incident(check: check), revision: revision)
      }
      if state.link.lease == lease { state.incidents[check] = revision }
    }
    bell.ring()
    return true
  }

  /// Ends an incident of a check that is not down any more, and frees its key for the next place that opens one.
  private func close(_ check: UniqueID, isDown: Bool, _ state: inout State) {
    if isDown {
      if state.watched[check] != nil { state.down.insert(check) }
      return
    }
    state.down.remove(check)
    // Of a claim whose answer was lost the store tells.
    let told = state.mirror.incidents[check].flatMap { $0.lease == state.link.lease ? $0.revision : nil }
    guard let revision = state.incidents.removeValue(forKey: check) ?? told else { return }
    state.own.delete(.incident(check: check), revision: revision)
    bell.ring()
  }
}
