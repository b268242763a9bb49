// SPDX-License-Identifier: MIT

import Basics
import Checks
import Curl
import Foundation
import Monitoring
import Network
import NetworkTestSupport
import TestSupport
import Testing

/// Faults of the network below, each in a namespace of its own.
@Suite(.timeLimit(.minutes(2)), .enabled(if: NetworkNamespace.isAvailable), .returnsHome)
struct FaultNetworkTests {
  /// What lives in the namespace.
  private struct Lab: Sendable {
    let engine: CurlEngine
    let reactor: Reactor
    let server: LoopbackServer
  }

  private func withLab(
    _ lines: [String], script: @escaping @Sendable (LoopbackConnection) -> Void,
    _ body: (HTTPProbe, LoopbackServer) async throws -> Void
  ) async throws {
    let lab = try await NetworkNamespace.run(["ip link set lo up"] + lines) {
      Lab(engine: try CurlEngine(), reactor: try Reactor(), server: try LoopbackServer(script: script))
    }
    var names = NameTable.loopback
    names.hosts["both.test"] = ResolvedHost(
      addresses: [.v6(high: 0x2001_0db8_0000_0000, low: 1), .v4(0x7f00_0001)], elapsed: .zero)
    let finder = TargetFinder(resolver: names, policy: EgressPolicy())
    let probe = HTTPProbe(engine: lab.engine, reactor: lab.reactor, finder: finder, userAgent: "test")
    do { try await body(probe, lab.server) } catch {
      lab.server.stop()
      await lab.engine.shutdown()
      throw error
    }
    lab.server.stop()
    await lab.engine.shutdown()
  }

  /// Drops what matches on its way in.
  private static func dropping(_ match: String) -> [String] {
    [
      "nft add table inet t", "nft 'add chain inet t in { type filter hook input priority 0; }'",
      "nft add rule inet t in \(match) drop",
    ]
  }

  @Test("N21: with a third of all packets lost each attempt has one honest outcome")
  func loss() async throws {
    let answer = answering("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nneedle")
    try await withLab(Self.dropping("numgen random mod 100 \\< 30"), script: answer) { probe, server in
      let check = try httpCheck("http://good.test:\(server.port)/", wantsBody())
      let began = Instant.now
      let outcomes = try await withThrowingTaskGroup(of: ProbeOutcome.self) { group in
        for _ in 0..<12 { group.addTask { try await probe.attempt(check, deadline: began + .seconds(10)) } }
        return try await group.reduce(into: [ProbeOutcome]()) { $0.append($1) }
      }
      #expect(outcomes.count == 12)
      #expect(outcomes.contains { $0.verdict == .ok })
      for outcome in outcomes {
        #expect(outcome.verdict == .ok || outcome.verdict.status == .timeout, "\(outcome.verdict)")
        let parts = [
          outcome.timings.dns, outcome.timings.connect, outcome.timings.firstByte, outcome.timings.transfer,
        ]
        #expect(
          parts.compactMap { $0 }.reduce(.zero, +) <= (outcome.responseTime ?? .zero) + .milliseconds(5))
      }
    }
  }

  /// The whole of the row: 30 % lost, 200 ms for a round trip, 5 % twice.
  @Test("N21: over a poor line each probe has one result, and no time is shorter than the line")
  func poorLine() async throws {
    let (lab, line) = try await NetworkNamespace.run(["ip link set lo up"]) {
      let line = try PoorLine(
        .init(delay: .milliseconds(100), lost: 30, doubled: 5), seed: 21, configure: NetworkNamespace.shell)
      let script = answering("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nneedle")
      let server = try LoopbackServer(address: 0x0a63_0001, script: script)
      return (Lab(engine: try CurlEngine(), reactor: try Reactor(), server: server), line)
    }
    let finder = TargetFinder(resolver: NameTable.loopback, policy: EgressPolicy())
    let probe = HTTPProbe(engine: lab.engine, reactor: lab.reactor, finder: finder, userAgent: "test")
    let check = try httpCheck("http://10.99.0.2:\(lab.server.port)/", wantsBody())
    let limit = Instant.now + .seconds(10)
    let outcomes = try await withThrowingTaskGroup(of: ProbeOutcome.self) { group in
      for _ in 0..<12 { group.addTask { try await probe.attempt(check, deadline: limit) } }
      return try await group.reduce(into: [ProbeOutcome]()) { $0.append($1) }
    }
    line.stop()
    lab.server.stop()
    await lab.engine.shutdown()
    #expect(outcomes.count == 12)
    #expect(outcomes.contains { $0.verdict == .ok }, "\(outcomes.map(\.verdict))")
    for outcome in outcomes {
      #expect(outcome.verdict == .ok || outcome.verdict.status == .timeout, "\(outcome.verdict)")
      guard outcome.verdict == .ok else { continue }
      #expect((outcome.timings.connect ?? .zero) >= .milliseconds(200))
      #expect((outcome.timings.firstByte ?? .zero) >= .milliseconds(200))
      #expect((outcome.responseTime ?? .zero) >= .milliseconds(400))
    }
  }

  @Test("N22: where large packets vanish the body is a timeout, not a hang")
  func blackHole() async throws {
    let body = String(repeating: "x", count: 5000)
    let script: @Sendable (LoopbackConnection) -> Void = { link in
      link.read(until: "\r\n\r\n")
      link.write("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n")
      usleep(50_000)
      link.write(body)
      link.waitForEnd()
    }
    try await withLab(Self.dropping("meta length \\> 1000"), script: script) { probe, server in
      let check = try httpCheck("http://good.test:\(server.port)/", wantsBody())
      let outcome = try await probe.attempt(check, deadline: .now + .seconds(1))
      #expect(outcome.verdict.reason == .transferTimeout)
      #expect(outcome.statusCode == 200)
    }
  }

  @Test("N23: without a route it is this machine's fault, whatever the check")
  func noRoute() async throws {
    try await withLab([], script: { _ in }) { probe, _ in
      for host in ["192.0.2.1", "[2001:db8::1]"] {
        let outcome = try await probe.attempt(try httpCheck("http://\(host)/"), deadline: .now + .seconds(5))
        #expect(outcome.verdict.reason == .localFault, "\(outcome.verdict)")
        #expect(outcome.verdict.state == .unknown)
      }
    }
  }

  @Test("N25: IPv6 that leads nowhere falls back to IPv4, and both attempts are shown")
  func brokenIPv6() async throws {
    let lines = [
      "ip link add d0 type veth peer name d1", "ip link set d1 up", "ip link set d0 up",
      "ip -6 addr add 2001:db8::2/64 dev d0 nodad",
    ]
    try await withLab(lines, script: answering("HTTP/1.1 204 No Content\r\n\r\n")) { probe, server in
      let check = try httpCheck("http://both.test:\(server.port)/")
      let outcome = try await probe.attempt(check, deadline: .now + .seconds(10))
      #expect(outcome.verdict == .ok, "\(outcome.verdict)")
      #expect(outcome.ipVersion == 4)
      #expect(outcome.dialled.count == 2)
    }
  }
}
