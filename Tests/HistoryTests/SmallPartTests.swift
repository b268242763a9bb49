// SPDX-License-Identifier: MIT

import Basics
import HistorySupport
import Monitoring
import Testing
@testable import History

/// The parts of a history by themselves: what they keep, in which order, and up to how much.
@Suite struct SmallPartTests {
  /// The latest 40 runs, oldest first, each with its state; no time is not the time zero.
  @Test func theLatestFortyRuns() {
    let states: [CheckState] = [.up, .degraded, .down, .unknown]
    let points = (0..<45).map { number in
      SparkPoint(
        state: states[number % 4], responseTime: number % 3 == 0 ? nil : .microseconds(number - 1))
    }
    var line = SparkLine()
    for (number, point) in points.enumerated() {
      line.append(point)
      #expect(line.points == Array(points[max(0, number - 39)...number]) && line.count == min(40, number + 1))
    }
    line.append(SparkPoint(state: .down, responseTime: .microseconds(-5)))
    #expect(line.points.last == SparkPoint(state: .down, responseTime: .zero))
    line.append(SparkPoint(state: .up, responseTime: .microseconds(Int64(1) << 60 + 1)))
    #expect(line.points.last == SparkPoint(state: .up, responseTime: .microseconds(Int64(1) << 60)))
  }

  /// A sequence counts once, whatever comes again; a hole is open until it is filled, settled, or 4,096 are
  /// behind it.
  @Test func sequencesThatAreIn() {
    var applied = AppliedSequences()
    for sequence in [1, 2, 4, 2, 0, 3, 4, nil] as [UInt64?] { applied.add(sequence) }
    #expect(applied == AppliedSequences(through: 4))
    applied.settle(through: 3)
    #expect(applied == AppliedSequences(through: 4))
    applied.add(7)
    applied.add(9)
    #expect(applied.through == 4)
    applied.settle(through: 8)
    #expect(applied == AppliedSequences(through: 9))
    var holed = AppliedSequences()
    for sequence in 3..<(3 + 4096) as Range<UInt64> { holed.add(sequence) }
    #expect(holed.through == 0)
    holed.add(3 + 4096)
    #expect(holed == AppliedSequences(through: 3 + 4096))
  }

  private func claimed(_ spans: [(Int64, Int64)]) -> ClaimedTime {
    var claimed = ClaimedTime()
    for (start, end) in spans { _ = claimed.claim(Span(start: start, end: end)) }
    return claimed
  }

  private func ends(_ claimed: ClaimedTime) -> [Int64] { claimed.spans.flatMap { [$0.start, $0.end] } }

  /// What touches is one; what lies in a gap stands by itself; nothing is nothing.
  @Test func claimsStandApart() {
    #expect(ends(claimed([(5, 5), (7, 6)])) == [])
    #expect(ends(claimed([(0, 10), (10, 20)])) == [0, 20])
    var time = claimed([(0, 10), (20, 30), (40, 50)])
    #expect(time.claim(Span(start: 32, end: 38)) == [Span(start: 32, end: 38)])
    #expect(ends(time) == [0, 10, 20, 30, 32, 38, 40, 50])
    #expect(time.claim(Span(start: 30, end: 32)) == [Span(start: 30, end: 32)])
    #expect(ends(time) == [0, 10, 20, 38, 40, 50])
    #expect(time.claim(Span(start: 38, end: 40)) == [Span(start: 38, end: 40)])
    #expect(ends(time) == [0, 10, 20, 50])
    #expect(time.claim(Span(start: 20, end: 50)) == [] && ends(time) == [0, 10, 20, 50])
  }

  /// A clock set back gives free what is after it, and what no window reaches is forgotten.
  @Test func claimsAreGivenBack() {
    for (instant, left) in [
      (50, [0, 10, 20, 30, 40, 50]), (45, [0, 10, 20, 30, 40, 45]), (40, [0, 10, 20, 30]),
      (25, [0, 10, 20, 25]), (20, [0, 10]), (5, [0, 5]), (0, []), (-1, []),
    ] as [(Int64, [Int64])] {
      var time = claimed([(0, 10), (20, 30), (40, 50)])
      time.release(after: instant)
      #expect(ends(time) == left, "after \(instant)")
    }
    for (instant, first) in [(10, 0), (11, 20), (30, 20), (31, 40), (50, 40)] as [(Int64, Int64)] {
      var time = claimed([(0, 10), (20, 30), (40, 50)])
      time.forget(before: instant)
      #expect(time.spans.first?.start == first)
    }
    var time = claimed([(0, 10)])
    time.forget(before: 11)
    #expect(time.spans == [])
  }

  /// 128 stretches are kept, then the two oldest become one; the same of the time a check was on.
  @Test func oneHundredAndTwentyEightStretches() {
    var (time, enabled) = (ClaimedTime(), EnabledTime())
    for number in 0..<130 as Range<Int64> {
      _ = time.claim(Span(start: number * 10, end: number * 10 + 5))
      enabled.set(true, at: number * 10)
      enabled.set(false, at: number * 10 + 5)
      let first = Span(start: 0, end: max(0, number - 127) * 10 + 5)
      let last = Span(start: number * 10, end: number * 10 + 5)
      for spans in [time.spans, enabled.spans] {
        #expect(spans.count == min(128, Int(number) + 1) && spans.first == first && spans.last == last)
      }
    }
  }

  /// To be switched on twice is nothing, and to be on for no time as well.
  @Test func switchedOnAndOff() {
    var enabled = EnabledTime()
    enabled.set(false, at: 5)
    #expect(enabled.spans == [] && !enabled.isOpen)
    enabled.set(true, at: 10)
    enabled.set(true, at: 20)
    #expect(enabled.spans == [Span(start: 10, end: .max)] && enabled.isOpen)
    enabled.prove(at: 12)
    #expect(enabled.spans == [Span(start: 10, end: .max)])
    enabled.prove(at: 7)
    #expect(enabled.spans == [Span(start: 7, end: .max)])
    enabled.set(false, at: 30)
    enabled.set(true, at: 40)
    enabled.set(false, at: 40)
    #expect(enabled.spans == [Span(start: 7, end: 30)])
    let apart = united([Span(start: 8, end: 9), Span(start: 1, end: 3), Span(start: 3, end: 5)])
    #expect(apart == [Span(start: 1, end: 5), Span(start: 8, end: 9)])
    #expect(united([Span(start: 1, end: 9), Span(start: 2, end: 3)]) == [Span(start: 1, end: 9)])
  }

  /// A full series gives up the bucket furthest from the one that comes, and never has one more than it may.
  @Test func aLateBucketInAFullSeries() {
    func keys(_ counted: [Int64]) -> [Int64] {
      var series = BucketSeries(SeriesShape(width: 10, windows: [3]))
      for key in counted { series.count(.up, at: key * 10 + 9, latency: nil) }
      var found: [Int64] = []
      series.forEach { found.append($0.key) }
      return found
    }
    #expect(keys([0, 2, 4]) == [0, 2, 4])
    #expect(keys([0, 2, 4, 6]) == [0, 2, 4, 6])
    #expect(keys([0, 2, 4, 6, 5]) == [2, 4, 5, 6])
    #expect(keys([0, 2, 4, 6, 5, 5, 2]) == [2, 4, 5, 6])
    #expect(keys([0, 2, 4, 6, -1]) == [-1, 0, 2, 4])
    #expect(keys([0, 2, 4, 6, 7]) == [2, 4, 6, 7])
  }

  /// While there is one bucket there are no windows to pay for.
  @Test func oneBucketHasNoWindows() {
    var series = BucketSeries(SeriesShape(width: 10, windows: [3, 6]))
    for _ in 0..<3 { series.count(.up, at: 55, latency: nil) }
    #expect(series.footprint == 0)
    series.count(.up, at: 65, latency: nil)
    #expect(series.footprint >= 2 * MemoryLayout<SeriesWindow>.stride)
  }

  /// Of two kinds of check each has histograms of its own, for the whole and for each part.
  @Test func histogramsOfTwoKinds() throws {
    #expect(LatencyHistogram().counts.count == 16 && LatencyHistogram().fineCounts.count == 225)
    var histograms = ResultHistograms()
    for (type, microseconds) in [(.tcp, 5), (.http, 7), (.tcp, 11)] as [(CheckType, Int)] {
      var result = Run(slot: midnight, latency: .microseconds(microseconds)).result(of: try makeCheck())
      result.type = type
      result.facts.timings = Timings(dns: .microseconds(microseconds), tls: .microseconds(1))
      histograms.add(result)
    }
    #expect(histograms.responses.map(\.type) == [.tcp, .http])
    #expect(histograms.responses.map(\.times.sum) == [16, 7])
    #expect(histograms.phases.map(\.type) == [.tcp, .tcp, .http, .http])
    #expect(histograms.phases.map(\.part) == [.dns, .tls, .dns, .tls])
    #expect(histograms.phases.map(\.times.sum) == [16, 2, 7, 1])
  }

  /// Outages of a day that two looks know in part: the greater of each number, whichever look has it.
  @Test func twoLooksAtADay() {
    var (earlier, later) = (DayFigures(key: 1), DayFigures(key: 1))
    (earlier.time.down, later.time.down) = (50, 60)
    (earlier.outages.begun, earlier.outages.longest, earlier.outages.tail) = (5, 40, 1)
    (later.outages.begun, later.outages.longest, later.outages.lead) = (7, 30, 2)
    later.outages.isPartial = true
    let outages = later.since(earlier).outages
    #expect(outages.begun == 7 && outages.longest == 40 && outages.lead == 2 && outages.tail == 1)
    #expect(outages.isPartial)
    // One that was assumed is none of those that were counted.
    (later.outages.begun, later.outages.longest) = (1, 0)
    #expect(later.since(earlier).outages.begun == 5)
    earlier.outages.longest = 0
    (earlier.outages.begun, later.outages.begun) = (0, 1)
    #expect(later.since(earlier).outages.begun == 1)
  }

  /// The bytes of a text: none up to 15; else with its end and two headers, in steps of 16. Each text of a
  /// result counts.
  @Test func whatATextCosts() throws {
    let base = Run(slot: midnight).result(of: try makeCheck())
    func cost(_ change: (inout CheckResult) -> Void) -> Int {
      var result = base
      change(&result)
      return result.footprint - base.footprint
    }
    for (length, bytes) in [(0, 0), (15, 0), (16, 64), (23, 64), (24, 80), (39, 80), (40, 96)] {
      #expect(cost { $0.message = String(repeating: "m", count: length) } == bytes, "\(length)")
    }
    let long = String(repeating: "l", count: 16)
    #expect(cost { $0.facts.httpVersion = long } == 64 && cost { $0.facts.excerpt = long } == 64)
    #expect(cost { $0.facts.tls = TLSFacts(version: long, verified: true) } == 64)
    #expect(cost { $0.facts.tls = TLSFacts(cipher: long, verified: true) } == 64)
    #expect(cost { $0.facts.tls = TLSFacts(verified: false, verifyError: long) } == 64)
    func dns(_ rcode: String, _ transport: String) -> DNSFacts {
      DNSFacts(rcode: rcode, answers: [], authoritative: true, truncated: false, transport: transport)
    }
    #expect(cost { $0.facts.dns = dns(long, "udp") } == 64 && cost { $0.facts.dns = dns("", long) } == 64)
    let hop = cost { $0.facts.hops = [Hop(url: "u")] }
    #expect(hop == (MemoryLayout<Hop>.stride + 55) / 16 * 16)
    #expect(cost { $0.facts.hops = [Hop(url: long)] } == hop + 64)
    #expect(cost { $0.facts.hops = [Hop(url: "u", address: long)] } == hop + 64)
    let assertion = cost { $0.facts.assertions = [Assertion(what: "", expected: "", actual: "", ok: true)] }
    #expect(
      cost { $0.facts.assertions = [Assertion(what: long, expected: long, actual: long, ok: true)] }
        == assertion + 3 * 64)
  }

  /// One damaged file of one, of several, and several of several.
  @Test(
    arguments: [
      (1, 1, "1 of 1 history file is damaged or of another version: its windows"),
      (1, 2, "1 of 2 history files is damaged or of another version: its windows"),
      (2, 3, "2 of 3 history files are damaged or of another version: their windows"),
    ])
  func damagedFiles(damaged: Int, files: Int, words: String) throws {
    let check = try makeCheck()
    let store = makeStore(check)
    store.record(Run(slot: midnight).result(of: check), interval: check.interval)
    let whole = StoredShard(number: 0, bytes: try #require(store.shard(0)).bytes)
    var reading = HistoryReading()
    for number in 0..<files {
      reading.add(number < damaged ? StoredShard(number: number, bytes: [1, 2, 3]) : whole)
    }
    #expect(
      reading.damage?.what == words + " are rebuilt from the store of results as far as it reaches")
  }
}
