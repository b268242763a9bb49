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
  /// The check's outages of 90 days, oldest first; nil when it is not configured.
  func outages(_ checkID: UniqueID) async -> [Outage]?
  /// What is known of the way to the check's target; nil when it is not configured.
  func traces(_ checkID: UniqueID) async -> TraceView?
  /// A window as a line of at most so many points (2 to 300), oldest first; nil when the check is not configured.
  func series(_ checkID: UniqueID, _ period: UptimePeriod, points: Int) async -> [SeriesPoint]?
  /// What a scrape says beyond the snapshot.
  func metrics() async -> MetricsView
  /// What this agent knows of a check's windows that end at that instant, as members of a group add it up; nil when it has
  /// never heard of the check.
  func share(of checkID: UniqueID, at instant: Timestamp) async -> WindowShare?
  /// Asks the places of a check for what they know, unless that was done a moment ago; the next snapshot has it.
  func askPlaces(_ checkID: UniqueID) async
  /// Runs a check now, beside its schedule. The caller may do that.
  func runNow(_ checkID: UniqueID) async -> RunNowOutcome
  /// Does what somebody ordered. The caller may do that.
  func act(_ wish: OperatorWish) async -> OperatorAnswer
  /// What `/api/v1/group` says; nil: the agent is in no group.
  func group(withChecks: Bool) async -> (@Sendable (inout JSONWriter) -> Void)?
  /// What the store of results says.
  func spool(_ question: SpoolQuestion) async -> SpoolAnswer
  /// False until the agent probes: `/readyz` says so.
  func isReady() async -> Bool
  /// Why not, in one line.
  var unready: String { get }
  /// Problems of an agent that is ready all the same, one line each, as `/readyz` shows them. No secret: nothing is there
  /// but on the address that is not public.
  var shortcomings: [String] { get }
}

extension StatusSource {
  package func share(of checkID: UniqueID, at instant: Timestamp) async -> WindowShare? { nil }
  package func askPlaces(_ checkID: UniqueID) async {}
  package func act(_ wish: OperatorWish) async -> OperatorAnswer { .refused("nothing can be ordered here") }
  package var unready: String { "starting" }
  package var shortcomings: [String] { [] }
  package func traces(_ checkID: UniqueID) async -> TraceView? { nil }
  package func group(withChecks: Bool) async -> (@Sendable (inout JSONWriter) -> Void)? { nil }
}
