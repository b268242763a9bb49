// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Monitoring
import NetworkTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Checks
@testable import Network

@Suite(.timeLimit(.minutes(1))) struct TCPProbeTests {
  /// Names and addresses by word of the test.
  struct FixedResolver: HostResolving {
    var host = ResolvedHost(addresses: [.loopback], elapsed: .milliseconds(3))

    func resolve(
      _ host: String, ip: IPPreference, deadline: Instant
    ) async throws(CancellationError) -> ResolvedHost {
      if let literal = IPAddress(host) { return ResolvedHost(addresses: [literal]) }
      return self.host
    }
  }

  private func attempt(
    _ host: String, _ port: UInt16, resolver: FixedResolver = FixedResolver(), origin: CheckOrigin = .local,
    within: Duration = .seconds(5), reactor: Reactor? = nil
  ) async throws -> ProbeOutcome {
    let reactor = try reactor ?? Reactor()
    let probe = TCPProbe(
      reactor: reactor, finder: TargetFinder(resolver: resolver, policy: EgressPolicy()))
    let check = try makeCheck("tcp") { ($0.origin, $0.host, $0.port) = (origin, host, Int(port)) }
    return try await probe.attempt(check, deadline: .after(within))
  }

  @Test func opensSSH() async throws {
    try await withSSHServer { port in
      let outcome = try await attempt("127.0.0.1", port)
      #expect(outcome.verdict == .ok)
      #expect(outcome.address == "127.0.0.1:\(port)")
      #expect(outcome.ipVersion == 4)
      #expect(outcome.timings.dns == nil)
      #expect(try #require(outcome.timings.connect) > .zero)
      #expect(outcome.timings.total == outcome.timings.connect)
      #expect(outcome.responseTime == outcome.timings.total)
    }
  }

  @Test func theTimeOfTheNameCounts() async throws {
    try await withLoopbackServer(script: { $0.waitForEnd() }) { server in
      let outcome = try await attempt("web.example", server.port)
      #expect(outcome.timings.dns == .milliseconds(3))
      let connect = try #require(outcome.timings.connect)
      #expect(outcome.timings.total == .milliseconds(3) + connect)
    }
  }

  /// The name takes two seconds, the first byte 150 ms, the rest 60 ms: each part has its own time, and the whole has all of them.
  @Test func everyPartHasItsOwnTime() async throws {
    try await withLoopbackServer(script: { link in
      usleep(150_000)
      link.write("one")
      usleep(60_000)
      link.write("two")
      link.waitForEnd()
    }) { server in
      let resolver = FixedResolver(host: ResolvedHost(addresses: [.loopback], elapsed: .seconds(2)))
      let probe = TCPProbe(
        reactor: try Reactor(), finder: TargetFinder(resolver: resolver, policy: EgressPolicy()))
      var step = DialogStepDefinition()
      step.expect = "onetwo"
      let check = try makeCheck("tcp") {
        ($0.host, $0.port, $0.dialogSteps) = ("web.example", Int(server.port), [step])
      }
      let outcome = try await probe.attempt(check, deadline: .after(.seconds(10)))
      #expect(outcome.verdict == .ok && outcome.timings.dns == .seconds(2))
      let connect = try #require(outcome.timings.connect), first = try #require(outcome.timings.firstByte)
      let transfer = try #require(outcome.timings.transfer), total = try #require(outcome.timings.total)
      #expect(first >= .milliseconds(140) && transfer >= .milliseconds(50) && transfer < first)
      #expect(total >= .seconds(2) + connect + first + transfer && outcome.responseTime == total)
    }
  }

  @Test(.enabled(if: Machine.hasIPv6, "\(Machine.noIPv6)")) func opensIPv6() async throws {
    try await withLoopbackServer(ipv6: true, script: { $0.waitForEnd() }) { server in
      let outcome = try await attempt("::1", server.port)
      #expect(outcome.verdict == .ok)
      #expect(outcome.address == "[::1]:\(server.port)")
      #expect(outcome.ipVersion == 6)
    }
  }

  @Test func aClosedPortRefuses() async throws {
    let port = try freePort()
    let outcome = try await attempt("127.0.0.1", port)
    #expect(outcome.verdict.reason == .connectRefused)
    #expect(outcome.verdict.state == .down)
    #expect(outcome.verdict.message == "127.0.0.1:\(port): connection refused")
    // The part that failed took as long as it lasted.
    #expect(outcome.timings.connect != nil && outcome.timings.connect == outcome.timings.total)
    #expect(outcome.responseTime != nil)
  }

  /// A listener whose queue is full drops what comes, as a dead host would.
  @Test func silenceIsAConnectTimeout() async throws {
    try await withFullListener { port in
      let outcome = try await attempt("127.0.0.1", port, within: .seconds(2))
      #expect(outcome.verdict.reason == .connectTimeout)
      #expect(outcome.verdict.status == .timeout)
      #expect(outcome.verdict.state == .down)
    }
  }

  @Test func aDeadFirstAddressLeavesTimeForTheSecond() async throws {
    try await withFullListener { port in
      try await withLoopbackServer(script: { $0.waitForEnd() }) { server in
        let peers = [SocketAddress(.loopback, port: port), SocketAddress(.loopback, port: server.port)]
        let dialled = try await Reactor().connect(
          to: peers, named: Endpoint(host: "web.example", port: 1), until: .after(.seconds(3)))
        #expect(dialled.verdict == .ok)
        #expect(dialled.peer == peers[1])
        // The winner's own time, without what the first one took.
        #expect(try #require(dialled.connect) <= dialled.elapsed - .milliseconds(240))
        #expect(dialled.tries.map(\.outcome) == [.abandoned, .connected])
      }
    }
  }

  @Test func aRefusalMovesOnToTheNextAddress() async throws {
    try await withLoopbackServer(script: { $0.waitForEnd() }) { server in
      let addresses = [IPAddress.v6(high: 0, low: 1), .loopback]
      let outcome = try await attempt(
        "web.example", server.port, resolver: FixedResolver(host: ResolvedHost(addresses: addresses)))
      #expect(outcome.verdict == .ok)
      #expect(outcome.ipVersion == 4)
    }
  }

  @Test func whenAllFailTheTargetsFaultOutweighsOurs() async throws {
    // No route to the first from an empty namespace's loopback; here: an address family that cannot be dialled.
    let addresses = [IPAddress.loopback, .v4(0xffff_ffff)]
    let port = try freePort()
    let outcome = try await attempt(
      "web.example", port, resolver: FixedResolver(host: ResolvedHost(addresses: addresses)))
    #expect(outcome.verdict.reason == .connectRefused)
    #expect(outcome.verdict.message?.hasSuffix("; 2 addresses tried") == true)
  }

  /// The handshake is the question, so what happens behind it does not matter.
  @Test("T1 a reset behind the handshake is still up") func aResetBehindTheHandshakeIsStillUp() async throws {
    try await withLoopbackServer(script: { $0.resetOnClose() }) { server in
      for _ in 0..<20 {
        let outcome = try await attempt("127.0.0.1", server.port)
        #expect(outcome.verdict == .ok)
      }
    }
  }

  @Test("T2 a flood is hung up on") func aFloodIsHungUpOn() async throws {
    let written = Mutex(0)
    let script: @Sendable (LoopbackConnection) -> Void = { connection in
      while connection.write([UInt8](repeating: 0x41, count: 65_536)) { written.withLock { $0 += 65_536 } }
      written.withLock { $0 = -$0 }
    }
    try await withLoopbackServer(script: script) { server in
      let outcome = try await attempt("127.0.0.1", server.port)
      #expect(outcome.verdict == .ok)
      // The server's writing came to an end, so our end is closed.
      while written.withLock({ $0 }) > 0 { await Task.yield() }
      #expect(written.withLock { -$0 } < 64 << 20)
    }
  }

  @Test func aNameThatDoesNotResolveIsTheOutcome() async throws {
    let failure = Verdict(.dnsNXDomain, phase: .dns, message: "web.example. does not exist")
    let outcome = try await attempt(
      "web.example", 443,
      resolver: FixedResolver(host: ResolvedHost(failure: failure, elapsed: .milliseconds(8))))
    #expect(outcome.verdict == failure)
    #expect(outcome.timings == Timings(dns: .milliseconds(8), total: .milliseconds(8)))
    #expect(outcome.responseTime == .milliseconds(8))
  }

  @Test func thePolicyIsAskedBeforeAnythingIsSent() async throws {
    try await withLoopbackServer(script: { $0.waitForEnd() }) { server in
      let outcome = try await attempt("web.example", server.port, origin: .api)
      #expect(outcome.verdict.reason == .policyDenied)
      #expect(outcome.verdict.state == .unknown)
      #expect(outcome.timings == Timings())
      #expect(outcome.responseTime == nil)
      #expect(server.accepted == 0)
    }
  }

  /// Messages are delivered; what the name resolved to stays in the result on this machine.
  @Test func theMessageDoesNotTellTheAddress() async throws {
    let port = try freePort()
    let outcome = try await attempt("web.example", port)
    #expect(outcome.verdict.message == "web.example:\(port): connection refused")
    #expect(outcome.address == "127.0.0.1:\(port)")
  }

  /// Only the permitted ones of several addresses are dialled.
  @Test func aDeniedAddressIsLeftOut() async throws {
    try await withLoopbackServer(script: { $0.waitForEnd() }) { server in
      let policy = EgressPolicy(EgressSettings(deny: [EgressRule(try #require(CIDR("::1")))]))
      let finder = TargetFinder(
        resolver: FixedResolver(host: ResolvedHost(addresses: [.v6(high: 0, low: 1), .loopback])),
        policy: policy)
      let check = try makeCheck("tcp") { ($0.host, $0.port) = ("web.example", Int(server.port)) }
      let outcome = try await TCPProbe(reactor: Reactor(), finder: finder)
        .attempt(check, deadline: .after(.seconds(5)))
      #expect(outcome.verdict == .ok)
      #expect(outcome.ipVersion == 4)
      #expect(outcome.verdict.message == nil)
    }
  }

  @Test func aCheckOfAnotherKindIsUnsupported() async throws {
    let check = try makeCheck("ping") { $0.host = "127.0.0.1" }
    let probe = TCPProbe(
      reactor: try Reactor(), finder: TargetFinder(resolver: FixedResolver(), policy: EgressPolicy()))
    #expect(try await probe.attempt(check, deadline: .after(.seconds(1))).verdict.reason == .unsupported)
  }
}
