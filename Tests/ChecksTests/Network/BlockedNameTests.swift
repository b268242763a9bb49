// SPDX-License-Identifier: MIT

import Basics
import Checks
import Monitoring
import Network
import NetworkTestSupport
import TestSupport
import Testing

/// Names a filtering name server answers with no host's address. Dialled, it would reach this machine.
@Suite(.timeLimit(.minutes(1))) struct BlockedNameTests {
  private func probe(_ addresses: [IPAddress], port: UInt16) async throws -> ProbeOutcome {
    let hosts = ["good.test": ResolvedHost(addresses: addresses, elapsed: .milliseconds(3))]
    let finder = TargetFinder(resolver: NameTable(hosts: hosts), policy: EgressPolicy())
    let check = try makeCheck("tcp") { ($0.host, $0.port) = ("good.test", Int(port)) }
    return try await TCPProbe(reactor: try Reactor(), finder: finder)
      .attempt(check, deadline: .now + .seconds(5))
  }

  @Test(arguments: [[IPAddress.v4(0)], [.v6(high: 0, low: 0)], [.v4(0), .v6(high: 0, low: 0)]])
  func noBodysAddressIsNotDialled(addresses: [IPAddress]) async throws {
    try await withLoopbackServer(script: { $0.waitForEnd() }) { server in
      let outcome = try await probe(addresses, port: server.port)
      #expect(outcome.verdict.state == .down && outcome.verdict.reason == .dnsNoData)
      #expect(
        outcome.verdict.message
          == "good.test resolves to \(addresses[0]), which is no host's address: its name server blocks the name"
      )
      #expect(server.accepted == 0)
    }
  }

  @Test func aLinkLocalAddressIsTheZonesFault() async throws {
    let outcome = try await probe([.v6(high: 0xfe80_0000_0000_0000, low: 1)], port: 9)
    #expect(
      outcome.verdict
        == Verdict(
          .dnsNoData, phase: .dns,
          message: "good.test resolves to fe80::1, a link-local address: "
            + "without a zone no connection to it can be made"))
    #expect(outcome.verdict.state == .down)
  }

  @Test func aLinkLocalAddressIsLeftOut() async throws {
    try await withLoopbackServer(script: { $0.waitForEnd() }) { server in
      let outcome = try await probe(
        [.v6(high: 0xfe80_0000_0000_0000, low: 1), .loopback], port: server.port)
      #expect(outcome.verdict.state == .up && outcome.address == "127.0.0.1:\(server.port)")
    }
  }

  @Test func beforeOthersItIsLeftOut() async throws {
    try await withLoopbackServer(script: { $0.waitForEnd() }) { server in
      let outcome = try await probe([.v4(0), .loopback], port: server.port)
      #expect(outcome.verdict.state == .up && outcome.address == "127.0.0.1:\(server.port)")
    }
  }
}
