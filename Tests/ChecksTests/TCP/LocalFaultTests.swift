// SPDX-License-Identifier: MIT

import Basics
import Checks
import Monitoring
import NetworkTestSupport
import TestSupport
import Testing

@testable import Network

/// What this machine lacks must not look like an outage. Each in a network namespace of its own.
@Suite(.enabled(if: NetworkNamespace.isAvailable), .returnsHome, .timeLimit(.minutes(1)))
struct LocalFaultTests {
  private let name = Endpoint(host: "target.example", port: 9)

  private func dial(_ address: String, _ lines: [String], times: Int = 1) async throws -> Verdict {
    let reactor = try await NetworkNamespace.reactor(lines)
    let peer = SocketAddress(try #require(IPAddress(address)), port: 9)
    var verdict = Verdict.ok
    for _ in 0..<times {
      verdict = try await reactor.connect(to: [peer], named: name, until: .after(.seconds(5))).verdict
    }
    return verdict
  }

  @Test(arguments: ["192.0.2.1", "2001:db8::1", "127.0.0.1"]) func noRouteIsALocalFault(address: String)
    async throws
  {
    let verdict = try await dial(address, [])
    #expect(verdict.reason == .localFault)
    #expect(verdict.state == .unknown)
  }

  @Test func anUnreachableHostIsTheTargets() async throws {
    let verdict = try await dial(
      "192.0.2.1", ["ip link set lo up", "ip route add unreachable 192.0.2.0/24"])
    #expect(verdict.reason == .connectUnreachable)
    #expect(verdict.state == .down)
  }

  @Test func aProhibitedRouteIsALocalFault() async throws {
    let verdict = try await dial("192.0.2.1", ["ip link set lo up", "ip route add prohibit 192.0.2.0/24"])
    #expect(verdict.reason == .localFault)
  }

  /// One local port, and somebody has it.
  @Test("T4 no free port is a local fault") func noFreePortIsALocalFault() async throws {
    let reactor = try await NetworkNamespace.reactor([
      "ip link set lo up", "echo '40001 40001' > /proc/sys/net/ipv4/ip_local_port_range",
      "ip addr add 192.0.2.1/32 dev lo", "nft add table inet t",
      "nft 'add chain inet t in { type filter hook input priority 0; }'",
      "nft add rule inet t in tcp dport 9 drop",
    ])
    let peer = SocketAddress(try #require(IPAddress("192.0.2.1")), port: 9)
    async let one = reactor.connect(to: [peer], named: name, until: .after(.seconds(3)))
    async let other = reactor.connect(to: [peer], named: name, until: .after(.seconds(3)))
    let verdicts = try await [one.verdict, other.verdict]
    #expect(Set(verdicts.map(\.reason)) == [.connectTimeout, .localFault])
    let message = verdicts.first { $0.reason == .localFault }?.message
    #expect(message == "no free local port or address to reach target.example:9 from")
  }
}
