// SPDX-License-Identifier: MIT

import Basics
import Synchronization

/// This agent's state of the store, and when it was last certain. The lease is the member's. Wall clocks decide nothing here: an instant is that
/// before the request left whose answer said so.
struct QuorumLink: Sendable {
  var lease: Int64?
  /// Of the store's words: a proof of before says nothing else.
  var ended: (lease: Int64, at: Instant)?
  /// When the agent last looked at the store for all of its readers.
  var seenAt: Instant?
  /// The lease lived.
  var lastOK: Instant?
  var trouble: StoreTrouble?

  /// When all votes of the other places were here.
  var lastRead: Instant?
  /// Everything was read.
  var readAt: Instant?
  var readTrouble: StoreTrouble?

  /// Since when nothing can be written; `nil` when it can.
  var failingSince: Instant?
  var writeTrouble: StoreTrouble?

  /// Since when the others are looked for that were never found; `nil` when they were.
  var seeking: Instant?
}

/// Problem between the places, for operators.
package enum QuorumProblem: Hashable, Sendable {
  /// The votes of the other places are not known here.
  case unheard(StoreTrouble)
  /// The votes of this place do not reach the others.
  case untold(StoreTrouble)
  /// Keys that no agent writes are passed over.
  case strange(StrangeKeys)
  /// There are more keys than are kept.
  case tooMany(Int)
}

// The lease.
extension QuorumDesk {
  /// The store answers us, and so its leases and what it tells are of now.
  func isInTouch(_ state: State, at now: Instant) -> Bool {
    guard state.link.lease != nil, let lastOK = state.link.lastOK else { return false }
    return lastOK.duration(to: now) <= ttl
  }

  /// The votes of the other places are known and current.
  func hears(_ state: State, at now: Instant) -> Bool {
    guard isInTouch(state, at: now), let lastRead = state.link.lastRead else { return false }
    return lastRead.duration(to: now) <= auditEvery(state) + ttl * 2
  }

  /// The longer the more there is: to answer it an etcd goes through all keys.
  func auditEvery(_ state: State) -> Duration {
    .seconds(15) + .milliseconds(3) * min(state.mirror.count, 100_000)
  }

  func heard(_ state: inout State, at instant: Instant) {
    state.link.lastOK = max(state.link.lastOK ?? instant, instant)
    state.link.trouble = nil
    found(&state)
  }

  func found(_ state: inout State) {
    if hears(state, at: time.instant()) { state.link.seeking = nil }
  }

  /// Why the others are not heard; `nil` when they are.
  package var trouble: StoreTrouble? {
    for case .unheard(let trouble) in problems { return trouble }
    return nil
  }

  /// Problems now.
  package var problems: [QuorumProblem] {
    let now = time.instant()
    return state.withLock { state in
      guard !state.watched.isEmpty else { return [] }
      var problems: [QuorumProblem] = []
      if !isInTouch(state, at: now) {
        if let trouble = state.link.trouble ?? state.link.readTrouble { problems.append(.unheard(trouble)) }
      } else if !hears(state, at: now), let trouble = state.link.readTrouble {
        problems.append(.unheard(trouble))
      } else if let since = state.link.failingSince, since.duration(to: now) > ttl,
        let trouble = state.link.writeTrouble
      {
        problems.append(.untold(trouble))
      }
      if state.mirror.strange.count > 0 { problems.append(.strange(state.mirror.strange)) }
      if state.mirror.left > 0 { problems.append(.tooMany(state.mirror.left)) }
      return problems
    }
  }

  /// This place has a vote on at least one check: without that, the store is not asked.
  var isNeeded: Bool { state.withLock { !$0.watched.isEmpty } }

  /// Between looks at the agent's lease.
  static let leasePace: Duration = .milliseconds(200)

  func followLease() async {
    repeat {
      if lookAtLease() { bell.ring() }
    } while (try? await time.sleep(for: Self.leasePace)) != nil
  }

  /// - Returns: whether something may be written that could not be: the store has answered since.
  func lookAtLease() -> Bool {
    let (proof, trouble) = (lease.proof, lease.trouble)
    return state.withLock { adopt(proof, trouble, &$0) }
  }

  private func adopt(_ proof: LeaseProof?, _ trouble: StoreTrouble?, _ state: inout State) -> Bool {
    guard !state.isEnding else { return false }
    guard let proof, state.link.ended.map({ $0.lease != proof.lease || $0.at < proof.at }) ?? true else {
      state.link.lease = nil
      state.link.trouble = trouble ?? state.link.trouble
      return false
    }
    let isNew = state.link.lease != proof.lease
    if isNew {
      // With another lease everything is written again.
      (state.link.lease, state.link.ended, state.incidents) = (proof.lease, nil, [:])
      state.own.restart()
    }
    let isNews = isNew || state.link.lastOK.map { $0 < proof.at } ?? true
    heard(&state, at: proof.at)
    state.link.trouble = trouble
    adopt(proof.store, seenAt: proof.seenAt, &state)
    return isNews
  }

  /// Takes the member's look at the store for an audit, where nothing has changed since everything was told.
  private func adopt(_ mark: StoreMark?, seenAt: Instant?, _ state: inout State) {
    guard let mark, let seenAt, state.link.seenAt.map({ $0 < seenAt }) ?? true else { return }
    state.link.seenAt = seenAt
    if store.isIdle(state.mirror.position, mark) { heardOthers(&state, at: seenAt) }
  }

  /// The store has said that the lease has ended.
  func lose(_ lease: Int64) {
    state.withLock { state in
      guard state.link.lease == lease else { return }
      (state.link.lease, state.link.ended) = (nil, (lease, time.instant()))
    }
    self.lease.ended(lease)
  }
}
