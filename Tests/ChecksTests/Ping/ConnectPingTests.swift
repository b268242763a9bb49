// SPDX-License-Identifier: MIT

import Basics
import Checks
import Monitoring
import Network
import NetworkTestSupport
import TestSupport
import Testing

/// `method: tcp`.
@Suite(.timeLimit(.minutes(1))) struct ConnectPingTests {
  private func attempt(
    _ host: String = "127.0.0.1", port: UInt16, reactor: Reactor? = nil, within: Duration = .seconds(10),
    origin: CheckOrigin = .local, _ change: (inout CheckDefinition) -> Void = { _ in }
  ) async throws -> ProbeOutcome {
    let reactor = try reactor ?? Reactor()
    let finder = TargetFinder(resolver: SystemResolver(reactor: reactor), policy: EgressPolicy())
    let check = try makeCheck("ping") { definition in
      (definition.host, definition.pingMethod, definition.port) = (host, "tcp", Int(port))
      (definition.packetInterval, definition.origin) = (.milliseconds(20), origin)
      change(&definition)
    }
    return try await PingProbe(reactor: reactor, finder: finder).attempt(check, deadline: .after(within))
  }

  @Test(arguments: Machine.withIPv6([false], and: [true])) func anAcceptedConnectionIsAReply(ipv6: Bool)
    async throws
  {
    try await withLoopbackServer(ipv6: ipv6, script: { $0.waitForEnd() }) { server in
      let outcome = try await attempt(ipv6 ? "::1" : "127.0.0.1", port: server.port)
      #expect(outcome.verdict == .ok)
      let facts = try #require(outcome.ping)
      #expect((facts.sent, facts.received) == (4, 4))
      #expect(facts.jitter != nil)
      #expect(outcome.responseTime == facts.average)
      // Three pauses.
      #expect(try #require(outcome.timings.total) >= .milliseconds(60))
      #expect(outcome.address == (ipv6 ? "[::1]:\(server.port)" : "127.0.0.1:\(server.port)"))
      #expect(outcome.ipVersion == (ipv6 ? 6 : 4))
    }
  }

  @Test func aRefusedConnectionIsAReplyToo() async throws {
    let outcome = try await attempt(port: try freePort())
    #expect(outcome.verdict == .ok)
    #expect(outcome.ping?.received == 4)
  }

  /// Of a run that never began no condition holds.
  @Test func aStrangerMayNotConnectInside() async throws {
    let outcome = try await attempt(port: 443, origin: .api) { definition in
      (definition.ping.loss, definition.ping.rtt) = (Thresholds(fail: 50), Thresholds(fail: .seconds(1)))
    }
    #expect(outcome.verdict.reason == .policyDenied)
    #expect(outcome.assertions.map(\.ok) == [false, false])
    #expect(outcome.assertions.map(\.actual) == ["", ""])
  }

  private static let filter = [
    "ip link set lo up", "nft add table inet t",
    "nft 'add chain inet t in { type filter hook input priority 0; }'",
  ]

  @Test(.enabled(if: NetworkNamespace.isAvailable), .returnsHome) func silenceIsAPingTimeout() async throws {
    let reactor = try await NetworkNamespace.reactor(
      Self.filter + ["nft add rule inet t in tcp dport 7 drop"])
    let outcome = try await attempt(port: 7, reactor: reactor, within: .seconds(2)) {
      $0.ping.loss = Thresholds(fail: 50)
    }
    #expect(outcome.verdict.reason == .pingTimeout)
    #expect(outcome.verdict.message == "127.0.0.1 answered none of 4 connections")
    #expect(outcome.assertions.map(\.actual) == ["100.0%"])
  }

  @Test(.enabled(if: NetworkNamespace.isAvailable), .returnsHome) func lossIsCounted() async throws {
    // Port 7 is refused by the kernel, which is a reply; every second first packet is lost, its repetition too late.
    let rule = "nft add rule inet t in tcp dport 7 tcp flags syn numgen inc mod 2 1 drop"
    let reactor = try await NetworkNamespace.reactor(Self.filter + [rule])
    let outcome = try await attempt(port: 7, reactor: reactor, within: .milliseconds(900)) { definition in
      definition.ping.loss = Thresholds(fail: 40)
    }
    #expect(outcome.verdict.reason == .pingLoss)
    #expect(outcome.verdict.message == "2 of 4 connections lost")
  }

  @Test(.enabled(if: NetworkNamespace.isAvailable), .returnsHome) func anICMPErrorIsUnreachable() async throws
  {
    let rule = "nft add rule inet t in tcp dport 7 reject with icmp type host-unreachable"
    let reactor = try await NetworkNamespace.reactor(Self.filter + [rule])
    let outcome = try await attempt(port: 7, reactor: reactor)
    #expect(outcome.verdict.reason == .connectUnreachable, "\(outcome.verdict)")
    #expect(outcome.ping?.refused == 4)
  }

  @Test(.enabled(if: NetworkNamespace.isAvailable), .returnsHome) func noRouteIsALocalFault() async throws {
    let outcome = try await attempt("192.0.2.1", port: 7, reactor: try await NetworkNamespace.reactor([]))
    #expect(outcome.verdict.reason == .localFault)
    #expect(outcome.verdict.message == "no route from this machine to 192.0.2.1")
    #expect(outcome.ping == nil)
  }
}
