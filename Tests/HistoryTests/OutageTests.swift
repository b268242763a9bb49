// SPDX-License-Identifier: MIT

import Basics
import HistorySupport
import Monitoring
import Testing
@testable import History

/// Outages are the down time of the windows, cut where it is interrupted.
@Suite struct OutageTests {
  private func states(_ states: [CheckState?], from first: Int = 0) -> [Run] {
    states.enumerated().compactMap { index, state in
      state.map { Run(slot: midnight + .seconds(60 * (first + index)), state: $0) }
    }
  }

  private func outages(_ runs: [Run], after seconds: Int) throws -> [Outage] {
    let check = try makeCheck()
    return try #require(makeStore(check, runs: runs).outages(check.id, now: midnight + .seconds(seconds)))
  }

  /// It begins at the slot of the first result that is down and ends at that of the first that is not.
  @Test(arguments: [.up, .degraded, .unknown] as [CheckState])
  func anOutageReachesFromTheFirstDownToTheNextVerdict(next: CheckState) throws {
    let found = try outages(states([.up, .down, .down, .down, next]), after: 290)
    #expect(found.count == 1)
    let outage = try #require(found.first)
    #expect(outage.begin == midnight + .seconds(60) && outage.end == midnight + .seconds(240))
    #expect(outage.duration(now: midnight + .seconds(290)) == .seconds(180))
    #expect(outage.reason == .connectRefused && outage.phase == .connect && outage.results == 3)
    #expect(outage.firstMessage == "refused" && outage.lastMessage == "refused")
  }

  /// While the newest result is down it has no end, and is as long as its verdicts hold.
  @Test func itLastsWhileTheNewestResultIsDown() throws {
    let check = try makeCheck()
    let store = makeStore(check, runs: states([.up, .down, .down]))
    for (second, held, lasts) in [(130, 70, true), (200, 120, true), (359, 120, true), (361, 120, false)] {
      let now = midnight + .seconds(second)
      let outage = try #require(store.outages(check.id, now: now)?.last)
      #expect(outage.isOver == !lasts, "after \(second) s")
      #expect(outage.duration(now: now) == .seconds(held), "after \(second) s")
      #expect(store.figures(of: check.id, now: now)?.outage == (lasts ? outage : nil))
      #expect(store.checks(now: now).window(.day).time.down == outage.duration(now: now).microseconds)
    }
  }

  /// Time without a verdict is never down: a hole ends an outage.
  @Test func aHoleIsNoOutage() throws {
    let found = try outages(states([.down, nil, nil, .down, .up]), after: 300)
    #expect(found.map(\.results) == [1, 1])
    #expect(found.map { $0.duration(now: midnight + .seconds(300)) } == [.seconds(60), .seconds(60)])
  }

  /// Inside a maintenance window nothing is an outage.
  @Test func maintenanceIsNoOutage() throws {
    var runs = states([.down, .down, .down, .up])
    runs[1].maintenance = true
    #expect(try outages(runs, after: 240).map(\.results) == [1, 1])
  }

  /// What comes late joins what it touches.
  @Test func aLateArrivalJoinsItsNeighbours() throws {
    let late = Run(slot: midnight + .seconds(120), state: .down, delay: .seconds(30))
    let found = try outages(states([.up, .down, nil, .down, .up]) + [late], after: 300)
    #expect(found.count == 1 && found.first?.results == 3)
    #expect(found.first?.duration(now: midnight + .seconds(300)) == .seconds(180))
  }

  /// Slots that a run spanned take its time and are no results.
  @Test func spannedSlotsAreTimeAndNoResults() throws {
    let check = try makeCheck()
    let store = makeStore(check)
    store.record(
      Run(slot: midnight, state: .down).result(of: check), interval: .seconds(60),
      spanned: SlotRange(first: midnight + .seconds(60), count: 3, interval: .seconds(60)))
    store.record(Run(slot: midnight + .seconds(240)).result(of: check), interval: .seconds(60))
    let outage = try #require(store.outages(check.id, now: midnight + .seconds(300))?.first)
    #expect(outage.results == 1 && outage.end == midnight + .seconds(240) && outage.begin == midnight)
  }

  /// The latest are kept, so many a check, and messages so long.
  @Test(arguments: [(1, 64), (500, 64), (1000, 32), (20_000, 2)])
  func theyAreBounded(checks: Int, kept: Int) throws {
    #expect(Outage.limit(checks: checks) == kept)
    let check = try makeCheck()
    let store = HistoryStore()
    store.apply([check], now: midnight)
    for run in states((0..<200).map { $0 % 2 == 0 ? .down : .up }) {
      store.record(run.result(of: check), interval: .seconds(60))
    }
    let found = try #require(store.outages(check.id, now: midnight + .seconds(12_000)))
    #expect(found.count == 64 && found.last?.begin == midnight + .seconds(198 * 60))
    let note = OutageNote(reason: .body, phase: nil, message: String(repeating: "é", count: 1000))
    #expect(note.message?.utf8.count ?? 0 <= Outage.maxMessage)
  }

  /// A manual run and a check that is not configured have none.
  @Test func whatHasNone() throws {
    let check = try makeCheck()
    let manual = Run(slot: midnight, state: .down, trigger: .manual)
    #expect(makeStore(check, runs: [manual]).outages(check.id, now: midnight + .seconds(60)) == [])
    #expect(makeStore(check).outages(UniqueID(high: 1, low: 2), now: midnight) == nil)
  }

  /// A check that never was down pays two words for its outages, and one for the note of the newest verdict.
  @Test func noOutageCostsNothing() throws {
    #expect(MemoryLayout<OutageLog>.size == 16 && OutageLog().footprint == 0)
    #expect(MemoryLayout<OutageNote?>.size == 8)
  }
}
