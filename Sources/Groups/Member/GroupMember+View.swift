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
    let isNewWorld = position.isOther(reading.mark, asked: seen)
    if isNewWorld { journal.note(now.wall, reading.revision, .newWorld) }
    position.meet(reading.cluster)
    guard let own = reading.members.first(where: { $0.name == settings.name }), own.card?.boot == card.boot
    else {
      // Between the claim and the reading the lease has ended, or another has taken the name.
      return rejoin(at: now)
    }
    lose(
      Set(
        (view?.names ?? []).compactMap { name in
          reading.members.contains { $0.name == name } ? nil : placement.place(name)
        }), at: now)
    placement = placed ?? placement
    stage = .inside
    position.read(reading.mark, asked: seen)
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
    // Who is alone at its first look takes what nobody had, unless it had it itself, before it was started again.
    let isOpening = isFirst && fresh.members.count == 1
    let takeovers = journal.takeovers
    let gain = place(
      at: now, isReading: true, isNewWorld: isNewWorld, runsAtOnce: !isOpening || settings.isReturning)
    if isOpening { journal.takeovers = takeovers }
    forget(at: now)
    if reading.headRevision == 0 { isListed = true }
    // Not at each reading: a store in which something is odd is read again and again.
    if gain != .nothing || card.applied == 0 || card.applied > reading.revision {
      apply(reading.revision)
    } else if old?.isPlaced(like: fresh) != true {
      // What came in between is not known: somebody may wait for it.
      nextWord = nextWord ?? now.boot + wordPause
    } else if own.card?.applied != card.applied || own.card?.isPlaced(like: card) != true {
      owesPut = true
    }
    if isNewWorld { owesPut = true }
    if fresh.members.contains(where: { waitsForUs($0.value.card, $0.key.text) }) {
      nextWord = nextWord ?? now.boot + wordPause
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
          if let place = placement.place(name) { lose([place], at: now) }
        }
        view?.remove(name)
        view?.placed = revision
        isMoved = true
      case .stray(let added, _): view?.take(strays: added)
      case .head(let head, let revision): take(head: head, revision, &actions)
      case .strangeHead(let revision): take(head: nil, revision, &actions)
      case .noHead: take(head: nil, 0, &actions)
      }
      if isMoved, settle(change, at: now, &actions) { return }
    }
    position.tell(changes.last?.revision ?? 0)
    let seen = seen
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
    let ahead = entry.card.flatMap { lead($0, at: now) }
    view?.take(entry, ahead: ahead)
    let fresh = view?.members[name]?.card
    if old == nil, fresh != nil { journal.note(now.wall, entry.revision, .joined(entry.name)) }
    if let fresh, fresh.weight == 0, old?.weight != 0 {
      journal.note(now.wall, entry.revision, .leaving(entry.name))
    }
    if mayHoldForUs(old, fresh) || waitsForUs(fresh, entry.name) {
      nextWord = nextWord ?? now.boot + wordPause
    }
    let isSame = old == nil ? fresh == nil : fresh.map { old?.isPlaced(like: $0) == true } ?? false
    if isSame {
      if release() { actions.append(.arrange) }
    } else {
      view?.placed = entry.revision
    }
    return !isSame
  }

  /// How much another member's clock is ahead of ours. `nil` where it is not known. A record that was long on its way
  /// looks as if its clock were behind: the other one sees ours ahead then, and says so.
  private func lead(_ card: MemberCard, at now: ClockReading) -> Duration? {
    let ahead = Duration.microseconds(
      card.clock.product(1000).map { $0.bounded(minus: now.wall.microseconds) } ?? .max)
    return ahead < .seconds(-1) && ahead > .seconds(-10) ? nil : ahead
  }

  /// - Returns: whether who has what by this view is worked out aside; what comes after it waits.
  private mutating func settle(
    _ change: StoreChange, at now: ClockReading, _ actions: inout [Action]
  ) -> Bool {
    view?.revision = change.revision
    if postponesView(only: change.name) {
      position.tell(change.revision)
      return true
    }
    effect(change.revision, only: change.name, at: now, &actions)
    return false
  }

  /// The view is put into effect.
  mutating func effect(
    _ revision: Int64, only name: ByteText? = nil, at now: ClockReading, _ actions: inout [Action]
  ) {
    switch place(at: now, only: name, isReading: false, runsAtOnce: true) {
    case .nothing: break
    // Nobody goes on with it until we say so. Of a thousand members a hundred gain, and each word is told to all.
    case .ofTheDead: nextWord = nextWord ?? now.boot + wordPause
    case .ofTheLiving:
      if let pause = herdPause(name) {
        nextWord = nextWord ?? now.boot + pause
      } else {
        apply(revision)
      }
    }
    actions.append(.arrange)
  }

  /// Says that this view is in effect: who had what is ours now may stop.
  private mutating func apply(_ revision: Int64) {
    nextWord = nil
    guard isListed else { return }
    card.applied = revision
    owesPut = true
  }

  private enum Gain: Hashable, Sendable {
    case nothing
    /// Only what members had whose leases have ended.
    case ofTheDead
    case ofTheLiving
  }

  /// Places the checks by the view as it is.
  ///
  /// - Parameters:
  ///   - name: the member whose card alone is different; `nil` where any may be.
  ///   - isReading: changes between this view and the one before are not known.
  ///   - isNewWorld: the store is another, or was set back; its cards may be older.
  ///   - runsAtOnce: checks that are gained had another owner.
  private mutating func place(
    at now: ClockReading, only name: ByteText? = nil, isReading: Bool, isNewWorld: Bool = false,
    runsAtOnce: Bool
  ) -> Gain {
    guard let view else { return .nothing }
    placement.follow(view, only: name)
    let own = placement.place(settings.name)
    let needed = isReading ? 1 : view.revision
    let after = isNewWorld ? view.revision : 0
    var (gains, losses, inherited) = (0, 0, 0)
    for position in gained.indices {
      let owner = placement.ownerPlace(position)
      if owner == own {
        guard gained[position] == 0 else { continue }
        // 0 would say that it is not ours.
        gained[position] = max(1, view.placed)
        gains += 1
        let heard = lost.isEmpty ? nil : lost[placement.id(position)]
        if heard != nil { inherited += 1 }
        // What is held was never stopped.
        if held.removeValue(forKey: position) == nil, runsAtOnce {
          taken.insert(placement.id(position))
          // Alone, this member ran it as its standby.
          if let heard, alone == nil { orphaned[placement.id(position)] = heard }
        }
      } else if gained[position] > 0 {
        gained[position] = 0
        // Nobody is left to take it.
        if owner >= 0 { losses += 1 }
        held[position] = Held(owner: owner, needed: needed, after: after)
      } else if let before = held[position], isReading || before.owner != owner {
        held[position] = Held(owner: owner, needed: needed, after: isNewWorld ? after : before.after)
      }
    }
    if gains + losses > 0 { journal.moved(gained: gains, given: losses, revision: view.placed, at: now.wall) }
    if runsAtOnce { journal.takeovers += gains }
    lost = [:]
    release()
    return gains == 0 ? .nothing : gains == inherited ? .ofTheDead : .ofTheLiving
  }

  /// Checks of these members have no owner until the next view is in effect. They renewed their leases a lease ago at
  /// the latest, and have not been heard of since.
  ///
  /// - Parameter dead: places of members whose leases have ended.
  private mutating func lose(_ dead: Set<Int32>, at now: ClockReading) {
    guard !dead.isEmpty else { return }
    let heard = now.boot.advanced(by: .zero - settings.ttl)
    for position in gained.indices where dead.contains(placement.ownerPlace(position)) {
      lost[placement.id(position)] = heard
    }
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
      return member.card.applied < held.needed || member.revision <= held.after
    }
    return held.count < before
  }

  mutating func endWatch(_ end: WatchEnd, at now: ClockReading, _ actions: inout [Action]) {
    guard case .inside = stage else {
      if case .leaving = stage { nextWatch = now.boot + .milliseconds(200) }
      return
    }
    position.take(end)
    guard position.trust != .lost else { return read(at: now, &actions) }
    nextWatch = now.boot
    guard case .trouble(let trouble) = end else { return }
    journal.trouble(trouble, at: now.wall)
    nextWatch = now.boot + .milliseconds(200)
  }
}
