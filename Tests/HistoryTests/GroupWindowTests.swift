// SPDX-License-Identifier: MIT

import Basics
import HistorySupport
import Monitoring
import Testing
@testable import History

/// The windows of a group against those of one agent that ran everything itself.
@Suite struct GroupWindowTests {
  private func runs(_ count: Int, _ dice: inout Dice) -> [Run] {
    var state = CheckState.up
    return (0..<count).compactMap { number in
      if dice.chance(30) { state = CheckState.allCases.randomElement(using: &dice) ?? .up }
      if dice.chance(60) { return nil }
      var run = Run(slot: midnight + .seconds(60) * number, state: state)
      run.latency = .microseconds(Int64.random(in: 200...2_000_000, using: &dice))
      run.maintenance = dice.chance(70)
      return run
    }
  }

  private func share(_ store: HistoryStore, _ check: MonitoringCheck, _ now: Timestamp) throws -> WindowShare
  {
    let share = try #require(store.share(of: check.id, now: now))
    // As it travels.
    #expect(share.bytes.count < WindowShare.limit / 2)
    return try #require(WindowShare(share.bytes, for: now))
  }

  /// However the slots are divided among the members, the sum is what one agent would say.
  @Test(arguments: [UInt64](1...6)) func splitAsOneLikes(_ seed: UInt64) throws {
    var dice = Dice(state: seed)
    let check = try makeCheck()
    let members = Int(seed % 5) + 1
    let all = makeStore(check)
    let stores = (0..<members).map { _ in makeStore(check) }
    let slots = runs(4000, &dice)
    var owner = 0
    for run in slots {
      // Mostly in stretches, as ownership is; sometimes slot by slot.
      if seed % 2 == 0 || dice.chance(100) { owner = Int.random(in: 0..<members, using: &dice) }
      for store in [all, stores[owner]] { store.record(run.result(of: check), interval: .seconds(60)) }
    }
    for offset in [0, 30, 61, 4000, 90_000, 700_000] {
      let now = midnight + .seconds(4000 * 60 + offset)
      let merged = try #require(
        WindowShare.merged(try stores.map { try share($0, check, now) }, now: now))
      let alone = all.checks(now: now).first?.windows ?? []
      #expect(merged == alone, "seed \(seed) +\(offset) s")
    }
  }

  /// One agent's own share is its own windows.
  @Test func oneMemberIsItself() throws {
    let check = try makeCheck()
    let store = makeStore(check, runs: grid(500))
    let now = midnight + .seconds(500 * 60)
    #expect(
      WindowShare.merged([try share(store, check, now)], now: now)
        == store.checks(now: now)[0].windows)
  }

  /// Who is away takes the slots that it ran along: there is less to go by, and no verdict is another one.
  @Test func anAbsentMemberLowersCoverageOnly() throws {
    let check = try makeCheck()
    let (left, right) = (makeStore(check), makeStore(check))
    for (number, run) in grid(1000).enumerated() {
      (number % 2 == 0 ? left : right).record(run.result(of: check), interval: .seconds(60))
    }
    let now = midnight + .seconds(1000 * 60)
    let both = try #require(
      WindowShare.merged([try share(left, check, now), try share(right, check, now)], now: now))
    let one = try #require(WindowShare.merged([try share(left, check, now)], now: now))
    for (both, one) in zip(both, one) {
      #expect(both.uptime == 100 && one.uptime == 100)
      #expect(both.coverage == 100 && one.coverage == 50)
    }
  }

  /// Two halves of a group that is split run everything twice: no second counts twice.
  @Test func whatTwoSawIsCutAtItsLength() throws {
    let check = try makeCheck()
    let (left, right) = (makeStore(check), makeStore(check))
    for (number, run) in grid(1000).enumerated() {
      var other = run
      left.record(run.result(of: check), interval: .seconds(60))
      if number % 10 == 0 { other.state = .down }
      right.record(other.result(of: check), interval: .seconds(60))
    }
    let now = midnight + .seconds(1000 * 60)
    let windows = try #require(
      WindowShare.merged([try share(left, check, now), try share(right, check, now)], now: now))
    for window in windows {
      #expect(window.time.judged <= window.enabled && window.time.judged >= window.enabled - 3000)
      #expect(abs((window.uptime ?? 0) - 95) < 0.01, "\(window)")
      #expect(window.coverage ?? 0 > 99.999 && window.coverage ?? 0 <= 100)
      #expect(window.counts.up + window.counts.down == 2000)
    }
  }

  /// A member's clock makes no difference: the instant is named by whoever asks.
  @Test func anotherInstantIsLeftOut() throws {
    let check = try makeCheck()
    let store = makeStore(check, runs: grid(100))
    let now = midnight + .seconds(6000)
    let later = try share(store, check, now + .seconds(1))
    #expect(WindowShare.merged([later], now: now) == nil)
    #expect(WindowShare(later.bytes, for: now) == nil)
  }

  @Test func aCheckThatNobodyKnows() throws {
    #expect(makeStore(try makeCheck()).share(of: try makeCheck("Other").id, now: midnight) == nil)
    #expect(WindowShare.merged([], now: midnight) == nil)
  }

  /// A member is another machine: whatever its bytes are, they are read or refused, and what is read adds up.
  @Test(arguments: [UInt64](1...4)) func hostileBytes(_ seed: UInt64) throws {
    var dice = Dice(state: seed)
    let check = try makeCheck()
    let store = makeStore(check, runs: runs(2000, &dice))
    let now = midnight + .seconds(2000 * 60)
    let good = try share(store, check, now)
    let bytes = good.bytes
    for _ in 0..<400 {
      var changed = bytes
      switch dice.next() % 4 {
      case 0: changed.removeLast(Int.random(in: 1...changed.count, using: &dice))
      case 1: changed.append(UInt8(truncatingIfNeeded: dice.next()))
      default:
        for _ in 0...(dice.next() % 8) {
          let place = Int.random(in: 0..<changed.count, using: &dice)
          changed[place] = dice.chance(3) ? 0xff : UInt8(truncatingIfNeeded: dice.next())
        }
      }
      guard let read = WindowShare(changed, for: now) else { continue }
      let windows = try #require(WindowShare.merged([read, good, read], now: now))
      for window in windows {
        #expect(window.time.judged >= 0 && window.time.judged <= window.span)
        #expect(window.uptime.map { $0 >= 0 && $0 <= 100 } ?? true)
        #expect(window.enabled >= 0 && window.enabled <= window.span)
      }
    }
    #expect(WindowShare([], for: now) == nil)
    #expect(WindowShare(bytes + [UInt8](repeating: 0, count: WindowShare.limit), for: now) == nil)
  }
}
