// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization

// What this place writes.
extension QuorumDesk {
  /// On a change only, and anew under another lease. An answer is written whether anything has changed or not, and what was
  /// found before it does not take its place.
  ///
  /// - Parameter began: when the probe that found it did.
  func tell(_ check: UniqueID, _ vote: Vote, began: Timestamp) async {
    let lease = state.withLock { state -> Int64? in
      guard let lease = state.lease else {
        // For the lease that is to come.
        state.told[check] = Told(vote: vote, lease: 0, began: began)
        return nil
      }
      guard let told = state.told[check], told.lease == lease, vote.answers == 0 else { return lease }
      let isOlder = began < told.began && began.duration(to: told.began) < .seconds(60)
      let isSame = told.vote.state == vote.state && told.vote.reason == vote.reason
      return isOlder || isSame ? nil : lease
    }
    guard let lease else { return }
    let sent = time.instant()
    let answer = await store.put(.vote(check: check, place: place), vote.json, lease: lease)
    state.withLock { state in
      switch answer {
      case .success:
        state.told[check] = Told(vote: vote, lease: lease, began: began)
        heard(&state, at: sent)
      case .failure(let trouble):
        state.told[check] = Told(vote: vote, lease: 0, began: began)
        state.trouble = trouble
      }
    }
  }

  /// Asks the others to look.
  ///
  /// - Returns: the revision of the question; nil: nobody can be asked.
  func ask(_ check: UniqueID) async -> Int64? {
    guard let lease = state.withLock({ isInTouch($0) ? $0.lease : nil }) else { return nil }
    let sent = time.instant()
    switch await store.put(.question(check: check, place: place), Array("{}".utf8), lease: lease) {
    case .success(let revision):
      state.withLock { state in
        state.figures.asked += 1
        heard(&state, at: sent)
      }
      return revision
    case .failure(let trouble):
      state.withLock { $0.trouble = trouble }
      return nil
    }
  }

  /// The question is answered. What is left behind goes with the lease.
  func withdraw(_ check: UniqueID) async { _ = await store.delete(.question(check: check, place: place)) }

  /// Of what is down one place tells people: the one whose key is there first, as long as its lease lives. Without a store
  /// everybody does: told twice is better than not at all.
  func isOurs(_ check: UniqueID, _ result: CheckResult) async -> Bool {
    let (has, lease) = state.withLock { state in
      (state.incidents.contains(check), isInTouch(state) ? state.lease : nil)
    }
    guard result.state == .down else {
      await release(check)
      return true
    }
    guard !has, let lease else { return true }
    var json = JSONWriter()
    json.object { json in
      json.field("place", place)
      json.field("opened_at", result.scheduledAt)
    }
    switch await store.create(.incident(check: check), json.bytes, lease: lease) {
    case .success(true):
      state.withLock { _ = $0.incidents.insert(check) }
      return true
    case .success(false): return false
    case .failure: return true
    }
  }

  /// It is over, or nobody's trouble: the next one is for whoever is first.
  func release(_ check: UniqueID) async {
    guard state.withLock({ $0.incidents.remove(check) }) != nil else { return }
    _ = await store.delete(.incident(check: check))
  }

  func heard(_ state: inout State, at instant: Instant) {
    state.lastOK = max(state.lastOK ?? instant, instant)
    state.trouble = nil
  }
}

// The lease, and what the others write.
extension QuorumDesk {
  /// Until the task is cancelled.
  package func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask { await self.keepLease() }
      group.addTask { await self.follow() }
      group.addTask { await self.answer() }
    }
  }

  /// Somebody of this place has a say in something: without that, nothing is asked of the store.
  private var isNeeded: Bool { state.withLock { !$0.book.watched.isEmpty } }

  private func keepLease() async {
    repeat {
      while !isNeeded {
        guard (try? await time.sleep(for: .milliseconds(500))) != nil else { return }
      }
      let sent = time.instant()
      if let lease = state.withLock({ $0.lease }) {
        switch await store.keepAlive(lease) {
        case .success(true): state.withLock { heard(&$0, at: sent) }
        case .success(false): await renew()
        case .failure(let trouble): state.withLock { $0.trouble = trouble }
        }
      } else {
        await renew()
      }
    } while (try? await time.sleep(for: ttl / 3)) != nil
  }

  /// Another lease: everything is told anew.
  private func renew() async {
    let sent = time.instant()
    switch await store.grant(seconds: max(5, ttl.components.seconds)) {
    case .success(let lease):
      let votes = state.withLock { state in
        state.lease = lease
        state.incidents = []
        heard(&state, at: sent)
        return state.told
      }
      for (check, told) in votes {
        await tell(check, Vote(told.vote.state, told.vote.reason), began: told.began)
      }
    case .failure(let trouble):
      state.withLock { state in
        state.lease = nil
        state.trouble = trouble
      }
    }
  }

  private func follow() async {
    repeat {
      guard isNeeded else { continue }
      guard case .success(let (entries, revision)) = await store.readQuorum() else { continue }
      take { $0.replace(entries, now: $1) }
      let end = await store.watchQuorum(after: revision) { [weak self] entries in
        self?.take { $0.take(entries, now: $1) }
      }
      if let end { state.withLock { $0.trouble = end } }
    } while (try? await time.sleep(for: .milliseconds(500))) != nil
  }

  private func take(_ change: (inout VoteBook, Timestamp) -> [VoteBook.Question]) {
    let now = time.wall()
    state.withLock { state in
      for question in change(&state.book, now) { state.answers.add(question) }
    }
  }
}
