// SPDX-License-Identifier: MIT

import Basics
import History
import HistorySupport
import Monitoring
import Testing

/// The windows against counting cell by cell, of a check that is probed faster while it is down, whose runs span slots,
/// that has windows which leave slots out, and whose agent is killed and started again.
@Suite struct PaceRecomputationTests {
  /// A verdict, or a slot that was left out, and how long it holds at most.
  private struct Entry {
    var slot: Timestamp
    var hold: Duration
    var standing: Standing
    var counts: Bool
  }

  private static let cell: Int64 = 10_000_000

  /// One turn of the schedule: a run with the slots it spanned, or a slot left out.
  private enum Turn {
    case run(Run, hold: Duration, spanned: SlotRange?)
    case skipped(Timestamp, hold: Duration)
  }

  /// Slots of 60 s, of 10 s while down.
  private func turns(_ count: Int, _ dice: inout Dice) -> [Turn] {
    var turns: [Turn] = []
    var now: Int64 = 0
    var isDown = false
    var skip = 0
    for _ in 0..<count {
      let pace: Int64 = isDown ? 10 : 60
      let slot = midnight + .seconds(now)
      if dice.chance(200) { skip = Int.random(in: 1...20, using: &dice) }
      skip -= 1
      if skip >= 0 {
        turns.append(.skipped(slot, hold: .seconds(pace - now % pace)))
        now += pace - now % pace
        continue
      }
      if dice.chance(isDown ? 12 : 30) { isDown.toggle() }
      let next: Int64 = isDown ? 10 : 60
      var run = Run(slot: slot, state: isDown ? .down : dice.chance(9) ? .degraded : .up)
      run.latency = isDown ? nil : .milliseconds(Int64.random(in: 1...900, using: &dice))
      run.delay = .milliseconds(Int64.random(in: 0...900, using: &dice))
      let first = (now / next + 1) * next
      var spanned: SlotRange?
      now = first
      if dice.chance(6) {
        let slots = Int.random(in: 1...5, using: &dice)
        spanned = SlotRange(first: midnight + .seconds(first), count: slots, interval: .seconds(next))
        now += next * Int64(slots)
      }
      turns.append(.run(run, hold: slot.duration(to: midnight + .seconds(first)), spanned: spanned))
      if dice.chance(80) { now += next * Int64.random(in: 1...30, using: &dice) }
    }
    return turns
  }

  private func entries(_ turns: [Turn]) -> [Entry] {
    turns.flatMap { turn -> [Entry] in
      switch turn {
      case .skipped(let slot, let hold):
        return [Entry(slot: slot, hold: hold, standing: .maintenance, counts: false)]
      case .run(let run, let hold, let spanned):
        let standing = Standing(run.state, maintenance: false)
        return [Entry(slot: run.slot, hold: hold, standing: standing, counts: true)]
          + (0..<(spanned?.count ?? 0)).map { index in
            let interval = spanned?.interval ?? .zero
            return Entry(
              slot: (spanned?.first ?? midnight) + interval * index, hold: interval, standing: standing,
              counts: true)
          }
      }
    }
  }

  /// Every entry until the next, or for its own hold where the next is further away than one and a half of it.
  private func time(_ entries: [Entry], from: Timestamp, to: Timestamp) -> Tally {
    var tally = Tally()
    for (index, entry) in entries.enumerated() {
      var end = entry.slot + entry.hold
      if index + 1 < entries.count {
        let gap = entry.slot.duration(to: entries[index + 1].slot)
        if gap < entry.hold * 3 / 2 { end = entries[index + 1].slot }
      }
      var cell = entry.slot.microseconds
      while cell < end.microseconds {
        if cell >= from.microseconds, cell < to.microseconds { tally[entry.standing] += Self.cell }
        cell += Self.cell
      }
    }
    return tally
  }

  @Test(arguments: [UInt64](1...6)) func paceSpansSkipsAndRestarts(_ seed: UInt64) throws {
    var dice = Dice(state: seed)
    let check = try makeCheck()
    let turns = turns(4000, &dice)
    var store = makeStore(check)
    var saved = store.files()
    var savedAt = 0
    for (index, turn) in turns.enumerated() {
      apply(turn, UInt64(index + 1), check, store)
      if dice.chance(150) { (saved, savedAt) = (store.files(), index + 1) }
      if dice.chance(500) {
        // Killed: what was skipped since the last save is told again here, as it would be lost.
        store = HistoryStore(decoding: saved)
        store.apply([check], now: midnight)
        for (later, turn) in turns[savedAt...index].enumerated() {
          replay(turn, UInt64(savedAt + later + 1), check, store)
        }
      }
    }
    let entries = entries(turns)
    let last = try #require(entries.last)
    let now = last.slot + last.hold
    let figures = store.checks(now: now)
    for period in UptimePeriod.allCases {
      let from = Recomputation.start(period, now: now)
      #expect(figures.window(period).time == time(entries, from: from, to: now), "\(period.rawValue)")
      let counted = entries.filter { $0.counts && $0.slot >= from && $0.slot <= now }
      let counts = counted.reduce(into: Tally()) { $0[$1.standing] += 1 }
      #expect(figures.window(period).counts == counts, "\(period.rawValue)")
    }
  }

  private func apply(_ turn: Turn, _ sequence: UInt64, _ check: MonitoringCheck, _ store: HistoryStore) {
    switch turn {
    case .skipped(let slot, let hold): store.skipped(check.id, slot: slot, interval: hold)
    case .run(let run, let hold, let spanned):
      store.record(
        run.result(of: check, number: sequence), interval: hold, sequence: sequence, spanned: spanned)
    }
  }

  private func replay(_ turn: Turn, _ sequence: UInt64, _ check: MonitoringCheck, _ store: HistoryStore) {
    switch turn {
    case .skipped: apply(turn, sequence, check, store)
    case .run(let run, let hold, let spanned):
      store.replay(run.record(of: check, sequence: sequence), interval: hold, spanned: spanned)
    }
  }
}
