// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Whether a job is as it should be, by what it has reported and what time it is.
///
/// - Silence beyond what the rhythm and the grace allow is down; of a job that never reported as well, and until then
///   unknown. While a run goes on that may take longer, silence is none.
/// - A report that was due while the agent took none is missed by the agent: unknown until the next is due.
/// - A failure that was reported is down until a run ends well.
/// - A run that takes longer than it may, or that never ended, is degraded.
package struct HeartbeatJudge: Sendable {
  let settings: HeartbeatSettings

  package init(_ settings: HeartbeatSettings) { self.settings = settings }

  /// A job whose clock is a little ahead reports before its time: that report is of the time to come.
  static let early: Duration = .seconds(30)

  /// - Parameter now: both clocks, read as one: instants are counted by one, and shown as the other has them.
  package func judge(_ page: HeartbeatBook.Page, at now: ClockReading) -> ProbeOutcome {
    var outcome = ProbeOutcome(verdict(page, now))
    // The time is of the last run that ended: of one that is missed, or still takes its time, none was measured.
    let isOfOlderRun =
      outcome.verdict.reason == .heartbeatMissed
      || outcome.verdict.reason == .responseTime && page.started != nil
    outcome.responseTime = isOfOlderRun ? nil : page.duration
    outcome.excerpt = page.words
    return outcome
  }

  private func verdict(_ page: HeartbeatBook.Page, _ now: ClockReading) -> Verdict {
    let due = due(page, now)
    if now.boot > due + settings.grace, !mayStillRun(page, now) { return missed(page, due, now) }
    if let failure = page.failure {
      let code = failure.exitCode.map { " with exit code \($0)" } ?? ""
      return Verdict(
        .heartbeatFailed, phase: .assertion,
        message: "the job reported a failure at \(now.told(failure.at))\(code)")
    }
    if let excuse = page.excuse, let missed = excuse.due, now.boot > missed + settings.grace,
      !mayStillRun(page, now)
    {
      let heard = page.last.map { " since \(now.told($0))" } ?? " so far"
      return excused(
        "no report\(heard); one was due at \(now.told(missed))", excuse, "the next is expected by", due,
        now)
    }
    guard page.last != nil else {
      return Verdict(
        .heartbeatMissed, phase: .answer,
        message: "no report so far; first report expected by \(now.told(due + settings.grace))",
        isUnknown: true)
    }
    return slow(page, now) ?? .ok
  }

  private func slow(_ page: HeartbeatBook.Page, _ now: ClockReading) -> Verdict? {
    if let started = page.started, let limit = settings.maxRun, started.duration(to: now.boot) > limit {
      if let excuse = page.excuse, excuse.away.from <= started + limit {
        let run = "the run that began at \(now.told(started)) may have ended"
        return excused(run, excuse, "the next report is expected by", due(page, now), now)
      }
      return Verdict(
        .responseTime, phase: .assertion,
        message: "the run that began at \(now.told(started)) takes longer than \(limit.text)", degraded: true)
    }
    if page.isUnfinished {
      return Verdict(
        .heartbeatMissed, phase: .answer, message: "a run began while the one before had not ended",
        degraded: true)
    }
    if page.started == nil, let taken = page.duration, let limit = settings.maxRun, taken > limit {
      return Verdict(
        .responseTime, phase: .assertion,
        message: "the last run took \(taken.words(beside: limit)), more than \(limit.text)",
        degraded: true)
    }
    return nil
  }

  private func missed(_ page: HeartbeatBook.Page, _ due: Instant, _ now: ClockReading) -> Verdict {
    let words =
      if let started = page.started {
        "the run that began at \(now.told(started)) has not ended, and nothing was heard since"
      } else if let last = page.last {
        "no report since \(now.told(last)); one was due at \(now.told(due))"
      } else {
        "no report so far; the first was due at \(now.told(due))"
      }
    return Verdict(.heartbeatMissed, phase: .answer, message: words)
  }

  private func excused(
    _ what: String, _ excuse: HeartbeatBook.Excuse, _ next: String, _ due: Instant, _ now: ClockReading
  ) -> Verdict {
    let away = "\(now.told(excuse.away.from)) to \(now.told(excuse.away.until))"
    return Verdict(
      .heartbeatMissed, phase: .answer,
      message: "\(what) while the agent did not run (\(away)); \(next) \(now.told(due + settings.grace))",
      isUnknown: true)
  }

  /// Excuse for a report due in an absence of the agent, or for the end of a run; `nil` when neither falls into it.
  func excuse(
    _ page: HeartbeatBook.Page, _ absence: HeartbeatBook.Absence, at now: ClockReading
  ) -> HeartbeatBook.Excuse? {
    let due = due(page, now)
    // A run may end at any time up to its limit.
    let runEnd = page.started.flatMap { run in settings.maxRun.map { run + $0 } }
    let end = max(due + settings.grace, runEnd ?? due)
    let isDue = absence.from <= end && due <= absence.until + min(Self.early, settings.grace)
    guard isDue || runEnd.map({ absence.from <= $0 }) == true else { return nil }
    let known = page.excuse
    return HeartbeatBook.Excuse(
      due: known?.due ?? (isDue ? due : nil),
      away: HeartbeatBook.Absence(from: known?.away.from ?? absence.from, until: absence.until))
  }

  /// Without its grace.
  private func due(_ page: HeartbeatBook.Page, _ now: ClockReading) -> Instant {
    let from = page.last ?? page.since
    switch settings.rhythm {
    case .period(let period):
      let first = from + period
      guard let known = page.excuse?.resumes, known >= first else { return first }
      let periods = first.duration(to: known).microseconds / max(1, period.microseconds) + 1
      return first + period * Int(clamping: periods)
    case .cron(let plan, let zone):
      // Of who was heard, what comes within moments is what he reported.
      let early = page.last == nil ? .zero : min(Self.early, settings.grace)
      var after = now.wall(of: from).advanced(by: early)
      if let known = page.excuse?.resumes { after = max(after, now.wall(of: known)) }
      return now.boot + now.wall.duration(to: plan.next(after: after, in: zone))
    }
  }

  private func mayStillRun(_ page: HeartbeatBook.Page, _ now: ClockReading) -> Bool {
    guard let started = page.started, let limit = settings.maxRun else { return false }
    return started.duration(to: now.boot) <= limit
  }
}

extension HeartbeatBook.Excuse {
  /// The next report is due after that; `nil` where none was missed.
  fileprivate var resumes: Instant? { due.map { max($0, away.until) } }
}

extension ClockReading {
  /// Time of the wall clock then, were it always set as it is now.
  func wall(of instant: Instant) -> Timestamp { wall.advanced(by: boot.duration(to: instant)) }

  /// The same for people, in whole seconds.
  fileprivate func told(_ instant: Instant) -> String { wall(of: instant).rfc3339Seconds }
}
