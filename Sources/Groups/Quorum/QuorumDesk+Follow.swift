// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization

// What the others write.
extension QuorumDesk {
  /// Everything is read again this often, whether or not anything was missed.
  static let readEvery: Duration = .seconds(600)
  /// A reading of more has no end.
  static let mostPages = 4096
  /// Time within which the watch must deliver changes that an audit knows.
  static let lag: Duration = .seconds(2)

  func follow() async {
    repeat {
      guard isNeeded else { continue }
      if state.withLock({ $0.mirror.position.trust != .whole }), await !read() { continue }
      let end = await watchOthers()
      state.withLock { state in
        state.mirror.take(end)
        if case .trouble(let trouble) = end { state.link.readTrouble = trouble }
      }
    } while (try? await time.sleep(for: .milliseconds(500))) != nil
  }

  /// - Returns: false: not everything could be read.
  private func read() async -> Bool {
    let sent = time.instant()
    let (before, watched) = state.withLock { ($0.mirror, $0.watched) }
    var fresh = VoteMirror()
    var start: [UInt8]?
    for _ in 0..<Self.mostPages {
      switch await store.readQuorum(from: start, at: fresh.revision) {
      case .failure(let trouble):
        state.withLock { $0.link.readTrouble = trouble }
        return false
      case .success(let page):
        fresh.take(page.rows, now: time.wall(), before: before) { watched[$0] != nil }
        guard let next = page.next else {
          install(fresh, of: page.cluster, before: before, at: sent)
          return true
        }
        start = next
      }
    }
    state.withLock { $0.link.readTrouble = StoreTrouble(.garbled, "the votes of the places have no end") }
    return false
  }

  private func install(_ fresh: VoteMirror, of cluster: UInt64, before: VoteMirror, at sent: Instant) {
    var fresh = fresh
    let mark = StoreMark(cluster: cluster, revision: fresh.revision)
    let isOther = fresh.complete(mark, before: before, asked: before.revision)
    state.withLock { [fresh] state in
      if isOther { state.own.forgetRevisions() }
      state.mirror = fresh
      (state.link.lastRead, state.link.readAt, state.link.readTrouble) = (sent, sent, nil)
      for check in state.watched.keys {
        lookAt(check, &state)
        lookAtQuestions(check, &state)
      }
      if let lease = state.link.lease {
        for (key, revision) in fresh.keys(of: lease, place) where !wants(key, state) {
          state.own.delete(key, revision: revision)
        }
      }
      found(&state)
    }
    bell.ring()
  }

  /// Until the watch ends, or says less than there is.
  private func watchOthers() async -> WatchEnd {
    let revision = state.withLock { $0.mirror.revision }
    return await withTaskGroup(of: WatchEnd.self) { group in
      group.addTask {
        await self.store.watchQuorum(after: revision) { [weak self] rows in self?.take(rows) }
      }
      group.addTask { await self.audit() }
      let end = await group.next() ?? .over
      group.cancelAll()
      return end
    }
  }

  func take(_ rows: QuorumRows) {
    let now = time.wall()
    let hasWork = state.withLock { state in
      let watched = state.watched
      state.mirror.take(rows, now: now) { watched[$0] != nil }
      for entry in rows.entries { follow(entry, &state) }
      return state.own.hasWork
    }
    if hasWork { bell.ring() }
  }

  private func follow(_ entry: QuorumEntry, _ state: inout State) {
    switch entry.key {
    case .vote(let check, let place) where place == self.place:
      state.own.look(at: check, state.mirror.vote(check, of: place), told: state.mirror.revision)
    case .question(let check, let place) where place != self.place: lookAtQuestions(check, &state)
    case .incident(let check):
      if let own = state.incidents[check], entry.value == nil, entry.revision > own {
        state.incidents[check] = nil
      }
    case .vote, .question: break
    }
    if entry.value != nil, entry.lease == state.link.lease, !wants(entry.key, state) {
      state.own.delete(entry.key, revision: entry.revision)
    }
  }

  /// Whether a key in the store under our lease is of use.
  private func wants(_ key: QuorumKey, _ state: State) -> Bool {
    switch key {
    case .vote(let check, let place): place != self.place || state.watched[check] != nil
    case .question(let check, let place): place != self.place || state.asking.contains(check)
    case .incident(let check): state.down.contains(check)
    }
  }

  /// Compares with the store's rows of this place.
  func lookAt(_ check: UniqueID, _ state: inout State) {
    let row = state.mirror.vote(check, of: place)
    if let row { state.own.adopt(check, row, lease: state.link.lease) }
    state.own.look(at: check, row, told: state.mirror.revision)
  }

  /// Takes the open questions of other places about a check.
  func lookAtQuestions(_ check: UniqueID, _ state: inout State) {
    guard let item = state.watched[check],
      let newest = state.mirror.question(check, of: item.confirm.of, but: place)
    else { return state.answers.drop(check) }
    guard state.own.items[check]?.vote.answers ?? 0 < newest else { return }
    state.answers.add(AnswerQueue.Question(check: check, revision: newest))
  }

  /// Looks now and then whether the watch has told everything: one whose connection has died tells nothing, and no end.
  ///
  /// - Returns: everything is to be read again.
  private func audit() async -> WatchEnd {
    var wait = state.withLock { state in
      state.link.lastRead == state.link.readAt ? auditEvery(state) : .zero
    }
    while (try? await time.sleep(for: wait)) != nil {
      // What the agent saw of the store for all of its readers may have said it meanwhile.
      let rest = state.withLock { state in
        state.link.lastRead.map { $0.duration(to: time.instant()) }.map { auditEvery(state) - $0 } ?? .zero
      }
      if rest <= .zero, await !isComplete() {
        return .trouble(StoreTrouble(.unreachable, "the watch of the places has missed something"))
      }
      let (every, isOld) = state.withLock { state in
        (
          auditEvery(state),
          state.link.readAt.map { $0.duration(to: time.instant()) > Self.readEvery } ?? true
        )
      }
      if isOld { return .compacted }
      wait = rest > .zero ? rest : every
    }
    return .over
  }

  /// False: what the store has was not told, though there was time.
  private func isComplete() async -> Bool {
    guard let first = await auditOnce(), !first.agrees else { return true }
    guard (try? await time.sleep(for: Self.lag)) != nil else { return true }
    guard let second = await auditOnce() else { return true }
    // What goes on changing is never compared at rest, and is told of.
    guard !second.agrees, second.revision == first.revision else {
      state.withLock { heardOthers(&$0, at: second.sent) }
      return true
    }
    return false
  }

  /// `nil` where it is not known.
  private func auditOnce() async -> (agrees: Bool, revision: Int64, sent: Instant)? {
    let sent = time.instant()
    switch await store.audit() {
    case .failure(let trouble):
      state.withLock { $0.link.readTrouble = trouble }
      return nil
    case .success(let audit):
      return state.withLock { state in
        let agrees = state.mirror.agrees(with: audit)
        if agrees { heardOthers(&state, at: sent) }
        return (agrees, state.mirror.revision, sent)
      }
    }
  }

  func heardOthers(_ state: inout State, at sent: Instant) {
    state.link.lastRead = max(state.link.lastRead ?? sent, sent)
    state.link.readTrouble = nil
    found(&state)
  }
}
