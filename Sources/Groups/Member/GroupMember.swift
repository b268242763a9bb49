// SPDX-License-Identifier: MIT

import Basics

/// One member of a group, as a state machine: the store's answers, its watch and the time go in; the next request and
/// the checks to run come out. It touches no network and no clock, and decides nothing by the wall clock.
///
/// The rule above all: a check may run twice, but is never skipped. So
/// - a member that lost a check runs it until the new owner says that it has put that view into effect (*held*),
/// - a member that gains one from another runs its last slot at once,
/// - a member that cannot reach the store runs its own, and after one and a half leases with those it is the standby of
///   (*alone*).
package struct GroupMember: Sendable {
  package struct Settings: Hashable, Sendable {
    package var name: String
    /// Of the lease.
    package var ttl: Duration
    /// Hashes that a change of who has what may take on the spot; what takes more is worked out aside. Some
    /// milliseconds' worth: a member that comes or goes among 100,000 checks stays far below.
    package var atOnce = 4_000_000
    /// The list that the store names is not in force yet: see `Event.listed`.
    package var awaitsList = false
    /// It has been a member before, with this state directory: its checks may not have run since.
    package var isReturning: Bool

    package init(name: String, ttl: Duration, isReturning: Bool = false) {
      (self.name, self.ttl, self.isReturning) = (name, ttl, isReturning)
    }
  }

  package enum Event: Hashable, Sendable {
    /// Time has passed; to come at least twice a second.
    case tick
    case answer(Int, StoreAnswer)
    case changes(watch: Int, [StoreChange])
    case watchEnded(Int, WatchEnd)
    /// The checks that it may have, in any order.
    case checks([Placement.GroupCheck])
    case pools(MemberCard.Pools)
    /// The list that the store names is in force.
    case listed
    /// The store has told another part of the agent that this lease has ended.
    case leaseEnded(Int64)
    case leave
  }

  package enum Action: Hashable, Sendable {
    case ask(Int, StoreRequest)
    /// In place of the one before.
    case watch(Int, after: Int64)
    /// Which checks to run has changed.
    case arrange
    /// The head of the list is another one.
    case list
    /// It has left, or waited long enough.
    case done
  }

  enum Stage: Hashable, Sendable {
    /// Not a member, until then.
    case out(retry: Instant)
    case granting
    case claiming
    case reading
    case inside
    /// Its weight is 0; others take what it has.
    case leaving(until: Instant)
    case revoking(until: Instant)
    case left
  }

  /// A check that has another owner by now, which has not said that it runs it.
  struct Held: Hashable, Sendable {
    var owner: Int32
    /// The revision that the owner must have applied.
    var needed: Int64
    /// Its card has to be newer than this. A store that was set back to a copy has cards of before, whose words mean nothing any
    /// more.
    var after: Int64 = 0
  }

  let settings: Settings
  package internal(set) var card: MemberCard
  var stage: Stage
  var lease: Int64?
  var placement: Placement
  /// Being worked out aside; until it is there, `placement` stays in force.
  var pending: PendingPlacement?
  package internal(set) var view: GroupView?
  /// Of the disk, until the store has been read.
  package internal(set) var memory: GroupMemory?
  package internal(set) var head: ListHead?
  /// Of its key, whatever that says; 0: there is none.
  package internal(set) var headRevision: Int64 = 0
  /// Until then nothing is said to be in effect: of the others' checks this member does not know those that are its own.
  var isListed: Bool
  /// By position: the revision that made it ours.
  var gained = GainTable()
  var held: [Int: Held] = [:]
  /// Came from another member, and their last slots are to be run.
  var taken: Set<UniqueID> = []
  /// Of them, those whose owner's lease ended, and since when they may not have run.
  var orphaned: [UniqueID: Instant] = [:]
  /// Checks of members whose leases have ended, until the next view is in effect, and since when they may not have run.
  var lost: [UniqueID: Instant] = [:]

  /// Before the last request that proved our lease left.
  var lastOK: Instant
  /// Since when the store has not let itself be read, though it keeps the lease: to the others this member is there, and
  /// what it had is run by none of them.
  var unread: Instant?
  /// Before the request for the lease left.
  var granted: Instant
  package internal(set) var alone: Alone?
  var position = StorePosition()
  var cluster: UInt64? { position.cluster }
  /// Everything up to here has been seen.
  var seen: Int64 { position.told }
  /// A gap that an audit found.
  var suspicion: Suspicion?
  /// The store, as all of its members had it when they were last asked, and before the request left.
  var mark: (store: StoreMark, at: Instant)?

  var numbers = 0
  var sent: [Int: Sent] = [:]
  /// Answers of others are late, and mean nothing any more.
  var main: Int?
  var keeping: Int?
  var putting: Int?
  var watch = 0
  var nextKeep: Instant
  var nextPut: Instant
  var nextRead: Instant
  var nextWatch: Instant?
  var nextRefresh: Instant
  /// When to publish the view that is in effect though nothing was gained: another member may wait for it.
  var nextWord: Instant?
  /// The card in the store is not what it should be.
  var owesPut = false
  var failures = 0

  /// Events, for operators.
  package internal(set) var journal = GroupJournal()

  struct Sent: Hashable, Sendable {
    /// Before it left.
    var at: Instant
    /// The revision that had been seen then.
    var seen: Int64
  }

  /// The store has other cards than the watch has told of.
  struct Suspicion: Hashable, Sendable {
    var first: Instant
    /// The watch has told nothing since.
    var quiet: Instant
    /// The revision that it had announced by then.
    var seen: Int64
  }

  /// Without the store for longer than a lease lasts.
  package struct Alone: Hashable, Sendable {
    /// Since the last proof that the lease held.
    package var since: Timestamp
    /// For one and a half leases: the standby's checks are run, too.
    package var standsIn = false
    /// For so long, and with nothing but a memory of the group, that everything is run.
    package var runsAll = false

    package init(since: Timestamp, standsIn: Bool = false, runsAll: Bool = false) {
      (self.since, self.standsIn, self.runsAll) = (since, standsIn, runsAll)
    }
  }

  package init(_ settings: Settings, card: MemberCard, at now: ClockReading) {
    self.settings = settings
    self.card = card
    self.card.applied = 0
    isListed = !settings.awaitsList
    stage = .out(retry: now.boot)
    placement = Placement(own: settings.name)
    placement.ownPools = card.pools
    (lastOK, granted, nextKeep) = (now.boot, now.boot, now.boot)
    (nextPut, nextRead, nextRefresh) = (now.boot, now.boot, now.boot)
  }

  package mutating func handle(_ event: Event, at now: ClockReading) -> [Action] {
    var actions: [Action] = []
    if case .left = stage { return actions }
    switch event {
    case .tick: break
    case .answer(let number, let answer): take(answer, to: number, at: now, &actions)
    case .changes(let number, let changes): if number == watch { take(changes, at: now, &actions) }
    case .watchEnded(let number, let end): if number == watch { endWatch(end, at: now, &actions) }
    case .checks(let checks): replace(checks, &actions)
    case .pools(let pools): change(pools, at: now)
    case .listed: takeListed(at: now)
    case .leaseEnded(let lease): if lease == self.lease { nextKeep = now.boot }
    case .leave: leave(at: now, &actions)
    }
    advance(at: now, &actions)
    return actions
  }

  mutating func ask(_ request: StoreRequest, at now: ClockReading, _ actions: inout [Action]) -> Int {
    numbers &+= 1
    sent[numbers] = Sent(at: now.boot, seen: seen)
    actions.append(.ask(numbers, request))
    return numbers
  }
}

// What is due by the time.
extension GroupMember {
  /// From one proof to the next.
  var beat: Duration { settings.ttl / 3 }

  private var isInside: Bool {
    switch stage {
    case .reading, .inside, .leaving: true
    default: false
    }
  }

  mutating func advance(at now: ClockReading, _ actions: inout [Action]) {
    loseTouch(at: now, &actions)
    switch stage {
    case .out(let retry) where now.boot >= retry:
      // One that it has is used again: each new one is one more that a slow store has to end.
      if lease != nil, granted.duration(to: now.boot) < settings.ttl / 2 {
        return claim(replacing: nil, at: now, &actions)
      }
      lease = nil
      stage = .granting
      // bounded: seconds of a setting
      main = ask(.grant(seconds: Int64(settings.ttl.seconds)), at: now, &actions)
    case .reading where main == nil && pending == nil && now.boot >= nextRead:
      main = ask(.read, at: now, &actions)
    case .leaving(let deadline):
      // What nobody can take needs nobody's word.
      let isFree = !runsAny && held.values.allSatisfy { $0.owner < 0 }
      if now.boot >= deadline || isFree { revoke(at: now, &actions) }
    case .revoking(let deadline) where now.boot >= deadline: finish(&actions)
    default: break
    }
    guard isInside, let lease else { return }
    if keeping == nil, now.boot >= nextKeep {
      keeping = ask(.keepAlive(lease: lease, known: believed(at: now)), at: now, &actions)
    }
    if let again = nextWatch, now.boot >= again { startWatch(&actions) }
    refresh(at: now)
    giveWord(at: now)
    if owesPut, putting == nil, now.boot >= nextPut {
      owesPut = false
      card.clock = now.wall.milliseconds
      card.waits = held.values.reduce(0) { max($0, $1.after) }
      putting = ask(.put(lease: lease, card: card), at: now, &actions)
    }
  }

  /// Position up to which nothing need be counted again. `nil` where it is in doubt, or a lease has passed: the member of
  /// the store that renews the lease may itself be behind all others.
  private func believed(at now: ClockReading) -> StorePosition? {
    guard suspicion == nil, let mark, mark.at.duration(to: now.boot) < settings.ttl - beat / 2 else {
      return nil
    }
    return position
  }

  /// The lease with its last proof, for what else the agent has in the store. `nil` where the member has none.
  var proof: LeaseProof? {
    guard let lease, isInside else { return nil }
    return LeaseProof(lease: lease, at: lastOK, store: mark?.store, seenAt: mark?.at)
  }

  /// A card now and then, so that others can compare clocks: each minute, or in a great group each member in its turn.
  private mutating func refresh(at now: ClockReading) {
    guard now.boot >= nextRefresh else { return }
    let members = view?.members.count ?? 1
    if card.applied > 0 { owesPut = true }
    nextRefresh = now.boot + max(.seconds(60), .seconds(3) * members)
  }

  mutating func startWatch(_ actions: inout [Action]) {
    watch &+= 1
    nextWatch = nil
    actions.append(.watch(watch, after: seen))
  }

  /// Goes on with what it has, and says so.
  private mutating func loseTouch(at now: ClockReading, _ actions: inout [Action]) {
    let silence = min(lastOK, unread ?? lastOK).duration(to: now.boot)
    guard silence > settings.ttl else { return }
    if alone == nil {
      alone = Alone(since: now.wall.advanced(by: .zero - silence))
      journal.note(
        now.wall, view?.revision ?? memory?.view.placed ?? 0, view == nil ? .unreached : .alone)
      placeByMemory()
      actions.append(.arrange)
    }
    // An owner may have died up to a lease before the store went: so its slots are run within two and a half leases of
    // its death, and a leader's death, which takes a second or two, makes nobody stand in.
    if silence > settings.ttl * 3 / 2, alone?.standsIn == false {
      alone?.standsIn = true
      // Their owners may be dead: nobody can tell.
      let own = placement.place(settings.name)
      for position in gained.indices
      where own != nil && placement.standbyPlace(position) == own && gained[position] == 0 {
        taken.insert(placement.id(position))
      }
      actions.append(.arrange)
    }
    if silence > settings.ttl * Self.patience, isRecalled, alone?.runsAll == false {
      alone?.runsAll = true
      actions.append(.arrange)
    }
  }

  private mutating func leave(at now: ClockReading, _ actions: inout [Action]) {
    guard isInside else {
      guard lease != nil else { return finish(&actions) }
      return revoke(at: now, &actions)
    }
    // Nobody hears of it while the store is away.
    if alone != nil { return revoke(at: now, &actions) }
    stage = .leaving(until: now.boot + .seconds(4))
    card.weight = 0
    owesPut = true
    nextPut = now.boot
  }

  private mutating func revoke(at now: ClockReading, _ actions: inout [Action]) {
    guard let lease else { return finish(&actions) }
    stage = .revoking(until: now.boot + .seconds(1))
    main = ask(.revoke(lease: lease), at: now, &actions)
  }

  mutating func finish(_ actions: inout [Action]) {
    stage = .left
    lease = nil
    actions.append(.done)
  }
}
