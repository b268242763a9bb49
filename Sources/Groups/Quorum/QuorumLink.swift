// SPDX-License-Identifier: MIT

import Basics
import Synchronization

/// This agent's state of the store, and when it was last certain. Wall clocks decide nothing here: an instant is that
/// before the request left whose answer said so.
struct QuorumLink: Sendable {
  var lease: Int64?
  var isGranting = false
  /// The lease lived.
  var lastOK: Instant?
  var trouble: StoreTrouble?

  /// When all votes of the other places were here.
  var lastRead: Instant?
  /// Everything was read.
  var readAt: Instant?
  var readTrouble: StoreTrouble?

  /// Since when nothing can be written; nil: it can.
  var failingSince: Instant?
  var writeTrouble: StoreTrouble?

  /// Since when the others are looked for that were never found; nil: they were.
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

  /// Why the others are not heard; nil: they are.
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

  func keepLease() async {
    repeat {
      while !isNeeded {
        guard (try? await time.sleep(for: .milliseconds(500))) != nil else { return }
      }
      let sent = time.instant()
      guard let lease = state.withLock({ $0.link.lease }) else {
        await renew(nil)
        continue
      }
      switch await store.keepAlive(lease) {
      case .success(true): state.withLock { if $0.link.lease == lease { heard(&$0, at: sent) } }
      case .success(false): await renew(lease)
      case .failure(let trouble): state.withLock { $0.link.trouble = trouble }
      }
      // What could not be written while nobody answered.
      bell.ring()
    } while (try? await time.sleep(for: ttl / 3)) != nil
  }

  /// Another lease in place of the one that has ended: everything is told anew.
  func renew(_ old: Int64?) async {
    let isFirst = state.withLock { state in
      guard state.link.lease == old, !state.link.isGranting, !state.isEnding else { return false }
      (state.link.isGranting, state.link.lease) = (true, nil)
      return true
    }
    guard isFirst else { return }
    let sent = time.instant()
    let answer = await store.grant(seconds: max(5, ttl.components.seconds))
    state.withLock { state in
      state.link.isGranting = false
      switch answer {
      case .success(let lease):
        state.link.lease = lease
        state.incidents = [:]
        state.own.restart()
        heard(&state, at: sent)
      case .failure(let trouble): state.link.trouble = trouble
      }
    }
    bell.ring()
  }

  /// Gives the lease back: this place is not waited for any more. For two seconds at most.
  func leave() async {
    let lease = state.withLock { state in
      defer { state.link.lease = nil }
      return isInTouch(state, at: time.instant()) ? state.link.lease : nil
    }
    guard let lease else { return }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.store.revoke(lease) }
      group.addTask { try? await self.time.sleep(for: .seconds(2)) }
      await group.next()
      group.cancelAll()
    }
  }
}
