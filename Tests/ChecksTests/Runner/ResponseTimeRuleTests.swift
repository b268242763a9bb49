// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Checks

/// Response times against the thresholds of a check.
@Suite struct ResponseTimeRuleTests {
  private func judged(
    _ taken: Duration?, warn: Duration? = .milliseconds(800), fail: Duration? = .seconds(3),
    _ verdict: Verdict = .ok
  ) -> ProbeOutcome {
    var outcome = ProbeOutcome(verdict, responseTime: taken)
    ResponseTimeRule(Thresholds(warn: warn, fail: fail)).judge(&outcome)
    return outcome
  }

  @Test(arguments: [
    (Duration.milliseconds(800), CheckState.up), (.microseconds(800_001), .degraded),
    (.seconds(3), .degraded),
    (.microseconds(3_000_001), .down),
  ]) func thresholds(taken: Duration, state: CheckState) {
    let verdict = judged(taken).verdict
    #expect(verdict.state == state)
    #expect(verdict.reason == (state == .up ? .ok : .responseTime))
  }

  /// A time that would read like the limit that it is beyond is shown exactly.
  @Test func aTimeJustBeyondItsLimit() {
    let outcome = judged(.microseconds(800_400))
    #expect(outcome.verdict.message == "took 800400us, more than 800ms")
    #expect(outcome.assertions.map(\.actual) == ["800400us", "800ms"])
  }

  /// A time that is beyond a threshold only with a pause of this process says nothing about the target.
  @Test(
    arguments: [
      (1000, 200, .unknown), (1000, 199, .degraded), (800, 700, .up), (3200, 200, .unknown),
      (3200, 199, .down),
      (3200, 3000, .unknown),
    ] as [(Int, Int, CheckState)])
  func pauses(taken: Int, paused: Int, state: CheckState) {
    var outcome = ProbeOutcome(.ok, responseTime: .milliseconds(taken))
    outcome.paused = .milliseconds(paused)
    ResponseTimeRule(Thresholds(warn: .milliseconds(800), fail: .seconds(3))).judge(&outcome)
    #expect(outcome.verdict.state == state)
    guard state == .unknown else { return }
    let message = "this machine was busy: this process was paused for \(paused) ms"
    #expect(outcome.verdict == Verdict(.localFault, phase: .assertion, message: message))
  }

  /// A success with a pause of more than a fifth of the timeout has no time that could be told, and what did not come may
  /// have been missed; a refusal is one.
  @Test(
    arguments: [
      (.ok, 200, .up), (.ok, 201, .unknown), (Verdict(.connectRefused, phase: .connect), 900, .down),
      (Verdict(.dnsTimeout, phase: .answer), 200, .down),
      (Verdict(.dnsTimeout, phase: .answer), 201, .unknown),
      (Verdict(.connectTimeout, phase: .connect), 201, .unknown),
      (Verdict(.pingTimeout, phase: .answer), 201, .unknown),
      (Verdict(.pingLoss, phase: .assertion), 201, .unknown),
      (Verdict(.dnsAnswer, phase: .assertion), 900, .down),
    ] as [(Verdict, Int, CheckState)])
  func longPauses(found: Verdict, paused: Int, state: CheckState) throws {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.host, definition.port) = ("Shop", "tcp", "shop.example", 80)
    definition.timeout = .seconds(1)
    var outcome = ProbeOutcome(found, responseTime: .milliseconds(950))
    outcome.paused = .milliseconds(paused)
    CheckRunner.judge(&outcome, of: try MonitoringCheck(definition))
    #expect(outcome.verdict.state == state)
    let phase = found.phase ?? .assertion
    #expect(
      outcome.verdict == (state == .unknown ? .paused(for: .milliseconds(paused), phase: phase) : found))
  }

  @Test func bothConditionsAreReportedAlways() {
    let outcome = judged(.seconds(1))
    #expect(outcome.assertions.map(\.what) == ["response_time.warn", "response_time.fail"])
    #expect(outcome.assertions.map(\.ok) == [false, true])
    #expect(outcome.assertions.map(\.expected) == ["<= 800ms", "<= 3s"])
    #expect(outcome.assertions.map(\.actual) == ["1s", "1s"])
  }

  @Test func aFailureKeepsItsReason() {
    let outcome = judged(.seconds(10), Verdict(.httpStatus))
    #expect(outcome.verdict.reason == .httpStatus)
    #expect(outcome.assertions.map(\.ok) == [false, false])
  }

  @Test func whatIsAlreadyDegradedKeepsItsReasonUnlessItFails() {
    let expiring = Verdict(.certificateExpiring, degraded: true)
    #expect(judged(.seconds(1), expiring).verdict == expiring)
    #expect(judged(.seconds(4), expiring).verdict.reason == .responseTime)
    #expect(judged(.seconds(4), expiring).verdict.state == .down)
  }

  /// Nobody knows how long an answer would have taken that never came.
  @Test func withoutAnAnswerNoLimitHolds() {
    for outcome in [judged(nil), judged(.milliseconds(3), Verdict(.connectRefused, phase: .connect))] {
      #expect(outcome.assertions.map(\.ok) == [false, false])
      #expect(outcome.assertions.map(\.actual) == ["", ""])
    }
    #expect(judged(.milliseconds(3), Verdict(.body, phase: .assertion)).assertions.map(\.ok) == [true, true])
  }

  @Test func nothingToJudgeChangesNothing() {
    #expect(judged(.seconds(9), warn: nil, fail: nil).assertions.isEmpty)
  }

  @Test func judgingTwiceIsJudgingOnce() {
    var outcome = judged(.seconds(1))
    ResponseTimeRule(Thresholds(warn: .milliseconds(800), fail: .seconds(3))).judge(&outcome)
    #expect(outcome.assertions.count == 2)
  }
}
