// SPDX-License-Identifier: MIT

import Basics
import Curl
import Glibc
import Monitoring
import NetworkTestSupport
import TestSupport
import Testing

@testable import Checks
@testable import Network

/// The same cause has the same words in every type of check.
@Suite(.timeLimit(.minutes(2))) struct SameWordsTests {
  static let plain = ["http", "tcp", "dns over tcp"]
  static let secured = ["https", "tls", "dns over dot", "dns over doh"]

  private func check(_ kind: String, _ port: UInt16) throws -> MonitoringCheck {
    let place = "127.0.0.1:\(port)"
    return switch kind {
    case "http", "https": try makeCheck("http") { $0.url = "\(kind)://\(place)/" }
    case "tcp":
      try makeCheck("tcp") {
        ($0.host, $0.port) = ("127.0.0.1", Int(port))
        var (request, answer) = (DialogStepDefinition(), DialogStepDefinition())
        (request.send, answer.expect) = (Redacted("hello\r\n"), "needle")
        $0.dialogSteps = [request, answer]
      }
    case "tls": try makeCheck("tls") { ($0.host, $0.port) = ("127.0.0.1", Int(port)) }
    default:
      try makeCheck("dns") {
        ($0.server, $0.queryName) = (place, "example.com")
        $0.transport = String(kind.split(separator: " ").last ?? "")
      }
    }
  }

  private func result(_ kind: String, _ port: UInt16) async throws -> CheckResult {
    try await withCurlEngine { engine in
      let reactor = try Reactor()
      let system = SystemResolver(
        reactor: reactor, resolvConf: "/nonexistent/a", hosts: "/nonexistent/b", port: 1)
      let finder = TargetFinder(resolver: NameTable.loopback, policy: EgressPolicy())
      let runner = CheckRunner(
        engine: engine, reactor: reactor, system: system, finder: finder, userAgent: "test")
      return try await runner.run(
        try check(kind, port), slot: ProbeSlot(scheduledAt: .now(), trigger: .manual))
    }
  }

  @Test(arguments: plain + secured + ["dns over udp"]) func refused(kind: String) async throws {
    let port = try freePort(udp: kind == "dns over udp")
    let result = try await result(kind, port)
    #expect(result.reason == .connectRefused)
    #expect(result.message == "127.0.0.1:\(port): connection refused")
  }

  @Test(arguments: plain + secured) func reset(kind: String) async throws {
    try await withLoopbackServer(script: {
      _ = $0.read()
      $0.resetOnClose()
    }) { server in
      let result = try await result(kind, server.port)
      #expect(result.reason == .connectionReset)
      try expect(result, kind, server.port, "connection reset by peer")
    }
  }

  /// A dialog says where it was.
  private func expect(_ result: CheckResult, _ kind: String, _ port: UInt16, _ words: String) throws {
    let (place, message) = ("127.0.0.1:\(port)", try #require(result.message))
    if kind == "tcp" {
      #expect(message.hasPrefix("\(place): step ") && message.hasSuffix("): \(words)"), "\(message)")
    } else {
      #expect(message == "\(place): \(words)")
    }
  }

  @Test(arguments: plain + secured) func closed(kind: String) async throws {
    try await withLoopbackServer(script: { _ = $0.read() }) { server in
      let result = try await result(kind, server.port)
      #expect(result.reason == .connectionClosed)
      let end = Self.secured.contains(kind) ? "in the tls handshake" : "before its answer was complete"
      try expect(result, kind, server.port, "the server closed the connection \(end)")
    }
  }

  /// What was awaited when the time was over, and the limit as the check has it.
  @Test(arguments: [
    (TransferPhase.connect, "no connection within the timeout of 10s"),
    (.tls, "connected, but the tls handshake did not end within the timeout of 10s"),
    (.firstByte, "connected, but no answer came within the timeout of 10s"),
    (.transfer, "the answer did not end within the timeout of 10s"),
  ]) func overdue(phase: TransferPhase, words: String) throws {
    let part = try #require(phase.awaited)
    let failure = TransferFailure(.timeout, phase: phase, message: ConnectionWords.overdue(part))
    let dialled = DialledTransfer(
      report: TransferReport(outcome: .failed(failure)), peer: SocketAddress(.loopback, port: 1),
      elapsed: .zero, lateness: .zero)
    let check = try check("https", 1)
    let verdict = Verdict(failure, of: dialled, at: Endpoint(host: "a", port: 1), for: check)
    #expect(verdict.message == "127.0.0.1:1: \(words)" && verdict.status == .timeout)
  }

  /// Errors of the system that are one thing to people.
  @Test(arguments: [
    (ECONNREFUSED, "connection refused"), (ECONNRESET, "connection reset by peer"),
    (EPIPE, "connection reset by peer"), (ECONNABORTED, "connection reset by peer"),
    (ETIMEDOUT, "connection timed out"), (EHOSTUNREACH, "no route to host"), (EHOSTDOWN, "host is down"),
    (ENOANO, "administratively prohibited by a firewall on the way"),
  ]) func theErrnoHasOneForm(code: Int32, words: String) {
    #expect(
      Verdict(errno: code, phase: .connect, peer: "db.example:5432").message == "db.example:5432: \(words)")
    #expect(TransferFailure(connecting: code).message == words)
  }
}
