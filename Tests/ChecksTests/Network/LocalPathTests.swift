// SPDX-License-Identifier: MIT

import Basics
import Curl
import Glibc
import Monitoring
import NetworkTestSupport
import TestSupport
import Testing

@testable import Checks
@testable import Network

/// Whose fault silence is: this machine's link and gateway, or the target's.
@Suite(.enabled(if: NetworkNamespace.isAvailable), .returnsHome, .timeLimit(.minutes(2)))
struct LocalPathTests {
  private static let far: IPAddress = .v4(0x5db8_d822)
  private static let near: IPAddress = .v4(0x0a05_0007)

  private static let cable = [
    "ip link set lo up", "ip link add v0 type veth peer name v1", "ip addr add 10.5.0.2/24 dev v0",
    "ip link set v0 up", "ip link set v1 up", "ip route add default via 10.5.0.1",
  ]

  /// What the kernel makes of a first packet there shows in its table of neighbours; that it gives up takes seconds.
  private static func knock(_ address: IPAddress) {
    let number = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    defer { close(number) }
    _ = SocketAddress(address, port: 9).withPointer { connect(number, $0, $1) }
    var byte: UInt8 = 0
    _ = send(number, &byte, 1, 0)
  }

  private func fault(_ lines: [String], _ address: IPAddress) async throws -> String? {
    try await NetworkNamespace.run(lines) {
      Self.knock(address)
      return LocalPath.fault(to: address)
    }
  }

  @Test func aGatewayThatDoesNotAnswerIsOurs() async throws {
    let words = try await fault(Self.cable, Self.far)
    #expect(words == "the gateway of this machine towards 93.184.216.34, 10.5.0.1, does not answer")
  }

  @Test func aTargetOnTheLinkThatDoesNotAnswerIsNot() async throws {
    #expect(try await fault(Self.cable, Self.near) == nil)
  }

  /// A machine that is off, next door: the address is asked for by ARP, and nobody has it.
  @Test func aTargetOnTheLinkThatIsNotThereIsSaidSo() async throws {
    let words = try await NetworkNamespace.run(Self.cable) {
      Self.knock(Self.near)
      Self.knock(Self.far)
      return [Self.near, Self.far, .loopback].map { LocalPath.absence(of: $0) }
    }
    #expect(
      words == ["10.5.0.7 is on this machine's own network, and no host there answers for it", nil, nil])
  }

  /// What the administrator of this machine has put into its table is not the target's doing.
  @Test(arguments: [
    ("unreachable", "the routing table of this machine calls 192.0.2.9 unreachable"),
    ("prohibit", "the routing table of this machine prohibits 192.0.2.9"),
    ("blackhole", "the routing table of this machine drops what goes to 192.0.2.9 (blackhole)"),
  ])
  func aRouteThatLeadsNowhereIsOurs(kind: String, words: String) async throws {
    let found = try await NetworkNamespace.run(["ip link set lo up", "ip route add \(kind) 192.0.2.0/24"]) {
      LocalPath.refusal(of: .v4(0xc000_0209))
    }
    #expect(found == words)
    let v6 = try await NetworkNamespace.run(["ip link set lo up", "ip -6 route add \(kind) 2001:db8::/32"]) {
      LocalPath.refusal(of: .v6(high: 0x2001_0db8 << 32, low: 9))
    }
    #expect(v6 == words.replacing("192.0.2.9", with: "2001:db8::9"))
  }

  @Test func withoutARouteThereIsNone() async throws {
    let found = try await NetworkNamespace.run(["ip link set lo up"]) { LocalPath.refusal(of: Self.far) }
    #expect(found == "no route from this machine to 93.184.216.34")
    #expect(try await NetworkNamespace.run(Self.cable) { LocalPath.refusal(of: Self.far) } == nil)
  }

  /// A packet that went out and was not answered had a route, whatever the table says without its source.
  @Test(arguments: [(Reason.connectUnreachable, Reason.localFault), (.connectTimeout, .connectTimeout)])
  func whatHadARouteIsNotRefused(reason: Reason, judged: Reason) async throws {
    let runner = CheckRunner(
      everyKind: Answering(
        ProbeOutcome(Verdict(reason, phase: .connect), peer: SocketAddress(.v4(0xc000_0201), port: 80))),
      refusal: { _ in "no route" })
    let outcome = try await runner.outcome(of: Attempt(of: try httpCheck("http://192.0.2.1/"), until: .now))
    #expect(outcome.verdict.reason == judged)
  }

  /// A route that prohibits or drops is an errno that says nothing of routes.
  @Test(arguments: [
    ("this machine could not reach x: permission denied", "the routing table of this machine prohibits x"),
    ("no route from this machine to x", "no route from this machine to x"),
  ]) func aFaultOfTheRoutesIsSaidSo(message: String, told: String) async throws {
    let runner = CheckRunner(
      everyKind: Answering(
        ProbeOutcome(
          Verdict(.localFault, phase: .connect, message: message),
          peer: SocketAddress(.v4(0xc000_0201), port: 80))),
      refusal: { _ in "the routing table of this machine prohibits x" })
    let outcome = try await runner.outcome(of: Attempt(of: try httpCheck("http://192.0.2.1/"), until: .now))
    #expect(outcome.verdict == Verdict(.localFault, phase: .connect, message: told))
  }

  /// It is said behind what happened, which stays the target's.
  @Test func aDeadNeighbourStaysTheTargets() async throws {
    let runner = CheckRunner(
      everyKind: Answering(
        ProbeOutcome(
          Verdict(.connectUnreachable, phase: .connect, message: "x: no route to host"),
          peer: SocketAddress(.v4(0xc000_0201), port: 80))), absence: { _ in "nobody has it" })
    let outcome = try await runner.outcome(of: Attempt(of: try httpCheck("http://192.0.2.1/"), until: .now))
    #expect(
      outcome.verdict
        == Verdict(
          .connectUnreachable, phase: .connect,
          message: "x: no route to host (nobody has it)"))
  }

  @Test func aCableThatIsOutIsOurs() async throws {
    let words = try await fault(Self.cable + ["ip link set v1 down"], Self.near)
    #expect(words == "the interface of this machine towards 10.5.0.7 has no carrier")
  }

  @Test func aGatewayThatIsThereIsNoFault() async throws {
    let lines = Self.cable + ["ip neigh add 10.5.0.1 lladdr 02:00:00:00:00:01 dev v0 nud permanent"]
    #expect(try await fault(lines, Self.far) == nil)
  }

  @Test func routes() async throws {
    let found = try await NetworkNamespace.run(Self.cable) {
      [Self.far, Self.near, .loopback].map { LocalPath.route(to: $0)?.gateway?.description ?? "link" }
    }
    #expect(found == ["10.5.0.1", "link", "link"])
  }

  /// A router's word: the way there is known here, and ends elsewhere. In IPv6 one of them is an error that is this machine's
  /// own in every other case.
  private static let words = [
    ("10.9.9.1", "net-unreachable"), ("10.9.9.1", "host-unreachable"), ("10.9.9.1", "prot-unreachable"),
    ("10.9.9.1", "admin-prohibited"), ("2001:db8::9", "no-route"), ("2001:db8::9", "addr-unreachable"),
    ("2001:db8::9", "admin-prohibited"), ("2001:db8::9", "policy-fail"), ("2001:db8::9", "reject-route"),
  ]

  /// Those that say so.
  private func isProhibited(_ address: String, _ kind: String) -> Bool {
    ["admin-prohibited", "policy-fail", "reject-route"].contains(kind)
  }

  @Test(arguments: words)
  func whatARouterSaysIsAboutTheTarget(address: String, kind: String) async throws {
    let reactor = try await NetworkNamespace.run(Self.rejecting(address, kind)) { try Reactor() }
    let peer = SocketAddress(try #require(IPAddress(address)), port: 8080)
    let dialled = try await reactor.connect(
      to: [peer], named: Endpoint(host: "web.example", port: 8080), until: .after(.seconds(5)))
    #expect(dialled.verdict.reason == .connectUnreachable, "\(dialled.verdict)")
    #expect(
      dialled.verdict.message?.contains("administratively prohibited") == isProhibited(address, kind),
      "\(dialled.verdict)")
  }

  @Test(arguments: words)
  func forHTTPAsWell(address: String, kind: String) async throws {
    let engine = try await NetworkNamespace.run(Self.rejecting(address, kind)) { try CurlEngine() }
    let reactor = try await NetworkNamespace.run(Self.rejecting(address, kind)) { try Reactor() }
    let finder = TargetFinder(resolver: NameTable.loopback, policy: EgressPolicy())
    let probe = HTTPProbe(engine: engine, reactor: reactor, finder: finder, userAgent: "test")
    let host = address.contains(":") ? "[\(address)]" : address
    let outcome = try await probe.attempt(
      try httpCheck("http://\(host):8080/"), deadline: .after(.seconds(5)))
    await engine.shutdown()
    #expect(outcome.verdict.reason == .connectUnreachable, "\(outcome.verdict)")
    #expect(
      outcome.verdict.message?.contains("administratively prohibited") == isProhibited(address, kind),
      "\(outcome.verdict)")
  }

  /// Of a question to a name server that a router rejects.
  private func refusal(
    of address: String, _ kind: String, over transport: DNSTransport, within: Duration
  ) async throws -> Verdict? {
    let lines = Self.rejecting(address, kind).map {
      $0.replacing("l4proto tcp", with: "l4proto \(transport.rawValue)")
    }
    let reactor = try await NetworkNamespace.run(lines) { try Reactor() }
    let client = DNSClient(reactor: reactor, phase: .answer, transport: transport)
    let server = SocketAddress(try #require(IPAddress(address)), port: 53)
    let reply = try await client.ask(
      .init(name: try #require(DNSName("example.com")), type: .a), recursion: true, server: server,
      until: .after(within))
    guard case .failure(let verdict) = reply.content else { return nil }
    return verdict
  }

  private static let prohibiting: [(address: String, kind: String)] = [
    ("2001:db8::9", "admin-prohibited"), ("2001:db8::9", "policy-fail"), ("2001:db8::9", "reject-route"),
    ("10.9.9.1", "admin-prohibited"),
  ]

  /// Over UDP the errno of ICMPv6 would be this machine's own fault as well, and that of ICMP no more than a missing route.
  @Test(arguments: prohibiting, [DNSTransport.udp, .tcp])
  func andForNameServers(rule: (address: String, kind: String), transport: DNSTransport) async throws {
    let verdict = try await refusal(of: rule.address, rule.kind, over: transport, within: .seconds(10))
    #expect(verdict?.reason == .connectUnreachable)
    let host = rule.address.contains(":") ? "[\(rule.address)]" : rule.address
    #expect(verdict?.message == "\(host):53: administratively prohibited by a firewall on the way")
  }

  /// A router that knows no way may know one for the next datagram: the question goes on, and its end is no silence.
  @Test(arguments: [
    ("10.9.9.1", "host-unreachable"), ("10.9.9.1", "net-unreachable"), ("2001:db8::9", "no-route"),
    ("2001:db8::9", "addr-unreachable"),
  ])
  func aNameServerWithoutARoute(address: String, kind: String) async throws {
    let verdict = try await refusal(of: address, kind, over: .udp, within: .seconds(1))
    #expect(verdict?.reason == .connectUnreachable)
    let host = address.contains(":") ? "[\(address)]" : address
    #expect(verdict?.message == "\(host):53: no route to host")
  }

  private static func rejecting(_ address: String, _ kind: String) -> [String] {
    let (family, errors, bits) = address.contains(":") ? ("ip6", "icmpv6", "128") : ("ip", "icmp", "32")
    return [
      "ip link set lo up", "ip addr add \(address)/\(bits) dev lo", "nft add table inet t",
      "nft 'add chain inet t in { type filter hook input priority 0; }'",
      "nft add rule inet t in \(family) daddr \(address) meta l4proto tcp reject with \(errors) type \(kind)",
    ]
  }

  @Test(arguments: [Reason.connectTimeout, .connectUnreachable, .dnsTimeout, .pingTimeout])
  func silenceBehindADeadGatewayIsUnknown(reason: Reason) async throws {
    let runner = CheckRunner(
      everyKind: Answering(
        ProbeOutcome(Verdict(reason, phase: .connect), peer: SocketAddress(.v4(0xc000_0201), port: 80))),
      fault: { $0 == .v4(0xc000_0201) ? "the gateway is gone" : nil })
    let outcome = try await runner.outcome(of: Attempt(of: try httpCheck("http://192.0.2.1/"), until: .now))
    #expect(outcome.verdict == Verdict(.localFault, phase: .connect, message: "the gateway is gone"))
    #expect(outcome.verdict.state == .unknown)
  }

  @Test(arguments: [Reason.connectRefused, .ok, .httpStatus, .firstByteTimeout])
  func whoAnsweredIsJudgedByItsAnswer(reason: Reason) async throws {
    let runner = CheckRunner(
      everyKind: Answering(
        ProbeOutcome(Verdict(reason, phase: .connect), peer: SocketAddress(.v4(0xc000_0201), port: 80))),
      fault: { _ in "the gateway is gone" })
    let outcome = try await runner.outcome(of: Attempt(of: try httpCheck("http://192.0.2.1/"), until: .now))
    #expect(outcome.verdict.reason == reason)
  }
}

private struct Answering: Probe {
  let outcome: ProbeOutcome

  init(_ outcome: ProbeOutcome) { self.outcome = outcome }

  func probe(
    _ attempt: Attempt, at addresses: [SocketAddress], dns: Duration?
  ) async throws(CancellationError) -> Probed { .done(outcome) }
}
