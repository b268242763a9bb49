// SPDX-License-Identifier: MIT

import Basics
import History
import HistorySupport
import Monitoring
import Testing

/// The rules of what counts as time, one by one.
@Suite struct UptimeWindowTests {
  private let minute: Int64 = 60_000_000

  @Test func emptyIsNoData() throws {
    let status = makeStore(try makeCheck()).checks(now: midnight + .seconds(3600))
    for period in UptimePeriod.allCases {
      #expect(status.window(period).uptime == nil)
      #expect(status.window(period).coverage == 0)
      #expect(status.window(period).latency == nil)
    }
    #expect(status.first?.state == .unknown)
  }

  @Test func aVerdictHoldsForOneIntervalWhenTheNextSlotIsMissing() throws {
    let check = try makeCheck()
    let store = makeStore(check, runs: [Run(slot: midnight), Run(slot: midnight + .seconds(120))])
    let window = store.checks(now: midnight + .seconds(180)).window(.day)
    #expect(window.time.up == 2 * minute)
    #expect(window.enabled == 3 * minute)
  }

  @Test func theNewestVerdictReachesNoFurtherThanNow() throws {
    let store = makeStore(try makeCheck(), runs: [Run(slot: midnight)])
    #expect(store.checks(now: midnight + .seconds(10)).window(.day).time.up == 10_000_000)
    #expect(store.checks(now: midnight + .seconds(500)).window(.day).time.up == minute)
  }

  /// Slots on a clock that is slewed lie microseconds off the interval: that is no gap.
  @Test(arguments: [-900, 900, 20_000_000] as [Int64])
  func aSuccessorNearTheIntervalLeavesNoGap(_ offset: Int64) throws {
    let next = Timestamp(microseconds: midnight.microseconds + minute + offset)
    let store = makeStore(try makeCheck(), runs: [Run(slot: midnight), Run(slot: next)])
    let window = store.checks(now: next).window(.day)
    #expect(window.time.up == minute + offset)
    #expect(window.coverage == 100)
  }

  /// One and a half intervals are a missed slot; one microsecond less is none. Both for the interval the verdict had.
  @Test(arguments: [60, 300, 86_400] as [Int64]) func aGapBeginsAtOneAndAHalfIntervals(_ seconds: Int64)
    throws
  {
    let interval = seconds * 1_000_000
    let check = try makeCheck(interval: .microseconds(interval))
    for (gap, held) in [
      (interval * 3 / 2 - 1, interval * 3 / 2 - 1), (interval * 3 / 2, interval),
      (interval * 3 / 2 + 1, interval), (interval, interval), (interval / 2, interval / 2),
    ] {
      let next = midnight + .microseconds(gap)
      let store = makeStore(check, runs: [Run(slot: midnight), Run(slot: next, state: .down)])
      #expect(store.checks(now: next).window(.quarter).time.up == held, "a successor after \(gap) us")
    }
  }

  /// A run that began up to two intervals, or five minutes, before the newest slot is a late arrival, and the time
  /// between stays as it was told; before that the clock was set back, and the time is told again.
  @Test(arguments: [60, 600] as [Int64]) func whereALateArrivalEndsAndAClockSetBackBegins(_ seconds: Int64)
    throws
  {
    let interval = Duration.seconds(seconds)
    let check = try makeCheck(interval: interval)
    let reach = max(2 * seconds, 300) * 1_000_000
    let newest = midnight + interval * 50
    for (back, isLate) in [(reach, true), (reach + 1, false)] {
      let store = makeStore(check, runs: grid(51, every: interval))
      let slot = midnight + interval * 40
      var run = Run(slot: slot, state: .down)
      run.delay = .microseconds(newest.microseconds - back - slot.microseconds)
      store.record(run.result(of: check), interval: interval)
      let down = store.checks(now: newest).window(.quarter).time.down
      #expect(down == (isLate ? 0 : interval.microseconds), "\(back) us before the newest slot")
    }
  }

  @Test func probingFasterWhileDownDoesNotInflateDowntime() throws {
    let check = try makeCheck()
    let store = makeStore(check, runs: grid(10))
    for second in 0..<60 {
      let run = Run(slot: midnight + .seconds(600 + second), state: .down)
      store.record(run.result(of: check), interval: .seconds(1))
    }
    let window = store.checks(now: midnight + .seconds(660)).window(.day)
    #expect(window.time.down == minute)
    #expect(window.counts.down == 60)
    #expect(window.uptime == 1000.0 / 11)
  }

  @Test func degradedIsUptimeAndUnknownIsNeither() throws {
    var runs = grid(4)
    runs[1].state = .degraded
    runs[2].state = .down
    runs[3].state = .unknown
    let window = makeStore(try makeCheck(), runs: runs).checks(now: midnight + .seconds(240)).window(.day)
    #expect(window.uptime == 200.0 / 3)
    #expect(window.coverage == 75)
  }

  @Test func maintenanceIsLeftOut() throws {
    var runs = grid(4)
    runs[1].state = .down
    runs[1].maintenance = true
    let window = makeStore(try makeCheck(), runs: runs).checks(now: midnight + .seconds(240)).window(.day)
    #expect(window.uptime == 100)
    #expect(window.coverage == 100)
    #expect(window.time.maintenance == minute)
    #expect(window.counts.maintenance == 1)
    #expect(window.latency?.count == 3)
  }

  @Test func slotsThatAWindowLeavesOutAreMaintenanceAndNoVerdicts() throws {
    let check = try makeCheck()
    let store = makeStore(check, runs: grid(2))
    for slot in 2..<30 {
      store.skipped(check.id, slot: midnight + .seconds(60 * slot), interval: .seconds(60))
    }
    let status = try #require(store.figures(of: check.id, now: midnight + .seconds(1800)))
    let window = status.window(.day)
    #expect(window.time.maintenance == 28 * minute)
    #expect(window.counts.maintenance == 0)
    #expect(window.uptime == 100 && window.coverage == 100)
    // Nothing is overdue while nothing is due.
    #expect(!status.stale)
    #expect(status.state == .up && status.last?.scheduledAt == midnight + .seconds(60))
  }

  @Test func manualRunsAreInNoWindowAndChangeNoState() throws {
    let check = try makeCheck()
    let manual = Run(slot: midnight + .seconds(90), state: .down, trigger: .manual)
    let store = makeStore(check, runs: grid(2) + [manual])
    let status = try #require(store.figures(of: check.id, now: midnight + .seconds(120)))
    #expect(status.window(.day).uptime == 100)
    #expect(status.window(.day).counts.down == 0)
    #expect(status.state == .up)
    #expect(store.recent(check.id)?.first?.trigger == .manual)
  }

  @Test func spannedSlotsTakeTheVerdictAndMissedOnesAreNoData() throws {
    let check = try makeCheck()
    let store = makeStore(check, runs: [Run(slot: midnight)])
    store.record(
      Run(slot: midnight + .seconds(60), state: .down).result(of: check), interval: .seconds(60),
      spanned: SlotRange(first: midnight + .seconds(120), count: 3, interval: .seconds(60)))
    store.missed(check.id, count: 2)
    store.record(Run(slot: midnight + .seconds(420)).result(of: check), interval: .seconds(60))
    let status = try #require(store.figures(of: check.id, now: midnight + .seconds(480)))
    #expect(status.window(.day).time.down == 4 * minute)
    #expect(status.window(.day).time.up == 2 * minute)
    #expect(status.window(.day).enabled == 8 * minute)
    #expect(status.missed == 2 && status.missedSinceStart == 2)
    #expect(status.spanned == 3)
  }

  /// A verdict across midnight is cut there, to the microsecond.
  @Test func edgesAreExact() throws {
    let slot = Timestamp(microseconds: midnight.microseconds - 1)
    let store = makeStore(try makeCheck(), runs: [Run(slot: slot, state: .down)], enabledAt: slot)
    let last = midnight + .seconds(86_400) - .microseconds(1)
    #expect(store.checks(now: last).window(.day).time.down == minute - 1)
    #expect(store.checks(now: midnight + .seconds(86_400)).window(.day).time.down == 0)
    #expect(store.checks(now: last).window(.week).time.down == minute)
  }

  @Test func timeSwitchedOffIsNotDue() throws {
    let check = try makeCheck()
    let store = makeStore(check, runs: grid(10))
    store.apply([try makeCheck(enabled: false)], now: midnight + .seconds(600))
    store.apply([check], now: midnight + .seconds(1800))
    let window = store.checks(now: midnight + .seconds(2400)).window(.day)
    #expect(window.enabled == 20 * minute)
    #expect(window.coverage == 50)
  }

  @Test func aRemovedCheckIsNotShownAndAnUnknownOneIgnored() throws {
    let check = try makeCheck()
    let store = makeStore(check, runs: grid(5))
    let other = try makeCheck("Other")
    store.apply([other], now: midnight)
    store.record(grid(1)[0].result(of: check), interval: .seconds(60))
    #expect(store.recent(check.id) == nil)
    #expect(store.checks(now: midnight).map(\.name) == ["Other"])
  }

  @Test func stateAndItsBeginning() throws {
    let check = try makeCheck()
    var runs = grid(6)
    runs[3].state = .down
    runs[4].state = .down
    runs[5].state = .down
    let store = makeStore(check, runs: runs)
    let status = try #require(store.figures(of: check.id, now: midnight + .seconds(360)))
    #expect(status.state == .down)
    #expect(status.since == runs[3].slot)
    #expect(!status.stale)
    #expect(store.figures(of: check.id, now: midnight + .seconds(1000))?.stale == true)
  }

  @Test func onlyTheLatestResultsAreKept() throws {
    let check = try makeCheck()
    let store = makeStore(check, runs: grid(130))
    #expect(store.recent(check.id)?.count == 100)
    #expect(store.recent(check.id)?.first?.scheduledAt == midnight + .seconds(129 * 60))
    var many = [check]
    for number in 0..<999 { many.append(try makeCheck("check \(number)")) }
    store.apply(many, now: midnight)
    #expect(store.recent(check.id)?.count == 50)
  }

  @Test(
    "C1: a clock that was set leaves no time behind that was never lived through",
    arguments: [-50 * 365 * 86_400, 50 * 365 * 86_400, 2 * 86_400, -3600, -2 * 86_400] as [Int64])
  func stepsOfTheClock(seconds: Int64) throws {
    let check = try makeCheck()
    let started = midnight.advanced(by: .seconds(-seconds))
    let store = makeStore(check, enabledAt: started)
    store.clockStepped(from: started.advanced(by: .seconds(60)), to: midnight)
    let now = midnight.advanced(by: .seconds(30))
    for period in UptimePeriod.allCases {
      let enabled = try #require(store.checks(now: now).check(check.id)).window(period).enabled
      // The minute before the step counts where it lies inside the window.
      #expect(enabled == 30_000_000 || enabled == 90_000_000, "\(period) \(enabled)")
    }
  }
}

extension Timestamp {
  fileprivate static func - (left: Timestamp, right: Duration) -> Timestamp {
    Timestamp(microseconds: left.microseconds - right.microseconds)
  }
}
