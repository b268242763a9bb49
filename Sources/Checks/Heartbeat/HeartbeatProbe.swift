// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Looks up what a job has reported; nothing is dialled.
package struct HeartbeatProbe: Probe {
  /// `nil` where this process takes no reports.
  private let desk: HeartbeatDesk?

  package init(desk: HeartbeatDesk?) { self.desk = desk }

  package func probe(
    _ attempt: Attempt, at addresses: [SocketAddress], dns: Duration?
  ) async throws(CancellationError) -> Probed {
    if let outcome = await desk?.look(at: attempt.check) { return .done(outcome) }
    return .done(
      ProbeOutcome(
        Verdict(
          .localFault, phase: .prepare,
          message:
            "jobs report to a running agent, and none with this check answers: start it with quartz-agent run"
        )))
  }
}
