// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import NetworkTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Checks

/// The rows T of the fault catalogue that need a dialog; T1 and T2 without one are in TCPProbeTests, T4 in
/// LocalFaultTests.
@Suite(.timeLimit(.minutes(2))) struct TCPFaultTests {
  /// Connects are up without a dialog; with one the reset is a failure.
  @Test("T1 connects, then resets at once") func resets() async throws {
    try await withLoopbackServer(script: { $0.resetOnClose() }) { server in
      for (steps, reasons) in [
        (nil, [Reason.ok]), ([TCPReasonTests.expect("hello")], [.connectionReset, .connectionClosed]),
      ] {
        let check = try makeCheck("tcp") {
          ($0.host, $0.port, $0.dialogSteps) = ("127.0.0.1", Int(server.port), steps)
        }
        for _ in 0..<10 {
          let outcome = try await ProbeBench().tcp(check)
          #expect(reasons.contains(outcome.verdict.reason), "\(outcome.verdict)")
        }
      }
    }
  }

  /// Of a gigabyte at most what the socket buffers hold is ever taken; 16 KiB are looked at, 1 KiB is kept.
  @Test("T2 sends a gigabyte at once") func floods() async throws {
    let written = Mutex<(count: Int, isOver: Bool)>((0, false))
    try await withLoopbackServer(script: { link in
      let piece = [UInt8](repeating: 0x41, count: 1 << 20)
      for _ in 0..<1024 {
        guard link.write(piece) else { break }
        written.withLock { $0.count += piece.count }
      }
      written.withLock { $0.isOver = true }
    }) { server in
      let check = try makeCheck("tcp") {
        ($0.host, $0.port) = ("127.0.0.1", Int(server.port))
        $0.dialogSteps = [TCPReasonTests.expect("~ never")]
      }
      let outcome = try await ProbeBench().tcp(check)
      #expect(outcome.verdict.reason == .dialog)
      #expect(outcome.verdict.message?.hasSuffix("not found in the first 16 KiB") == true)
      #expect(try #require(outcome.excerpt).utf8.count <= 1024)
      while !written.withLock(\.isOver) { await Task.yield() }
      #expect(written.withLock(\.count) < 64 << 20)
    }
  }

  /// Plain, in STARTTLS and in the handshake: at the deadline our end is closed.
  @Test("T3 half-open, never closes", arguments: ["dialog", "starttls", "tls"])
  func neverCloses(part: String) async throws {
    let ended = Mutex(0)
    try await withLoopbackServer(script: { link in
      link.waitForEnd()
      ended.withLock { $0 += 1 }
    }) { server in
      let check = try makeCheck("tcp") {
        ($0.host, $0.port) = ("127.0.0.1", Int(server.port))
        if part == "tls" { $0.tls.isWanted = true }
        if part == "starttls" { $0.startTLS = "smtp" }
        if part == "dialog" { $0.dialogSteps = [TCPReasonTests.expect("hello")] }
      }
      let outcomes = try await withThrowingTaskGroup(of: Verdict.self) { group in
        for _ in 0..<20 {
          group.addTask { try await ProbeBench(limit: .milliseconds(500)).tcp(check).verdict }
        }
        return try await group.reduce(into: [Verdict]()) { $0.append($1) }
      }
      #expect(outcomes.allSatisfy { $0.status == .timeout || $0.reason == .localFault }, "\(outcomes)")
      // Each end that the server saw is a descriptor of ours that is closed.
      while ended.withLock({ $0 }) < server.accepted { await Task.yield() }
      #expect(ended.withLock { $0 } == server.accepted)
    }
  }
}
