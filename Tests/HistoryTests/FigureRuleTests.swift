// SPDX-License-Identifier: MIT

import Basics
import HistorySupport
import Monitoring
import Testing
@testable import History

/// What a check's figures say of its definition and of its results, and to which month they belong.
@Suite struct FigureRuleTests {
  /// All of the definition that a list shows.
  @Test func theDefinitionIsInTheFigures() throws {
    var definition = CheckDefinition()
    (definition.name, definition.type) = ("Shop", "tcp")
    (definition.host, definition.port) = ("shop.example", 443)
    definition.resource = "00000000-0000-4000-8000-000000000009"
    (definition.interval, definition.timeout) = (.seconds(90), .seconds(7))
    (definition.plan.tags, definition.plan.failureThreshold) = (["web", "eu"], 3)
    definition.plan.runbook = "https://runbook.example/shop"
    let check = try MonitoringCheck(definition)
    let store = makeStore(check)
    let figures = try #require(store.figures(of: check.id, now: midnight))
    #expect(figures.id == check.id && figures.name == "Shop" && figures.type == .tcp)
    #expect(figures.target == check.target && figures.tags == ["web", "eu"] && figures.enabled)
    #expect(figures.interval == .seconds(90) && figures.timeout == .seconds(7))
    #expect(figures.resourceID == check.resourceID && figures.resourceID != nil)
    #expect(figures.failureThreshold == 3 && figures.runbook == "https://runbook.example/shop")
    // Before its first result nothing is known of it.
    #expect(figures.state == .unknown && figures.since == nil && figures.last == nil && !figures.stale)
    #expect(figures.missed == 0 && figures.spanned == 0 && figures.implausible == 0 && figures.failures == 0)
    #expect(figures.counts.isEmpty && figures.latency == LatencyTotal() && figures.spark.isEmpty)
    #expect(figures.outage == nil && figures.lastOutage == nil)
    #expect(figures.windows.map(\.period) == UptimePeriod.allCases)
    #expect(figures.windows.map { figures.window($0.period).from } == figures.windows.map(\.from))
    definition.plan.enabled = false
    store.apply([try MonitoringCheck(definition)], now: midnight)
    #expect(store.figures(of: check.id, now: midnight)?.enabled == false)
  }

  /// The last result, in what a list shows of it.
  @Test func theLastResultIsInTheFigures() throws {
    let check = try makeCheck()
    var result = Run(slot: midnight, state: .down, delay: .milliseconds(250)).result(of: check)
    (result.facts.statusCode, result.facts.responseTime) = (503, .milliseconds(12))
    result.facts.tls = TLSFacts(verified: true, notAfter: midnight + .seconds(777))
    result.maintenance = true
    let store = makeStore(check)
    store.record(result, interval: check.interval)
    let last = try #require(store.figures(of: check.id, now: midnight + .seconds(1))?.last)
    #expect(
      last
        == LastResult(
          scheduledAt: midnight, startedAt: midnight + .milliseconds(250), state: .down,
          reason: .connectRefused, phase: .connect, statusCode: 503, responseTime: .milliseconds(12),
          certificateNotAfter: midnight + .seconds(777), message: "refused", maintenance: true))
    // The same by the way over the store of results.
    let replayed = HistoryStore()
    replayed.apply([check], now: midnight)
    let record = DeliveryRecord(result, agent: "test-1", flags: [])
    replayed.replay(QueuedRecord(sequence: 1, record: record), interval: check.interval)
    #expect(replayed.figures(of: check.id, now: midnight + .seconds(1))?.last == last)
  }

  /// What other places decided is no time of this one: what failed here took no time to work.
  @Test(arguments: [true, false]) func aRegionalVerdictHasNoLatency(isRegional: Bool) throws {
    let check = try makeCheck()
    var result = Run(slot: midnight, latency: .milliseconds(30)).result(of: check)
    if isRegional { result.reason = .regional }
    let store = makeStore(check)
    store.record(result, interval: check.interval)
    let figures = try #require(store.figures(of: check.id, now: midnight + .seconds(60)))
    #expect(figures.latency.count == (isRegional ? 0 : 1))
    #expect(figures.latency.microseconds == (isRegional ? 0 : 30_000))
    #expect((figures.window(.day).latency == nil) == isRegional && figures.window(.day).counts.up == 1)
  }

  /// Response times are counted for this process: what was replayed is in the windows only. Implausible times are counted of both.
  @Test func whatThisProcessCounts() throws {
    let check = try makeCheck()
    let store = HistoryStore()
    store.apply([check], now: midnight)
    for (sequence, slot) in [(1, midnight), (2, .epoch)] as [(UInt64, Timestamp)] {
      store.replay(Run(slot: slot).record(of: check, sequence: sequence), interval: check.interval)
    }
    store.replayed(through: 2, now: midnight + .seconds(60))
    let before = try #require(store.figures(of: check.id, now: midnight + .seconds(60)))
    #expect(before.latency == LatencyTotal() && before.implausible == 1)
    #expect(before.window(.day).counts.up == 1 && before.window(.day).latency?.count == 1)
    for (sequence, slot) in [(3, midnight + .seconds(60)), (4, .epoch)] as [(UInt64, Timestamp)] {
      store.record(Run(slot: slot).result(of: check), interval: check.interval, sequence: sequence)
    }
    let after = try #require(store.figures(of: check.id, now: midnight + .seconds(120)))
    // Of two successes, one of which has no place in the windows.
    #expect(after.latency.count == 2 && after.latency.microseconds == 20_000 && after.implausible == 2)
    #expect(after.window(.day).counts.up == 2 && after.window(.day).latency?.count == 2)
  }

  /// An outage belongs to the months that it touches.
  @Test func outagesOfTheirMonths() throws {
    let check = try makeCheck(interval: .seconds(3600))
    let store = makeStore(check)
    let february = midnight + .seconds(31 * 86_400)
    let down = Set([-1, 0, 1, 240, 241].map { february + .seconds(3600 * $0) })
    for run in grid(59 * 24, every: .seconds(3600)) {
      var run = run
      if down.contains(run.slot) { run.state = .down }
      store.record(run.result(of: check), interval: check.interval)
    }
    let now = midnight + .seconds(59 * 86_400)
    func begins(_ period: CalendarPeriod) -> [Timestamp]? {
      store.periods(through: period, count: 1, now: now)[check.id]?.outages.map(\.begin)
    }
    let january = CalendarPeriod.month(CalendarMonth(midnight))
    let (first, second) = (february + .seconds(-3600), february + .seconds(240 * 3600))
    #expect(begins(january) == [first])
    #expect(begins(january.adding(1)) == [first, second])
    #expect(begins(january.adding(2)) == [] && begins(january.adding(-1)) == [])
  }

  /// Bins of the sketches: single microseconds up to 50, then 4 % wide; a coarse one is two of them.
  @Test(
    arguments: [
      (0, 0, 0, 0, 0), (1, 1, 1, 0, 0), (49, 49, 49, 48, 48), (50, 50, 50, 50, 51), (51, 50, 50, 50, 51),
      (52, 51, 52, 50, 51), (53, 51, 52, 50, 51), (54, 52, 54, 52, 55),
    ] as [(Int64, UInt16, Int64, UInt16, Int64)])
  func binsAndTheirValues(
    microseconds: Int64, fine: UInt16, fineValue: Int64, coarse: UInt16, coarseValue: Int64
  ) {
    #expect(LatencyBins.bin(microseconds, .fine) == fine)
    #expect(LatencyBins.value(fine, .fine) == fineValue)
    #expect(LatencyBins.bin(microseconds, .coarse) == coarse)
    #expect(LatencyBins.value(coarse, .coarse) == coarseValue)
  }

  /// The median, two others and the tail: each percent has its own rank.
  @Test func fourPercentsHaveFourRanks() throws {
    var sketch = LatencySketch()
    var sum = LatencySum()
    for value in 1...100 as ClosedRange<Int64> {
      sketch.add(UInt16(value))
      sum.merge(LatencySum(count: 1, sum: value, minimum: 0, maximum: 1 << 32))
    }
    let stats = try #require(LatencyStats(sum, sketch, .fine))
    let values = [50, 90, 95, 99].map { Duration.microseconds(LatencyBins.value(UInt16($0), .fine)) }
    #expect([stats.p50, stats.p90, stats.p95, stats.p99] == values)
    #expect(stats.count == 100 && stats.mean == .microseconds(50))
  }
}
