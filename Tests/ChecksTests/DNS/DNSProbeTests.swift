// SPDX-License-Identifier: MIT

import Basics
import Checks
import Monitoring
import Network
import NetworkTestSupport
import TestSupport
import Testing

/// The probe against knot and unbound.
@Suite(.timeLimit(.minutes(1))) struct DNSProbeTests {
  struct Case: Sendable {
    var name: String
    var type = "A"
    var answers: [String] = []
    var rcodes: [String] = ["NOERROR"]
    var recursion = true
    var reason: Reason = .ok
  }

  static let authoritative: [Case] = [
    Case(name: "www.shop.example", answers: ["192.0.2.80"]),
    Case(name: "WWW.shop.EXAMPLE.", answers: ["192.0.2.80"]),
    Case(name: "www.shop.example", type: "AAAA", answers: ["2001:db8::80"]),
    Case(name: "shop.example", type: "MX", answers: ["10 mx1.shop.example"]),
    Case(name: "shop.example", type: "MX", answers: ["10 MX1.shop.example."]),
    Case(name: "shop.example", type: "NS", answers: ["ns.shop.example."]),
    Case(name: "shop.example", type: "CAA", answers: ["0 issue \"ca.example\""]),
    Case(
      name: "shop.example", type: "SOA", answers: ["ns.shop.example. admin.shop.example. 7 3600 600 86400 60"]
    ),
    Case(name: "text.shop.example", type: "TXT", answers: ["hello world"]),
    Case(name: "two.shop.example", type: "TXT", answers: ["\"a\" \"b\""]),
    Case(name: "_sip._tcp.shop.example", type: "SRV", answers: ["1 2 5060 www.shop.example"]),
    Case(name: "4.2.0.192.shop.example", type: "PTR", answers: ["v4.shop.example"]),
    Case(name: "alias.shop.example", answers: ["192.0.2.80"]),
    Case(name: "alias.shop.example", type: "CNAME", answers: ["nothing", "www.shop.example"]),
    Case(name: "www.shop.example", recursion: false),
    Case(name: "www.shop.example", answers: ["192.0.2.81"], reason: .dnsAnswer),
    Case(name: "text.shop.example", type: "TXT", answers: ["Hello World"]),
    Case(name: "text.shop.example", type: "TXT", answers: ["Hello Worlds"], reason: .dnsAnswer),
    Case(name: "two.shop.example", type: "TXT", answers: ["ab"]),
    Case(name: "v4.shop.example", type: "AAAA", answers: ["2001:db8::1"], reason: .dnsNoData),
    Case(name: "none.shop.example", reason: .dnsNXDomain),
    Case(name: "none.shop.example", rcodes: ["NXDOMAIN"]),
    Case(name: "www.shop.example", rcodes: ["NXDOMAIN", "REFUSED"], reason: .dnsRcode),
    Case(name: "elsewhere.example", reason: .dnsRefused),
    Case(name: "elsewhere.example", rcodes: ["REFUSED"]),
    Case(name: "www.broken.example", reason: .dnsServfail),
  ]

  static let recursive: [Case] = [
    Case(name: "www.shop.example", answers: ["192.0.2.80"]),
    Case(name: "c0.shop.example", answers: ["192.0.2.80"]),
    Case(name: "none.shop.example", reason: .dnsNXDomain),
    Case(name: "any.refused.example", reason: .dnsRefused),
  ]

  @Test func judgesWhatKnotAndUnboundSay() async throws {
    try await withNameServers { servers in
      for (cases, port) in [(Self.authoritative, servers.knot), (Self.recursive, servers.unbound)] {
        for one in cases {
          let outcome = try await probe(one, port)
          #expect(outcome.verdict.reason == one.reason, "\(one.name) \(one.type): \(outcome.verdict)")
          #expect(outcome.address == "127.0.0.1:\(port)")
          #expect(outcome.dns?.transport == "udp")
          #expect(outcome.assertions.count == (one.answers.isEmpty ? 1 : 2))
          #expect(outcome.assertions.allSatisfy(\.ok) == (one.reason == .ok))
        }
      }
    }
  }

  @Test func reportsWhatTheServerSaid() async throws {
    try await withNameServers { servers in
      let facts = try #require(try await probe(Case(name: "www.shop.example"), servers.knot).dns)
      #expect(facts.rcode == "NOERROR")
      #expect(facts.authoritative)
      #expect(!facts.truncated)
      #expect(
        facts.answers == [DNSAnswer(name: "www.shop.example.", type: "A", ttl: 300, data: "192.0.2.80")])
      let cached = try #require(try await probe(Case(name: "www.shop.example"), servers.unbound).dns)
      #expect(!cached.authoritative)
    }
  }

  @Test func anAnswerThatIsCutComesByTCP() async throws {
    try await withNameServers { servers in
      let outcome = try await probe(Case(name: "long.shop.example", type: "TXT"), servers.knot)
      let facts = try #require(outcome.dns)
      #expect(outcome.verdict.state == .up)
      #expect(facts.transport == "tcp")
      #expect(facts.truncated)
      #expect(facts.answers.count == 60)
      #expect(outcome.timings.connect != nil)
    }
  }

  @Test func timesAddUp() async throws {
    try await withNameServers { servers in
      let outcome = try await probe(Case(name: "www.shop.example"), servers.knot)
      #expect(outcome.timings.dns == nil)
      #expect(outcome.timings.firstByte == outcome.timings.total)
      #expect(outcome.responseTime == outcome.timings.total)
      #expect(try #require(outcome.responseTime) > .zero)
    }
  }

  /// Without a server of its own, the check asks the machine's.
  @Test func asksTheSystemsServers() async throws {
    try await withNameServers { servers in
      try await withResolver("nameserver 127.0.0.1", port: servers.unbound) { reactor, system in
        let probe = DNSProbe(
          reactor: reactor, finder: TargetFinder(resolver: system, policy: EgressPolicy()), system: system)
        let check = try makeCheck("dns") { $0.queryName = "www.shop.example" }
        let outcome = try await probe.attempt(check, deadline: .after(.seconds(5)))
        #expect(outcome.verdict == .ok)
        #expect(outcome.dns?.answers.first?.data == "192.0.2.80")
      }
    }
  }

  /// The server's own name goes through the resolver, and its time counts.
  @Test func findsAServerByName() async throws {
    try await withNameServers { servers in
      try await withResolver("nameserver 127.0.0.1", port: servers.unbound) { reactor, system in
        let probe = DNSProbe(
          reactor: reactor, finder: TargetFinder(resolver: system, policy: EgressPolicy()), system: system)
        let check = try makeCheck("dns") { definition in
          definition.server = "ns.shop.example:\(servers.knot)"
          definition.queryName = "www.shop.example"
        }
        let outcome = try await probe.attempt(check, deadline: .after(.seconds(5)))
        #expect(outcome.verdict == .ok)
        #expect(outcome.address == "127.0.0.1:\(servers.knot)")
        let dns = try #require(outcome.timings.dns)
        #expect(dns > .zero)
        #expect(outcome.timings.total == dns + (outcome.timings.firstByte ?? .zero))
      }
    }
  }

  @Test func aStrangersCheckMayNotAskTheMachinesOwnServers() async throws {
    let outcome = try await probe(Case(name: "x.example"), 53, origin: .api)
    #expect(outcome.verdict.reason == .policyDenied)
    #expect(outcome.verdict.state == .unknown)
    #expect(outcome.responseTime == nil)
  }

  @Test func aPortNobodyServesIsRefused() async throws {
    let outcome = try await probe(Case(name: "x.example"), try freePort(udp: true))
    #expect(outcome.verdict.reason == .connectRefused)
  }

  @Test func aCheckOfAnotherKindIsUnsupported() async throws {
    let reactor = try Reactor()
    let system = SystemResolver(reactor: reactor)
    let probe = DNSProbe(
      reactor: reactor, finder: TargetFinder(resolver: system, policy: EgressPolicy()), system: system)
    let check = try makeCheck("tcp") { ($0.host, $0.port) = ("127.0.0.1", 1) }
    #expect(try await probe.attempt(check, deadline: .after(.seconds(1))).verdict.reason == .unsupported)
  }
}

/// One attempt of a dns check at a server on 127.0.0.1.
func probe(
  _ one: DNSProbeTests.Case, _ port: UInt16, origin: CheckOrigin = .local, within: Duration = .seconds(5)
) async throws -> ProbeOutcome {
  let reactor = try Reactor()
  let system = SystemResolver(reactor: reactor)
  let probe = DNSProbe(
    reactor: reactor, finder: TargetFinder(resolver: system, policy: EgressPolicy()), system: system)
  let check = try makeCheck("dns") { definition in
    definition.origin = origin
    definition.server = "127.0.0.1:\(port)"
    definition.queryName = one.name
    definition.queryType = one.type
    definition.dns.recursion = one.recursion
    definition.expect.rcodes = one.rcodes
    definition.expect.answersAny = one.answers.isEmpty ? nil : one.answers
  }
  return try await probe.attempt(check, deadline: .after(within))
}
