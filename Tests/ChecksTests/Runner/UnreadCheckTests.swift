// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import NetworkTestSupport
import TestSupport
import Testing

@testable import Checks

/// Checks that lack a credential which only the service can read.
@Suite struct UnreadCheckTests {
  private let time = FakeClock()

  private func check(_ type: String) throws -> MonitoringCheck {
    try makeCheck(type) { definition in
      definition.host = "example.com"
      definition.port = 443
      definition.retries = 2
      definition.unread = UnreadCredentials(["api", "key", "api"])
    }
  }

  /// Nothing is asked without the secret that belongs to the question.
  @Test func isNotProbed() async throws {
    let probe = ScriptedProbe([ProbeOutcome(.ok)], time: time)
    let runner = CheckRunner(
      http: probe, tcp: probe, dns: probe, tls: probe, ping: probe, time: time.passing)
    let slot = ProbeSlot(scheduledAt: FakeClock.start, trigger: .manual)
    let result = try await runner.run(check("tcp"), slot: slot)
    #expect(result.state == .unknown && result.reason == .localFault)
    #expect(result.message == #"needs the credentials "api", "key", which only the service can read"#)
    #expect(result.attempts.map(\.reason) == [.localFault] && time.sleeps.isEmpty)
    // As a canary or a dependency it is unknown too, and excuses no failure.
    let verdict = try await runner.verdictNow(check("tcp"))
    #expect(verdict.state == .unknown && verdict.phase == .prepare && verdict.message == result.message)
    #expect(probe.deadlines.isEmpty)
  }

  @Test func namesAreFew() {
    #expect(UnreadCredentials([]) == nil)
    #expect(
      UnreadCredentials(["a", "b", "c", "d", "e"])?.words
        == #"needs the credentials "a", "b", "c" and 2 more, which only the service can read"#)
  }
}
