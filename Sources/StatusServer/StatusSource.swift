// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring
import Status
import Tracing

/// Content of the server, read for each request.
package protocol StatusSource: Sendable {
  /// By the clock on the wall.
  var now: Timestamp { get }
  func snapshot() async -> StatusSnapshot
  /// The latest full results, newest first; nil when the check is not configured.
  func recent(_ checkID: UniqueID) async -> [CheckResult]?
  /// The check's outages of the 90 days up to that instant, oldest first; nil when it is not configured.
  func outages(_ checkID: UniqueID, at instant: Timestamp) async -> [Outage]?
  /// Traces of the path to the check's target. `nil` where it is not configured.
  func traces(_ checkID: UniqueID) async -> TraceView?
  /// A window that ends at that instant as a line of at most so many points (2 to 300), oldest first; nil when the check is
  /// not configured.
  func series(
    _ checkID: UniqueID, _ period: UptimePeriod, points: Int, at instant: Timestamp
  ) async -> [SeriesPoint]?
  /// A month or week and those before it, so many in all, of every configured check.
  func periods(through period: CalendarPeriod, count: Int) async -> [UniqueID: CheckMonths]
  /// Metrics beyond the snapshot.
  func metrics() async -> MetricsView
  /// This agent's share of a check's windows that end at that instant, for adding up in a group. `nil` where it has
  /// never heard of the check.
  func share(of checkID: UniqueID, at instant: Timestamp) async -> WindowShare?
  /// Asks the places of a check for what they know, unless that was done a moment ago; the next snapshot has it.
  func askPlaces(_ checkID: UniqueID) async
  /// Runs a check now, beside its schedule. The caller may do that.
  func runNow(_ checkID: UniqueID) async -> RunNowOutcome
  /// Carries out an operator's command. The caller is authorised.
  func act(_ wish: OperatorWish) async -> OperatorAnswer
  /// Carries out an operator's command about posts of the public page. The caller is authorised.
  func post(_ wish: PostWish) async -> OperatorAnswer
  /// Content of `/api/v1/group`. `nil` where the agent is in no group.
  func group(withChecks: Bool) async -> (@Sendable (inout JSONWriter) -> Void)?
  /// The store's answer.
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
  package func periods(through period: CalendarPeriod, count: Int) async -> [UniqueID: CheckMonths] { [:] }
  package func share(of checkID: UniqueID, at instant: Timestamp) async -> WindowShare? { nil }
  package func askPlaces(_ checkID: UniqueID) async {}
  package func act(_ wish: OperatorWish) async -> OperatorAnswer { .refused("nothing can be ordered here") }
  package func post(_ wish: PostWish) async -> OperatorAnswer { .refused("nothing can be posted here") }
  package var unready: String { "starting" }
  package var shortcomings: [String] { [] }
  package func traces(_ checkID: UniqueID) async -> TraceView? { nil }
  package func group(withChecks: Bool) async -> (@Sendable (inout JSONWriter) -> Void)? { nil }
}
