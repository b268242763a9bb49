// SPDX-License-Identifier: MIT

import Basics
import Groups
import Monitoring

/// The store in which the members of a group meet: an etcd as they see it, and everything that can go wrong with one.
///
/// No lock: the simulator has one thread.
final class LeaseStore: @unchecked Sendable {
  enum Mood: String {
    case well
    /// Too few of its members are there: nobody is answered, no lease ends, and watches end sooner or later.
    case away
    /// Nothing listens.
    case refusing
    /// Its quota is used up: no lease is granted and nothing is written, all else goes on.
    case full
    /// It takes nobody's token. Leases end all the same.
    case locked
  }

  struct Key {
    var card: MemberCard
    var lease: Int64
    var revision: Int64
  }

  struct Lease {
    let length: Duration
    var end: Instant
    /// Of the timer that looks at it.
    var turn = 0
  }

  /// All that a copy of its disk has.
  struct Content {
    var cluster: UInt64 = 1
    var revision: Int64 = 1
    var compacted: Int64 = 0
    var keys: [String: Key] = [:]
    var leases: [Int64: Lease] = [:]
    /// By revision, each once.
    var log: [StoreChange] = []
    /// The group's open incidents, without a lease.
    var open: [UniqueID: IncidentEntry] = [:]
    var incidentLog: [IncidentEntry] = []
  }

  /// How long a member waits for an answer.
  static let patience: Duration = .seconds(2)

  let clock: WorldClock
  var dice: Dice
  private(set) var mood = Mood.well
  /// Takes its time for everything.
  var isSlow = false
  /// What it says comes byte by byte: whoever asked may have given up before the end.
  var isDripping = false
  var content = Content()
  var watches: [Int: Watch] = [:]
  var lastWatch = 0
  /// Told of each entry of an incident that is written, or goes.
  var observe: (IncidentEntry) -> Void = { _ in }
  private var lastLease: Int64 = 0
  private var lastCluster: UInt64 = 1

  init(_ clock: WorldClock, seed: UInt64) {
    self.clock = clock
    dice = Dice(seed, "leases")
  }

  /// A request leaves now; `answer` is called when who asked knows how it went.
  func take(
    _ request: StoreRequest, as name: String, by way: StoreWay, _ answer: @escaping (StoreAnswer) -> Void
  ) {
    let isLarge = if case .read = request { true } else { false }
    exchange(by: way, isLarge: isLarge) { [self] in
      self.answer(request, as: name)
    } _: {
      answer($0.reply)
    }
  }

  /// There and back, or not: `serve` is what the store does when the request has come.
  func exchange<Reply>(
    by way: StoreWay, isLarge: Bool, _ serve: @escaping () -> Reply,
    _ answer: @escaping (Result<Reply, StoreTrouble>) -> Void
  ) {
    let sent = clock.now
    func fail(_ kind: StoreTrouble.Kind, _ words: String, after delay: Duration) {
      clock.at(max(clock.now, sent + delay)) { answer(.failure(StoreTrouble(kind, words))) }
    }
    clock.after(delay) { [self] in
      if way.losesRequests { return fail(.unreachable, "no answer", after: Self.patience) }
      switch mood {
      case .away:
        return fail(.noQuorum, "no leader", after: dice.chance(2) ? .milliseconds(50) : Self.patience)
      case .refusing: return fail(.unreachable, "connection refused", after: .zero)
      case .locked: return fail(.unauthenticated, "invalid auth token", after: .zero)
      case .well, .full: break
      }
      let reply = serve()
      let drip = isDripping ? dice.time(.milliseconds(200) ... .milliseconds(isLarge ? 2600 : 2100)) : .zero
      let arrival = clock.now + delay + drip
      clock.at(arrival) {
        if way.losesAnswers || isLarge && way.losesLargeAnswers || sent.duration(to: arrival) > Self.patience
        {
          return fail(.unreachable, "no answer", after: Self.patience)
        }
        answer(.success(reply))
      }
    }
  }

  /// One way there or back.
  var delay: Duration {
    isSlow
      ? dice.time(.milliseconds(50) ... .milliseconds(700))
      : dice.time(.milliseconds(1) ... .milliseconds(25))
  }

  private func answer(_ request: StoreRequest, as name: String) -> StoreAnswer {
    switch request {
    case .grant(let seconds):
      if mood == .full { return Self.full }
      lastLease += 1
      content.leases[lastLease] = Lease(length: .seconds(seconds), end: clock.now + .seconds(seconds))
      watchLease(lastLease)
      return .granted(lease: lastLease)
    case .claim(let lease, let card, let replacing): return claim(name, lease, card, replacing: replacing)
    case .read:
      let entries = content.keys.sorted { $0.key < $1.key }.map {
        StoreReading.Entry(name: $0.key, card: $0.value.card, revision: $0.value.revision)
      }
      return .read(StoreReading(cluster: content.cluster, revision: content.revision, members: entries))
    case .keepAlive(let lease, let known):
      guard let term = content.leases[lease] else { return .dead }
      content.leases[lease]?.end = clock.now + term.length
      let mark = StoreMark(cluster: content.cluster, revision: content.revision)
      if known?.isIdle(mark) == true { return .idle(mark) }
      let newest = content.keys.values.map(\.revision).max() ?? 0
      return .alive(
        StoreAudit(
          cluster: content.cluster, revision: content.revision, members: content.keys.count, newest: newest))
    case .put(let lease, let card):
      guard content.keys[name]?.lease == lease else { return .lost }
      return mood == .full ? Self.full : .put(revision: write(name, card, lease))
    case .revoke(let lease):
      drop(lease)
      return .revoked
    }
  }

  private static let full = StoreAnswer.trouble(StoreTrouble(.noSpace, "database space exceeded"))

  private func claim(_ name: String, _ lease: Int64, _ card: MemberCard, replacing: Int64?) -> StoreAnswer {
    guard content.leases[lease] != nil else { return .dead }
    if let key = content.keys[name], key.revision != replacing {
      return .occupied(.init(name: name, card: key.card, revision: key.revision))
    }
    guard content.keys[name] != nil || replacing == nil else { return .lost }
    return mood == .full ? Self.full : .claimed(revision: write(name, card, lease))
  }

  private func write(_ name: String, _ card: MemberCard, _ lease: Int64) -> Int64 {
    content.revision += 1
    content.keys[name] = Key(card: card, lease: lease, revision: content.revision)
    tell(.card(.init(name: name, card: card, revision: content.revision)))
    return content.revision
  }
}

// Leases end, and what a store goes through.
extension LeaseStore {
  /// It looks twice a second for leases that have ended.
  private func watchLease(_ id: Int64) {
    guard let lease = content.leases[id] else { return }
    let turn = lease.turn
    clock.at(lease.end + dice.time(.zero ... .milliseconds(500))) { [self] in
      guard let now = content.leases[id], now.turn == turn, mood != .away else { return }
      if now.end <= clock.now { drop(id) } else { watchLease(id) }
    }
  }

  private func drop(_ lease: Int64) {
    content.leases[lease] = nil
    for name in content.keys.filter({ $0.value.lease == lease }).map(\.key).sorted() {
      content.revision += 1
      content.keys[name] = nil
      tell(.gone(name: name, revision: content.revision))
    }
  }

  private func tell(_ change: StoreChange) {
    content.log.append(change)
    for id in watches.keys.sorted() { watches[id]?.deliver(.card(change), after: delay) }
  }

  /// A new leader gives every lease its full length again.
  func changeLeader() {
    for id in content.leases.keys.sorted() {
      guard let lease = content.leases[id] else { continue }
      content.leases[id]?.turn += 1
      content.leases[id]?.end = clock.now + lease.length
      watchLease(id)
    }
  }

  func set(_ mood: Mood) {
    let before = self.mood
    self.mood = mood
    if mood == .away || mood == .refusing || mood == .locked { endWatches() }
    // Who comes back has elected somebody.
    if before == .away || before == .refusing { changeLeader() }
  }

  func compact() { content.compacted = content.revision }

  /// Nothing is left, and the count begins again.
  func wipe() {
    lastCluster += 1
    content = Content(cluster: lastCluster)
    endWatches()
  }

  /// The disk is again what it was then.
  func restore(_ copy: Content, isNewCluster: Bool) {
    content = copy
    content.compacted = copy.revision
    if isNewCluster {
      lastCluster += 1
      content.cluster = lastCluster
    }
    for id in content.leases.keys { content.leases[id]?.turn += 1_000_000 }
    changeLeader()
    endWatches()
  }
}

extension Result<StoreAnswer, StoreTrouble> {
  fileprivate var reply: StoreAnswer {
    switch self {
    case .success(let answer): answer
    case .failure(let trouble): .trouble(trouble)
    }
  }
}
