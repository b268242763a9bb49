// SPDX-License-Identifier: MIT

import Basics
import HistorySupport
import Monitoring
import Testing
@testable import History

/// Older forms of a file, and the greatest numbers of a day.
@Suite struct CodedLimitTests {
  private func bytes(_ write: (inout ByteWriter) -> Void) -> [UInt8] {
    var writer = ByteWriter()
    write(&writer)
    return writer.bytes
  }

  private func isDay(_ bytes: [UInt8]) -> Bool {
    var reader = ByteReader(bytes)
    return (try? DayFigures(from: &reader)) != nil && reader.atEnd
  }

  private struct Bound {
    let most: Int64
    let change: (inout DayFigures, Int64) -> Void

    init(_ most: Int64, _ change: @escaping (inout DayFigures, Int64) -> Void) {
      (self.most, self.change) = (most, change)
    }
  }

  /// What a day may say, so that those of thirteen months add up.
  @Test func theBoundsOfADay() {
    let width: Int64 = 86_400_000_000
    let bounds: [Bound] = [
      Bound(1 << 48) { $0.time.up = $1 },
      Bound(1 << 48) { $0.time.down = $1 },
      Bound(1 << 40) { $0.counts.up = $1 },
      Bound(1 << 40) { $0.counts.unknown = $1 },
      Bound(1 << 40) { $0.latencyCount = $1 },
      Bound(1 << 54) { ($0.latencyCount, $0.latencySum) = (1, $1) },
      Bound(1 << 32) { ($0.latencyCount, $0.p95) = (1, $1) },
      Bound(1 << 32) { $0.outages.begun = $1 },
      Bound(width) { $0.outages.longest = $1 },
      Bound(width) { $0.outages.lead = $1 },
      Bound(width) { $0.outages.tail = $1 },
      Bound(417_000) { $0.key = $1 },
    ]
    for (place, bound) in bounds.enumerated() {
      for (number, isSound) in [(bound.most, true), (bound.most + 1, false)] {
        var day = DayFigures(key: 7)
        bound.change(&day, number)
        #expect(isDay(bytes { day.encode(into: &$0) }) == isSound, "row \(place): \(number)")
      }
    }
    for (key, isSound) in [(-417_000, true), (-417_001, false)] as [(Int64, Bool)] {
      #expect(isDay(bytes { DayFigures(key: key).encode(into: &$0) }) == isSound)
    }
  }

  /// The rest of a day is up: where there is no rest, or the time up is said besides, it is no day.
  @Test func theRestOfADay() {
    let width: UInt64 = 86_400_000_000
    for (marks, numbers, isSound) in [
      (1, [], true), (1 << 9 | 1, [width - 1], true), (1 << 9 | 1, [width], false),
      (1 << 9 | 1, [width + 1], false), (1 << 7 | 1, [5], false), (1 << 7, [5], true),
      (1 << 7 | 1, [0], true),
    ] as [(UInt64, [UInt64], Bool)] {
      let stored = bytes { writer in
        writer.signed(7)
        writer.unsigned(marks)
        for number in numbers { writer.unsigned(number) }
      }
      #expect(isDay(stored) == isSound, "\(marks) \(numbers)")
    }
  }

  /// What a bucket of the windows cannot hold is cut to what a day can.
  @Test func aDayOfABucket() {
    var bucket = Bucket(key: 9)
    (bucket.seconds.up, bucket.seconds.down) = (1 << 48 + 1, -5)
    (bucket.counts.up, bucket.counts.unknown) = (1 << 40 + 1, -5)
    bucket.latency = LatencySum(count: 1 << 40 + 1, sum: 1 << 54 + 1, minimum: 7, maximum: 7)
    bucket.sketch.add(LatencyBins.bin(7, .coarse))
    let day = DayFigures(bucket)
    #expect(day.key == 9 && day.time.up == 1 << 48 && day.time.down == 0)
    #expect(day.counts.up == 1 << 40 && day.counts.unknown == 0)
    #expect(day.latencyCount == 1 << 40 && day.latencySum == 1 << 54 && day.p95 == 7)
    // Without a success that is in the sketch there are no figures of latency.
    bucket.sketch = LatencySketch()
    let bare = DayFigures(bucket)
    #expect(bare.latencyCount == 0 && bare.latencySum == 0 && bare.p95 == 0 && bare.time.up == 1 << 48)
    #expect(LatencyStats(bucket.latency, LatencySketch(), .fine) == nil)
    #expect(LatencyStats(LatencySum(), bucket.sketch, .fine) == nil)
  }

  /// Downtime from the day before is no outage that began, also where there was more than is known.
  @Test func anOutageFromTheDayBefore() {
    let hour: Int64 = 3_600_000_000
    var day = DayFigures(key: 3)
    let start = day.span.start
    day.time.down = 5 * hour
    day.explain([Span(start: start - hour, end: start + 2 * hour)])
    #expect(day.outages.begun == 0 && day.outages.lead == 2 * hour && day.outages.isPartial)
    #expect(day.outages.longest == 2 * hour && day.outages.tail == 0)
    // All of the day, from before it until after it.
    day.time.down = DayFigures.width
    day.explain([Span(start: start - hour, end: start + 30 * hour)])
    #expect(day.outages.begun == 0 && day.outages.lead == DayFigures.width && !day.outages.isPartial)
    #expect(day.outages.tail == DayFigures.width && day.outages.longest == DayFigures.width)
    // From its first instant on it is an outage of this day.
    day.explain([Span(start: start, end: start + 30 * hour)])
    #expect(day.outages.begun == 1 && day.outages.lead == 0)
  }

  /// Version 3 had outages and counts, and no days: these are those that the windows know.
  @Test func aFileOfVersion3() throws {
    let check = try makeCheck(interval: .seconds(3600))
    var history = CheckHistory()
    history.configure(check, now: midnight)
    var runs = grid(60, every: .seconds(3600))
    for hour in [5, 6, 30, 59] { runs[hour].state = .down }
    for run in runs {
      history.add(LastResult(run.result(of: check)), interval: check.interval, sequence: nil)
    }
    let whole = bytes { history.encode(into: &$0) }
    let days = bytes { history.timeline.past.encode(into: &$0) }
    // No outage has left yet: a byte says so from version 5 on.
    let stored4 = Array(whole.dropLast(1))
    for (version, stored) in [(3, Array(stored4.dropLast(days.count))), (4, stored4), (5, whole)]
      as [(UInt64, [UInt8])]
    {
      var reader = ByteReader(stored)
      var read = try CheckHistory(from: &reader, version: version)
      #expect(reader.atEnd)
      read.configure(check, now: midnight)
      #expect(read.counts.pairs == history.counts.pairs && read.counts.pairs.count == 2)
      let now = midnight + .seconds(60 * 3600)
      #expect(read.outages(now: now) == history.outages(now: now))
      #expect(read.outages(now: now)?.map(\.results) == [2, 1, 1])
      let period = CalendarPeriod.month(CalendarMonth(midnight))
      let one = read.periods(through: period, count: 1, now: now)
      let other = history.periods(through: period, count: 1, now: now)
      #expect(one?.periods == other?.periods && one?.periods.first?.outages == 3)
    }
  }

  /// Words of the newest verdict are those of one that is down.
  @Test func wordsWithoutAnOutageAreDamage() {
    let words = bytes { writer in
      writer.count(0)
      writer.bytes.append(1)
      OutageNote(reason: .body, phase: nil, message: "a").encode(into: &writer)
    }
    for state in [CheckState.up, .down] {
      var held = HeldVerdicts()
      held.add(
        Standing(state, maintenance: false), slot: midnight, interval: .seconds(60), startedAt: midnight,
        latency: nil)
      var reader = ByteReader(words)
      #expect(((try? held.decodeOutages(from: &reader)) != nil) == (state == .down))
      #expect((held.open?.note?.message) == (state == .down ? "a" : nil))
    }
  }

  /// Another kind of file is refused, also with a sound checksum.
  @Test func anotherKindOfFile() throws {
    let store = makeStore(try makeCheck(), runs: grid(3))
    let file = try #require(store.files().first?.bytes)
    func reading(_ change: (inout [UInt8]) -> Void) -> Bool {
      var body = Array(file.dropLast(4))
      change(&body)
      let checked = body + bytes { $0.fixed32(CRC32C.checksum(body)) }
      return HistoryStore(decoding: [StoredShard(number: 0, bytes: checked)]).damage == nil
    }
    #expect(reading { _ in })
    for place in 0..<4 { #expect(!reading { $0[place] ^= 1 }) }
    // Versions 2 to 5 are read; the others say nothing to this program.
    for version in [0, 1, 6, 127] as [UInt8] { #expect(!reading { $0[4] = version }) }
  }

  /// A line has two points at least and 300 at most.
  @Test func pointsOfALine() throws {
    let check = try makeCheck()
    let store = makeStore(check, runs: grid(100))
    let now = midnight + .seconds(6000)
    func line(_ points: Int) -> [SeriesPoint]? { store.series(check.id, .day, now: now, points: points) }
    #expect(line(1) == line(2) && line(0) == line(2) && line(-5) == line(2))
    #expect(line(1000) == line(300) && line(300)?.count == 288)
    let empty = WindowStatus(period: .day)
    #expect(empty.span == 0 && empty.enabled == 0 && empty.time == Tally() && empty.from == .epoch)
  }

  /// The names of a certificate cost their bytes, each.
  @Test func whatAChainCosts() throws {
    let long = String(repeating: "l", count: 16)
    func cost(_ subject: String, _ issuer: String, _ serial: String, _ hash: String, _ sans: [String]) throws
      -> Int
    {
      var result = Run(slot: midnight).result(of: try makeCheck())
      result.facts.tls = TLSFacts(
        verified: true,
        chain: [
          CertificateFacts(
            subject: subject, issuer: issuer, notBefore: .epoch, notAfter: .epoch, serial: serial,
            sha256: hash, sans: sans)
        ])
      return result.chainFootprint
    }
    let base = try cost("", "", "", "", [])
    #expect(base > 0)
    #expect(try cost(long, "", "", "", []) == base + 64)
    #expect(try cost("", long, "", "", []) == base + 64)
    #expect(try cost("", "", long, "", []) == base + 64)
    #expect(try cost("", "", "", long, []) == base + 64)
    let names = try cost("", "", "", "", ["a", "b"])
    #expect(names == base + (2 * 16 + 55) / 16 * 16)
    #expect(try cost("", "", "", "", [long, long]) == names + 2 * 64)
  }

  /// Of the newest verdict, which holds into the day after, days beyond those that are asked for are not told, nor what is yet
  /// to come.
  @Test(arguments: [(86_370, 30), (86_400, 60), (2 * 86_400, 60)]) func daysThatAreAskedFor(
    now: Int, up: Int64
  ) {
    var held = HeldVerdicts()
    let slot = midnight + .seconds(86_340)
    held.add(
      Standing(.up, maintenance: false), slot: slot, interval: .seconds(3600), startedAt: slot, latency: nil)
    let day = midnight.microseconds / 86_400_000_000
    let found = held.calendarDays(in: day..<day + 1, now: midnight + .seconds(now))
    #expect(found.map(\.key) == [day] && found.first?.time.up == up * 1_000_000)
  }
}
