// SPDX-License-Identifier: MIT

import Basics
import Checks
import Curl
import Foundation
import Glibc
import Monitoring
import Network
import NetworkTestSupport
import Synchronization
import TestSupport
import Testing

/// Connections whose SYN is lost, by the kernel's own count: in namespaces whose firewall drops what a test says.
@Suite(.enabled(if: NetworkNamespace.isAvailable), .returnsHome, .timeLimit(.minutes(2)))
struct LostSYNTests {
  /// What lives in the namespace.
  private struct Lab: Sendable {
    let engine: CurlEngine
    let reactor: Reactor
    let server: LoopbackServer
    /// Of another server, which redirects to the first.
    let redirector: LoopbackServer

    func stop() async {
      for server in [server, redirector] { server.stop() }
      await engine.shutdown()
    }
  }

  private static let table = [
    "ip link set lo up", "nft add table inet t",
    "nft 'add chain inet t in { type filter hook input priority 0; }'",
  ]

  /// Drops the first `count` SYNs of each connection to where the match says.
  private static func losing(_ count: Int, of match: String = "") -> [String] {
    (1...count).flatMap { number in
      [
        "nft 'add set inet t seen\(number) { type inet_service; flags dynamic; }'",
        "nft 'add rule inet t in \(match) tcp flags & (syn|ack) == syn tcp sport != @seen\(number) "
          + "add @seen\(number) { tcp sport } drop'",
      ]
    }
  }

  private static let body = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nneedle"

  /// - Parameter rules: shell lines for the ports of the server and of the one that redirects to it.
  private func withLab(
    _ rules: @escaping @Sendable (_ port: UInt16, _ redirector: UInt16) throws -> [String],
    _ body: (Lab, CheckRunner) async throws -> Void
  ) async throws {
    let lab = try await NetworkNamespace.run(Self.table) {
      let server = try LoopbackServer { link in
        link.read(until: "\r\n\r\n")
        link.write(Self.body)
      }
      let port = server.port
      let redirector = try LoopbackServer { link in
        link.read(until: "\r\n\r\n")
        link.write("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:\(port)/\r\nContent-Length: 0\r\n\r\n")
      }
      for line in try rules(server.port, redirector.port) { try NetworkNamespace.shell(line) }
      return Lab(engine: try CurlEngine(), reactor: try Reactor(), server: server, redirector: redirector)
    }
    var names = NameTable.loopback
    names.hosts["both.test"] = ResolvedHost(addresses: [.v4(0x7f00_0009), .loopback], elapsed: .zero)
    let runner = CheckRunner(
      engine: lab.engine, reactor: lab.reactor, system: SystemResolver(reactor: lab.reactor),
      finder: TargetFinder(resolver: names, policy: EgressPolicy()), userAgent: "test")
    do { try await body(lab, runner) } catch {
      await lab.stop()
      throw error
    }
    await lab.stop()
  }

  private func run(_ check: MonitoringCheck, _ runner: CheckRunner) async throws -> CheckResult {
    try await runner.run(check, slot: ProbeSlot(scheduledAt: .now(), trigger: .manual))
  }

  private func expectOneLost(_ result: CheckResult, _ comment: Comment) throws {
    #expect(result.state == .up && result.reason == .ok, comment)
    let message = try #require(result.message, comment)
    #expect(message.hasPrefix("connecting took 10"), "\(comment) \(message)")
    #expect(message.hasSuffix(": 1 SYN, or its answer, was lost and sent again"), "\(comment) \(message)")
    let tcp = try #require(result.tcp, comment)
    // A busy machine sends a segment again that was not lost.
    #expect(tcp.synRetransmits == 1 && tcp.retransmits >= 1, comment)
    #expect(try #require(result.timings.connect) >= .seconds(1), comment)
    #expect(
      result.json.contains("\"tcp\":{\"syn_retransmits\":1,\"retransmits\":\(tcp.retransmits)"), comment)
  }

  /// libcurl's sockets, the reactor's and those of a ping, all at the same time.
  @Test func aLostSYNIsTold() async throws {
    try await withLab({ _, _ in Self.losing(1) }) { lab, runner in
      let port = Int(lab.server.port)
      let tcp = try makeCheck("tcp") { ($0.host, $0.port) = ("127.0.0.1", port) }
      let dialog = try makeCheck("tcp") {
        ($0.host, $0.port) = ("127.0.0.1", port)
        var (request, answer) = (DialogStepDefinition(), DialogStepDefinition())
        (request.send, answer.expect) = (Redacted("GET / HTTP/1.0\r\n\r\n"), "needle")
        $0.dialogSteps = [request, answer]
      }
      let ping = try makeCheck("ping") {
        ($0.host, $0.pingMethod, $0.port, $0.packetInterval) = ("127.0.0.1", "tcp", port, .milliseconds(20))
        $0.ping.count = 2
      }
      let http = try httpCheck("http://127.0.0.1:\(port)/") { $0.http.expect.bodyContains = ["needle"] }
      async let first = run(http, runner)
      async let second = run(tcp, runner)
      async let third = run(dialog, runner)
      async let fourth = run(ping, runner)
      try expectOneLost(try await first, "http")
      try expectOneLost(try await second, "tcp")
      try expectOneLost(try await third, "dialog")
      let pinged = try await fourth
      #expect(pinged.tcp?.synRetransmits == 2)
      #expect(pinged.message == "2 SYNs, or their answers, were lost and sent again")
    }
  }

  @Test func withoutLossNothingIsTold() async throws {
    try await withLab({ _, _ in [] }) { lab, runner in
      let port = Int(lab.server.port)
      for check in [
        try httpCheck("http://127.0.0.1:\(port)/"),
        try makeCheck("tcp") { ($0.host, $0.port) = ("127.0.0.1", port) },
      ] {
        let result = try await run(check, runner)
        #expect(result.reason == .ok && result.message == nil, "\(result.message ?? "")")
        let tcp = try #require(result.tcp)
        #expect(tcp.synRetransmits == 0 && tcp.retransmits == 0)
        #expect(try #require(tcp.roundTrip) > .zero)
        #expect(tcp.segmentSize > 500 && tcp.pathMTU >= 1280)
      }
    }
  }

  /// The request is lost on a connection that stood: sent again, and no SYN.
  @Test func whatIsLostLaterIsNoSYN() async throws {
    let rules: @Sendable (UInt16, UInt16) -> [String] = { port, _ in
      [
        "nft 'add set inet t said { type inet_service; flags dynamic; }'",
        "nft 'add rule inet t in tcp dport \(port) tcp flags & psh == psh tcp sport != @said "
          + "add @said { tcp sport } drop'",
      ]
    }
    try await withLab(rules) { lab, runner in
      let result = try await run(try httpCheck("http://127.0.0.1:\(lab.server.port)/"), runner)
      #expect(result.reason == .ok && result.message == nil, "\(result.message ?? "")")
      let tcp = try #require(result.tcp)
      #expect(tcp.synRetransmits == 0 && tcp.retransmits >= 1)
    }
  }

  /// The first hop's connection waited, and the last hop's facts are about another one.
  @Test func aHopThatWaitedIsNamed() async throws {
    try await withLab({ Self.losing(1, of: "tcp dport \($1)") }) { lab, runner in
      let result = try await run(try httpCheck("http://127.0.0.1:\(lab.redirector.port)/"), runner)
      #expect(result.reason == .ok)
      #expect(result.hops.map { $0.tcp?.synRetransmits } == [1, 0])
      #expect(result.tcp?.synRetransmits == 0)
      let message = try #require(result.message)
      #expect(message.contains(", at hop 1 of 2: 1 SYN, or its answer,"), "\(message)")
    }
  }

  /// Of two addresses one is silent, and the other's first SYN is lost: the facts are the winner's.
  @Test(arguments: ["tcp", "http"]) func inARaceTheWinnerCounts(type: String) async throws {
    let rules: @Sendable (UInt16, UInt16) -> [String] = { _, _ in
      ["nft add rule inet t in ip daddr 127.0.0.9 drop"] + Self.losing(1)
    }
    try await withLab(rules) { lab, runner in
      let check =
        type == "http"
        ? try httpCheck("http://both.test:\(lab.server.port)/")
        : try makeCheck("tcp") { ($0.host, $0.port) = ("both.test", Int(lab.server.port)) }
      let result = try await run(check, runner)
      #expect(result.attempts.first?.dialled.map(\.outcome) == [.abandoned, .connected])
      try expectOneLost(result, "\(type)")
    }
  }

  /// Nobody answered: that the kernel asked more than once is what the time was spent on.
  @Test(arguments: ["tcp", "http", "race"]) func silenceSaysHowOftenItWasAsked(type: String) async throws {
    try await withLab({ _, _ in ["nft add rule inet t in tcp flags syn / syn,ack drop"] }) { lab, runner in
      let host = type == "race" ? "both.test" : "127.0.0.1"
      let check =
        type == "http"
        ? try httpCheck("http://\(host):\(lab.server.port)/") { $0.timeout = .milliseconds(1500) }
        : try makeCheck("tcp") {
          ($0.host, $0.port, $0.timeout) = (host, Int(lab.server.port), .milliseconds(1500))
        }
      let result = try await run(check, runner)
      #expect(result.reason == .connectTimeout, "\(result.message ?? "")")
      #expect(result.tcp?.synRetransmits == 1 && result.tcp?.roundTrip == nil)
      #expect(
        try #require(result.message).hasSuffix("; none of 2 SYNs was answered"), "\(result.message ?? "")")
    }
  }

  /// A handshake over libcurl and one over the reactor, with openssl's own server.
  @Test func tlsConnectionsHaveTheirFacts() async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      let identity = try authority.issue("good")
      let started = Mutex<Int32?>(nil)
      defer { if let pid = started.withLock({ $0 }) { kill(pid, SIGKILL) } }
      // In the namespace of the thread that starts it. Not by a shell, whose end would wait for it.
      let rules: @Sendable (UInt16, UInt16) throws -> [String] = { _, _ in
        let openssl = Process()
        openssl.executableURL = URL(filePath: "/usr/bin/openssl")
        openssl.arguments = [
          "s_server", "-accept", "4433", "-cert", identity.certificate, "-key", identity.key, "-www",
          "-quiet",
        ]
        openssl.standardInput = FileHandle.nullDevice
        openssl.standardOutput = FileHandle.nullDevice
        openssl.standardError = FileHandle.nullDevice
        try openssl.run()
        started.withLock { $0 = openssl.processIdentifier }
        return ["for i in $(seq 200); do ss -Hltn | grep -q :4433 && exit 0; sleep 0.05; done; exit 1"]
          + Self.losing(1)
      }
      try await withLab(rules) { _, runner in
        let http = try httpCheck("https://good.test:4433/") { $0.tls.caFile = authority.rootFile }
        let tls = try tlsCheck(4433) { $0.tls.caFile = authority.rootFile }
        try expectOneLost(try await run(http, runner), "https")
        try expectOneLost(try await run(tls, runner), "tls")
      }
    }
  }
}
