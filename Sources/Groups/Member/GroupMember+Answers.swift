// SPDX-License-Identifier: MIT

import Basics

// What the store says to what it was asked.
extension GroupMember {
  mutating func take(
    _ answer: StoreAnswer, to number: Int, at now: ClockReading, _ actions: inout [Action]
  ) {
    guard let asked = sent.removeValue(forKey: number) else { return }
    if case .trouble(let trouble) = answer { journal.trouble(trouble, at: now.wall) }
    if number == keeping {
      keeping = nil
      takeProof(answer, asked: asked, at: now, &actions)
    } else if number == putting {
      putting = nil
      takePut(answer, at: now)
    } else if number == main {
      main = nil
      takeMain(answer, asked: asked, at: now, &actions)
    }
  }

  private mutating func takeMain(
    _ answer: StoreAnswer, asked: Sent, at now: ClockReading, _ actions: inout [Action]
  ) {
    switch (stage, answer) {
    case (.revoking, _): finish(&actions)
    case (.leaving, _): break
    case (.granting, .granted(let lease)):
      self.lease = lease
      granted = asked.at
      claim(replacing: nil, at: now, &actions)
    case (.claiming, .claimed):
      lastOK = granted
      journal.clearTaken()
      read(at: now, &actions)
    case (.claiming, .occupied(let entry)): takeOccupied(entry, asked: asked.at, at: now, &actions)
    case (.reading, .read(let reading))
    where reading.cluster == cluster && (asked.seen..<max(asked.seen, seen)).contains(reading.revision):
      // The watch has told more meanwhile: going back would undo it.
      nextRead = now.boot + .milliseconds(50)
    case (.reading, .read(let reading)):
      unread = nil
      mark = (reading.mark, asked.at)
      failures = 0
      journal.clearTrouble()
      if !postpones(reading) { enter(reading, at: now, &actions) }
    case (.reading, _): nextRead = now.boot + nextPause(asked: asked.at, at: now)
    default: retreat(asked: asked.at, at: now)
    }
  }

  mutating func claim(replacing revision: Int64?, at now: ClockReading, _ actions: inout [Action]) {
    guard let lease else { return retreat(asked: now.boot, at: now) }
    stage = .claiming
    card.applied = 0
    card.clock = now.wall.milliseconds
    main = ask(.claim(lease: lease, card: card, replacing: revision), at: now, &actions)
  }

  /// The name is taken. With the same state directory it is this agent before its restart, whose lease still lasts: no
  /// two processes have one at a time. Any other agent keeps the name until its lease ends.
  private mutating func takeOccupied(
    _ entry: StoreReading.Entry, asked: Instant, at now: ClockReading, _ actions: inout [Action]
  ) {
    // One that took the name while our lease held is no past of ours: a copy of the state directory.
    let isCopy = entry.card != nil && entry.card?.boot == journal.rival?.card?.boot
    if entry.card == nil || entry.card?.home == card.home && !isCopy {
      return claim(replacing: entry.revision, at: now, &actions)
    }
    // It runs what this name has: that is no reason to believe ourselves cut off, nor is what was not read as a member.
    (lastOK, unread) = (asked, nil)
    // The member that arranges tells the log, too.
    if journal.taken(by: entry.card, at: now.wall) { actions.append(.arrange) }
    if let lease { actions.append(.ask(0, .revoke(lease: lease))) }
    lease = nil
    stage = .out(retry: now.boot + max(.seconds(1), beat))
    if let card = entry.card, card.applied > 0 { stepDown(&actions) }
  }

  /// The agent that has our name runs our checks by now: this one stops, until the name is free again.
  private mutating func stepDown(_ actions: inout [Action]) {
    guard view != nil || alone != nil else { return }
    (view, alone) = (nil, nil)
    placement.follow(GroupView())
    dropPendingView()
    gained = GainTable(count: placement.count)
    (held, taken, orphaned) = ([:], [], [:])
    actions.append(.arrange)
  }

  mutating func read(at now: ClockReading, _ actions: inout [Action]) {
    stage = .reading
    // What it never had is run by who had it, until this member says that it does.
    if view != nil || memory != nil || settings.isReturning { unread = unread ?? now.boot }
    nextRead = now.boot
    main = ask(.read, at: now, &actions)
  }

  /// Grows with each failure, and is another one for each member: who failed together does not come back together.
  private func pause(atMost limit: Duration) -> Duration {
    let share = Rendezvous.hash(card.boot.high, card.boot.low, UInt64(failures)) % 512
    return min(.milliseconds(100) * (1 << failures), limit) * Int(512 + share) / 1024
  }

  /// Nothing came of it; once more a little later, with the lease that there is. A store that takes its time to answer
  /// has too much to do, and gets more of it.
  private mutating func retreat(asked: Instant, at now: ClockReading) {
    stage = .out(retry: now.boot + nextPause(asked: asked, at: now))
  }

  /// Of one failure more.
  private mutating func nextPause(asked: Instant, at now: ClockReading) -> Duration {
    failures = min(failures + 1, 7)
    return pause(atMost: max(.seconds(2), min(asked.duration(to: now.boot) * 4, settings.ttl)))
  }

  private mutating func takeProof(
    _ answer: StoreAnswer, asked: Sent, at now: ClockReading, _ actions: inout [Action]
  ) {
    switch answer {
    case .idle: prove(asked, at: now, &actions)
    case .alive(let audit):
      mark = (audit.mark, asked.at)
      prove(asked, at: now, &actions)
      judge(audit, seenBefore: asked.seen, at: now, &actions)
    case .dead:
      lease = nil
      rejoin(at: now)
    default: nextKeep = now.boot + min(.seconds(1), beat / 2)
    }
  }

  private mutating func prove(_ asked: Sent, at now: ClockReading, _ actions: inout [Action]) {
    lastOK = asked.at
    journal.clearTrouble()
    nextKeep = asked.at + beat
    // The view may be old in any way.
    if alone != nil { read(again: now, &actions) }
  }

  /// Our key is gone: come back at once.
  mutating func rejoin(at now: ClockReading) {
    lease = nil
    switch stage {
    case .leaving, .revoking:
      // That is what it wanted.
      stage = .revoking(until: now.boot)
      return
    default: stage = .out(retry: now.boot)
    }
    (main, keeping, putting, mark) = (nil, nil, nil, nil)
    dropPendingView()
    watch &+= 1
  }

  private mutating func read(again now: ClockReading, _ actions: inout [Action]) {
    guard case .inside = stage else { return }
    read(at: now, &actions)
  }

  /// A watch that has died is silent. Changes that it missed show in the number of cards and in the newest.
  private mutating func judge(
    _ audit: StoreAudit, seenBefore: Int64, at now: ClockReading, _ actions: inout [Action]
  ) {
    guard case .inside = stage, pending == nil else { return }
    let known = view?.counted ?? 0
    if position.isOther(audit.mark, asked: seenBefore) {
      journal.note(now.wall, audit.revision, .newWorld)
      return read(again: now, &actions)
    }
    guard audit.members != known || audit.newest > seen else {
      suspicion = nil
      // A count alone says nothing of cards that were written over.
      if audit.newest > 0 { position.settle(audit.mark) }
      return
    }
    var found = suspicion ?? Suspicion(first: now.boot, quiet: now.boot, seen: seen)
    // A watch that still tells is late, not dead: reading everything would make a store that is behind slower yet.
    if found.seen != seen, found.first.duration(to: now.boot) < settings.ttl {
      (found.quiet, found.seen) = (now.boot, seen)
    }
    guard found.quiet.duration(to: now.boot) >= lull else {
      suspicion = found
      nextKeep = min(nextKeep, now.boot + lull + .milliseconds(100))
      return
    }
    suspicion = nil
    read(again: now, &actions)
  }

  /// How long a watch may be silent while there is something to tell: a great group's changes are a thousand lines each.
  private var lull: Duration {
    max(.milliseconds(900), .milliseconds(3) * min(view?.counted ?? 0, StoreBounds.members))
  }

  private mutating func takePut(_ answer: StoreAnswer, at now: ClockReading) {
    switch answer {
    case .put:
      nextRefresh = now.boot + max(.seconds(60), .seconds(3) * (view?.members.count ?? 1))
    case .lost:
      // The watch or the next proof says why.
      position.doubt()
      nextKeep = now.boot
    default:
      position.doubt()
      owesPut = true
      nextPut = now.boot + .milliseconds(500)
    }
  }
}
