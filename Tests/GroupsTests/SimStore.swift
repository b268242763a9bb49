// SPDX-License-Identifier: MIT

import Basics
import Groups

/// An etcd of a few lines: leases, one key a member, revisions, watches that tell every change in order.
struct SimStore {
  struct Key {
    var card: MemberCard
    var lease: Int64
    var revision: Int64
  }

  var cluster: UInt64 = 1
  var revision: Int64 = 1
  var keys: [String: Key] = [:]
  /// When each ends, milliseconds, and how long it lasts.
  var leases: [Int64: (end: Int, length: Int)] = [:]
  var log: [StoreChange] = []
  var compacted: Int64 = 0
  /// Keys below `m/` that are no agent's.
  var strays = 0
  /// Of the list's head; 0: there is none.
  var headRevision: Int64 = 0
  /// Cards that were written, by claim or put.
  private(set) var writes = 0
  private(set) var reads = 0
  private var lastLease: Int64 = 0

  /// What a dead lease takes along.
  mutating func expire(at now: Int) {
    for (lease, term) in leases where term.end <= now { drop(lease) }
  }

  private mutating func drop(_ lease: Int64) {
    leases[lease] = nil
    for name in keys.filter({ $0.value.lease == lease }).map(\.key).sorted() {
      revision += 1
      keys[name] = nil
      log.append(.gone(name: name, revision: revision))
    }
  }

  /// A new leader gives every lease its full length again.
  mutating func changeLeader(at now: Int) {
    for (lease, term) in leases { leases[lease]?.end = now + term.length }
  }

  /// Nothing is left, and the count begins again.
  mutating func wipe() {
    cluster += 1
    (revision, keys, leases, log, compacted) = (1, [:], [:], [], 0)
  }

  /// As it was, with cards and leases of then, which have their full length again.
  mutating func setBack(to copy: SimStore, at now: Int) {
    let next = cluster + 1
    self = copy
    cluster = next
    changeLeader(at: now)
  }

  mutating func compact() { compacted = revision }

  mutating func answer(_ request: StoreRequest, as name: String, at now: Int) -> StoreAnswer {
    expire(at: now)
    switch request {
    case .grant(let seconds):
      lastLease += 1
      leases[lastLease] = (now + Int(seconds) * 1000, Int(seconds) * 1000)
      return .granted(lease: lastLease)
    case .claim(let lease, let card, let replacing):
      guard leases[lease] != nil else { return .dead }
      if let key = keys[name], key.revision != replacing {
        return .occupied(.init(name: name, card: key.card, revision: key.revision))
      }
      guard keys[name] != nil || replacing == nil else { return .lost }
      return .claimed(revision: write(name, card, lease))
    case .read:
      reads += 1
      let entries = keys.map {
        StoreReading.Entry(name: $0.key, card: $0.value.card, revision: $0.value.revision)
      }
      var reading = StoreReading(cluster: cluster, revision: revision, members: entries)
      (reading.strays, reading.headRevision) = (strays, headRevision)
      return .read(reading)
    case .keepAlive(let lease, let known):
      guard let term = leases[lease] else { return .dead }
      leases[lease]?.end = now + term.length
      let mark = StoreMark(cluster: cluster, revision: revision)
      if known?.isIdle(mark) == true { return .idle(mark) }
      return .alive(
        StoreAudit(
          cluster: cluster, revision: revision, members: keys.count + strays,
          newest: keys.values.map(\.revision).max() ?? 0))
    case .put(let lease, let card):
      guard keys[name]?.lease == lease else { return .lost }
      return .put(revision: write(name, card, lease))
    case .revoke(let lease):
      drop(lease)
      return .revoked
    }
  }

  private mutating func write(_ name: String, _ card: MemberCard, _ lease: Int64) -> Int64 {
    revision += 1
    writes += 1
    keys[name] = Key(card: card, lease: lease, revision: revision)
    log.append(.card(.init(name: name, card: card, revision: revision)))
    return revision
  }
}
