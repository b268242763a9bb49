// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import NetworkTestSupport
import TestSupport
import Testing

@testable import Checks

/// What a job's reports, or their absence, amount to.
@Suite struct HeartbeatJudgeTests {
  static let token = "0123456789abcdef0123456789abcdef"

  /// A daily job with half an hour of grace, unless told.
  static func check(_ change: (inout CheckDefinition) -> Void = { _ in }) throws -> MonitoringCheck {
    try makeCheck("heartbeat") {
      ($0.token, $0.period, $0.grace) = (Redacted(Self.token), .seconds(86_400), .seconds(1800))
      change(&$0)
    }
  }

  /// A desk that follows one check, and its clock.
  struct Job {
    let clock: FakeClock
    let desk: HeartbeatDesk
    let check: MonitoringCheck

    init(
      at begin: Timestamp = FakeClock.start, _ change: (inout CheckDefinition) -> Void = { _ in }
    ) throws {
      clock = FakeClock(at: begin)
      desk = HeartbeatDesk(time: clock.time)
      check = try HeartbeatJudgeTests.check(change)
      desk.follow([check])
    }

    init(clock: FakeClock, desk: HeartbeatDesk, check: MonitoringCheck) {
      (self.clock, self.desk, self.check) = (clock, desk, check)
    }

    func tells(_ word: String?, _ text: String = "") throws {
      let signal = try #require(HeartbeatReport.Signal(word: word))
      #expect(desk.take(HeartbeatReport(signal, body: Array(text.utf8)), token: token) == .taken)
    }

    func verdict() throws -> Verdict { try #require(desk.outcome(of: check)).verdict }
  }

  /// A job that never reported is unknown until its first deadline, and down from then on.
  @Test func aNewJobIsWaitedFor() throws {
    let job = try Job()
    job.clock.advance(by: .seconds(86_400 + 1800))
    let waiting = try job.verdict()
    #expect(waiting.state == .unknown && waiting.reason == .heartbeatMissed)
    #expect(waiting.message == "no report so far; first report expected by 2026-01-05T02:30:00Z")
    job.clock.advance(by: .milliseconds(1))
    let silent = try job.verdict()
    #expect(
      silent.state == .down && silent.message == "no report so far; the first was due at 2026-01-05T02:00:00Z"
    )
  }

  /// Silence beyond period and grace is down, and the next report ends it.
  @Test func silenceIsDown() throws {
    let job = try Job()
    try job.tells(nil)
    job.clock.advance(by: .seconds(86_400 + 1800))
    #expect(try job.verdict() == .ok)
    job.clock.advance(by: .seconds(1))
    let missed = try job.verdict()
    #expect(missed.state == .down && missed.reason == .heartbeatMissed && missed.status == .failure)
    #expect(missed.message == "no report since 2026-01-04T02:00:00Z; one was due at 2026-01-05T02:00:00Z")
    try job.tells(nil)
    #expect(try job.verdict() == .ok)
  }

  /// A failure is down until a run ends well; a start does not end it, and its words are the excerpt.
  @Test func aReportedFailureIsDown() throws {
    let job = try Job()
    try job.tells("3", "disk full\n")
    let failed = try job.verdict()
    #expect(failed.state == .down && failed.reason == .heartbeatFailed)
    #expect(failed.message == "the job reported a failure at 2026-01-04T02:00:00Z with exit code 3")
    #expect(job.desk.outcome(of: job.check)?.excerpt == "disk full")
    try job.tells("start")
    #expect(try job.verdict().reason == .heartbeatFailed)
    try job.tells("fail")
    #expect(try job.verdict().message?.hasPrefix("the job reported a failure at ") == true)
    try job.tells("0")
    #expect(try job.verdict() == .ok)
  }

  /// The response time is from the start to the end of the last run that told both.
  @Test func aRunIsTimed() throws {
    let job = try Job { $0.maxRun = .seconds(3600) }
    try job.tells("start")
    #expect(job.desk.outcome(of: job.check)?.responseTime == nil)
    job.clock.advance(by: .seconds(3600))
    try job.tells(nil)
    #expect(job.desk.outcome(of: job.check)?.responseTime == .seconds(3600))
    #expect(try job.verdict() == .ok)
    try job.tells("start")
    job.clock.advance(by: .seconds(3601))
    // While it runs, and when it is over.
    for word in ["start", "ok"] {
      let late = try job.verdict()
      #expect(late.state == .degraded && late.reason == .responseTime, "\(word)")
      if word == "start" { try job.tells(nil) }
    }
    #expect(try job.verdict().message?.hasPrefix("the last run took ") == true)
    try job.tells(nil)
    #expect(try job.verdict() == .ok && job.desk.outcome(of: job.check)?.responseTime == nil)
  }

  /// What is missed, and a run that is not over, has no time: that of the run before is no measurement of it.
  @Test func theTimeOfAnOlderRunIsNotRepeated() throws {
    let job = try Job { $0.maxRun = .seconds(3600) }
    func time() -> Duration? { job.desk.outcome(of: job.check)?.responseTime }
    try job.tells("start")
    job.clock.advance(by: .seconds(2))
    try job.tells("1")
    #expect(try job.verdict().reason == .heartbeatFailed && time() == .seconds(2))
    try job.tells("start")
    #expect(try job.verdict().reason == .heartbeatFailed && time() == .seconds(2))
    try job.tells("start")
    try job.tells("0")
    #expect(try job.verdict().reason == .ok && time() == .zero)
    try job.tells("start")
    #expect(try job.verdict() == .ok && time() == .zero)
    job.clock.advance(by: .seconds(3601))
    #expect(try job.verdict().reason == .responseTime && time() == nil)
    job.clock.advance(by: .seconds(2 * 86_400))
    #expect(try job.verdict().reason == .heartbeatMissed && time() == nil)
  }

  /// A start without an end is degraded when the next run begins, and down when that does not come either.
  @Test func aRunThatNeverEnds() throws {
    let job = try Job()
    try job.tells("start")
    job.clock.advance(by: .seconds(86_400))
    #expect(try job.verdict() == .ok)
    try job.tells("start")
    let unfinished = try job.verdict()
    #expect(
      unfinished.state == .degraded && unfinished.message == "a run began while the one before had not ended")
    job.clock.advance(by: .seconds(86_400 + 1801))
    #expect(try job.verdict().state == .down)
    try job.tells(nil)
    #expect(try job.verdict() == .ok)
  }

  /// A run that may take longer than the period is not silent while it goes on.
  @Test func aLongRunIsNoSilence() throws {
    let job = try Job { ($0.period, $0.grace, $0.maxRun) = (.seconds(600), .zero, .seconds(3600)) }
    try job.tells("start")
    job.clock.advance(by: .seconds(3600))
    #expect(try job.verdict() == .ok)
    job.clock.advance(by: .seconds(1))
    #expect(try job.verdict().state == .down)
  }

  /// With cron a report is due at the next time after the last one; what comes moments before counts as that one's.
  @Test func cronSaysWhenItIsDue() throws {
    let job = try Job {
      ($0.period, $0.cron, $0.timezone, $0.grace) = (nil, "0 3 * * *", "Europe/London", .seconds(600))
    }
    #expect(job.check.target == "cron 0 3 * * * Europe/London")
    job.clock.advance(by: .seconds(3600 - 5))
    // The job's clock is five seconds ahead: it is 02:59:55 here.
    try job.tells(nil)
    job.clock.advance(by: .seconds(86_400 + 605))
    #expect(try job.verdict() == .ok)
    job.clock.advance(by: .seconds(1))
    #expect(
      try job.verdict().message == "no report since 2026-01-04T02:59:55Z; one was due at 2026-01-05T03:00:00Z"
    )
  }

  /// A report before its time by less than half a minute and by no more than the grace is of the time to come; earlier it
  /// is of the time before, and the next one is waited for.
  @Test(arguments: [
    (600, 30_000, true), (600, 30_001, false), (30, 30_000, true), (29, 29_000, true), (29, 29_001, false),
    (10, 10_000, true), (10, 10_001, false), (10, 29_000, false), (1, 1000, true), (1, 1001, false),
    (0, 1, false), (600, -1, true),
  ])
  func aReportBeforeItsTime(grace: Int, early: Int, isOfTheTimeToCome: Bool) throws {
    let job = try Job {
      ($0.period, $0.cron, $0.timezone, $0.grace) = (nil, "0 3 * * *", "UTC", .seconds(grace))
    }
    // It is 02:00 at first.
    job.clock.advance(by: .seconds(3600) - .milliseconds(early))
    try job.tells(nil)
    job.clock.advance(by: .milliseconds(early) + .seconds(grace))
    #expect(try job.verdict() == .ok)
    job.clock.advance(by: .milliseconds(1))
    #expect((try job.verdict() == .ok) == isOfTheTimeToCome)
    job.clock.advance(by: .seconds(86_400) - .milliseconds(1))
    #expect((try job.verdict() == .ok) == isOfTheTimeToCome)
    job.clock.advance(by: .milliseconds(1))
    #expect(try job.verdict().state == .down)
  }

  /// A wall clock that is set, either way, makes no job late and none on time.
  @Test(arguments: [Duration.seconds(400 * 86_400), .seconds(-400 * 86_400)])
  func aClockThatIsSetChangesNothing(step: Duration) throws {
    let job = try Job()
    try job.tells(nil)
    job.clock.stepWall(by: step)
    #expect(try job.verdict() == .ok)
    job.clock.advance(by: .seconds(86_400 + 1800))
    #expect(try job.verdict() == .ok)
    job.clock.advance(by: .seconds(1))
    #expect(try job.verdict().state == .down)
  }

  /// A job that never reported is due at the next time of its plan, though that be a moment ahead; of one that reports moments
  /// before that time this was the report.
  @Test(arguments: [15, 30, 31]) func aPlanMomentsAhead(seconds: Int64) throws {
    func job() throws -> Job {
      let begin = FakeClock.start.advanced(by: .seconds(3600 - seconds))
      return try Job(at: begin) {
        ($0.period, $0.cron, $0.timezone, $0.grace) = (nil, "0 3 * * *", "UTC", .seconds(600))
      }
    }
    let silent = try job()
    #expect(
      try silent.verdict().message == "no report so far; first report expected by 2026-01-04T03:10:00Z")
    silent.clock.advance(by: .seconds(seconds + 601))
    #expect(try silent.verdict().state == .down)
    let heard = try job()
    try heard.tells(nil)
    heard.clock.advance(by: .seconds(seconds + 601))
    #expect(try heard.verdict().state == (seconds <= 30 ? .up : .down))
  }
}
