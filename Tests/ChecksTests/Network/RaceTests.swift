// SPDX-License-Identifier: MIT

import Basics
import Curl
import Foundation
import Glibc
import Monitoring
import NetworkTestSupport
import TestSupport
import Testing

@testable import Checks
@testable import Network

/// Several addresses, one connection (RFC 8305).
@Suite(.timeLimit(.minutes(2))) struct RaceTests {
  private let name = Endpoint(host: "web.example", port: 1)
  private static let v6 = IPAddress.v6(high: 0x2001_0db8_0000_0000, low: 1)

  private func race(_ peers: [SocketAddress], within: Duration = .seconds(20)) async throws -> RaceReport {
    try await Reactor().race(peers, until: .after(within))
  }

  @Test func aRefusalStartsTheNextAtOnce() async throws {
    try await withLoopbackServer(script: { $0.waitForEnd() }) { server in
      let peers = [
        SocketAddress(.v4(0x7f00_0002), port: try freePort()), SocketAddress(.loopback, port: server.port),
      ]
      let report = try await race(peers)
      #expect(report.tries.map(\.end) == [.failed(ECONNREFUSED), .connected])
      #expect(report.winner?.peer == peers[1])
      #expect(report.socket?.peer.address.description == "127.0.0.1")
      #expect(report.tries[0].started.duration(to: report.tries[1].started) < Race.stagger)
    }
  }

  @Test func allRefuse() async throws {
    let port = try freePort()
    let report = try await race([0x7f00_0001, 0x7f00_0002].map { SocketAddress(.v4($0), port: port) })
    #expect(report.winner == nil && report.socket == nil)
    #expect(report.tries.map(\.end) == [.failed(ECONNREFUSED), .failed(ECONNREFUSED)])
    let dialled = try await Reactor().connect(
      to: [0x7f00_0001, 0x7f00_0002].map { SocketAddress(.v4($0), port: port) }, named: name,
      until: .after(.seconds(5)))
    #expect(dialled.verdict.reason == .connectRefused)
    #expect(dialled.verdict.message == "web.example:1: connection refused; 2 addresses tried")
    #expect(dialled.tries.map(\.reason) == [.connectRefused, .connectRefused])
  }

  @Test func aRaceThatIsOverBeforeItBegan() async throws {
    let dialled = try await Reactor().connect(
      to: [SocketAddress(.loopback, port: 1), SocketAddress(.loopback, port: 2)], named: name, until: .now)
    #expect(dialled.verdict.reason == .connectTimeout || dialled.verdict.reason == .localFault)
    #expect(dialled.tries.isEmpty)
  }

  @Test func cancellingEndsARace() async throws {
    try await withFullListener { port in
      let reactor = try Reactor()
      let peers = [SocketAddress(.loopback, port: port), SocketAddress(.loopback, port: port)]
      let full = try heldConnections(port: port)
      let task = Task { try await reactor.race(peers, until: .after(.seconds(3600))) }
      try await until("both are dialled") { try heldConnections(port: port) == full + 2 }
      task.cancel()
      await #expect(throws: CancellationError.self) { _ = try await task.value }
      try await until("both are closed") { try heldConnections(port: port) == full }
    }
  }

  @Test func nobodyAnswersUntilTheDeadline() async throws {
    try await withFullListener { port in
      let peers = [SocketAddress(.loopback, port: port), SocketAddress(.loopback, port: port)]
      let report = try await race(peers, within: .milliseconds(600))
      #expect(report.tries.map(\.end) == [.timedOut, .timedOut])
      #expect(report.elapsed >= .milliseconds(500))
    }
  }

  @Test func nothingIsLeftOpen() async throws {
    try await withFullListener { silent in
      try await withLoopbackServer(script: { $0.waitForEnd() }) { server in
        let reactor = try Reactor()
        let peers = [silent, server.port].map { SocketAddress(.loopback, port: $0) }
        let full = try heldConnections(port: silent)
        for _ in 0..<5 { _ = try await reactor.race(peers, until: .after(.seconds(20))) }
        try await until("none is open") {
          try heldConnections(port: silent) == full && heldConnections(port: server.port) == 0
        }
      }
    }
  }

  /// N25: IPv6 is there, and its packets vanish or find no route. The IPv4 address answers inside the deadline, and
  /// the result shows both.
  @Test(
    .enabled(if: NetworkNamespace.isAvailable), .returnsHome,
    arguments: [
      ("vanishes", DialledAddress.Outcome.abandoned), ("unreachable", .failed), ("no route", .failed),
    ])
  func brokenIPv6FallsBackToIPv4(how: String, expected: DialledAddress.Outcome) async throws {
    let lines: [String] =
      switch how {
      case "vanishes":
        [
          "ip -6 addr add 2001:db8::1/128 dev lo", "nft add table inet t",
          "nft 'add chain inet t out { type filter hook output priority 0; }'",
          "nft add rule inet t out ip6 daddr 2001:db8::1 tcp flags syn drop",
        ]
      case "unreachable": ["ip -6 route add unreachable 2001:db8::/32 dev lo"]
      default: []
      }
    let (reactor, server) = try await NetworkNamespace.run(["ip link set lo up"] + lines) {
      (try Reactor(), try LoopbackServer(script: { $0.waitForEnd() }))
    }
    defer { server.stop() }
    let names = NameTable(hosts: ["web.example": ResolvedHost(addresses: [Self.v6, .loopback])])
    let probe = TCPProbe(reactor: reactor, finder: TargetFinder(resolver: names, policy: EgressPolicy()))
    let runner = CheckRunner(http: probe, tcp: probe, dns: probe, tls: probe, ping: probe)
    let check = try makeCheck("tcp") {
      $0.host = "web.example"
      $0.port = Int(server.port)
    }
    let result = try await runner.run(check, slot: ProbeSlot(scheduledAt: .now(), trigger: .manual))
    #expect(result.reason == .ok, "\(result.message ?? "")")
    #expect(result.address == "127.0.0.1:\(server.port)" && result.ipVersion == 4)
    let dialled = try #require(result.attempts.first?.dialled)
    #expect(dialled.map(\.address) == ["[2001:db8::1]:\(server.port)", "127.0.0.1:\(server.port)"])
    #expect(dialled.map(\.outcome) == [expected, .connected])
    if how == "vanishes" { #expect(dialled[1].after >= .milliseconds(240)) }
    // The winner's own time: what the other one took is not in it.
    #expect(try #require(result.timings.connect) == dialled[1].elapsed)
    #expect(try #require(result.timings.total) >= dialled[1].after + dialled[1].elapsed)
    #expect(result.json.contains(#""dialled":[{"address":"[2001:db8::1]"#))
  }

  /// The connection that won is handed to libcurl, which speaks over it and closes it.
  @Test func httpSpeaksOverTheConnectionThatWon() async throws {
    try await withAnswer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") { server in
      var bench = ProbeBench()
      bench.names.hosts["good.test"] = ResolvedHost(
        addresses: [.v4(0x7f00_0009), .loopback], elapsed: .milliseconds(3))
      let outcome = try await bench.http(
        try httpCheck("http://good.test:\(server.port)/") { $0.http.expect.bodyContains = ["ok"] })
      #expect(outcome.verdict == .ok, "\(outcome.verdict)")
      #expect(outcome.address == "127.0.0.1:\(server.port)")
      #expect(outcome.dialled.map(\.outcome) == [.failed, .connected])
      #expect(outcome.dialled.map(\.reason) == [.connectRefused, nil])
      #expect(outcome.timings.connect == outcome.dialled[1].elapsed)
      let total = try #require(outcome.timings.total)
      #expect(total >= .milliseconds(3) + outcome.dialled[1].after + outcome.dialled[1].elapsed)
      #expect(server.accepted == 1)
    }
  }

  @Test func tlsSpeaksOverTheConnectionThatWon() async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      let site = NginxSite(["return 204;"], identity: try authority.issue("good"))
      try await withNginx(in: folder, [site]) { ports in
        var bench = ProbeBench(trust: TrustStore(bundle: authority.rootFile))
        bench.names.hosts["good.test"] = ResolvedHost(addresses: [.v4(0x7f00_0009), .loopback])
        let http = try await bench.http(try httpCheck("https://good.test:\(ports[0])/"))
        #expect(http.verdict == .ok, "\(http.verdict)")
        #expect(http.tls?.verified == true && http.timings.tls != nil)
        #expect(http.dialled.map(\.outcome) == [.failed, .connected])
        let tls = try await bench.tls(try tlsCheck(ports[0]))
        #expect(tls.verdict == .ok, "\(tls.verdict)")
        #expect(tls.dialled.map(\.outcome) == [.failed, .connected])
      }
    }
  }

  @Test func httpWithoutAnyConnectionSaysWhatHappened() async throws {
    let port = try freePort()
    var bench = ProbeBench()
    bench.names.hosts["good.test"] = ResolvedHost(addresses: [.v4(0x7f00_0009), .loopback])
    let outcome = try await bench.http(try httpCheck("http://good.test:\(port)/"))
    #expect(outcome.verdict.reason == .connectRefused && outcome.verdict.phase == .connect)
    #expect(outcome.dialled.count == 2)
    #expect(outcome.address == "127.0.0.9:\(port)")
  }

  /// The last look: a connection to anywhere else than what was judged is not spoken over.
  @Test func aConnectionToElsewhereIsRefused() async throws {
    try await withLoopbackServer(script: { $0.waitForEnd() }) { server in
      let race = try await Reactor().race(
        [SocketAddress(.loopback, port: server.port)], until: .after(.seconds(9)))
      let number = try #require(race.socket?.take())
      let socket = ConnectedSocket(number, to: SocketAddress(.v4(0x7f00_0009), port: server.port))
      let report = try await withCurlEngine { engine in
        try await engine.perform(
          TransferRequest(
            url: "http://good.test/", plan: .connected(socket), timeout: .seconds(5), goal: .headers))
      }
      #expect(report.failure?.kind == .local(.addressMismatch))
      #expect(socket.take() == nil)
    }
  }
}
