// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network
import NetworkTestSupport
import TestSupport
import Testing

@testable import Checks

/// Two knots on two addresses of this machine, which the same zone names as its servers.
@Suite(.timeLimit(.minutes(2))) struct SerialAgreementTests {
  private func zone(
    _ serial: Int, servers: [(String, String)] = [("ns1", "127.0.0.1"), ("ns2", "127.0.0.2")]
  ) -> KnotZone {
    let lines = servers.flatMap { name, address in
      ["@ NS \(name)", address.isEmpty ? "" : "\(name) A \(address)"]
    }
    return KnotZone(
      "pair.example",
      "$TTL 300\n@ SOA ns1 admin \(serial) 3600 600 86400 60\nwww A 192.0.2.1\nfar CNAME www.else.example.\n"
        + lines.joined(separator: "\n"))
  }

  private func attempt(
    _ port: UInt16, name: String = "pair.example", egress: EgressPolicy = EgressPolicy(), server: Bool = true
  ) async throws -> ProbeOutcome {
    try await dnsAttempt(
      within: .seconds(5), egress: egress, system: "nameserver 127.0.0.1", systemPort: port
    ) { definition in
      if server { definition.server = "127.0.0.1:\(port)" }
      (definition.queryName, definition.dns.expect.serialAgreement) = (name, true)
      if name == "pair.example" { definition.queryType = "SOA" }
    }
  }

  private func survey(_ outcome: ProbeOutcome) throws -> Assertion {
    try #require(outcome.assertions.first { $0.what == "serial_agreement" })
  }

  @Test(arguments: ["pair.example", "www.pair.example", "far.pair.example"])
  func equalSerialsAgree(name: String) async throws {
    try await withKnot([zone(7)]) { port in
      try await withKnot([zone(7)], on: "127.0.0.2", port: port) { _ in
        let outcome = try await attempt(port, name: name)
        #expect(outcome.verdict == .ok, "\(outcome.verdict)")
        let found = try survey(outcome)
        #expect(found.ok)
        #expect(found.actual == "7 on ns1.pair.example. (127.0.0.1), ns2.pair.example. (127.0.0.2)")
      }
    }
  }

  @Test func aServerThatLagsBehindIsNamed() async throws {
    try await withKnot([zone(8)]) { port in
      try await withKnot([zone(7)], on: "127.0.0.2", port: port) { _ in
        let outcome = try await attempt(port)
        #expect(outcome.verdict.reason == .dnsAnswer)
        #expect(
          outcome.verdict.message
            == "the name servers of pair.example. hold different serials: 8 on ns1.pair.example. (127.0.0.1); "
            + "7 on ns2.pair.example. (127.0.0.2)")
        #expect(try survey(outcome).ok == false)
      }
    }
  }

  @Test func aServerThatIsDownOrLameBreaksTheAgreement() async throws {
    try await withKnot([zone(8)]) { port in
      let down = try await attempt(port)
      #expect(down.verdict.reason == .dnsAnswer)
      #expect(
        down.verdict.message?.hasSuffix("ns2.pair.example. (127.0.0.2) did not answer: connect_refused")
          == true)
      try await withKnot([KnotZone("other.example", zone(1).text)], on: "127.0.0.2", port: port) { _ in
        let lame = try await attempt(port)
        #expect(lame.verdict.message?.hasSuffix("ns2.pair.example. (127.0.0.2) answered REFUSED") == true)
      }
    }
  }

  @Test func aServerWithoutAnAddressBreaksIt() async throws {
    try await withKnot([zone(8, servers: [("ns1", "127.0.0.1"), ("gone", "")])]) { port in
      let outcome = try await attempt(port)
      #expect(
        outcome.verdict.message?.contains("gone.pair.example. has no address: dns_nxdomain") == true,
        "\(outcome.verdict)")
    }
  }

  @Test func eachAddressIsJudgedByThePolicy() async throws {
    var settings = EgressSettings()
    settings.deny = [EgressRule(try #require(CIDR("127.0.0.2/32")))]
    try await withKnot([zone(8)]) { port in
      let outcome = try await attempt(port, egress: EgressPolicy(settings))
      #expect(outcome.verdict.reason == .policyDenied)
      #expect(outcome.verdict.state == .unknown)
    }
  }

  @Test func theSystemsServersMayNameTheZone() async throws {
    try await withKnot([zone(8)]) { port in
      // Its servers are then asked on port 53, where nobody is.
      let outcome = try await attempt(port, server: false)
      #expect(outcome.verdict.reason == .dnsAnswer)
      #expect(
        outcome.verdict.message?.contains(
          "of the name servers of pair.example., ns1.pair.example. (127.0.0.1)") == true)
    }
  }

  @Test func aZoneThatNobodyNamesHasNoServers() async throws {
    try await withUDPResponder(script: { request, client in
      client.send(Wire(to: request).with { _ in }.bytes)
    }) { server in
      let outcome = try await dnsAttempt(within: .seconds(5)) { definition in
        (definition.server, definition.queryName) = ("127.0.0.1:\(server.port)", "a.b.example")
        definition.dns.expect.serialAgreement = true
      }
      #expect(outcome.verdict.reason == .dnsAnswer)
      #expect(outcome.verdict.message == "the server names no name servers of the zone of a.b.example.")
    }
  }

  @Test func aDeadServerIsNotAskedForItsZone() async throws {
    let port = try freePort(udp: true)
    let outcome = try await attempt(port)
    #expect(outcome.verdict.reason == .connectRefused)
    #expect(outcome.assertions.map(\.ok) == [false, false])
  }
}
