// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// What the server shows, asked anew for each request.
package protocol StatusSource: Sendable {
  /// By the clock on the wall.
  var now: Timestamp { get }
  func snapshot() async -> StatusSnapshot
  /// The latest full results, newest first; nil when the check is not configured.
  func recent(_ checkID: UniqueID) async -> [CheckResult]?
  /// Runs a check now, beside its schedule. The caller may do that.
  func runNow(_ checkID: UniqueID) async -> RunNowOutcome
  /// What the store of results says.
  func spool(_ question: SpoolQuestion) async -> SpoolAnswer
  /// False until the agent probes: `/readyz` says so.
  func isReady() async -> Bool
  /// Why not, in one line.
  var unready: String { get }
}

extension StatusSource {
  package var unready: String { "starting" }
}
