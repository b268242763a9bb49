// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Checks

/// The book of reports, entry by entry, and the file it is written to.
@Suite struct HeartbeatBookTests {
  private let check = UniqueID(high: 1, low: 2)
  private let boot = Instant(nanoseconds: 10_000_000_000_000)
  private let wall = Timestamp(seconds: 1_767_492_000)
  private var now: ClockReading { ClockReading(boot: boot, wall: wall) }

  private func ago(_ seconds: Int64) -> Instant { boot.advanced(by: .seconds(-seconds)) }

  private func page(_ change: (inout HeartbeatBook.Page) -> Void = { _ in }) -> HeartbeatBook.Page {
    var page = HeartbeatBook.Page(since: ago(600))
    change(&page)
    return page
  }

  private func read(_ page: String, version: String = "1") -> HeartbeatBook.Page? {
    let text = #"{"version":\#(version),"checks":[{"id":"\#(check)",\#(page)}]}"#
    return HeartbeatBook(Array(text.utf8), now: now)?.pages[check]
  }

  /// Every entry of the file, in the times of the wall clock, checks in the order of their ids; and it is read as it was.
  @Test func theFile() throws {
    let full = page {
      ($0.last, $0.started, $0.isUnfinished) = (ago(60), ago(30), true)
      $0.failure = HeartbeatBook.Failure(at: ago(90), exitCode: 7)
      ($0.duration, $0.words) = (.seconds(90), "tape")
      $0.excuse = HeartbeatBook.Excuse(
        due: ago(120), away: HeartbeatBook.Absence(from: ago(300), until: ago(100)))
    }
    let other = UniqueID(high: 1, low: 1)
    let bare = page { $0.failure = HeartbeatBook.Failure(at: ago(1), exitCode: nil) }
    let book = HeartbeatBook(pages: [check: full, other: bare], savedAt: boot)
    let bytes = book.encoded(now: now)
    #expect(
      String(decoding: bytes, as: UTF8.self) == """
        {"version":1,"saved":"2026-01-04T02:00:00.000Z","checks":[\
        {"id":"\(other)","since":"2026-01-04T01:50:00.000Z","unfinished":false,"failed":"2026-01-04T01:59:59.000Z"},\
        {"id":"\(check)","since":"2026-01-04T01:50:00.000Z","last":"2026-01-04T01:59:00.000Z",\
        "started":"2026-01-04T01:59:30.000Z","unfinished":true,"failed":"2026-01-04T01:58:30.000Z","exit_code":7,\
        "duration_ms":90000,"words":"tape","excused":"2026-01-04T01:58:00.000Z",\
        "away_from":"2026-01-04T01:55:00.000Z","away_until":"2026-01-04T01:58:20.000Z"}]}
        """)
    #expect(HeartbeatBook(bytes, now: now) == book)
    #expect(HeartbeatBook(Array(#"{"version":1,"checks":[]}"#.utf8), now: now)?.savedAt == nil)
  }

  /// What cannot have been is left out: codes, spans, halves of an absence, and entries without their beginning.
  @Test func whatIsNotRead() {
    let since = #""since":"2026-01-04T01:50:00Z""#
    func failure(_ code: String) -> HeartbeatBook.Failure? {
      read(since + #","failed":"2026-01-04T01:59:00Z","exit_code":\#(code)"#)?.failure
    }
    for (code, found) in [("0", nil), ("1", 1), ("255", 255), ("256", nil), ("-1", nil), ("\"7\"", nil)]
      as [(String, Int?)]
    {
      #expect(failure(code) == HeartbeatBook.Failure(at: ago(60), exitCode: found), "\(code)")
    }
    #expect(read(since + #","exit_code":7"#)?.failure == nil)
    for (text, found) in [
      ("0", 0), ("-1", nil), ("1.5", 1500), ("3033.417", 3_033_417), ("4.035", 4035), ("0.0006", 1),
      ("1000000000000", 1_000_000_000_000_000),
      ("1000000000001", nil), ("\"5\"", nil),
    ] as [(String, Int64?)] {
      #expect(read(since + #","duration_ms":\#(text)"#)?.duration?.microseconds == found, "\(text)")
    }
    let (from, until) = (#","away_from":"2026-01-04T01:55:00Z""#, #","away_until":"2026-01-04T01:56:00Z""#)
    #expect(read(since + from)?.excuse == nil && read(since + until)?.excuse == nil)
    let away = HeartbeatBook.Absence(from: ago(300), until: ago(240))
    #expect(read(since + from + until)?.excuse == HeartbeatBook.Excuse(due: nil, away: away))
    #expect(read(#""last":"2026-01-04T01:59:00Z""#) == nil && read(#""since":"x""#) == nil)
    #expect(read(since, version: "2") == nil && read(since) == page())
    #expect(read(since + #","unfinished":true"#)?.isUnfinished == true)
    let long = String(repeating: "w", count: 1025)
    #expect((read(since + #","words":"\#(long)""#)?.words ?? long).utf8.count <= 1024)
    // A moment that is yet to come is now, and this one is this one.
    #expect(read(#""since":"2026-01-04T02:00:00Z""#)?.since == boot)
    #expect(read(#""since":"2026-01-04T02:00:01Z""#)?.since == boot)
    #expect(read(#""since":"2026-01-04T01:59:59Z""#)?.since == ago(1))
  }

  private func told(
    _ reports: [(HeartbeatReport.Signal, after: Int64)], mayRepeat: Bool = false,
    from: HeartbeatBook.Page? = nil
  ) -> HeartbeatBook.Page? {
    var book = HeartbeatBook(pages: [check: from ?? page()])
    if mayRepeat { book.mayRepeat(check) }
    for (signal, after) in reports {
      book.take(HeartbeatReport(signal), of: check, now: boot.advanced(by: .seconds(after)))
    }
    return book.pages[check]
  }

  /// Starts and ends: how long a run took, whether one never ended, and what a failure leaves.
  @Test func startsAndEnds() throws {
    let run = try #require(told([(.start, 5), (.ok, 65)]))
    #expect(run.duration == .seconds(60) && run.started == nil && !run.isUnfinished)
    #expect(run.last == boot.advanced(by: .seconds(65)) && run.since == ago(600))
    #expect(told([(.ok, 65)])?.duration == nil)
    #expect(told([(.start, 1), (.ok, 2), (.ok, 3)])?.duration == nil, "the last run told no start")
    let twice = try #require(told([(.start, 5), (.start, 9)]))
    #expect(twice.isUnfinished && twice.started == boot.advanced(by: .seconds(9)))
    #expect(told([(.start, 5), (.start, 9), (.start, 10)])?.isUnfinished == true)
    #expect(told([(.start, 5), (.start, 9), (.ok, 10)])?.isUnfinished == false)
    let failed = try #require(told([(.start, 5), (.start, 9), (.fail(exitCode: 3), 20)]))
    #expect(failed.isUnfinished && failed.duration == .seconds(11) && failed.started == nil)
    #expect(failed.failure == HeartbeatBook.Failure(at: boot.advanced(by: .seconds(20)), exitCode: 3))
    #expect(
      told([(.fail(exitCode: nil), 1), (.start, 2)])?.failure
        == HeartbeatBook.Failure(at: boot.advanced(by: .seconds(1)), exitCode: nil))
    #expect(told([(.fail(exitCode: 3), 1), (.ok, 2)])?.failure == nil)
  }

  /// A report that was to be sent once more is the same report: it begins no second run, and keeps how long the run took.
  @Test func whatIsToldTwice() {
    let started = page { $0.started = ago(10) }
    #expect(told([(.start, 1)], from: started)?.isUnfinished == true)
    #expect(told([(.start, 1)], mayRepeat: true, from: started)?.isUnfinished == false)
    #expect(told([(.start, 1), (.start, 2)], mayRepeat: true, from: started)?.isUnfinished == true)
    let ended = page { $0.duration = .seconds(7) }
    #expect(told([(.ok, 1)], from: ended)?.duration == nil)
    #expect(told([(.ok, 1)], mayRepeat: true, from: ended)?.duration == .seconds(7))
    #expect(told([(.ok, 1), (.ok, 2)], mayRepeat: true, from: ended)?.duration == nil)
  }

  /// Each check has its page: those that stay keep theirs, others begin now, and no other report is taken.
  @Test func pagesOfChecks() {
    let other = UniqueID(high: 9, low: 9)
    let known = page { $0.last = ago(5) }
    var book = HeartbeatBook(pages: [check: known])
    book.keep([other, check, check], now: boot)
    #expect(book.pages == [check: known, other: HeartbeatBook.Page(since: boot)])
    book.take(HeartbeatReport(.ok), of: UniqueID(high: 7, low: 7), now: boot)
    #expect(book.pages.count == 2)
    book.keep([other], now: boot.advanced(by: .seconds(9)))
    #expect(book.pages == [other: HeartbeatBook.Page(since: boot)])
    // A report ends an excuse.
    let excused = page {
      $0.excuse = HeartbeatBook.Excuse(
        due: nil, away: HeartbeatBook.Absence(from: ago(2), until: ago(1)))
    }
    #expect(told([(.start, 1)], from: excused)?.excuse == nil)
  }
}
