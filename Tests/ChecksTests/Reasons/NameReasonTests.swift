// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import NetworkTestSupport
import TestSupport
import Testing

@testable import Checks
@testable import Network

/// "There is no such name" and "it has no address" are told apart, in every type of check and for every name that a
/// check has: its target's, its name server's, its resolver's, its proxy's.
@Suite(.timeLimit(.minutes(2))) struct NameReasonTests {
  struct Row: Sendable, CustomStringConvertible {
    var what: String
    var type: String
    /// Where the verdict falls.
    var phase = Phase.dns
    var change: @Sendable (inout CheckDefinition, _ name: String) -> Void
    var description: String { what }
  }

  static let rows = [
    Row(what: "http", type: "http") { $0.url = "http://\($1)/" },
    Row(what: "https", type: "http") { $0.url = "https://\($1)/" },
    Row(what: "http, ip 4", type: "http") { ($0.url, $0.ip) = ("http://\($1)/", "4") },
    Row(what: "http, each address", type: "http") { ($0.url, $0.addresses) = ("http://\($1)/", "each") },
    Row(what: "tcp", type: "tcp") { ($0.host, $0.port) = ($1, 25) },
    Row(what: "starttls", type: "tcp") { ($0.host, $0.port, $0.startTLS) = ($1, 25, "smtp") },
    Row(what: "tls", type: "tls") { ($0.host, $0.port) = ($1, 443) },
    Row(what: "ping", type: "ping") { $0.host = $1 },
    Row(what: "ping, ip 6", type: "ping") { ($0.host, $0.ip) = ($1, "6") },
    Row(what: "ping by tcp", type: "ping") { ($0.host, $0.pingMethod, $0.port) = ($1, "tcp", 80) },
    Row(what: "dns, udp", type: "dns") { ($0.server, $0.queryName) = ($1, "example.com") },
    Row(what: "dns, tcp", type: "dns") {
      ($0.server, $0.queryName, $0.transport) = ($1, "example.com", "tcp")
    },
    Row(what: "dns, dot", type: "dns") {
      ($0.server, $0.queryName, $0.transport) = ($1, "example.com", "dot")
    },
    Row(what: "an http proxy", type: "http", phase: .proxy) {
      ($0.url, $0.proxy) = ("http://example.com/", Redacted("http://\($1):3128"))
    },
    Row(what: "a socks proxy", type: "http", phase: .proxy) {
      ($0.url, $0.proxy) = ("https://example.com/", Redacted("socks5h://\($1):1080"))
    },
    Row(what: "a resolver", type: "tcp", phase: .prepare) {
      ($0.host, $0.port, $0.resolver) = ("example.com", 25, $1)
    },
  ]

  private func attempt(_ check: MonitoringCheck, _ port: UInt16) async throws -> ProbeOutcome {
    try await withResolver("nameserver 127.0.0.1", port: port) { reactor, system in
      try await withCurlEngine { engine in
        let finder = TargetFinder(resolver: system, policy: EgressPolicy())
        let runner = CheckRunner(
          engine: engine, reactor: reactor, system: system, finder: finder, userAgent: "test")
        let result = try await runner.run(
          check, slot: ProbeSlot(scheduledAt: Timestamp(seconds: 0), trigger: .manual))
        var verdict = Verdict(result.reason, phase: result.phase, message: result.message)
        verdict.isUnknown = result.state == .unknown
        return ProbeOutcome(verdict)
      }
    }
  }

  @Test(arguments: rows, ["none.example", "bare.example"])
  func aNegativeAnswerKeepsItsReason(row: Row, name: String) async throws {
    let reason = name == "none.example" ? Reason.dnsNXDomain : .dnsNoData
    try await withUDPResponder(script: { request, client in
      let isNone = Wire(to: request).question.starts(with: Wire.name("none.example"))
      client.send(Wire(to: request).with { $0.flags = isNone ? 0x8183 : 0x8180 }.bytes)
    }) { server in
      let check = try makeCheck(row.type) { row.change(&$0, name) }
      let verdict = try await attempt(check, server.port).verdict
      #expect(verdict.reason == reason, "\(verdict)")
      #expect(
        verdict.phase == row.phase && verdict.state == .down && verdict.status == .failure, "\(verdict)")
      #expect(verdict.message?.contains(name) == true, "\(verdict)")
    }
  }

  /// A proxy that is not there is no sign that the target behind it does not answer.
  @Test func aMissingProxyDoesNotSatisfyNegate() async throws {
    try await withUDPResponder(script: { request, client in
      client.send(Wire(to: request).with { $0.flags = 0x8183 }.bytes)
    }) { server in
      let check = try makeCheck("http") {
        ($0.url, $0.proxy, $0.negate) = ("http://example.com/", Redacted("http://none.example:3128"), true)
      }
      #expect(try await attempt(check, server.port).verdict.state == .down)
    }
  }
}
