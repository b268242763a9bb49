// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Reports of jobs, each under its check. Pure; `HeartbeatDesk` keeps one and passes the time.
///
/// All times are of the monotonic clock: a wall clock that is set makes no job late.
package struct HeartbeatBook: Hashable, Sendable {
  package struct Page: Hashable, Sendable {
    /// Reports are waited for since then.
    package var since: Instant
    /// The last report of any kind: what silence is counted from.
    package var last: Instant?
    /// The run that goes on.
    package var started: Instant?
    /// A run began while the one before had not ended; nothing has ended well since.
    package var isUnfinished = false
    /// Failure of the last run, where there was one.
    package var failure: Failure?
    /// From start to end of the last run that told both.
    package var duration: Duration?
    /// The end of the job's output in its last run: lines, each of them printable.
    package var words: String?
    /// A report that was due while the agent could not take it; `nil` once another has come.
    package var excuse: Excuse?
    /// The sender of the last report was told to send it again; while the process lives.
    var mayRepeat = false

    package init(since: Instant) { self.since = since }
  }

  package struct Failure: Hashable, Sendable {
    package var at: Instant
    /// 1 to 255; nil: it only said that it failed.
    package var exitCode: Int?

    package init(at: Instant, exitCode: Int?) { (self.at, self.exitCode) = (at, exitCode) }
  }

  /// A time in which the agent took no reports.
  package struct Absence: Hashable, Sendable {
    package var from: Instant
    package var until: Instant

    package init(from: Instant, until: Instant) { (self.from, self.until) = (from, until) }
  }

  /// Why silence says nothing about a job for a while.
  package struct Excuse: Hashable, Sendable {
    /// When the report was due that may have been missed by the agent; `nil` when only the end of a run was.
    package var due: Instant?
    package var away: Absence

    package init(due: Instant?, away: Absence) { (self.due, self.away) = (due, away) }
  }

  /// Bytes of what a job says that are kept.
  static let keptWords = 1024

  package private(set) var pages: [UniqueID: Page]
  /// When the file was written that this was read from; `nil` where it was read from none.
  package let savedAt: Instant?

  package init(pages: [UniqueID: Page] = [:], savedAt: Instant? = nil) {
    (self.pages, self.savedAt) = (pages, savedAt)
  }

  /// Has a page for each of these checks and for no other. One that had none is waited for from now on.
  package mutating func keep(_ checks: [UniqueID], now: Instant) {
    pages = Dictionary(checks.map { ($0, pages[$0] ?? Page(since: now)) }) { first, _ in first }
  }

  package mutating func take(_ report: HeartbeatReport, of check: UniqueID, now: Instant) {
    guard var page = pages[check] else { return }
    page.last = now
    page.excuse = nil
    defer {
      page.mayRepeat = false
      pages[check] = page
    }
    switch report.signal {
    case .start:
      page.isUnfinished = page.isUnfinished || (page.started != nil && !page.mayRepeat)
      page.started = now
    case .ok:
      page.end(now, report.body)
      (page.failure, page.isUnfinished) = (nil, false)
    case .fail(let code):
      page.end(now, report.body)
      page.failure = Failure(at: now, exitCode: code)
    }
  }

  /// The agent took no reports for a time: of this check, none that was due then is missed.
  package mutating func excuse(
    _ check: UniqueID, _ absence: Absence, by judge: HeartbeatJudge, at now: ClockReading
  ) {
    guard let page = pages[check], let excuse = judge.excuse(page, absence, at: now) else { return }
    pages[check]?.excuse = excuse
  }

  /// The last report of this check may come once more, and is the same then.
  package mutating func mayRepeat(_ check: UniqueID) { pages[check]?.mayRepeat = true }
}

extension HeartbeatBook.Page {
  fileprivate mutating func end(_ now: Instant, _ body: [UInt8]) {
    // In whole microseconds, as files and results have it: the same run has the same time after a restart.
    duration =
      started.map { .microseconds($0.duration(to: now).microseconds) } ?? (mayRepeat ? duration : nil)
    started = nil
    let text = String(endOf: body, maxBytes: HeartbeatBook.keptWords)
    words = text.isEmpty ? nil : text
  }
}
