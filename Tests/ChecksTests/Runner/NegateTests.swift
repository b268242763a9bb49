// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import NetworkTestSupport
import TestSupport
import Testing

@testable import Checks

/// `negate`, and the order of attempts as the backend's own runner has it.
@Suite struct NegateTests {
  let time = FakeClock()
  let slot = ProbeSlot(scheduledAt: FakeClock.start, trigger: .schedule)

  private func run(
    _ outcomes: [ProbeOutcome], _ change: (inout CheckDefinition) -> Void = { _ in }
  ) async throws -> CheckResult {
    let probe = ScriptedProbe(outcomes, time: time)
    let runner = CheckRunner(
      http: probe, tcp: probe, dns: probe, tls: probe, ping: probe, time: time.passing)
    return try await runner.run(
      makeCheck("tcp") { definition in
        definition.host = "example.com"
        definition.port = 23
        change(&definition)
      }, slot: slot)
  }

  private func outcome(_ verdict: Verdict) -> ProbeOutcome {
    ProbeOutcome(verdict, responseTime: .milliseconds(20), timings: Timings(total: .milliseconds(20)))
  }

  /// Of what failed on the way to the target nobody can say that the target does not answer.
  @Test(
    arguments: [
      (.proxyConnect, .proxy), (.proxyAuth, .proxy), (.authToken, .transfer), (.dnsTimeout, .dns),
      (.dnsServfail, .dns), (.dnsRefused, .dns), (.dnsMalformed, .dns), (.dnsRcode, .dns),
      (.connectRefused, .dns), (.connectionClosed, .dns), (.dnsNXDomain, .prepare),
    ] as [(Reason, Phase)])
  func aFailureOnTheWayProvesNothing(reason: Reason, phase: Phase) async throws {
    let result = try await run([outcome(Verdict(reason, phase: phase, message: "no"))]) {
      $0.negate = true
      $0.retries = 0
    }
    #expect(result.state == .down && result.reason == reason)
    #expect(result.assertions.isEmpty)
  }

  @Test(
    arguments: [
      (Verdict.ok, CheckState.down, Reason.negated, "answered, and negate says that it must not (ok)", false),
      (
        Verdict(.certificateExpiring, phase: .assertion, message: "soon", degraded: true), .down, .negated,
        "answered, and negate says that it must not (certificate_expiring: soon)", false
      ),
      (
        Verdict(.connectRefused, phase: .connect, message: "no"), .up, .ok,
        "fails, as negate says that it must (connect_refused: no)", true
      ),
      (
        Verdict(.connectTimeout, phase: .connect), .up, .ok,
        "fails, as negate says that it must (connect_timeout)", true
      ),
      (
        Verdict(.body, phase: .assertion, message: "no ok"), .up, .ok,
        "fails, as negate says that it must (body: no ok)", true
      ),
    ] as [(Verdict, CheckState, Reason, String, Bool)])
  func successAndFailureChangePlaces(
    found: Verdict, state: CheckState, reason: Reason, message: String, ok: Bool
  ) async throws {
    let result = try await run([outcome(found)]) {
      $0.negate = true
      $0.retries = 0
    }
    #expect(result.state == state)
    #expect(result.reason == reason)
    #expect(result.message == message)
    #expect(result.status == (state == .up ? .success : .failure))
    #expect(result.assertions.map(\.what) == ["negate"])
    #expect(result.assertions.first?.ok == ok)
    #expect(result.assertions.first?.actual.hasPrefix(found.reason.rawValue) == true)
  }

  @Test(arguments: [
    Verdict(.localFault, message: "none"), Verdict(.policyDenied), Verdict(.unsupported),
    Verdict(.dnsTimeout, phase: .dns, isUnknown: true),
  ])
  func whatNobodyKnowsStaysUnknown(found: Verdict) async throws {
    let result = try await run([outcome(found)]) { $0.negate = true }
    #expect(result.state == .unknown)
    #expect(result.reason == found.reason)
    #expect(result.assertions.isEmpty)
  }

  @Test func aTargetThatAnswersIsAskedAgainLikeAnyFailure() async throws {
    let ok = outcome(.ok)
    let result = try await run([ok, ok, ok, ok]) {
      $0.negate = true
      $0.retries = 2
      $0.confirmDelay = .seconds(5)
    }
    #expect(result.attempts.map(\.reason) == [.negated, .negated, .negated, .negated])
    #expect(
      result.message == "confirmed failure after 2 retries: answered, and negate says that it must not (ok)")
    let mended = try await run([ok, outcome(Verdict(.connectRefused, phase: .connect))]) {
      $0.negate = true
      $0.retries = 1
    }
    #expect(mended.state == .up)
    #expect(mended.attempts.map(\.status) == [.failure, .success])
  }

  @Test func slowerThanTheLimitIsAFailureThatNegateTurns() async throws {
    let result = try await run([outcome(.ok)]) {
      $0.negate = true
      $0.responseTime = Thresholds(fail: .milliseconds(10))
    }
    #expect(result.state == .up)
    #expect(
      result.message == "fails, as negate says that it must (response_time: took 20ms, more than 10ms)")
    #expect(result.assertions.map(\.ok) == [false, true])
  }

  /// One attempt; then retries a delay apart; when all failed, and there were retries, a confirmation; the first
  /// success ends the run, and the last attempt is what is reported.
  @Test(
    arguments: [
      // Retries, delays in seconds, outcomes (true: success), pauses, attempts, confirmed.
      (3, 2, 5, [true], [], 1, false), (3, 2, 5, [false, true], [2], 2, false),
      (3, 2, 5, [false, false, false, true], [2, 2, 2], 4, false),
      (3, 2, 5, [false, false, false, false, true], [2, 2, 2, 5], 5, false),
      (3, 2, 5, [false, false, false, false, false], [2, 2, 2, 5], 5, true),
      (0, 2, 5, [false], [], 1, false), (0, 2, 5, [true], [], 1, false),
      (1, 0, 5, [false, false, false], [0, 5], 3, true),
      (1, 2, 0, [false, false], [2], 2, false),
      (10, 1, 1, Array(repeating: false, count: 12), Array(repeating: 1, count: 11), 12, true),
    ] as [(Int, Int, Int, [Bool], [Int], Int, Bool)])
  func attemptsFollowTheBackendsRunner(
    retries: Int, delay: Int, confirm: Int, outcomes: [Bool], pauses: [Int], attempts: Int, confirmed: Bool
  ) async throws {
    let scripted = outcomes.enumerated().map { index, success in
      ProbeOutcome(
        success ? .ok : Verdict(.httpStatus, phase: .assertion, message: "status 500"),
        responseTime: .milliseconds(index + 1))
    }
    let result = try await run(scripted) {
      $0.origin = .api
      $0.retries = retries
      $0.retryDelay = .seconds(delay)
      $0.confirmDelay = .seconds(confirm)
    }
    #expect(time.sleeps == pauses.map { .seconds($0) })
    #expect(result.attempts.count == attempts)
    #expect(result.status == (outcomes.last == true ? .success : .failure))
    #expect(result.responseTime == .milliseconds(attempts))
    #expect(result.attempts.map(\.responseTime) == (1...attempts).map { .milliseconds($0) })
    let words = "confirmed failure after \(retries) \(retries == 1 ? "retry" : "retries"): status 500"
    #expect(result.message == (outcomes.last == true ? nil : confirmed ? words : "status 500"))
  }
}
