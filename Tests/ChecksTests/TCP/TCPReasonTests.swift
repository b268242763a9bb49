// SPDX-License-Identifier: MIT

import Basics
import Curl
import Foundation
import Monitoring
import NetworkTestSupport
import TestSupport
import Testing

@testable import Checks

/// Every reason a tcp check gives on its own, each brought about by a server on loopback. What dialling says is in
/// TCPProbeTests and LocalFaultTests, what certificates say in TCPTLSTests.
@Suite(.timeLimit(.minutes(3))) struct TCPReasonTests {
  struct Case: Sendable, CustomStringConvertible {
    let name: String
    let reason: Reason
    let phase: Phase?
    var limit = Duration.seconds(10)
    var steps: [DialogStepDefinition] = []
    var change: @Sendable (inout CheckDefinition) -> Void = { _ in }
    /// Of the step that failed.
    var seen: String?
    let script: @Sendable (LoopbackConnection) -> Void

    var description: String { "\(reason.rawValue): \(name)" }
  }

  static func send(_ text: String) -> DialogStepDefinition {
    var step = DialogStepDefinition()
    step.send = Redacted(text)
    return step
  }

  static func expect(_ text: String) -> DialogStepDefinition {
    var step = DialogStepDefinition()
    step.expect = text
    return step
  }

  static func says(_ text: String) -> @Sendable (LoopbackConnection) -> Void {
    { link in
      link.write(text)
      link.waitForEnd()
    }
  }

  static let cases: [Case] = [
    Case(name: "a dialog", reason: .ok, phase: nil, steps: [expect("~ ^220 ")], script: says("220 a\r\n")),
    // What is waited for may still come: the time says that it did not.
    Case(
      name: "another answer", reason: .transferTimeout, phase: .dialog, limit: .seconds(3),
      steps: [expect("+OK")], seen: #"-ERR no\u{d}\u{a}"#, script: says("-ERR no\r\n")),
    Case(
      name: "step 2, with what was sent hidden", reason: .transferTimeout, phase: .dialog, limit: .seconds(3),
      steps: [expect("hello"), send(#"PASS hunter22\r\n"#), expect("+OK")],
      seen: #"-ERR <redacted> unknown\u{d}\u{a}"#,
      script: { link in
        link.write("hello\r\n")
        link.read(until: "hunter22")
        link.write("-ERR hunter22 unknown\r\n")
        link.waitForEnd()
      }),
    Case(
      name: "a preset's service says no", reason: .dialog, phase: .dialog,
      change: { $0.dialogPreset = "smtp" }, seen: #"554 away\u{d}\u{a}"#, script: says("554 away\r\n")),
    Case(
      name: "another protocol", reason: .dialog, phase: .dialog, change: { $0.dialogPreset = "imap" },
      seen: #"220 mail.test ESMTP\u{d}\u{a}"#, script: says("220 mail.test ESMTP\r\n")),
    Case(
      name: "a flood", reason: .dialog, phase: .dialog, steps: [expect("never")],
      seen: String(repeating: "A", count: 253) + "…",
      script: { link in while link.write([UInt8](repeating: 0x41, count: 65_536)) {} }),
    Case(
      name: "silence", reason: .firstByteTimeout, phase: .dialog, limit: .seconds(3),
      steps: [expect("hello")], script: { $0.waitForEnd() }),
    Case(
      name: "a close in the dialog", reason: .connectionClosed, phase: .dialog,
      steps: [expect("hello"), expect("more")], script: { $0.write("hello") }),
    Case(
      name: "a reset in the dialog", reason: .connectionReset, phase: .dialog,
      steps: [send("go"), expect("more")],
      script: { link in
        _ = link.read()
        link.resetOnClose()
      }),
    Case(
      name: "slow", reason: .responseTime, phase: .assertion, limit: .seconds(10), steps: [expect("late")],
      change: { $0.responseTime = Thresholds(warn: .milliseconds(1), fail: .milliseconds(30)) },
      script: { link in
        usleep(60_000)
        link.write("late")
        link.waitForEnd()
      }),
    Case(
      name: "plain text instead of tls", reason: .tlsHandshake, phase: .tls,
      change: { $0.tls.isWanted = true },
      script: says("220 mail.test ESMTP\r\n")),
    Case(
      name: "silence instead of tls", reason: .tlsTimeout, phase: .tls, limit: .seconds(3),
      change: { $0.tls.isWanted = true }, script: { $0.waitForEnd() }),
    Case(
      name: "trusted certificates missing", reason: .localFault, phase: .prepare,
      change: { $0.tls.caFile = "/nonexistent/ca.pem" }, script: { $0.waitForEnd() }),
    Case(
      name: "client certificate missing", reason: .localFault, phase: .prepare,
      change: { $0.tls.clientCertificate = "/nonexistent/client.pem" }, script: { $0.waitForEnd() }),
    Case(
      name: "a capture that took no part", reason: .unsupported, phase: .dialog,
      steps: [expect("~ a(x)?b"), send(#"\(1)"#)], script: says("ab\r\n")),
    Case(
      name: "starttls refused", reason: .starttlsRefused, phase: .starttls,
      change: { $0.startTLS = "smtp" }, script: says("554 away\r\n")),
  ]

  /// Four of them wait for their time to run out.
  @Test("tcp reasons") func endsInItsReason() async throws {
    try await sideBySide(Self.cases) { try await Self.ends($0) }
  }

  private static func ends(_ example: Case) async throws {
    try await withLoopbackServer(script: example.script) { server in
      let check = try makeCheck("tcp") {
        ($0.host, $0.port) = ("good.test", Int(server.port))
        if !example.steps.isEmpty { $0.dialogSteps = example.steps }
        example.change(&$0)
      }
      var outcome = try await ProbeBench(limit: example.limit).tcp(check)
      ResponseTimeRule(check.responseTime).judge(&outcome)
      let words: Comment = "\(example): \(outcome.verdict)"
      #expect(outcome.verdict.reason == example.reason, words)
      #expect(outcome.verdict.phase == example.phase, words)
      if let seen = example.seen {
        #expect(outcome.dialog.last?.seen == seen, words)
        #expect(outcome.dialog.last?.ok == false, words)
        let excerpt = try #require(outcome.excerpt, words)
        #expect(excerpt.utf8.count <= 1024 && excerpt.hasPrefix(seen.prefix(250)), words)
        // Messages are delivered; what the target said stays here.
        #expect(outcome.verdict.message?.contains(seen.prefix(12)) == false, words)
      }
      if example.reason != .localFault {
        #expect(try #require(outcome.timings.connect) <= #require(outcome.responseTime), words)
      }
    }
  }

  @Test func everyStepHasItsTime() async throws {
    try await withLoopbackServer(script: { link in
      link.write("one")
      link.read(until: "go")
      usleep(50_000)
      link.write("two")
      link.waitForEnd()
    }) { server in
      let check = try makeCheck("tcp") {
        ($0.host, $0.port) = ("good.test", Int(server.port))
        $0.dialogSteps = [Self.expect("one"), Self.send("go"), Self.expect("two")]
      }
      let outcome = try await ProbeBench().tcp(check)
      #expect(outcome.verdict == .ok)
      #expect(outcome.dialog.map(\.what) == [#"expect "one""#, "send", #"expect "two""#])
      #expect(try #require(outcome.dialog.last).elapsed >= .milliseconds(50))
      #expect(try outcome.dialog[1].elapsed < #require(outcome.dialog.last).elapsed)
      let whole = outcome.dialog.reduce(Duration.zero) { $0 + $1.elapsed }
      let (total, connect) = (try #require(outcome.timings.total), try #require(outcome.timings.connect))
      #expect(total >= connect + whole)
      #expect(outcome.timings.firstByte != nil && outcome.timings.transfer != nil)
    }
  }

  /// A farewell nobody answers delays the end, and no latency.
  @Test func theFarewellIsNoLatency() async throws {
    try await withLoopbackServer(script: { link in
      link.read(until: "PING")
      link.write("+PONG\r\n")
      link.waitForEnd()
    }) { server in
      let check = try makeCheck("tcp") {
        ($0.host, $0.port, $0.dialogPreset) = ("127.0.0.1", Int(server.port), "redis")
      }
      let began = Instant.now
      let outcome = try await ProbeBench().tcp(check)
      let took = began.duration(to: .now)
      #expect(outcome.verdict == .ok)
      #expect(took >= DialogConversation.parting)
      #expect(try #require(outcome.responseTime) <= took - DialogConversation.parting)
    }
  }
}
