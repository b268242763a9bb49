// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization

// What this place writes.
extension QuorumDesk {
  /// Takes this place's verdict; it is written as soon as possible, if that changes anything.
  ///
  /// - Parameter began: when the probe began.
  func say(_ check: UniqueID, _ vote: Vote, began: Timestamp) {
    let hasWork = state.withLock { state in
      guard state.watched[check] != nil else { return false }
      state.own.say(check, vote, began: began, there: state.mirror.vote(check, of: place))
      return state.own.hasWork
    }
    if hasWork { bell.ring() }
  }

  /// Asks the others to look.
  ///
  /// - Returns: the revision of the question; `nil` where no place can be asked.
  func ask(_ check: UniqueID) async -> Int64? {
    guard let lease = state.withLock({ isInTouch($0, at: time.instant()) ? $0.link.lease : nil }) else {
      return nil
    }
    let sent = time.instant()
    let key = QuorumKey.question(check: check, place: place)
    switch await store.put([(key, Array("{}".utf8))], lease: lease) {
    case .success(let revision):
      guard let revision else {
        lose(lease)
        return nil
      }
      state.withLock { state in
        state.figures.asked += 1
        heard(&state, at: sent)
      }
      return revision
    case .failure(let trouble):
      state.withLock { $0.link.writeTrouble = trouble }
      return nil
    }
  }

  /// The question is answered.
  func withdraw(_ check: UniqueID, _ revision: Int64) async {
    let key = QuorumKey.question(check: check, place: place)
    let answer = await store.delete([(key, revision)])
    state.withLock { state in
      state.asking.remove(check)
      if case .failure = answer { state.own.delete(key, revision: revision) }
    }
    bell.ring()
  }

  /// Writes what is due, many keys at once and one request after the other: the store ends up with the latest vote.
  /// Nothing is written while the store does not answer.
  func write() async {
    var failures = 0
    for await _ in bell.rings {
      while !Task.isCancelled, let isDone = await writeSome() {
        failures = isDone ? 0 : min(failures + 1, 4)  // bounded: by four
        guard !isDone else { continue }
        try? await time.sleep(for: .milliseconds(500) * failures)
      }
    }
  }

  /// - Returns: whether it was written; `nil` where nothing is due, or the store does not answer.
  private func writeSome() async -> Bool? {
    let (lease, puts, deletes) = state.withLock {
      state -> (Int64, [(check: UniqueID, vote: Vote)], [(key: QuorumKey, revision: Int64)]) in
      guard isInTouch(state, at: time.instant()), let lease = state.link.lease else { return (0, [], []) }
      let puts = state.own.takePuts()
      return (lease, puts, puts.isEmpty ? state.own.nextDeletes() : [])
    }
    if !puts.isEmpty { return await put(puts, lease) }
    if !deletes.isEmpty { return await delete(deletes) }
    return nil
  }

  private func put(_ puts: [(check: UniqueID, vote: Vote)], _ lease: Int64) async -> Bool {
    let sent = time.instant()
    let answer = await store.put(
      puts.map { (.vote(check: $0.check, place: place), $0.vote.json) }, lease: lease)
    let isDead = state.withLock { state in
      if case .success(let revision?) = answer {
        for (check, vote) in puts {
          state.own.wrote(
            check, .init(vote: vote, lease: lease, revision: revision), place: place,
            there: state.mirror.vote(check, of: place), told: state.mirror.revision)
        }
        noteWrite(nil, &state)
        heard(&state, at: sent)
        return false
      }
      for (check, _) in puts { state.own.failed(check) }
      guard case .failure(let trouble) = answer else { return true }
      noteWrite(trouble, &state)
      return false
    }
    if isDead { lose(lease) }
    if case .success = answer { return true }
    return false
  }

  private func delete(_ rows: [(key: QuorumKey, revision: Int64)]) async -> Bool {
    switch await store.delete(rows) {
    case .success(let isDone):
      // What is another's by now, or gone, is left: the others are tried one by one.
      guard !isDone, rows.count > 1 else {
        state.withLock { state in
          state.own.deleted(rows)
          noteWrite(nil, &state)
        }
        return true
      }
      return await withTaskGroup(of: Bool.self) { group in
        var rest = rows[...]
        for row in rest.prefix(Self.atOnce) { group.addTask { await self.delete([row]) } }
        rest = rest.dropFirst(Self.atOnce)
        var isDone = true
        while let one = await group.next() {
          isDone = isDone && one
          if let row = rest.popFirst() { group.addTask { await self.delete([row]) } }
        }
        return isDone
      }
    case .failure(let trouble):
      state.withLock { noteWrite(trouble, &$0) }
      return false
    }
  }

  /// Requests at once.
  private static let atOnce = 8

  func noteWrite(_ trouble: StoreTrouble?, _ state: inout State) {
    state.link.writeTrouble = trouble
    state.link.failingSince = trouble.map { _ in state.link.failingSince ?? time.instant() }
  }
}
