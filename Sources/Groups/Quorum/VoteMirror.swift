// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The store's keys below `v/`, of all checks: the checks that run here change within a moment, and the other places'
/// votes are needed then.
struct VoteMirror: Sendable {
  struct Row: Hashable, Sendable {
    var vote: Vote
    var revision: Int64
    var lease: Int64
    /// When its state was first heard of here.
    var since: Timestamp
  }

  /// A key whose value says nothing.
  struct Held: Hashable, Sendable {
    var revision: Int64
    var lease: Int64
  }

  private struct Key: Hashable {
    var check: UniqueID
    var place: UInt32
  }

  /// Of checks that are not run here; more are not kept.
  static let mostOthers = 200_000
  private let mostOthers: Int
  /// Names of places that are read. A store may hold more; those are ignored.
  static let mostPlaces = 4096

  private var numbers: [ByteText: UInt32] = [:]
  private var names: [ByteText] = []
  private var votes: [Key: Row] = [:]
  private var questions: [UniqueID: [UInt32: Held]] = [:]
  private(set) var incidents: [UniqueID: Held] = [:]
  /// Keys of the store, understood or not.
  private(set) var count = 0
  private(set) var position = StorePosition()
  var revision: Int64 { position.told }
  private(set) var strange = StrangeKeys()
  /// Keys that are not kept, for there are too many.
  private(set) var left = 0

  init(mostOthers: Int = VoteMirror.mostOthers) { self.mostOthers = mostOthers }

  /// - Parameter before: what was known until now: what has not changed is as old as it was.
  mutating func take(
    _ rows: QuorumRows, now: Timestamp, before: VoteMirror? = nil, isWatched: (UniqueID) -> Bool
  ) {
    for entry in rows.entries { take(entry, now: now, before: before, isKept: isWatched(entry.key.check)) }
    strange.add(rows.strange)
    count = max(0, count &+ rows.growth)
    position.tell(rows.revision)
  }

  /// Everything was read: this is what the store has, in place of what was known.
  ///
  /// - Returns: whether that was of another store, or of this one before it was set back.
  mutating func complete(_ mark: StoreMark, before: VoteMirror, asked: Int64) -> Bool {
    position = before.position
    return position.read(mark, asked: asked)
  }

  mutating func take(_ end: WatchEnd) { position.take(end) }

  private mutating func take(_ entry: QuorumEntry, now: Timestamp, before: VoteMirror?, isKept: Bool) {
    guard let value = entry.value else { return remove(entry.key) }
    // Without a lease it would be alive for ever.
    guard entry.lease != 0 else {
      strange.add("\(entry.key.path) (without a lease)")
      return remove(entry.key)
    }
    guard isKept || isKnown(entry.key) || votes.count + questions.count + incidents.count < mostOthers
    else {
      left &+= 1
      return
    }
    let held = Held(revision: entry.revision, lease: entry.lease)
    switch entry.key {
    case .vote(let check, let place):
      guard let number = number(of: place), let vote = Vote(json: value) else {
        strange.add(entry.key.path)
        return remove(entry.key)
      }
      let old = votes[Key(check: check, place: number)] ?? before?.vote(check, of: place)
      let since = old.flatMap { $0.vote.state == vote.state ? $0.since : nil } ?? now
      votes[Key(check: check, place: number)] = Row(
        vote: vote, revision: entry.revision, lease: entry.lease, since: since)
    case .question(let check, let place):
      guard let number = number(of: place) else { return strange.add(entry.key.path) }
      questions[check, default: [:]][number] = held
    case .incident(let check): incidents[check] = held
    }
  }

  /// Whether the key is stored already: its updates are applied even at the limit, so that no stored vote is stale.
  private func isKnown(_ key: QuorumKey) -> Bool {
    switch key {
    case .vote(let check, let place): vote(check, of: place) != nil
    case .question(let check, let place):
      numbers[ByteText(place)].map { questions[check]?[$0] != nil } ?? false
    case .incident(let check): incidents[check] != nil
    }
  }

  private mutating func remove(_ key: QuorumKey) {
    switch key {
    case .vote(let check, let place):
      if let number = numbers[ByteText(place)] { votes[Key(check: check, place: number)] = nil }
    case .question(let check, let place):
      guard let number = numbers[ByteText(place)] else { return }
      questions[check]?[number] = nil
      if questions[check]?.isEmpty == true { questions[check] = nil }
    case .incident(let check): incidents[check] = nil
    }
  }

  private mutating func number(of place: String) -> UInt32? {
    let name = ByteText(place)
    if let number = numbers[name] { return number }
    guard numbers.count < Self.mostPlaces else { return nil }
    let number = UInt32(numbers.count)  // bounded: some thousands
    numbers[name] = number
    names.append(name)
    return number
  }

  func vote(_ check: UniqueID, of place: String) -> Row? {
    numbers[ByteText(place)].flatMap { votes[Key(check: check, place: $0)] }
  }

  /// The newest question of other places about a check. `nil` for none.
  func question(_ check: UniqueID, of places: [String], but own: String) -> Int64? {
    guard let asked = questions[check] else { return nil }
    return places.lazy.filter { $0 != own }
      .compactMap { place in numbers[ByteText(place)].flatMap { asked[$0]?.revision } }.max()
  }

  /// Keys of this place, and of incidents, that live with a lease.
  func keys(of lease: Int64, _ place: String) -> [QuorumKey: Int64] {
    var keys: [QuorumKey: Int64] = [:]
    for (check, held) in incidents where held.lease == lease { keys[.incident(check: check)] = held.revision }
    guard let number = numbers[ByteText(place)] else { return keys }
    for (check, asked) in questions {
      guard let held = asked[number], held.lease == lease else { continue }
      keys[.question(check: check, place: place)] = held.revision
    }
    for (key, row) in votes where key.place == number && row.lease == lease {
      keys[.vote(check: key.check, place: place)] = row.revision
    }
    return keys
  }

  /// Whether the store has no other keys than those that were told.
  mutating func agrees(with audit: QuorumAudit) -> Bool {
    guard audit.count == count, audit.newest <= revision else { return false }
    if let mark = audit.mark { position.settle(mark) }
    return true
  }
}
