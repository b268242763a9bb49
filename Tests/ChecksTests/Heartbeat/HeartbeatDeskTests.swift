// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import TestSupport
import Testing

@testable import Checks

/// Who may report, how often, and what of it outlives the process.
@Suite struct HeartbeatDeskTests {
  private typealias Job = HeartbeatJudgeTests.Job

  /// Only the whole token opens, and what is no token opens nothing.
  @Test(arguments: [
    "", "0", "0123456789abcdef0123456789abcde", "0123456789abcdef0123456789abcdeff",
    "0123456789abcdef0123456789abcdeF",
    "0123456789abcdef0123456789abcdef\0", "x123456789abcdef0123456789abcdef",
  ]) func anotherTokenIsUnknown(token: String) throws {
    let job = try Job()
    let before = job.desk.book
    #expect(job.desk.take(HeartbeatReport(.ok), token: token) == .unknown)
    #expect(job.desk.book == before)
  }

  /// Of what a job says its last line end and blanks behind it are no words, and nothing is no words.
  @Test(
    arguments: [
      ("done", "done"), ("done\r\n", "done"), ("done \n\n", "done"), ("done\r", "done"), ("a b.", "a b."),
      ("\r\n ", nil), ("", nil),
    ] as [(String, String?)])
  func wordsOfAJob(text: String, words: String?) throws {
    let job = try Job()
    try job.tells(nil, text)
    #expect(job.desk.book.pages[job.check.id]?.words == words)
  }

  /// Of a long output the last lines are kept, whatever they end with; of a long last line its end.
  @Test(
    arguments: [
      (["a", "b"], "\n", "a\nb"), (["a", "", "b"], "\r\n", "a\n\nb"),
      (["a\u{1b}[1m", "b\tc"], "\n", #"a\u{1b}[1m\#nb\u{9}c"#),
      // 1024 bytes fit, 1025 do not, and the mark takes 4.
      ([Self.x(1022), "y"], "\n", Self.x(1022) + "\ny"), ([Self.x(1023), "y"], "\n", "…\ny"),
      (["a", Self.x(1020), ""], "\n", "a\n" + Self.x(1020)),
      (["abcd", Self.x(1020)], "\n", "…\n" + Self.x(1020)),
      (["abc", Self.x(1021)], "\n", "…" + Self.x(1021)),
      (["ab", "b" + Self.x(1021)], "\n", "…" + Self.x(1021)),
      (["a", Self.x(2000) + "é"], "\n", "…" + Self.x(1019) + "é"), ([Self.x(1024)], "\n", Self.x(1024)),
      ([Self.x(1025)], "\n", "…" + Self.x(1021)),
    ] as [([String], String, String)])
  func theEndOfAnOutput(lines: [String], lineEnd: String, words: String) throws {
    let job = try Job()
    try job.tells("1", lines.joined(separator: lineEnd))
    #expect(job.desk.book.pages[job.check.id]?.words == words)
  }

  private static func x(_ count: Int) -> String { String(repeating: "x", count: count) }

  /// The recipe of the documentation: the last 10,000 bytes of a log.
  @Test func theReasonIsAtTheEnd() throws {
    let lines =
      (1...300).map { "line \($0): everything is fine so far" } + ["FATAL: disk full at the very end"]
    let job = try Job()
    try job.tells("1", String(lines.joined(separator: "\n").suffix(10_000)) + "\n")
    let words = try #require(job.desk.book.pages[job.check.id]?.words)
    #expect(words == (["…"] + lines.suffix(words.split(separator: "\n").count - 1)).joined(separator: "\n"))
    #expect((980...1024).contains(words.utf8.count))
  }

  /// A token that is longer than any can be is not cut to one that fits.
  @Test func aLongTokenIsNotCut() throws {
    let longest = String(repeating: "a", count: CheckLimits.heartbeatToken.upperBound)
    let check = try HeartbeatJudgeTests.check { $0.token = Redacted(longest) }
    let desk = HeartbeatDesk(time: FakeClock().time)
    desk.follow([check])
    #expect(desk.take(HeartbeatReport(.ok), token: longest + "a") == .unknown)
    #expect(desk.take(HeartbeatReport(.ok), token: longest) == .taken)
  }

  /// A check takes sixty reports a minute; others are not held up by it.
  @Test func reportsAreLimited() throws {
    let clock = FakeClock()
    let desk = HeartbeatDesk(time: clock.time)
    let other = String(repeating: "b", count: 16)
    desk.follow([
      try HeartbeatJudgeTests.check(),
      try HeartbeatJudgeTests.check { ($0.name, $0.token) = ("Other", Redacted(other)) },
    ])
    func tell(_ token: String) -> HeartbeatAnswer { desk.take(HeartbeatReport(.ok), token: token) }
    for _ in 0..<60 { #expect(tell(HeartbeatJudgeTests.token) == .taken) }
    #expect(tell(HeartbeatJudgeTests.token) == .tooMany)
    #expect(tell(other) == .taken)
    clock.advance(by: .seconds(60))
    #expect(tell(HeartbeatJudgeTests.token) == .taken)
  }

  /// A reload keeps what a job has reported, and a limit that is spent; a check that is gone is forgotten with its token.
  @Test func followingOthersKeepsThose() throws {
    let job = try Job()
    try job.tells(nil)
    job.desk.follow([try HeartbeatJudgeTests.check { $0.period = .seconds(600) }])
    #expect(job.desk.outcome(of: job.check)?.verdict == .ok)
    job.desk.follow([])
    #expect(job.desk.outcome(of: job.check) == nil && job.desk.book.pages.isEmpty)
    #expect(job.desk.take(HeartbeatReport(.ok), token: HeartbeatJudgeTests.token) == .unknown)
  }

  /// What is written is what is read, after a restart of the machine as well, whose other clock begins again.
  @Test func theBookSurvives() throws {
    let job = try Job()
    try job.tells("start")
    job.clock.advance(by: .seconds(90))
    try job.tells("7", "tape \u{1b}[31mfull\n")
    try job.tells("start")
    let bytes = job.desk.book.encoded(now: job.clock.reading)
    let later = FakeClock(
      at: job.clock.wall.advanced(by: .seconds(3600)), boot: Instant(nanoseconds: 5_000_000_000))
    let desk = HeartbeatDesk(time: later.time)
    desk.restore(try #require(HeartbeatBook(bytes, now: later.reading)))
    desk.follow([job.check])
    let outcome = try #require(desk.outcome(of: job.check))
    #expect(outcome.verdict.message == "the job reported a failure at 2026-01-04T02:01:30Z with exit code 7")
    #expect(outcome.responseTime == .seconds(90) && outcome.excerpt?.contains("\u{1b}") == false)
    later.advance(by: .seconds(86_400 - 3600 + 1801))
    #expect(desk.outcome(of: job.check)?.verdict.reason == .heartbeatMissed)
    // Written again, it says the same, but for the time of writing.
    let times = [job.clock.wall, later.wall].map { #""saved":"\#($0.rfc3339)","# }
    let texts = [bytes, desk.book.encoded(now: later.reading)].map { String(decoding: $0, as: UTF8.self) }
    #expect(texts[0].contains(times[0]) && texts[1].contains(times[1]))
    #expect(texts[1].replacing(times[1], with: times[0]) == texts[0])
  }

  /// A file with times that cannot be makes no job late; one that is no file of ours is none.
  @Test func timesThatCannotBeAreNow() throws {
    let job = try Job()
    let id = job.check.id.description
    for stamp in ["1970-01-01T00:00:07Z", "2031-01-01T00:00:00Z", "9999-01-01T00:00:00Z"] {
      let text =
        #"{"version":1,"checks":[{"id":"\#(id)","since":"\#(stamp)","last":"\#(stamp)","exit_code":900}]}"#
      job.desk.restore(try #require(HeartbeatBook(Array(text.utf8), now: job.clock.reading)))
      #expect(job.desk.outcome(of: job.check)?.verdict == .ok, "\(stamp)")
    }
    for text in ["", "{}", "[]", #"{"version":2,"checks":[]}"#, "{\"version\":1,\"checks\":"] {
      #expect(HeartbeatBook(Array(text.utf8), now: job.clock.reading) == nil, "\(text)")
    }
  }

  /// The last part of an address, as Healthchecks has it; nothing else is one.
  @Test func wordsOfAnAddress() {
    #expect(HeartbeatReport.Signal(word: nil) == .ok && HeartbeatReport.Signal(word: "000") == .ok)
    #expect(HeartbeatReport.Signal(word: "255") == .fail(exitCode: 255))
    for word in ["", "256", "-1", "+1", "0x1", "1000", "Start", "fail/", "log", "٣"] {
      #expect(HeartbeatReport.Signal(word: word) == nil, "\(word)")
    }
  }

  /// Where nobody reports, the check is unknown and says where to look.
  @Test func withoutADeskItIsUnknown() async throws {
    let check = try HeartbeatJudgeTests.check()
    let attempt = Attempt(of: check, until: .now + .seconds(5))
    guard case .done(let outcome) = try await HeartbeatProbe(desk: nil).probe(attempt, at: [], dns: nil)
    else {
      Issue.record("postponed")
      return
    }
    #expect(outcome.verdict.state == .unknown && outcome.verdict.reason == .localFault)
  }
}
