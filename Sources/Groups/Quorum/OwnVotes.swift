// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// This agent's wanted votes in the store, and those known to be there. The writer takes the due ones from here: a key
/// is written by one task at a time, and a vote that comes meanwhile is written next.
struct OwnVotes: Sendable {
  struct Item: Hashable, Sendable {
    var vote: Vote
    /// When the probe that found it began.
    var began: Timestamp
    /// `nil` where it is not in the store.
    var written: Written?
  }

  struct Written: Hashable, Sendable {
    var vote: Vote
    var lease: Int64
    var revision: Int64
  }

  private(set) var items: [UniqueID: Item] = [:]
  /// To be put, the most urgent first. Entries that are not in `due` any more are passed over.
  private var order: [UniqueID] = []
  private var due: Set<UniqueID> = []
  /// On their way.
  private var flying: [UniqueID: Vote] = [:]
  /// Keys that are of no use any more, by their revision.
  private(set) var deletes: [QuorumKey: Int64] = [:]

  var hasWork: Bool { !due.isEmpty || !deletes.isEmpty }

  /// This place's vote on a check now. A vote that is older than the last does not replace it; an answer still counts,
  /// since a later vote answers too.
  ///
  /// - Parameter there: the store's row of this place.
  mutating func say(_ check: UniqueID, _ vote: Vote, began: Timestamp, there: VoteMirror.Row?) {
    var item = items[check] ?? Item(vote: vote, began: began)
    // A clock that was set back by more counts again.
    let isOlder = began < item.began && began.duration(to: item.began) < .seconds(60)
    let answers = max(item.vote.answers, vote.answers)
    if !isOlder { (item.vote, item.began) = (vote, began) }
    item.vote.answers = answers
    items[check] = item
    let known = flying[check] ?? standing(item, there)
    guard
      known?.state != item.vote.state || known?.reason != item.vote.reason || known?.answers ?? 0 < answers
    else { return }
    mark(check, isUrgent: vote.answers > 0)
  }

  /// The newer of what was written and what was told of.
  private func standing(_ item: Item, _ there: VoteMirror.Row?) -> Vote? {
    guard let written = item.written else { return there?.vote }
    guard let there, there.revision > written.revision else { return written.vote }
    return there.vote
  }

  private mutating func mark(_ check: UniqueID, isUrgent: Bool = false) {
    guard due.insert(check).inserted else {
      guard isUrgent, let index = order.firstIndex(of: check) else { return }
      order.remove(at: index)
      return order.insert(check, at: 0)
    }
    if isUrgent { order.insert(check, at: 0) } else { order.append(check) }
  }

  /// Compares with the store's row of this place: a vote that is gone is put again, as long as this place has the
  /// check.
  mutating func look(at check: UniqueID, _ there: VoteMirror.Row?, told revision: Int64) {
    guard let item = items[check], there == nil else { return }
    if let written = item.written, written.revision > revision { return }
    items[check]?.written = nil
    mark(check)
  }

  /// Another agent of this place has run the check until now: what it said is said on until it is found again here.
  mutating func adopt(_ check: UniqueID, _ there: VoteMirror.Row, lease: Int64?) {
    guard items[check] == nil, there.lease != lease else { return }
    items[check] = Item(vote: there.vote, began: .epoch)
    mark(check)
  }

  /// Another lease: everything is put again.
  mutating func restart() {
    for check in items.keys {
      items[check]?.written = nil
      mark(check)
    }
    deletes = [:]
  }

  /// The store's revisions have begun again: no question of before is answered.
  mutating func forgetRevisions() {
    for check in items.keys {
      items[check]?.written = nil
      items[check]?.vote.answers = 0
    }
  }

  /// The check is not run here any more: this place's voice is not ours to keep.
  mutating func drop(_ check: UniqueID, place: String, lease: Int64?) {
    guard let item = items.removeValue(forKey: check) else { return }
    due.remove(check)
    guard let written = item.written, written.lease == lease else { return }
    deletes[.vote(check: check, place: place)] = written.revision
  }

  mutating func delete(_ key: QuorumKey, revision: Int64) { deletes[key] = revision }

  /// Votes to put now, for `wrote` or `failed`.
  mutating func takePuts() -> [(check: UniqueID, vote: Vote)] {
    var puts: [(check: UniqueID, vote: Vote)] = []
    var seen = 0
    for check in order {
      guard puts.count < quorumBatch else { break }
      seen += 1  // bounded: a list in memory
      guard due.remove(check) != nil, let item = items[check] else { continue }
      puts.append((check, item.vote))
      flying[check] = item.vote
    }
    order.removeFirst(seen)
    return puts
  }

  mutating func wrote(
    _ check: UniqueID, _ written: Written, place: String, there: VoteMirror.Row?, told: Int64
  ) {
    flying[check] = nil
    guard let item = items[check] else {
      // It went while it was under way.
      deletes[.vote(check: check, place: place)] = written.revision
      return
    }
    items[check]?.written = written
    if item.vote != written.vote { mark(check) }
    look(at: check, there, told: told)
  }

  mutating func failed(_ check: UniqueID) {
    flying[check] = nil
    if items[check] != nil { mark(check) }
  }

  func nextDeletes() -> [(key: QuorumKey, revision: Int64)] {
    deletes.prefix(quorumBatch).map { ($0.key, $0.value) }
  }

  mutating func deleted(_ rows: [(key: QuorumKey, revision: Int64)]) {
    for row in rows where deletes[row.key] == row.revision { deletes[row.key] = nil }
  }
}
