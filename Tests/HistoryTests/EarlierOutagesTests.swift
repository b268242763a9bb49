// SPDX-License-Identifier: MIT

import Basics
import HistorySupport
import Monitoring
import Testing
@testable import History

/// Sums of outages that are not kept any more: those that are told as one keep their begin and their number.
@Suite struct EarlierOutagesTests {
  private static let minute: Int64 = 60_000_000

  /// Outages of a minute each, which begin in these minutes.
  private func log(_ minutes: [Int64]) -> OutageLog {
    var log = OutageLog()
    let note = OutageNote(reason: .body, phase: nil, message: nil)
    for minute in minutes {
      let start = minute * Self.minute
      log.add(OutageSpan(Span(start: start, end: start + Self.minute), note, isResult: true))
    }
    return log
  }

  private func words(_ earlier: EarlierOutages?, from start: Timestamp = .epoch) -> String {
    guard let earlier else { return "none" }
    let begin = start.duration(to: earlier.begin).microseconds / Self.minute
    return "\(earlier.count) from \(begin), \(earlier.length.microseconds / Self.minute) min"
  }

  /// What leaves within half an hour is added; what leaves later takes the place of the sums.
  @Test(
    arguments: [
      ([0, 2, 4], 3, "none"), ([0, 2, 4], 2, "1 from 0, 1 min"), ([0, 2, 4, 6], 2, "2 from 0, 2 min"),
      ([0, 30, 60, 62], 1, "3 from 0, 3 min"), ([0, 31, 60, 62], 1, "2 from 31, 2 min"),
      ([0, 2, 40, 42], 2, "2 from 0, 2 min"), ([0, 2, 40, 42], 1, "1 from 40, 1 min"),
    ] as [([Int64], Int, String)])
  func whatLeaves(minutes: [Int64], limit: Int, found: String) throws {
    var all = log(minutes)
    all.trim(limit)
    #expect(words(all.earlier) == found && all.spans.count == min(limit, minutes.count))
    // The same where they leave one after the other.
    var other = log(minutes)
    for left in (limit...max(limit, minutes.count)).reversed() { other.trim(left) }
    #expect(other.earlier == all.earlier)
    var writer = ByteWriter()
    all.encodeEarlier(into: &writer)
    var (reader, read) = (ByteReader(writer.bytes), OutageLog())
    try read.decodeEarlier(from: &reader)
    #expect(reader.atEnd && read.earlier == all.earlier)
  }

  /// Begin and end, number, down time: one at most, of instants that are, and none of nothing.
  @Test(
    arguments: [
      ([0], true), ([2], false), ([1, 0, 2, 1, 2], true), ([1, 2, 2, 1, 2], false), ([1, 4, 2, 1, 2], false),
      ([1, 0, 2, 0, 2], false), ([1, 0, 2, 1, 0], false), ([1, 0, 2, 1, 1], false), ([1, 0, 2, 1], false),
    ] as [([UInt8], Bool)])
  func whatAFileMaySay(bytes: [UInt8], isSound: Bool) {
    var (reader, log) = (ByteReader(bytes), OutageLog())
    #expect(((try? log.decodeEarlier(from: &reader)) != nil) == isSound)
  }

  /// Down for a minute, every other minute.
  private func flaps(_ count: Int) -> [Run] {
    grid(2 * count).enumerated().map { place, run in
      Run(slot: run.slot, state: place.isMultiple(of: 2) ? .down : .up)
    }
  }

  /// Of 70 outages the latest 64 are kept, and the six before as sums, also after a restart.
  @Test func sumsSurviveARestart() throws {
    let check = try makeCheck()
    let store = makeStore(check, runs: flaps(70))
    let now = midnight + .seconds(140 * 60)
    let restored = HistoryStore(decoding: store.files())
    restored.apply([check], now: now)
    for store in [store, restored] {
      let outages = try #require(store.outages(check.id, now: now))
      #expect(outages.count == 64 && outages.first?.begin == midnight + .seconds(720))
      let earlier = try #require(outages.first?.earlier)
      #expect(earlier.begin == midnight && earlier.count == 6 && earlier.length == .seconds(360))
      #expect(outages.dropFirst().allSatisfy { $0.earlier == nil })
    }
  }

  /// What 90 days do not reach any more is a sum of what followed it closely, and of nothing else.
  @Test(arguments: [(2, true), (30, true), (31, false)]) func theEndOfNinetyDays(minute: Int, isTold: Bool)
    throws
  {
    let check = try makeCheck()
    let slots = [(0, CheckState.down), (1, .up), (minute, .down), (minute + 1, .up)]
    let store = makeStore(
      check, runs: slots.map { Run(slot: midnight + .seconds(60 * $0.0), state: $0.1) })
    let ninety = Duration.seconds(90 * 86_400)
    for (now, count, earlier) in [
      (midnight + .seconds(59) + ninety, 2, "none"),
      (midnight + .seconds(60) + ninety, 1, isTold ? "1 from 0, 1 min" : "none"),
    ] {
      let outages = try #require(store.outages(check.id, now: now))
      #expect(outages.count == count && words(outages.first?.earlier, from: midnight) == earlier)
    }
  }
}
