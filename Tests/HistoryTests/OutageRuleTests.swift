// SPDX-License-Identifier: MIT

import Basics
import HistorySupport
import Monitoring
import Testing
@testable import History

/// Words, bytes and bounds of outages.
@Suite struct OutageRuleTests {
  private func note(_ reason: Reason = .body, _ phase: Phase? = .connect, _ message: String? = "a")
    -> OutageNote
  {
    OutageNote(reason: reason, phase: phase, message: message)
  }

  private func span(_ start: Int64, _ end: Int64, _ note: OutageNote, isResult: Bool = true) -> OutageSpan {
    OutageSpan(Span(start: start, end: end), note, isResult: isResult)
  }

  /// Reason, phase and message: all three are the note.
  @Test func notesThatSayTheSame() {
    #expect(note().says(note()))
    for other in [
      note(.connectRefused), note(.body, .tls), note(.body, nil), note(.body, .connect, "b"),
      note(.body, .connect, nil),
    ] {
      #expect(!note().says(other) && !other.says(note()) && other.says(other))
    }
    #expect(note(.body, nil, nil).footprint == 48 && note(.body, nil, "äb").footprint == 51)
  }

  /// The first result gives the reason and the phase, first and last each their words; a log that is read has them
  /// all.
  @Test func wordsComeBack() throws {
    var joined = span(0, 60, note(.connectRefused, .connect, "first"))
    joined.join(span(60, 120, note(.body, nil, "between")))
    joined.join(span(120, 180, note(.body, .tls, "last")))
    var log = OutageLog()
    log.add(joined)
    log.add(span(300, 360, note(), isResult: false))
    var writer = ByteWriter()
    log.encode(into: &writer)
    var reader = ByteReader(writer.bytes)
    let read = try OutageLog(from: &reader)
    #expect(reader.atEnd)
    let (end, second) = (Timestamp(microseconds: 180), Timestamp(microseconds: 360))
    let wanted = [
      Outage(
        begin: .epoch, end: end, heldUntil: end, reason: .connectRefused, phase: .connect,
        firstMessage: "first", lastMessage: "last", results: 3),
      Outage(
        begin: Timestamp(microseconds: 300), end: second, heldUntil: second, reason: .body, phase: .connect,
        firstMessage: "a", lastMessage: "a", results: 0),
    ]
    for log in [log, read] {
      #expect(log.all(open: nil, lasts: false) == wanted && log.all(open: nil, lasts: true) == wanted)
      #expect(log.latest(open: nil, lasts: true) == wanted[1])
    }
    #expect(OutageLog().latest(open: nil, lasts: true) == nil)
    // One that goes on where the last one ends is part of it, and has no end while it lasts.
    let open = span(360, 400, note(.body, .connect, "on"))
    for lasts in [true, false] {
      let found = log.all(open: open, lasts: lasts)
      #expect(found.count == 2 && found[0] == wanted[0] && found[1].begin == wanted[1].begin)
      #expect(found[1].end == (lasts ? nil : Timestamp(microseconds: 400)))
      #expect(found[1].heldUntil == Timestamp(microseconds: 400) && found[1].results == 1)
      #expect(found[1].firstMessage == "a" && found[1].lastMessage == "on")
      #expect(log.latest(open: open, lasts: lasts) == found[1])
    }
    // One that stands apart is one more.
    let apart = log.all(open: span(361, 400, note()), lasts: true)
    #expect(apart.map(\.begin.microseconds) == [0, 300, 361] && apart.map(\.isOver) == [true, true, false])
  }

  /// The reason goes with the message of the first result; the last has its own words where it says something else.
  @Test(
    arguments: [
      ("refused", "refused", "connect_refused: refused", nil), (nil, nil, "connect_refused", nil),
      ("refused", "status 500", "connect_refused: refused; at last: status 500", "status 500"),
      (nil, "status 500", "connect_refused; at last: status 500", "status 500"),
      ("refused", nil, "connect_refused: refused", nil),
    ] as [(String?, String?, String, String?)])
  func why(first: String?, last: String?, words: String, other: String?) {
    let outage = Outage(
      begin: .epoch, end: nil, heldUntil: .epoch, reason: .connectRefused, firstMessage: first,
      lastMessage: last)
    #expect(outage.why == words && outage.otherLastMessage == other)
  }

  /// Words that are the same are held once.
  @Test func equalWordsCostOnce() {
    func bytes(_ spans: [OutageSpan]) -> Int {
      var log = OutageLog()
      for span in spans { log.add(span) }
      return log.footprint - log.spans.capacity * MemoryLayout<OutageSpan>.stride
    }
    #expect(bytes([span(0, 60, note())]) == 49)
    #expect(bytes([span(0, 60, note()), span(100, 160, note())]) == 49)
    #expect(bytes([span(0, 60, note()), span(100, 160, note(.body, .connect, "bc"))]) == 99)
    var joined = span(0, 60, note())
    joined.join(span(60, 90, note(.body, .connect, "xyz")))
    #expect(bytes([joined]) == 49 + 51)
    // The last words are those of the first again.
    joined.join(span(90, 120, note()))
    #expect(bytes([joined]) == 49)
  }

  /// In order of their begin, none empty, no more than are kept, and results that fit.
  @Test(
    arguments: [
      ([(0, 1, 1)], true), ([(0, 0, 1)], false), ([(1, 0, 1)], false), ([(0, 1, 1 << 32 - 1)], true),
      ([(0, 1, 1 << 32)], false), ([(5, 9, 1), (5, 8, 1)], true), ([(5, 9, 1), (4, 8, 1)], false),
      ([(-1 << 55, 1 << 55, 0)], true), ([(-1 << 55 - 1, 0, 0)], false), ([(0, 1 << 55 + 1, 0)], false),
      ((0..<64 as Range<Int64>).map { ($0 * 10, $0 * 10 + 5, 1) }, true),
      ((0..<65 as Range<Int64>).map { ($0 * 10, $0 * 10 + 5, 1) }, false),
    ] as [([(Int64, Int64, UInt64)], Bool)])
  func whatAFileMaySay(spans: [(Int64, Int64, UInt64)], isSound: Bool) {
    var writer = ByteWriter()
    writer.count(spans.count)
    for (start, end, results) in spans {
      writer.signed(start)
      writer.signed(end)
      writer.unsigned(results)
      note().encode(into: &writer)
      writer.bytes.append(0)
    }
    var reader = ByteReader(writer.bytes)
    let read = try? OutageLog(from: &reader)
    #expect(read?.spans.map { UInt64($0.results) } == (isSound ? spans.map(\.2) : nil))
  }

  /// What no window reaches any more, and what the clock has yet to reach again, is left out.
  @Test func onlyOutagesOfNinetyDaysUntilNow() throws {
    let check = try makeCheck()
    let store = makeStore(
      check, runs: [Run(slot: midnight, state: .down), Run(slot: midnight + .seconds(60))])
    let ninety = Duration.seconds(90 * 86_400)
    for (now, isThere) in [
      (midnight, false), (midnight + .microseconds(1), true), (midnight + .seconds(60), true),
      (midnight + .microseconds(59_999_999) + ninety, true), (midnight + .seconds(60) + ninety, false),
    ] {
      #expect(store.outages(check.id, now: now)?.count == (isThere ? 1 : 0))
      let last = store.lastOutage(check.id, now: now)
      #expect(last == (isThere ? store.outages(check.id, now: now)?.first : nil) && (last != nil) == isThere)
    }
  }

  /// Results that were down add up, and stay at the most that fits.
  @Test func resultsStayAtTheMost() {
    var many = span(0, 1, note())
    many.results = .max - 1
    many.join(span(1, 2, note()))
    #expect(many.results == .max && many.span == Span(start: 0, end: 2))
    many.join(span(2, 3, note()))
    #expect(many.results == .max)
  }

  /// What lasts takes as long as it is known to, never beyond now, and never less than nothing.
  @Test func howLongItTook() {
    func took(_ end: Int64?, _ held: Int64, now: Int64) -> Duration {
      Outage(
        begin: midnight, end: end.map { midnight + .seconds($0) }, heldUntil: midnight + .seconds(held),
        reason: .body
      ).duration(now: midnight + .seconds(now))
    }
    #expect(took(60, 60, now: 100) == .seconds(60))
    #expect(took(60, 90, now: 100) == .seconds(60))
    #expect(took(60, 60, now: 40) == .seconds(40))
    #expect(took(nil, 50, now: 100) == .seconds(50))
    #expect(took(nil, 50, now: 30) == .seconds(30))
    #expect(took(60, 60, now: -5) == .zero)
    #expect(Outage(begin: .epoch, end: nil, heldUntil: .epoch, reason: .body).results == 1)
    #expect([0, 1, 499, 500, 501, 16_000, 16_001].map(Outage.limit(checks:)) == [64, 64, 64, 64, 63, 2, 2])
  }
}
