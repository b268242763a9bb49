// SPDX-License-Identifier: MIT

import Synchronization

/// Pauses of this process, as its loops noticed them: a thread was woken late without having waited for a core. The process was
/// stopped or frozen, or the whole machine was. When the data came that is found afterwards is not known.
package final class ProcessPauses: Sendable {
  package static let shared = ProcessPauses()

  private let window = Mutex(LatenessWindow())
  /// Below this it is noise of the timer, and no reason to lock.
  private static let shortest: Duration = .milliseconds(10)

  package init() {}

  package func record(_ pause: Duration, at now: Instant) {
    guard pause >= Self.shortest else { return }
    window.withLock { $0.record(pause, at: now) }
  }

  /// The longest that ended since then; at most two minutes ago.
  package func longest(since start: Instant) -> Duration { window.withLock { $0.largest(since: start) } }
}

/// Pauses from its start on, for a probe that has no report of a loop with a stamp to begin at.
package struct PauseWatch: Sendable {
  private let start = Instant.now

  package init() {}

  package var longest: Duration { ProcessPauses.shared.longest(since: start) }
}
