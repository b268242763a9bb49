// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import NetworkTestSupport
import TestSupport
import Testing

@testable import Checks
@testable import Network

/// Real echoes over raw sockets, in namespaces whose ping_group_range keeps everybody out.
@Suite(.enabled(if: NetworkNamespace.isAvailable), .returnsHome, .timeLimit(.minutes(1)))
struct RawPingTests {
  private static let closed = "echo '1 0' > /proc/sys/net/ipv4/ping_group_range"
  private static let up = ["ip link set lo up", closed]

  private func probe(_ lines: [String]) async throws -> PingProbe {
    let reactor = try await NetworkNamespace.reactor(Self.up + lines)
    return PingProbe(
      reactor: reactor,
      finder: TargetFinder(resolver: SystemResolver(reactor: reactor), policy: EgressPolicy()))
  }

  private func attempt(
    _ host: String, _ lines: [String] = [], within: Duration = .seconds(5),
    _ change: (inout CheckDefinition) -> Void = { _ in }
  ) async throws -> ProbeOutcome {
    let check = try makeCheck("ping") {
      ($0.host, $0.packetInterval) = (host, .milliseconds(20))
      change(&$0)
    }
    return try await probe(lines).attempt(check, deadline: .after(within))
  }

  @Test(arguments: [("127.0.0.1", 0), ("127.0.0.1", 1472), ("::1", 0), ("::1", 1452)])
  func echoesAreCounted(host: String, size: Int) async throws {
    let outcome = try await attempt(host) { $0.size = size }
    #expect(outcome.verdict == .ok, "\(outcome.verdict)")
    #expect(outcome.ping?.sent == 4 && outcome.ping?.received == 4)
    #expect(outcome.address == host)
  }

  /// Twenty at once to one target, told apart by nothing but their identifiers: each gets its own replies, all of them
  /// and no others.
  @Test(arguments: ["127.0.0.1", "::1"]) func pingsDoNotTakeEachOthersReplies(host: String) async throws {
    let probe = try await probe([])
    let check = try makeCheck("ping") {
      ($0.host, $0.size, $0.ping.count, $0.packetInterval) = (host, 0, 10, .milliseconds(10))
    }
    try await withThrowingTaskGroup(of: ProbeOutcome.self) { group in
      for _ in 0..<20 { group.addTask { try await probe.attempt(check, deadline: .after(.seconds(20))) } }
      for try await outcome in group {
        #expect(outcome.verdict == .ok, "\(outcome.verdict)")
        #expect(outcome.ping?.received == 10)
      }
    }
  }

  /// One ping is refused by the firewall, the other, to the same host at the same time, is not: each has its own fate.
  @Test func errorsGoToWhomTheyAreAbout() async throws {
    let probe = try await probe([
      "nft add table inet t", "nft 'add chain inet t in { type filter hook input priority 0; }'",
      "nft add rule inet t in icmp type echo-request meta length 128 reject with icmp type host-unreachable",
    ])
    func check(_ size: Int) throws -> MonitoringCheck {
      try makeCheck("ping") {
        ($0.host, $0.size, $0.ping.count, $0.packetInterval) = ("127.0.0.1", size, 10, .milliseconds(10))
      }
    }
    let (refused, fine) = (try check(100), try check(50))
    async let first = probe.attempt(refused, deadline: .after(.seconds(20)))
    async let second = probe.attempt(fine, deadline: .after(.seconds(20)))
    let outcomes = try await (first, second)
    #expect(outcomes.0.verdict.reason == .connectUnreachable, "\(outcomes.0.verdict)")
    #expect(outcomes.0.verdict.message == "127.0.0.1: no route to host, says 127.0.0.1")
    #expect(outcomes.1.verdict == .ok, "\(outcomes.1.verdict)")
    #expect(outcomes.1.ping?.received == 10)
  }

  @Test func ipv6ErrorsAreToldFromSilence() async throws {
    let lines = [
      "nft add table inet t", "nft 'add chain inet t in { type filter hook input priority 0; }'",
      "nft add rule inet t in icmpv6 type echo-request reject with icmpv6 type addr-unreachable",
    ]
    let refused = try await attempt("::1", lines, within: .seconds(20))
    #expect(refused.verdict.reason == .connectUnreachable, "\(refused.verdict)")
    let silent = try await attempt(
      "127.0.0.1", ["echo 1 > /proc/sys/net/ipv4/icmp_echo_ignore_all"], within: .seconds(2))
    #expect(silent.verdict.reason == .pingTimeout)
  }

  /// The errno is that of a socket that may not be had; the socket is there, with permission and without.
  @Test(arguments: ["true", "echo '0 2147483647' > /proc/sys/net/ipv4/ping_group_range"])
  func aRouteThatProhibitsIsNoMissingPermission(permission: String) async throws {
    let outcome = try await attempt("192.0.2.9", [permission, "ip route add prohibit 192.0.2.0/24"])
    #expect(
      outcome.verdict
        == Verdict(
          .localFault, phase: .connect, message: "this machine could not reach 192.0.2.9: permission denied"))
  }

  /// The unprivileged way is taken wherever it is open, and the words say which one it is.
  @Test func theWayIsTold() async throws {
    #expect(try await NetworkNamespace.run([Self.closed]) { pingWay() } == .raw)
    let open = "echo '0 2147483647' > /proc/sys/net/ipv4/ping_group_range"
    #expect(try await NetworkNamespace.run([open]) { pingWay() } == .unprivileged)
    #expect(PingWay.raw.words.contains("CAP_NET_RAW"))
  }
}
