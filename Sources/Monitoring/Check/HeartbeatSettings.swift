// SPDX-License-Identifier: MIT

import Basics

/// Settings of a heartbeat check: a job reports, and silence is what is found.
package struct HeartbeatSettings: Hashable, Sendable {
  /// When the next report is due.
  package enum Rhythm: Hashable, Sendable {
    /// At most this long after the last one.
    case period(Duration)
    /// At the next of these times.
    case cron(CronPlan, TimeZoneRules)
  }

  /// Token that identifies the job.
  package var token: Redacted
  package var rhythm: Rhythm
  /// How late a report may be.
  package var grace: Duration
  /// A run that takes longer is degraded; `nil` when it may take its time.
  package var maxRun: Duration?

  package init(token: Redacted, rhythm: Rhythm, grace: Duration, maxRun: Duration?) {
    (self.token, self.rhythm, self.grace, self.maxRun) = (token, rhythm, grace, maxRun)
  }

  /// Text that is shown in place of an address.
  var target: String {
    switch rhythm {
    case .period(let period): "every \(period.text)"
    case .cron(let plan, let zone): "cron \(plan.text) \(zone.name)"
    }
  }
}

/// A job's report of itself.
package struct HeartbeatReport: Hashable, Sendable {
  package enum Signal: Hashable, Sendable {
    /// A run begins.
    case start
    /// It ended well.
    case ok
    /// It ended badly, with the exit code where one was told.
    case fail(exitCode: Int?)

    /// The last part of an address, in the form that Healthchecks has given it: nothing, `start`, `fail` or an exit code.
    package init?(word: String?) {
      switch word {
      case nil: self = .ok
      case "start": self = .start
      case "fail": self = .fail(exitCode: nil)
      case let text?:
        guard (1...3).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
          let code = Int(text), code <= 255
        else { return nil }
        self = code == 0 ? .ok : .fail(exitCode: code)
      }
    }
  }

  package var signal: Signal
  /// The end of the job's output, as it came; at most `longestBody` bytes.
  package var body: [UInt8]

  /// Bytes of a body that are kept, its last ones.
  package static let longestBody = 10 * 1024

  package init(_ signal: Signal, body: [UInt8] = []) { (self.signal, self.body) = (signal, body) }
}

/// Outcome of a report.
package enum HeartbeatAnswer: Hashable, Sendable {
  case taken
  /// Counted in memory but not saved: a restart would lose it.
  case notKept
  /// No check has this token.
  case unknown
  /// The check had too many within a minute.
  case tooMany
}
