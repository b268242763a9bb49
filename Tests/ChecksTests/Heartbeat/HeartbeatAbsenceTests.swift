// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import TestSupport
import Testing

@testable import Checks

/// A job whose report was due while the agent did not run is not called down for it.
@Suite struct HeartbeatAbsenceTests {
  private typealias Job = HeartbeatJudgeTests.Job

  /// At 03:00 each day, ten minutes of grace; the report of 4 January has come.
  private func job(_ change: (inout CheckDefinition) -> Void = { _ in }) throws -> Job {
    let begin = try #require(Timestamp(rfc3339: "2026-01-04T03:00:00Z"))
    let job = try Job(at: begin) {
      ($0.period, $0.cron, $0.grace) = (nil, "0 3 * * *", .seconds(600))
      change(&$0)
    }
    try job.tells(nil)
    return job
  }

  /// The agent ends after the first span and starts again after the second.
  private func restarted(_ job: Job, after: Duration, away: Duration) throws -> Job {
    job.clock.advance(by: after)
    let saved = job.desk.book.encoded(now: job.clock.time.reading())
    job.clock.advance(by: away)
    return try again(job, saved)
  }

  private func again(_ job: Job, _ saved: [UInt8]) throws -> Job {
    let next = Job(clock: job.clock, desk: HeartbeatDesk(time: job.clock.time), check: job.check)
    next.desk.restore(try #require(HeartbeatBook(saved, now: job.clock.time.reading())))
    next.desk.follow([job.check])
    return next
  }

  @Test func whatWasDueInAnAbsenceIsUnknownUntilTheNext() throws {
    let job = try restarted(try job(), after: .seconds(23 * 3600), away: .seconds(3 * 3600))
    let unknown = try job.verdict()
    #expect(unknown.state == .unknown && unknown.reason == .heartbeatMissed)
    #expect(
      unknown.message
        == "no report since 2026-01-04T03:00:00Z; one was due at 2026-01-05T03:00:00Z while the agent did not run "
        + "(2026-01-05T02:00:00Z to 2026-01-05T05:00:00Z); the next is expected by 2026-01-06T03:10:00Z")
    // Also after another restart, which no report was due in.
    let later = try restarted(job, after: .seconds(3600), away: .seconds(60))
    #expect(try later.verdict() == unknown)
    later.clock.advance(by: .seconds(21 * 3600 + 9 * 60))
    #expect(try later.verdict() == unknown)
    later.clock.advance(by: .seconds(1))
    let down = try later.verdict()
    #expect(down.state == .down)
    #expect(down.message == "no report since 2026-01-04T03:00:00Z; one was due at 2026-01-06T03:00:00Z")
  }

  /// An absence that ends when the report is due, or half a minute before, excuses that report; one that ends earlier does not.
  @Test(arguments: [(3601, CheckState.unknown), (3600, .unknown), (3570, .unknown), (3569, .down)])
  func anAbsenceUpToTheTime(away: Int, state: CheckState) throws {
    let daily = try job { ($0.period, $0.cron) = (.seconds(86_400), nil) }
    let job = try restarted(daily, after: .seconds(23 * 3600), away: .seconds(away))
    job.clock.advance(by: .seconds(3600 - away + 660))
    #expect(try job.verdict().state == state)
  }

  @Test func aReportEndsTheExcuse() throws {
    let job = try restarted(try job(), after: .seconds(23 * 3600), away: .seconds(3 * 3600))
    try job.tells(nil)
    #expect(try job.verdict() == .ok)
    #expect(job.desk.book.pages[job.check.id]?.excuse == nil)
    job.clock.advance(by: .seconds(23 * 3600))
    #expect(try job.verdict().state == .down)
  }

  /// From a deadline that passed before, and before one that was still to come.
  @Test(arguments: [(23 * 3600, 3000), (24 * 3600 + 601, 3600)]) func anAbsenceElsewhereExcusesNothing(
    after: Int, away: Int
  ) throws {
    let job = try restarted(try job(), after: .seconds(after), away: .seconds(away))
    job.clock.advance(by: .seconds(1201))
    let down = try job.verdict()
    #expect(down.state == .down)
    #expect(down.message == "no report since 2026-01-04T03:00:00Z; one was due at 2026-01-05T03:00:00Z")
  }

  @Test func ofAPeriodTheNextReportIsTheOneAfterTheAbsence() throws {
    let job = try restarted(
      try job { ($0.cron, $0.period) = (nil, .seconds(3600)) }, after: .seconds(3000), away: .seconds(9000))
    // Due at 04:00, 05:00 and 06:00; away from 03:50 to 06:20.
    let unknown = try job.verdict()
    #expect(unknown.state == .unknown)
    #expect(unknown.message?.hasSuffix("the next is expected by 2026-01-04T07:10:00Z") == true)
    job.clock.advance(by: .seconds(3001))
    #expect(try job.verdict().message?.hasSuffix("one was due at 2026-01-04T07:00:00Z") == true)
  }

  /// The end of a run may have been reported as well: from 04:00 on, and after the run should have ended.
  @Test(arguments: [(3600, CheckState.unknown), (7201, .degraded)]) func aRunThatMayHaveEndedIsUnknown(
    after: Int, state: CheckState
  ) throws {
    let first = try job { $0.maxRun = .seconds(7200) }
    first.clock.advance(by: .seconds(86_400))
    try first.tells("start")
    let job = try restarted(first, after: .seconds(after), away: .seconds(7200))
    let verdict = try job.verdict()
    #expect(verdict.state == state)
    if state == .unknown {
      #expect(
        verdict.message
          == "the run that began at 2026-01-05T03:00:00Z may have ended while the agent did not run "
          + "(2026-01-05T04:00:00Z to 2026-01-05T06:00:00Z); the next report is expected by 2026-01-06T03:10:00Z"
      )
    }
    job.clock.advance(by: .seconds(86_400))
    #expect(try job.verdict().message?.hasSuffix("has not ended, and nothing was heard since") == true)
  }

  /// A failure that was reported stays what it is.
  @Test func aFailureIsNotExcused() throws {
    let first = try job()
    try first.tells("1")
    let job = try restarted(first, after: .seconds(23 * 3600), away: .seconds(3 * 3600))
    #expect(try job.verdict().reason == .heartbeatFailed)
  }

  /// The machine slept: no file says so, and the first look after it must know.
  @Test func aProcessThatStoodStillWasAway() throws {
    let job = try job()
    for _ in 0..<(23 * 720) {
      job.desk.watch()
      job.clock.advance(by: HeartbeatDesk.watchEvery)
    }
    job.clock.advance(by: .seconds(3 * 3600))
    let verdict = try job.verdict()
    #expect(verdict.state == .unknown)
    #expect(
      verdict.message?.contains("did not run (2026-01-05T01:59:55Z to 2026-01-05T05:00:00Z)") == true,
      "\(verdict)")
    // A late look is none.
    job.desk.watch()
    try job.tells(nil)
    job.clock.advance(by: HeartbeatDesk.longestGap)
    job.desk.watch()
    #expect(job.desk.book.pages[job.check.id]?.excuse == nil)
  }

  /// A process that is stopped for seconds only takes no reports either; the shortest period is 10 s.
  @Test(arguments: [(12, CheckState.down), (13, .unknown)])
  func aShortStopIsAnAbsence(stopped: Int, state: CheckState) throws {
    let job = try job { ($0.cron, $0.period, $0.grace) = (nil, .seconds(10), .seconds(1)) }
    #expect(job.desk.watch())
    job.clock.advance(by: .seconds(stopped))
    #expect(try job.verdict().state == state)
    job.clock.advance(by: .seconds(1))
    job.desk.watch()
    #expect(try job.verdict().state == state)
  }

  /// While no job is waited for, looks are rare, and none of their gaps is an absence of the first job that comes.
  @Test func gapsWithoutJobsAreNone() throws {
    let job = try job { ($0.cron, $0.period, $0.grace) = (nil, .seconds(10), .seconds(1)) }
    job.desk.follow([])
    #expect(!job.desk.watch())
    job.clock.advance(by: .seconds(50))
    job.desk.follow([job.check])
    job.clock.advance(by: .seconds(10))
    #expect(job.desk.watch())
    job.clock.advance(by: .seconds(2))
    #expect(try job.verdict().state == .down)
  }
}
