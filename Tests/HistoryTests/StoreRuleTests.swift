// SPDX-License-Identifier: MIT

import Basics
import HistorySupport
import Monitoring
import Testing
@testable import History

/// Bounds of the store and of what a check shows, on both sides.
@Suite struct StoreRuleTests {
  /// A removed check is remembered for seven days after its last run.
  @Test func sevenDays() throws {
    let week = Duration.seconds(7 * 86_400)
    for (rest, isKnown) in [(Duration.microseconds(-1), true), (.zero, false)] {
      let check = try makeCheck()
      let store = makeStore(check, runs: [Run(slot: midnight)])
      store.apply([], now: midnight + week + rest)
      #expect(store.knows([check]) == isKnown)
    }
  }

  /// A drop is told for an hour, and as long as nothing was dropped there is nothing to tell.
  @Test func aDropIsToldForAnHour() {
    let limits = GoneLimits(checks: 1234, bytes: 3 << 20)
    var gone = GoneFigures()
    #expect(gone.notice(limits, now: midnight) == nil)
    (gone.forgotten, gone.forgottenAt) = (5678, midnight)
    #expect(gone.notice(limits, now: midnight + .seconds(3600)) == nil)
    let notice = gone.notice(limits, now: midnight + .microseconds(3_599_999_999))
    #expect(
      notice
        == .warning(
          .history,
          "the history of 5,678 removed checks was dropped before its 7 days were over: "
            + "the limit is 1,234 checks and 3 MiB",
          hint:
            "check names that keep changing start a new history each time: see the names of discovered checks",
          since: midnight))
    #expect(GoneLimits() == GoneLimits(checks: 20_000, bytes: 128 << 20))
  }

  /// While the store is replayed 1,024 removed checks more than are kept may be there; one more, and they go.
  /// The drop is told from the end of the replay on.
  @Test func aReplayHasSomeRoomMore() throws {
    let store = HistoryStore(gone: GoneLimits(checks: 0))
    let checks = try (0..<1025).map { try makeCheck("host \($0)") }
    for (number, check) in checks.enumerated() {
      let run = Run(slot: midnight + .seconds(number))
      store.replay(run.record(of: check, sequence: UInt64(number + 1)), interval: .seconds(60))
      #expect(store.knows([checks[0]]) == (number < 1024))
    }
    #expect(store.gone.forgotten == 1025 && store.gone.checks == 0)
    #expect(store.gone.forgottenAt == midnight + .seconds(1024))
    let end = midnight + .seconds(86_400)
    store.replayed(through: 1025, now: end)
    #expect(store.gone.forgottenAt == end && store.gone.forgotten == 1025)
    let quiet = HistoryStore()
    quiet.replayed(through: 7, now: end)
    #expect(quiet.gone.forgottenAt == nil && quiet.appliedThrough == 7)
  }

  /// 256 checks in a file.
  @Test(arguments: [(1, 1), (256, 1), (257, 2), (512, 2), (513, 3)])
  func filesOf256(checks: Int, files: Int) throws {
    let store = HistoryStore()
    store.apply(try (0..<checks).map { try makeCheck("check \($0)") }, now: midnight)
    #expect(store.shardCount == files)
  }

  /// A result that began more than five minutes before the last one is a clock set back, and what is now; any
  /// other is late.
  @Test(arguments: [(301, .down), (300, .down), (299, .up), (1, .up), (0, .down)] as [(Int64, CheckState)])
  func aLateArrivalOrAClockSetBack(seconds: Int64, state: CheckState) throws {
    let check = try makeCheck()
    let last = midnight + .seconds(600)
    let store = makeStore(
      check, runs: [Run(slot: last), Run(slot: last + .seconds(-seconds), state: .down)])
    let figures = try #require(store.figures(of: check.id, now: midnight + .seconds(610)))
    #expect(figures.state == state && figures.failures == (state == .down ? 1 : 0))
    #expect(figures.since == (state == .down ? last + .seconds(-seconds) : last))
    #expect(store.lastStates == [check.id: state])
  }

  /// A state keeps its age when the clock is set; one that began since the step has its time by the new clock.
  @Test(arguments: [-86_400, -3600, 12, 3600, 86_400] as [Int64])
  func aStateWhenTheClockIsSet(seconds: Int64) throws {
    let check = try makeCheck()
    let before = midnight + .seconds(640)
    let now = before + .seconds(seconds)
    let store = makeStore(check, runs: [Run(slot: midnight + .seconds(600), state: .degraded)])
    store.clockStepped(from: before, to: now)
    #expect(store.figures(of: check.id, now: now)?.since == now + .seconds(-40))
    let other = makeStore(
      check, runs: [Run(slot: midnight + .seconds(600)), Run(slot: now + .seconds(-4), state: .degraded)])
    other.clockStepped(from: before, to: now)
    #expect(other.figures(of: check.id, now: now)?.since == now + .seconds(-4))
  }

  /// The clock was set back between two runs of the agent.
  @Test func aStateOfAnEarlierRunThatLiesAhead() throws {
    let check = try makeCheck()
    let before = makeStore(check, runs: [Run(slot: midnight + .seconds(86_400), state: .degraded)])
    let after = HistoryStore(decoding: before.files())
    after.apply([check], now: midnight)
    for second in [10, 70] as [Int64] {
      after.record(
        Run(slot: midnight + .seconds(second), state: .degraded).result(of: check), interval: .seconds(60))
    }
    #expect(after.figures(of: check.id, now: midnight + .seconds(80))?.since == midnight + .seconds(10))
  }

  /// Both times of a result must be those of a sound clock.
  @Test func implausibleTimesAreInNoWindow() throws {
    let check = try makeCheck()
    let store = makeStore(check)
    for (slot, begin) in [(midnight, .epoch), (.epoch, midnight)] as [(Timestamp, Timestamp)] {
      var result = Run(slot: slot).result(of: check)
      result.startedAt = begin
      store.record(result, interval: check.interval)
    }
    let figures = try #require(store.figures(of: check.id, now: midnight + .seconds(60)))
    #expect(figures.implausible == 2 && figures.window(.quarter).counts == Tally())
    #expect(figures.spark.count == 2 && figures.counts.map(\.count) == [2])
    store.record(Run(slot: midnight).result(of: check), interval: check.interval)
    let next = try #require(store.figures(of: check.id, now: midnight + .seconds(60)))
    #expect(next.implausible == 2 && next.window(.day).counts.up == 1)
  }

  /// Its resource takes notice from so many failures on, and only while it is down.
  @Test(
    arguments: [
      (1, .down, true), (2, .down, true), (3, .down, false), (2, .up, false), (1, .unknown, false),
    ] as [(Int, CheckState, Bool)])
  func itFailsFromTheThresholdOn(threshold: Int, state: CheckState, isFailing: Bool) throws {
    let check = try makeCheck()
    let runs = [Run(slot: midnight, state: .down), Run(slot: midnight + .seconds(60), state: .down)]
    var figures = try #require(
      makeStore(check, runs: runs).figures(of: check.id, now: midnight + .seconds(70)))
    #expect(figures.failures == 2 && figures.failureThreshold == 1)
    (figures.failureThreshold, figures.state) = (threshold, state)
    #expect(figures.isFailing == isFailing)
  }

  /// The bytes of all that is kept may be exactly the limit; the newest result stays whatever it costs.
  @Test func theBytesThatAreKept() throws {
    let check = try makeCheck()
    var limit = KeepingLimit(checks: 1)
    for (less, count) in [(0, 3), (1, 2)] {
      var kept = KeptResults()
      for run in grid(3) { kept.append(run.result(of: check), KeepingLimit(checks: 1)) }
      limit.bytes = kept.bytes - less
      kept.trim(limit)
      #expect(kept.count == count)
      limit.bytes = 0
      kept.trim(limit)
      #expect(kept.count == 1 && kept.results.first?.scheduledAt == midnight + .seconds(120))
    }
  }

  /// Nearest rank of a point of a line: of 20 values the 19th, of 40 the 38th.
  @Test(arguments: [(1, 1), (19, 19), (20, 19), (21, 20), (40, 38)])
  func thePercentileOfAPoint(count: Int, rank: Int) throws {
    let check = try makeCheck()
    let store = makeStore(check)
    var values: [Int64] = [100]
    while values.count < count { values.append(values[values.count - 1] * 3 / 2) }
    for (value, run) in zip(values.reversed(), grid(count)) {
      var run = run
      run.latency = .microseconds(value)
      store.record(run.result(of: check), interval: check.interval)
    }
    for (period, error) in [(.day, 0.02), (.week, 0.02), (.month, 0.05), (.quarter, 0.05)]
      as [(UptimePeriod, Double)]
    {
      let now = midnight + .seconds(60 * count)
      let point = try #require(store.series(check.id, period, now: now, points: 2)?.last { $0.count > 0 })
      let found = Double(try #require(point.p95).microseconds)
      let exact = Double(values[rank - 1])
      #expect(abs(found - exact) <= exact * error, "\(period.rawValue)")
      #expect(point.count == count || period == .day)
    }
  }

  private func share(_ change: (inout WindowShare.Part) -> Void) -> WindowShare? {
    let now = midnight.microseconds
    var share = WindowShare(emptyAt: midnight)
    var bucket = Bucket(key: WindowShape.of(.day).key(of: now))
    bucket.seconds.up = 5
    share.parts[0].time = [bucket]
    change(&share.parts[0])
    return WindowShare(share.bytes, for: midnight)
  }

  /// What another member may say of a window: time only in its buckets, each in order and in the window, and
  /// no more of a standing than two lengths; counts and latencies only in the sums.
  @Test func whatAMemberMaySay() {
    let keys = WindowShape.of(.day).keys(now: midnight.microseconds)
    let width: Int64 = 300_000_000
    func at(_ key: Int64) -> Bucket {
      var bucket = Bucket(key: key)
      bucket.seconds.up = 1
      return bucket
    }
    let sound: [(inout WindowShare.Part) -> Void] = [
      { _ in }, { $0.time[0].seconds.down = 2 * width }, { $0.sums.counts.up = 3 },
      { $0.sums.latency = LatencySum(count: 1, sum: 1, minimum: 1, maximum: 1) }, { $0.sketch.add(7, 2) },
      { $0.time.insert(at(keys.lowerBound), at: 0) },
      { $0.time = keys.map(at) },
    ]
    for (place, change) in sound.enumerated() { #expect(share(change) != nil, "\(place)") }
    let refused: [(inout WindowShare.Part) -> Void] = [
      { $0.time[0].seconds.down = 2 * width + 1 }, { $0.time[0].counts.up = 1 },
      { $0.time[0].latency = LatencySum(count: 1, sum: 1, minimum: 1, maximum: 1) },
      { $0.time[0].sketch.add(7, 2) }, { $0.sums.seconds.up = 1 }, { $0.sums.sketch.add(7, 2) },
      { $0.time.insert(at(keys.lowerBound - 1), at: 0) }, { $0.time.append(at(keys.upperBound + 1)) },
      { $0.time.append(at(keys.upperBound)) }, { $0.time.append(at(keys.lowerBound)) },
    ]
    for (place, change) in refused.enumerated() { #expect(share(change) == nil, "\(place)") }
  }

  /// A share has the buckets of its windows and no other; one without any says so, also after the way to
  /// another member.
  @Test func aShareIsOfItsWindows() throws {
    let check = try makeCheck(interval: .seconds(3600))
    let store = makeStore(check, runs: grid(24 * 95, every: .seconds(3600)))
    let now = midnight + .seconds(95 * 86_400)
    let share = try #require(store.share(of: check.id, now: now))
    for (part, period) in zip(share.parts, UptimePeriod.allCases) {
      let keys = WindowShape.of(period).keys(now: now.microseconds)
      #expect(part.time.allSatisfy { keys.contains($0.key) } && !part.time.isEmpty)
    }
    #expect(!share.isEmpty && share.at == now)
    let empty = WindowShare(emptyAt: now)
    #expect(empty.isEmpty && WindowShare(empty.bytes, for: now)?.isEmpty == true)
    #expect(WindowShare(share.bytes, for: now) == share)
  }
}
