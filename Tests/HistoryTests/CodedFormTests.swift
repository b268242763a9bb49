// SPDX-License-Identifier: MIT

import Basics
import HistorySupport
import Monitoring
import Testing
@testable import History

/// What a file may say, on both sides of each bound, and what is written for one fact at a time.
@Suite struct CodedFormTests {
  private func bytes(_ write: (inout ByteWriter) -> Void) -> [UInt8] {
    var writer = ByteWriter()
    write(&writer)
    return writer.bytes
  }

  private func isRead<Value>(_ bytes: [UInt8], _ read: (inout ByteReader) throws -> Value) -> Bool {
    var reader = ByteReader(bytes)
    do {
      _ = try read(&reader)
      return reader.atEnd
    } catch {
      return false
    }
  }

  /// The sequence, and the counts of missed, spanned and failed runs.
  @Test(arguments: [(0, 62), (1, 48), (2, 48), (3, 48)]) func theNumbersOfACheck(place: Int, power: Int) {
    let empty = bytes { CheckHistory().encode(into: &$0) }
    for (number, isSound) in [(0, true), (UInt64(1) << power, true), (UInt64(1) << power + 1, false)] {
      let head = bytes { writer in
        for index in 0..<4 { writer.unsigned(index == place ? number : 0) }
      }
      #expect(isRead(head + empty[4...]) { try CheckHistory(from: &$0, version: 5) } == isSound, "\(number)")
    }
  }

  /// The newest verdict: its slot within 1,100 years, its interval between a microsecond and 35 years, a standing that
  /// is.
  @Test(
    arguments: [
      (0, 1, 0, true), (-1 << 55, 60, 1, true), (1 << 55, 60, 2, true), (-1 << 55 - 1, 60, 0, false),
      (1 << 55 + 1, 60, 0, false), (0, 0, 0, false), (0, -1, 0, false), (0, 1 << 50, 3, true),
      (0, 1 << 50 + 1, 3, false), (0, 60, 4, true), (0, 60, 5, false),
    ] as [(Int64, Int64, UInt8, Bool)])
  func theNewestVerdict(slot: Int64, interval: Int64, standing: UInt8, isSound: Bool) {
    let empty = bytes { HeldVerdicts().encode(into: &$0) }
    let head = bytes { writer in
      writer.bytes.append(1)
      writer.signed(slot)
      writer.signed(interval)
      writer.bytes.append(standing)
    }
    #expect(isRead(head + empty[1...]) { try HeldVerdicts(from: &$0) } == isSound)
  }

  /// Spans of time: within 1,100 years, in order, apart or touching; only an end may be open.
  @Test(
    arguments: [
      ([], true), ([(0, 1)], true), ([(0, 0)], false), ([(1, 0)], false), ([(0, .max)], true),
      ([(0, .max - 1)], false), ([(-1 << 55, 1 << 55)], true), ([(-1 << 55 - 1, 0)], false),
      ([(0, 1 << 55 + 1)], false), ([(0, 5), (5, 9)], true), ([(0, 5), (4, 9)], false),
      ([(0, 5), (7, .max)], true), ([(7, 9), (0, 5)], false),
    ] as [([(Int64, Int64)], Bool)])
  func spansOfTime(spans: [(Int64, Int64)], isSound: Bool) {
    let written = spans.map { Span(start: $0.0, end: $0.1) }
    let stored = bytes { encodeSpans(written, into: &$0) }
    #expect(isRead(stored) { try decodeSpans(from: &$0) } == isSound)
    var reader = ByteReader(stored)
    if isSound { #expect((try? decodeSpans(from: &reader)) == written) }
  }

  /// Buckets stand in order, each once, as many as are told and as fit, and the newest after them.
  @Test(
    arguments: [
      ([], 0, nil, true), ([], 1, nil, false), ([1, 2, 3], 3, 4, true), ([1, 2, 3], 2, 4, false),
      ([1, 2, 3], 4, 4, false), ([2, 2], 2, 4, false), ([2, 1], 2, 4, false), ([1, 2], 2, 2, false),
      ([1, 2], 2, 1, false), ([1], 1, nil, false), ([-3, -2, -1, 0], 4, 1, true),
      ([1, 2, 3, 4, 5], 5, 6, false), ([], 0, 1 << 31 - 1, true), ([], 0, 1 << 31, false),
      ([], 0, -1 << 31, true), ([], 0, -1 << 31 - 1, false),
    ] as [([Int64], UInt64, Int64?, Bool)])
  func theBucketsOfASeries(keys: [Int64], told: UInt64, newest: Int64?, isSound: Bool) {
    func payload(_ key: Int64) -> [UInt8] {
      var bucket = Bucket(key: key)
      bucket.counts.up = 1
      return bytes { bucket.encode(into: &$0) }
    }
    let log = bytes { writer in
      for key in keys {
        writer.fixed32(UInt32(bitPattern: Int32(key)))
        writer.blob(payload(key))
      }
    }
    let stored = bytes { writer in
      writer.unsigned(told)
      writer.blob(log)
      writer.bytes.append(newest == nil ? 0 : 1)
      if let newest {
        writer.signed(newest)
        writer.bytes += payload(newest)
      }
    }
    var series = BucketSeries(SeriesShape(width: 10, windows: [3]))
    #expect(isRead(stored) { try series.decode(from: &$0) } == isSound)
    guard isSound, let newest else { return }
    var found: [Int64] = []
    series.forEach { found.append($0.key) }
    #expect(found == keys + [newest])
    #expect(series.totals(0, now: newest * 10).counts.up == Int64(min(3, keys.count + 1)))
  }

  /// A bucket comes back with each of its fields alone, also a single success.
  @Test func aBucketComesBack() throws {
    var buckets: [Bucket] = []
    for standing in Standing.allCases {
      var (timed, counted) = (Bucket(key: 3), Bucket(key: 3))
      timed.seconds[standing] = 1 << 48
      counted.counts[standing] = 1 << 40
      buckets += [timed, counted]
    }
    var measured = Bucket(key: 3)
    measured.latency = LatencySum(count: 1, sum: 7, minimum: 7, maximum: 7)
    measured.sketch.add(5, 2)
    buckets += [measured, Bucket(key: 3)]
    for bucket in buckets {
      var reader = ByteReader(bytes { bucket.encode(into: &$0) })
      #expect(try Bucket(key: 3, from: &reader) == bucket && reader.atEnd)
    }
    // Beyond the bounds of what adds up.
    for standing in Standing.allCases {
      var (timed, counted) = (Bucket(key: 3), Bucket(key: 3))
      timed.seconds[standing] = 1 << 48 + 1
      counted.counts[standing] = 1 << 40 + 1
      for bucket in [timed, counted] {
        #expect(!isRead(bytes { bucket.encode(into: &$0) }) { try Bucket(key: 3, from: &$0) })
      }
    }
    for latency in [
      LatencySum(count: 1 << 40 + 1, sum: 1, minimum: 1, maximum: 1),
      LatencySum(count: 1, sum: 1 << 54 + 1, minimum: 1, maximum: 1),
      LatencySum(count: 1, sum: 1, minimum: 1 << 32 + 1, maximum: 1 << 32 + 1),
      LatencySum(count: 1, sum: 1, minimum: 0, maximum: 1 << 32 + 1),
      LatencySum(count: 1, sum: 1, minimum: -1, maximum: 1),
    ] {
      var bucket = Bucket(key: 3)
      bucket.latency = latency
      #expect(!isRead(bytes { bucket.encode(into: &$0) }) { try Bucket(key: 3, from: &$0) })
    }
  }

  private struct DayRow {
    let marks: UInt64
    let change: (inout DayFigures) -> Void

    init(_ bits: [UInt64], _ change: @escaping (inout DayFigures) -> Void) {
      (marks, self.change) = (bits.reduce(0) { $0 | 1 << $1 }, change)
    }
  }

  /// The form of a day is fixed: years of files have it. Each fact alone has a mark of its own.
  @Test func aDayOfOneFact() throws {
    let rows: [DayRow] = [
      DayRow([]) { _ in },
      DayRow([0]) { $0.time.up = DayFigures.width },
      DayRow([7]) { $0.time.up = 5 },
      DayRow([8]) { $0.time.degraded = 5 },
      DayRow([9]) { $0.time.down = 5 },
      DayRow([10]) { $0.time.unknown = 5 },
      DayRow([11]) { $0.time.maintenance = 5 },
      DayRow([1]) { $0.counts.up = 5 },
      DayRow([12]) { $0.counts.degraded = 5 },
      DayRow([13]) { $0.counts.down = 5 },
      DayRow([14]) { $0.counts.unknown = 5 },
      DayRow([15]) { $0.counts.maintenance = 5 },
      DayRow([2]) { ($0.latencyCount, $0.latencySum, $0.p95) = (3, 900, 400) },
      DayRow([4]) { $0.outages.begun = 2 },
      DayRow([4]) { $0.outages.longest = 7 },
      DayRow([5, 9]) { ($0.time.down, $0.outages.begun, $0.outages.longest) = (9, 1, 9) },
      DayRow([4, 9]) { ($0.time.down, $0.outages.begun, $0.outages.longest) = (9, 1, 8) },
      DayRow([16]) { $0.outages.lead = 5 },
      DayRow([17]) { $0.outages.tail = 5 },
      DayRow([18]) { $0.outages.isPartial = true },
    ]
    for row in rows {
      var day = DayFigures(key: 9)
      #expect(day.p95 == 0 && day.known == 0 && day.outages == DayOutages())
      row.change(&day)
      let stored = bytes { day.encode(into: &$0) }
      var reader = ByteReader(stored)
      #expect(try reader.signed() == 9)
      #expect(try reader.unsigned() == row.marks)
      reader = ByteReader(stored)
      #expect(try DayFigures(from: &reader) == day && reader.atEnd)
    }
  }

  /// A day that begins within an archive takes its place in the file, too.
  @Test func anArchiveWithALateDayIsRead() throws {
    var archive = DayArchive()
    for key in [3, 5, 4, 9, 1] as [Int64] {
      var day = DayFigures(key: key)
      day.counts.up = key
      archive.put(day)
    }
    archive.settle(before: 10)
    var reader = ByteReader(bytes { archive.encode(into: &$0) })
    let read = try DayArchive(from: &reader)
    #expect(reader.atEnd && read == archive && read.first == 1)
    #expect(read.days(in: 0..<100).map(\.key) == [1, 3, 4, 5, 9])
    #expect(read.days(in: 4..<9).map(\.counts.up) == [4, 5])
    #expect(read.days(in: 10..<20).isEmpty)
  }

  /// Pairs of a state and a reason, each once, up to a million million.
  @Test func theCountsOfResults() throws {
    var counts = ResultCounts()
    for reason in [Reason.connectRefused, .body, .connectRefused] { counts.add(.down, reason) }
    counts.add(.degraded, .body)
    #expect(counts.pairs.map(\.count) == [2, 1, 1])
    let stored = bytes { counts.encode(into: &$0) }
    var reader = ByteReader(stored)
    #expect(try ResultCounts(from: &reader).pairs == counts.pairs)
    for (pairs, isSound) in [
      ([("down", "body", 1 << 40)], true), ([("down", "body", 1 << 40 + 1)], false),
      ([("down", "body", -1)], false), ([("down", "body", 1), ("down", "body", 1)], false),
      ([("down", "body", 1), ("degraded", "body", 1)], true), ([("asleep", "body", 1)], false),
      ([("down", "no_such_reason", 1)], false),
    ] as [([(String, String, Int64)], Bool)] {
      let stored = bytes { writer in
        writer.count(pairs.count)
        for (state, reason, count) in pairs {
          writer.text(state)
          writer.text(reason)
          writer.signed(count)
        }
      }
      #expect(isRead(stored) { try ResultCounts(from: &$0) } == isSound, "\(pairs)")
    }
  }
}
