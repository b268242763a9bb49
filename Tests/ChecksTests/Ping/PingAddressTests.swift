// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import NetworkTestSupport
import TestSupport
import Testing

@testable import Checks
@testable import Network

/// A host with several addresses, some of which cannot be reached or are silent.
@Suite(.enabled(if: NetworkNamespace.isAvailable), .returnsHome, .timeLimit(.minutes(1)))
struct PingAddressTests {
  private static let up = [
    "ip link set lo up", "echo '0 2147483647' > /proc/sys/net/ipv4/ping_group_range",
    "ip route add unreachable 198.51.100.0/24",
    "nft add table inet t", "nft 'add chain inet t in { type filter hook input priority 0; }'",
    "nft add rule inet t in ip daddr 127.0.0.9 drop",
    "nft add rule inet t in ip daddr 127.0.0.8 reject with icmp type host-unreachable",
  ]

  private func attempt(
    _ addresses: [String], method: String = "icmp", within: Duration
  ) async throws -> ProbeOutcome {
    let reactor = try await NetworkNamespace.reactor(Self.up)
    let names = ScriptedNames(try addresses.map { try #require(IPAddress($0)) })
    let probe = PingProbe(
      reactor: reactor, finder: TargetFinder(resolver: names, policy: EgressPolicy()))
    let check = try makeCheck("ping") { definition in
      (definition.host, definition.pingMethod) = ("host.example", method)
      definition.port = method == "tcp" ? 7 : nil
      (definition.ping.count, definition.packetInterval) = (2, .milliseconds(20))
    }
    return try await probe.attempt(check, deadline: .after(within))
  }

  private static let unreached: [(String, Reason)] = [
    ("2001:db8::1", .localFault), ("198.51.100.1", .connectUnreachable), ("127.0.0.8", .connectUnreachable),
  ]

  /// No route, a route that refuses, and a router that says no: the other family's address answers for the host.
  @Test(arguments: ["icmp", "tcp"], unreached)
  func anAddressThatCannotBeReachedLeavesItToTheNext(
    method: String, unreached: (address: String, reason: Reason)
  ) async throws {
    let outcome = try await attempt([unreached.address, "127.0.0.1"], method: method, within: .seconds(3600))
    let port = method == "tcp" ? ":7" : ""
    #expect(outcome.verdict == .ok)
    #expect(outcome.address == "127.0.0.1\(port)")
    #expect(outcome.ping?.sent == 2 && outcome.ping?.received == 2)
    #expect(outcome.dialled.map(\.reason) == [unreached.reason, nil])
    #expect(outcome.dialled.map(\.outcome) == [.failed, .connected])
    #expect(outcome.dialled.last?.address == "127.0.0.1\(port)")
  }

  @Test(arguments: ["icmp", "tcp"])
  func aSilentAddressLeavesItToTheNext(method: String) async throws {
    let outcome = try await attempt(["127.0.0.9", "127.0.0.1"], method: method, within: .seconds(2))
    #expect(outcome.verdict == .ok)
    #expect(outcome.ping?.sent == 2 && outcome.ping?.received == 2)
    #expect(outcome.dialled.map(\.reason) == [.pingTimeout, nil])
    let (first, second) = (try #require(outcome.dialled.first), try #require(outcome.dialled.last))
    #expect(first.elapsed >= .milliseconds(900) && second.after == first.elapsed)
    #expect(outcome.timings.total == first.elapsed + second.elapsed)
    #expect(outcome.responseTime == outcome.ping?.average)
  }

  /// A fault of this machine for one address says nothing about the other.
  @Test func whatTheTargetDidSpeaksForAll() async throws {
    let outcome = try await attempt(["2001:db8::1", "127.0.0.8"], within: .seconds(3600))
    #expect(
      outcome.verdict
        == Verdict(
          .connectUnreachable, phase: .answer,
          message: "host.example: no route to host, says 127.0.0.8; 2 addresses tried"))
    #expect(outcome.address == "127.0.0.8" && outcome.ping?.refused == 2)
    let alone = try await attempt(["2001:db8::1"], within: .seconds(3600))
    #expect(alone.verdict.message == "no route from this machine to host.example")
    #expect(alone.dialled.isEmpty)
  }
}

@Suite struct PingTurnsTests {
  private func failed(_ verdict: Verdict, _ address: UInt32 = 1) -> ProbeOutcome {
    ProbeOutcome(
      verdict, timings: Timings(total: .seconds(2)), peer: SocketAddress(.v4(address), port: 0),
      ping: PingFacts(sent: 4, received: 0))
  }

  /// A machine that was busy, or that may not ping, would fail for the next address as well: nothing is said about the host.
  @Test func whatIsThisMachinesFaultForAllEndsTheTurns() {
    var turns = PingTurns(timeout: .seconds(10))
    turns.add(failed(Verdict(.pingTimeout, phase: .answer, message: "silent")))
    #expect(!turns.isOver)
    turns.add(failed(Verdict(.localFault, phase: .connect, message: "no route"), 2))
    #expect(!turns.isOver)
    let late = Verdict(.localFault, phase: .answer, message: "this machine was busy")
    turns.add(failed(late, 3))
    #expect(turns.isOver)
    #expect(turns.outcome.verdict == late)
    #expect(turns.outcome.dialled.map(\.address) == ["0.0.0.1", "0.0.0.2", "0.0.0.3"])
    #expect(turns.outcome.dialled.map(\.after) == [.zero, .seconds(2), .seconds(4)])
    #expect(turns.outcome.timings.total == .seconds(6))
  }

  /// Silence while this process was paused is no reason to blame the next address.
  @Test func aPauseEndsTheTurns() {
    var silent = failed(Verdict(.pingTimeout, phase: .answer, message: "silent"))
    silent.paused = .seconds(2)
    var turns = PingTurns(timeout: .seconds(10))
    turns.add(silent)
    #expect(!turns.isOver)
    silent.paused = .milliseconds(2001)
    turns.add(silent)
    #expect(turns.isOver)
    #expect(turns.outcome.paused == .milliseconds(2001))
  }

  /// A run that begins late has fewer packets, so that none of them lacks the time for its reply.
  @Test(arguments: [(10_000, 4), (1200, 4), (1000, 3), (400, 2), (399, 1), (0, 1)])
  func packetsOfALaterRun(left: Int, count: Int) throws {
    let check = try makeCheck("ping") { $0.host = "192.0.2.1" }
    guard case .ping(let settings) = check.kind else { throw SetUpFailed(line: "ping") }
    #expect(settings.fitting(.milliseconds(left)).count == count)
  }
}
