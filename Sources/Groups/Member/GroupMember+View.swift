// SPDX-License-Identifier: MIT

import Basics

// Views, and what follows from them.
extension GroupMember {
  /// In the group, by a reading of everything.
  ///
  /// - Parameter placed: who has what by it, worked out before.
  mutating func enter(
    _ reading: StoreReading, placed: Placement? = nil, at now: ClockReading, _ actions: inout [Action]
  ) {
    if let cluster, cluster != reading.cluster || reading.revision < seen {
      journal.note(now.wall, reading.revision, .newWorld)
    }
    cluster = reading.cluster
    guard let own = reading.members.first(where: { $0.name == settings.name }), own.card?.boot == card.boot
    else {
      // Between the claim and the reading the lease has ended, or another has taken the name.
      return rejoin(at: now)
    }
    placement = placed ?? placement
    stage = .inside
    seen = reading.revision
    suspicion = nil
    nextKeep = now.boot
    nextRefresh = now.boot + max(.seconds(60), .seconds(3) * reading.members.count)
    let isFirst = view == nil
    let old = view
    let dead = Set(
      (old?.names ?? []).compactMap { name in
        reading.members.contains { $0.name == name } ? nil : placement.place(name)
      })
    var fresh = GroupView(reading)
    for (name, member) in old?.members ?? [:] where fresh.members[name]?.card.boot == member.card.boot {
      fresh.members[name]?.ahead = member.ahead
    }
    view = fresh
    note(from: old, to: fresh, at: now)
    if alone != nil {
      alone = nil
      journal.note(now.wall, reading.revision, .back)
    }
    // Who is alone at its first look takes what nobody had, unless it had it itself, before it was started again.
    let isOpening = isFirst && fresh.members.count == 1
    let takeovers = journal.takeovers
    let hasGained = place(
      at: now, isReading: true, runsAtOnce: !isOpening || settings.isReturning, dead: dead)
    if isOpening { journal.takeovers = takeovers }
    forget(at: now)
    if reading.headRevision == 0 { isListed = true }
    // Not at each reading: a store in which something is odd is read again and again.
    if hasGained || card.applied == 0 || card.applied > reading.revision || old?.isPlaced(like: fresh) != true
    {
      apply(reading.revision)
    } else if own.card?.applied != card.applied || own.card?.isPlaced(like: card) != true {
      owesPut = true
    }
    take(head: reading.head, reading.headRevision, &actions)
    actions.append(.arrange)
    startWatch(&actions)
  }

  private mutating func note(from old: GroupView?, to fresh: GroupView, at now: ClockReading) {
    guard let old else { return journal.note(now.wall, fresh.revision, .joined(settings.name)) }
    for name in fresh.names where old.members[ByteText(name)] == nil {
      journal.note(now.wall, fresh.revision, .joined(name))
    }
    for name in old.names where fresh.members[ByteText(name)] == nil {
      let isDone = old.members[ByteText(name)]?.card.weight == 0
      journal.note(now.wall, fresh.revision, isDone ? .left(name) : .gone(name))
    }
  }

  private mutating func take(head fresh: ListHead?, _ revision: Int64, _ actions: inout [Action]) {
    headRevision = revision
    guard fresh != head else { return }
    head = fresh
    actions.append(.list)
  }

  mutating func take(
    _ changes: [StoreChange], at now: ClockReading, _ actions: inout [Action]
  ) {
    guard view != nil else { return }
    for change in changes where change.revision > seen {
      var isMoved = false
      var dead: Set<Int32> = []
      switch change {
      case .card(let entry): if take(entry, at: now, &actions) { isMoved = true }
      case .gone(let name, let revision):
        if name == settings.name {
          // It goes on with what it has by the last view that it was in, as if the store were away, until it is in again.
          if lease != nil { rejoin(at: now) }
          break
        }
        if let member = view?.members[ByteText(name)] {
          journal.note(now.wall, revision, member.card.weight == 0 ? .left(name) : .gone(name))
          if let place = placement.place(name) { dead = [place] }
        }
        view?.remove(name)
        view?.placed = revision
        isMoved = true
      case .stray(let added, _): view?.take(strays: added)
      case .head(let head, let revision): take(head: head, revision, &actions)
      case .strangeHead(let revision): take(head: nil, revision, &actions)
      case .noHead: take(head: nil, 0, &actions)
      }
      if isMoved, settle(change, at: now, dead: dead, &actions) { return }
    }
    seen = max(seen, changes.last?.revision ?? 0)
    view?.revision = seen
  }

  /// - Returns: whether it may move a check.
  private mutating func take(
    _ entry: StoreReading.Entry, at now: ClockReading, _ actions: inout [Action]
  ) -> Bool {
    let name = ByteText(entry.name)
    let old = view?.members[name]?.card
    if entry.name == settings.name, let fresh = entry.card, fresh.boot != card.boot {
      // Somebody has our name, and with it all that is ours.
      journal.taken(by: fresh, at: now.wall)
      rejoin(at: now)
      if case .out = stage { stage = .out(retry: now.boot + max(.seconds(1), beat)) }
    }
    let ahead = entry.card.map {
      Duration.microseconds($0.clock.product(1000).map { $0.bounded(minus: now.wall.microseconds) } ?? .max)
    }
    view?.take(entry, ahead: ahead)
    let fresh = view?.members[name]?.card
    if old == nil, fresh != nil { journal.note(now.wall, entry.revision, .joined(entry.name)) }
    if let fresh, fresh.weight == 0, old?.weight != 0 {
      journal.note(now.wall, entry.revision, .leaving(entry.name))
    }
    if mayHoldForUs(old, fresh) { nextWord = nextWord ?? now.boot + wordPause }
    let isSame = old == nil ? fresh == nil : fresh.map { old?.isPlaced(like: $0) == true } ?? false
    if isSame {
      if release() { actions.append(.arrange) }
    } else {
      view?.placed = entry.revision
    }
    return !isSame
  }

  /// - Returns: whether who has what by this view is worked out aside; what comes after it waits.
  private mutating func settle(
    _ change: StoreChange, at now: ClockReading, dead: Set<Int32>, _ actions: inout [Action]
  ) -> Bool {
    view?.revision = change.revision
    if postponesView(only: change.name) {
      seen = change.revision
      return true
    }
    effect(change.revision, only: change.name, at: now, dead: dead, &actions)
    return false
  }

  /// The view is put into effect.
  mutating func effect(
    _ revision: Int64, only name: ByteText? = nil, at now: ClockReading, dead: Set<Int32> = [],
    _ actions: inout [Action]
  ) {
    if place(at: now, only: name, isReading: false, runsAtOnce: true, dead: dead) { apply(revision) }
    actions.append(.arrange)
  }

  /// Says that this view is in effect: who had what is ours now may stop.
  private mutating func apply(_ revision: Int64) {
    nextWord = nil
    guard isListed else { return }
    card.applied = revision
    owesPut = true
  }

  /// Who has what, by the view as it is.
  ///
  /// - Parameters:
  ///   - name: whose card is all that is different; nil: anybody's may be.
  ///   - isReading: what came between this view and the one before is not known.
  ///   - runsAtOnce: what is gained has been another's.
  ///   - dead: places of members whose leases have ended since the view before.
  /// - Returns: whether anything was gained.
  @discardableResult
  private mutating func place(
    at now: ClockReading, only name: ByteText? = nil, isReading: Bool, runsAtOnce: Bool, dead: Set<Int32>
  ) -> Bool {
    guard let view else { return false }
    let orphans = orphans(of: dead)
    placement.follow(view, only: name)
    let own = placement.place(settings.name)
    let needed = isReading ? 1 : view.revision
    var (gains, losses) = (0, 0)
    for position in gained.indices {
      let owner = placement.ownerPlace(position)
      if owner == own {
        guard gained[position] == 0 else { continue }
        // 0 would say that it is not ours.
        gained[position] = max(1, view.placed)
        gains += 1
        // What is held was never stopped.
        if held.removeValue(forKey: position) == nil, runsAtOnce {
          taken.insert(placement.id(position))
          if orphans.contains(position) { note(orphan: position, at: now) }
        }
      } else if gained[position] > 0 {
        gained[position] = 0
        losses += 1
        held[position] = Held(owner: owner, needed: needed)
      } else if let before = held[position], isReading || before.owner != owner {
        held[position] = Held(owner: owner, needed: needed)
      }
    }
    if gains + losses > 0 { journal.moved(gained: gains, given: losses, revision: view.placed, at: now.wall) }
    if runsAtOnce { journal.takeovers += gains }
    release()
    return gains > 0
  }

  /// What these had, by position.
  private func orphans(of dead: Set<Int32>) -> Set<Int> {
    dead.isEmpty ? [] : Set(gained.indices.filter { dead.contains(placement.ownerPlace($0)) })
  }

  /// Its owner renewed its lease a lease ago at the latest, and has not been heard of since.
  private mutating func note(orphan position: Int, at now: ClockReading) {
    let heard = now.boot.advanced(by: .zero - settings.ttl)
    // Alone, this member ran it as its standby.
    guard alone == nil else { return }
    orphaned[placement.id(position)] = heard
  }

  /// Stops with what its new owner runs.
  ///
  /// - Returns: whether there was anything.
  @discardableResult
  private mutating func release() -> Bool {
    guard !held.isEmpty, let view else { return false }
    let before = held.count
    held = held.filter { _, held in
      guard let name = placement.name(held.owner), let member = view.members[ByteText(name)] else {
        return true
      }
      return member.card.applied < held.needed
    }
    return held.count < before
  }

  mutating func endWatch(_ end: WatchEnd, at now: ClockReading, _ actions: inout [Action]) {
    guard case .inside = stage else {
      if case .leaving = stage { nextWatch = now.boot + .milliseconds(200) }
      return
    }
    switch end {
    case .over: nextWatch = now.boot
    case .compacted, .otherStore: read(at: now, &actions)
    case .trouble(let trouble):
      journal.trouble(trouble, at: now.wall)
      nextWatch = now.boot + .milliseconds(200)
    }
  }
}
