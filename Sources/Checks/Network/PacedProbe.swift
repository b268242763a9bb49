// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Holds the checks of a stranger to the rates of the egress budget: an attempt that came too early is made again
/// later, with the whole of its time. Waiting is lateness, never latency.
package struct PacedProbe: Probe {
  private let inner: any Probe
  private let time: TimeSource

  package init(_ inner: any Probe, time: TimeSource = .system) {
    self.inner = inner
    self.time = time
  }

  package func attempt(
    _ check: MonitoringCheck, deadline: Instant
  ) async throws(CancellationError) -> ProbeOutcome {
    let start = time.instant()
    var held = Duration.zero
    while true {
      var outcome = try await inner.attempt(check, deadline: deadline + held)
      guard let wait = outcome.postponed else {
        if held > .zero { outcome.held += held }
        return outcome
      }
      guard held + wait <= check.interval else { return .starved(held) }
      try await time.sleep(for: wait)
      held = start.duration(to: time.instant())
    }
  }
}

extension ProbeOutcome {
  /// The budget has no room at the moment; nothing was dialled. `PacedProbe` asks again after `wait`.
  static func postponed(by wait: Duration) -> ProbeOutcome {
    var outcome = starved(.zero)
    outcome.postponed = wait
    return outcome
  }

  fileprivate static func starved(_ held: Duration) -> ProbeOutcome {
    let message =
      "held back for \(held.roundedText): checks from the API ask for more connections than they may"
    var outcome = ProbeOutcome(Verdict(.localFault, phase: .prepare, message: message))
    outcome.held = held
    return outcome
  }
}
