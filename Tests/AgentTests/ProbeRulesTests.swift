// SPDX-License-Identifier: MIT

import Basics
import Import
import Monitoring
import Testing

@testable import Agent

/// What a module of blackbox_exporter asks of an answer besides its check.
@Suite struct ProbeRulesTests {
  /// The rules hold for an answer that is well or degraded; of any other the check's own verdict stays.
  @Test(arguments: [
    (CheckState.up, CheckState.down), (.degraded, .down), (.down, .down), (.unknown, .unknown),
  ])
  func anAnswerThatIsTooLong(state: CheckState, judged: CheckState) throws {
    var result = CheckResult(
      id: UniqueID(high: 5, low: 1), check: try tcpCheck("Shop"), trigger: .manual,
      scheduledAt: .epoch, startedAt: .epoch, late: .zero, verdict: .ok)
    (result.state, result.truncated) = (state, true)
    var rules = BlackboxRules()
    rules.bodyLimit = 10
    try ProbeRules(rules).judge(&result)
    #expect(result.state == judged)
    #expect((result.reason == .bodyTooLarge) == (state == .up || state == .degraded))
    #expect(result.message == (result.reason == .bodyTooLarge ? "the body is larger than 10 bytes" : nil))
  }
}
