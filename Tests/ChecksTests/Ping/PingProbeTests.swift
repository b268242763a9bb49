// SPDX-License-Identifier: MIT

import Basics
import Checks
import Monitoring
import Network
import NetworkTestSupport
import TestSupport
import Testing

/// Real echoes in network namespaces, whose permission and routes belong to the test.
@Suite(.enabled(if: NetworkNamespace.isAvailable), .returnsHome, .timeLimit(.minutes(1)))
struct PingProbeTests {
  private static let permission = "echo '0 2147483647' > /proc/sys/net/ipv4/ping_group_range"

  private func attempt(
    _ host: String, _ lines: [String], origin: CheckOrigin = .local, within: Duration = .seconds(5),
    _ change: (inout CheckDefinition) -> Void = { _ in }
  ) async throws -> ProbeOutcome {
    let reactor = try await NetworkNamespace.reactor(lines)
    let probe = PingProbe(
      reactor: reactor,
      finder: TargetFinder(resolver: SystemResolver(reactor: reactor), policy: EgressPolicy()))
    let check = try makeCheck("ping") { definition in
      definition.origin = origin
      definition.host = host
      definition.packetInterval = .milliseconds(20)
      change(&definition)
    }
    return try await probe.attempt(check, deadline: .after(within))
  }

  @Test(arguments: [("127.0.0.1", 4), ("::1", 6)]) func countsEchoes(host: String, version: Int) async throws
  {
    let outcome = try await attempt(host, ["ip link set lo up", Self.permission])
    #expect(outcome.verdict == .ok)
    let facts = try #require(outcome.ping)
    #expect(facts.sent == 4)
    #expect(facts.received == 4)
    #expect(facts.loss == 0)
    let (minimum, average, maximum) = (facts.minimum ?? .zero, facts.average ?? .zero, facts.maximum ?? .zero)
    #expect(.zero < minimum && minimum <= average && average <= maximum)
    #expect(outcome.responseTime == facts.average)
    // Three pauses.
    #expect(try #require(outcome.timings.total) >= .milliseconds(60))
    #expect(outcome.address == host)
    #expect(outcome.ipVersion == version)
  }

  @Test(arguments: [0, 1472]) func sizesWork(size: Int) async throws {
    let outcome = try await attempt("127.0.0.1", ["ip link set lo up", Self.permission]) { definition in
      (definition.size, definition.ping.count) = (size, 1)
    }
    #expect(outcome.verdict == .ok)
    #expect(outcome.ping?.received == 1)
  }

  @Test func silenceIsAPingTimeout() async throws {
    let outcome = try await attempt(
      "127.0.0.1",
      [
        "ip link set lo up", Self.permission, "echo 1 > /proc/sys/net/ipv4/icmp_echo_ignore_all",
      ], within: .seconds(2))
    #expect(outcome.verdict.reason == .pingTimeout)
    #expect(outcome.verdict.state == .down && outcome.verdict.status == .timeout)
    #expect(outcome.ping == PingFacts(sent: 4, received: 0))
    #expect(outcome.responseTime == nil)
  }

  /// The firewall lets every second packet through.
  @Test func lossIsCounted() async throws {
    let outcome = try await attempt(
      "127.0.0.1",
      [
        "ip link set lo up", Self.permission, "nft add table inet t",
        "nft 'add chain inet t in { type filter hook input priority 0; }'",
        "nft add rule inet t in icmp type echo-request numgen inc mod 2 1 drop",
      ], within: .seconds(2)
    ) { $0.ping.loss = Thresholds(fail: 40) }
    #expect(outcome.verdict.reason == .pingLoss)
    #expect(outcome.verdict.message == "2 of 4 packets lost")
    #expect(outcome.ping?.loss == 50)
  }

  /// A router's "unreachable" is told apart from silence, and ends the wait, which is longer than this test may last.
  @Test func anICMPErrorIsUnreachable() async throws {
    let outcome = try await attempt(
      "127.0.0.1",
      [
        "ip link set lo up", Self.permission, "nft add table inet t",
        "nft 'add chain inet t in { type filter hook input priority 0; }'",
        "nft add rule inet t in icmp type echo-request reject with icmp type host-unreachable",
      ], within: .seconds(3600))
    #expect(outcome.verdict.reason == .connectUnreachable)
    #expect(outcome.verdict.message == "127.0.0.1: no route to host, says 127.0.0.1")
  }

  /// A firewall on the way says no, which ICMP tells from a missing route by its code alone.
  @Test(arguments: [
    ("127.0.0.1", "icmp type echo-request reject with icmp type admin-prohibited"),
    ("127.0.0.1", "icmp type echo-request reject with icmp type host-prohibited"),
    ("::1", "icmpv6 type echo-request reject with icmpv6 type admin-prohibited"),
  ]) func aFirewallsNoHasItsOwnWords(host: String, rule: String) async throws {
    let outcome = try await attempt(
      host,
      [
        "ip link set lo up", Self.permission, "nft add table inet t",
        "nft 'add chain inet t in { type filter hook input priority 0; }'", "nft add rule inet t in \(rule)",
      ], within: .seconds(30))
    #expect(outcome.verdict.reason == .connectUnreachable)
    #expect(
      outcome.verdict.message
        == "\(host): administratively prohibited by a firewall on the way, says \(host)")
  }

  /// A lossy way with replies that come twice: each packet counts once.
  @Test func duplicatesAreNotCountedTwice() async throws {
    let outcome = try await attempt(
      "127.0.0.1",
      [
        "ip link set lo up", Self.permission, "nft add table ip t",
        "nft 'add chain ip t in { type filter hook input priority 0; }'",
        "nft add rule ip t in icmp type echo-reply meta mark 0 meta mark set 1 dup to 127.0.0.1 device lo",
      ], within: .seconds(5))
    #expect(outcome.verdict == .ok)
    #expect(outcome.ping?.received == 4)
    #expect(outcome.ping?.loss == 0)
  }

  @Test func thresholdsOfTheWholeCheck() async throws {
    let lines = ["ip link set lo up", Self.permission]
    let slow = try await attempt("127.0.0.1", lines) { $0.ping.rtt = Thresholds(fail: .microseconds(1)) }
    #expect(slow.verdict.reason == .responseTime)
    #expect(slow.verdict.state == .down)
    #expect(slow.assertions.map(\.what) == ["rtt.fail"])
    #expect(slow.ping?.jitter != nil)
    let warned = try await attempt("127.0.0.1", lines) { $0.ping.rtt = Thresholds(warn: .microseconds(1)) }
    #expect(warned.verdict.state == .degraded)
  }

  @Test func partOfTheWayUnreachableIsLossWithItsCount() async throws {
    let outcome = try await attempt(
      "127.0.0.1",
      [
        "ip link set lo up", Self.permission, "nft add table inet t",
        "nft 'add chain inet t in { type filter hook input priority 0; }'",
        "nft add rule inet t in icmp type echo-request numgen inc mod 2 1 reject with icmp type host-unreachable",
      ], within: .seconds(20)
    ) { $0.ping.loss = Thresholds(warn: 10) }
    #expect(outcome.verdict.reason == .pingLoss)
    #expect(outcome.verdict.state == .degraded)
    #expect(outcome.ping?.refused == 2)
  }

  @Test func ipv6UnreachableIsToldFromSilence() async throws {
    let outcome = try await attempt(
      "::1",
      [
        "ip link set lo up", Self.permission, "nft add table inet t",
        "nft 'add chain inet t in { type filter hook input priority 0; }'",
        "nft add rule inet t in icmpv6 type echo-request reject with icmpv6 type addr-unreachable",
      ], within: .seconds(20))
    #expect(outcome.verdict.reason == .connectUnreachable, "\(outcome.verdict)")
    #expect(outcome.ipVersion == 6)
  }

  @Test func noRouteIsALocalFault() async throws {
    let outcome = try await attempt("192.0.2.1", [Self.permission])
    #expect(outcome.verdict.reason == .localFault)
    #expect(outcome.verdict.message == "no route from this machine to 192.0.2.1")
  }

  @Test func aStrangerMayNotPingInside() async throws {
    let outcome = try await attempt("127.0.0.1", ["ip link set lo up", Self.permission], origin: .api)
    #expect(outcome.verdict.reason == .policyDenied)
  }

}
