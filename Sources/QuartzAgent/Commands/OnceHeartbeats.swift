// SPDX-License-Identifier: MIT

import Basics
import Checks
import Monitoring

/// The running agent's last finding on a job, for `once`, to which no job reports.
struct OnceHeartbeats: Sendable {
  private var client: AgentClient

  init(_ client: AgentClient) {
    self.client = client
    self.client.patience = .seconds(5)
  }

  /// `nil` when no agent with this check answers.
  func latest(of check: MonitoringCheck) async -> ProbeOutcome? {
    guard let text = try? await client.ask("/api/v1/checks/\(check.id)/results?limit=1") else { return nil }
    return Self.latest(text, of: check)
  }

  /// The newest of the agent's results, or that there is none yet.
  static func latest(_ text: String, of check: MonitoringCheck) -> ProbeOutcome? {
    guard let answer = try? JSONValue.parse(text.utf8), case .array(let results)? = answer["data"] else {
      return nil
    }
    if let result = results.first { return outcome(result) }
    return ProbeOutcome(
      Verdict(
        .localFault, phase: .prepare,
        message: "the running agent has not evaluated this check yet; it does so every \(check.interval.text)"
      ))
  }

  static func outcome(_ result: JSONValue) -> ProbeOutcome? {
    guard let reason = result["reason"]?.string.flatMap({ Reason(word: $0) }),
      let state = result["state"]?.string.flatMap({ CheckState(word: $0) })
    else { return nil }
    var outcome = ProbeOutcome(
      Verdict(
        reason, phase: result["phase"]?.string.flatMap { Phase(word: $0) },
        message: result["message"]?.string,
        degraded: state == .degraded, isUnknown: state == .unknown))
    outcome.responseTime = result["response_time_ms"]?.double.map { .milliseconds($0) }
    outcome.excerpt = result["excerpt"]?.string
    return outcome
  }
}
