// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network

/// One kind of probe. An attempt is one fresh connection (or conversation) and one verdict.
package protocol Probe: Sendable {
  /// Resolves and judges the address that is dialled first. `nil` where the probe finds it itself, hop by hop.
  func find(_ attempt: Attempt) async throws(CancellationError) -> TargetFinder.Finding?

  /// Over by the attempt's deadline. Throws only when the surrounding task is cancelled: a failing target is a value.
  ///
  /// - Parameters:
  ///   - addresses: what was found, all of it permitted; empty where nothing was looked for.
  ///   - dns: how long the name took, which is no more part of the attempt's time; nil where there was none.
  func probe(
    _ attempt: Attempt, at addresses: [SocketAddress], dns: Duration?
  ) async throws(CancellationError) -> Probed

  /// An outcome of an attempt that found nothing to dial, with the conditions that could not be judged.
  func unanswered(
    _ outcome: ProbeOutcome, _ attempt: Attempt
  ) async throws(CancellationError) -> ProbeOutcome
}

extension Probe {
  package func find(_ attempt: Attempt) async throws(CancellationError) -> TargetFinder.Finding? { nil }

  package func unanswered(
    _ outcome: ProbeOutcome, _ attempt: Attempt
  ) async throws(CancellationError) -> ProbeOutcome { outcome }
}
