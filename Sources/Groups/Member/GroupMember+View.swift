// SPDX-License-Identifier: MIT

import Basics

// Views, and what follows from them.
extension GroupMember {
  /// In the group, by a reading of everything.
  mutating func enter(_ reading: StoreReading, at now: ClockReading, _ actions: inout [Action]) {
    if let cluster, cluster != reading.cluster || reading.revision < seen {
      journal.note(now.wall, reading.revision, .newWorld)
    }
    cluster = reading.cluster
    guard let own = reading.members.first(where: { $0.name == settings.name }), own.card?.boot == card.boot
    else {
      // Between the claim and the reading the lease has ended, or another has taken the name.
      return rejoin(at: now)
    }
    stage = .inside
    seen = reading.revision
    suspicion = nil
    nextKeep = now.boot
    nextRefresh = now.boot + max(.seconds(60), .seconds(3) * reading.members.count)
    let isFirst = view == nil
    let old = view
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
    place(at: now, isReading: true, runsAtOnce: !isFirst || fresh.members.count > 1)
    apply(reading.revision)
    take(head: reading.head, &actions)
    actions.append(.arrange)
    startWatch(&actions)
  }

  private mutating func note(from old: GroupView?, to fresh: GroupView, at now: ClockReading) {
    guard let old else { return journal.note(now.wall, fresh.revision, .joined(settings.name)) }
    for name in fresh.names where old.members[ByteText(name)] == nil {
      journal.note(now.wall, fresh.revision, .joined(name))
    }
    for name in old.names where fresh.members[ByteText(name)] == nil {
      journal.note(now.wall, fresh.revision, .gone(name))
    }
  }

  private mutating func take(head fresh: ListHead?, _ actions: inout [Action]) {
    guard fresh != head else { return }
    head = fresh
    actions.append(.list)
  }

  mutating func take(
    _ changes: [StoreChange], at now: ClockReading, _ actions: inout [Action]
  ) {
    guard view != nil else { return }
    var isMoved = false
    for change in changes where change.revision > seen {
      switch change {
      case .card(let entry): if take(entry, at: now, &actions) { isMoved = true }
      case .gone(let name, let revision):
        if name == settings.name {
          if lease != nil { rejoin(at: now) }
        } else if view?.members[ByteText(name)] != nil {
          journal.note(now.wall, revision, .gone(name))
        }
        view?.remove(name)
        view?.placed = revision
        isMoved = true
      case .head(let head, _): take(head: head, &actions)
      case .noHead: take(head: nil, &actions)
      }
      if isMoved { settle(change.revision, at: now, &actions) }
      isMoved = false
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
    let isSame = old?.weight == fresh?.weight && old?.pools == fresh?.pools && old?.boot == fresh?.boot
    if isSame {
      if release() { actions.append(.arrange) }
    } else {
      view?.placed = entry.revision
    }
    return !isSame
  }

  private mutating func settle(_ revision: Int64, at now: ClockReading, _ actions: inout [Action]) {
    view?.revision = revision
    if place(at: now, isReading: false, runsAtOnce: true) { apply(revision) }
    actions.append(.arrange)
  }

  /// Says that this view is in effect: who had what is ours now may stop.
  private mutating func apply(_ revision: Int64) {
    card.applied = revision
    owesPut = true
  }

  /// Who has what, by the view as it is.
  ///
  /// - Parameters:
  ///   - isReading: what came between this view and the one before is not known.
  ///   - runsAtOnce: what is gained has been another's.
  /// - Returns: whether anything was gained.
  @discardableResult
  private mutating func place(at now: ClockReading, isReading: Bool, runsAtOnce: Bool) -> Bool {
    guard let view else { return false }
    placement.follow(view)
    let own = placement.place(settings.name)
    let needed = isReading ? 1 : view.revision
    var (gains, losses) = (0, 0)
    for position in gained.indices {
      let owner = placement.ownerPlace(position)
      if owner == own {
        guard gained[position] == 0 else { continue }
        gained[position] = view.placed
        gains += 1
        // What is held was never stopped.
        if held.removeValue(forKey: position) == nil, runsAtOnce {
          taken.insert(placement.checks[position].id)
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
