// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import NetworkTestSupport
import TestSupport
import Testing

@testable import Checks
@testable import Network

/// The probe against unbound over each transport, and against servers that only look like it.
@Suite(.timeLimit(.minutes(3))) struct DNSTransportTests {
  @Test func everyTransportBringsTheSameAnswer() async throws {
    try await withValidatingResolver { resolver in
      let ports: [(DNSTransport, UInt16)] = [
        (.udp, resolver.plain), (.tcp, resolver.plain), (.dot, resolver.dot), (.doh, resolver.doh),
      ]
      for (transport, port) in ports {
        let outcome = try await ask(transport, port, resolver)
        #expect(outcome.verdict == .ok, "\(transport): \(outcome.verdict)")
        let facts = try #require(outcome.dns)
        #expect(facts.transport == transport.rawValue)
        #expect(facts.answers.map(\.data) == ["192.0.2.80"])
        #expect((outcome.tls?.verified == true) == (transport == .dot || transport == .doh))
        #expect((outcome.timings.tls != nil) == (transport == .dot || transport == .doh))
        #expect((outcome.timings.connect != nil) == (transport != .udp))
        let parts = [outcome.timings.connect, outcome.timings.tls, outcome.timings.firstByte].compactMap(
          \.self)
        #expect(parts.reduce(.zero, +) == outcome.timings.total)
        #expect(outcome.statusCode == (transport == .doh ? 200 : nil))
      }
    }
  }

  @Test func validationIsSeenAndItsFailureIsAServfailWithItsCause() async throws {
    try await withValidatingResolver { resolver in
      for (transport, port) in [
        (DNSTransport.udp, resolver.plain), (.dot, resolver.dot), (.doh, resolver.doh),
      ] {
        let signed = try await ask(transport, port, resolver) { $0.dns.dnssec = true }
        #expect(signed.verdict == .ok, "\(transport): \(signed.verdict)")
        #expect(signed.dns?.authentic == true)
        #expect(signed.assertions.first { $0.what == "dnssec" }?.ok == true)
        #expect(signed.dns?.answers.contains { $0.type == "RRSIG" } == true)
      }
      let bogus = try await ask(.udp, resolver.plain, resolver) {
        ($0.queryName, $0.dns.dnssec) = ("www.bogus.example", true)
      }
      #expect(bogus.verdict.reason == .dnsServfail)
      #expect(bogus.verdict.message?.contains("it says: ") == true, "\(bogus.verdict)")
      #expect(bogus.dns?.errors.isEmpty == false)
      let unsigned = try await ask(.udp, resolver.plain, resolver) {
        ($0.queryName, $0.dns.dnssec) = ("www.plain.example", true)
        $0.expect.answersAny = nil
      }
      #expect(unsigned.verdict.reason == .dnsAnswer)
      #expect(unsigned.verdict.message?.contains("not marked authentic (AD): the zone is not signed") == true)
      let direct = try await ask(.udp, resolver.knot, resolver) { $0.dns.dnssec = true }
      #expect(direct.verdict.message?.contains("an authoritative server does not validate") == true)
    }
  }

  /// What a wildcard and an alias make up is proved by the resolver too.
  @Test func wildcardsAndAliasesAreAnswersLikeOthers() async throws {
    try await withValidatingResolver { resolver in
      for port in [resolver.knot, resolver.plain] {
        let wild = try await ask(.udp, port, resolver) { definition in
          (definition.queryName, definition.queryType) = ("some.thing.wild.signed.example", "TXT")
          (definition.expect.answersExact, definition.dns.dnssec) = (["any"], port == resolver.plain)
        }
        #expect(wild.verdict == .ok, "\(wild.verdict)")
        #expect(wild.dns?.answers.first?.name == "some.thing.wild.signed.example.")
        let alias = try await ask(.udp, port, resolver) { definition in
          definition.queryName = "alias.signed.example"
          (definition.expect.answersExact, definition.dns.dnssec) = (["192.0.2.80"], port == resolver.plain)
        }
        #expect(alias.verdict == .ok, "\(alias.verdict)")
        #expect(alias.dns?.answers.first?.type == "CNAME")
      }
    }
  }

  @Test func chaosClassTellsTheVersion() async throws {
    try await withValidatingResolver { resolver in
      for (port, version) in [(resolver.knot, "knot under test"), (resolver.plain, "unbound under test")] {
        let outcome = try await ask(.udp, port, resolver) { definition in
          (definition.queryName, definition.queryType, definition.queryClass) = ("version.bind", "TXT", "ch")
          definition.expect.answersAny = [version]
        }
        #expect(outcome.verdict == .ok, "\(outcome.verdict)")
        #expect(outcome.dns?.answers.map(\.data) == ["\"\(version)\""])
      }
    }
  }

  @Test(.enabled(if: Machine.hasIPv6, "\(Machine.noIPv6)")) func aServerOverIPv6() async throws {
    try await withValidatingResolver { resolver in
      for transport in [DNSTransport.udp, .tcp] {
        let outcome = try await ask(transport, resolver.plain, resolver) {
          $0.server = "[::1]:\(resolver.plain)"
        }
        #expect(outcome.verdict == .ok)
        #expect(outcome.ipVersion == 6)
        #expect(outcome.address == "[::1]:\(resolver.plain)")
      }
    }
  }

  @Test func certificatesAreJudgedAsForHTTP() async throws {
    try await withValidatingResolver { resolver in
      for (transport, port) in [(DNSTransport.dot, resolver.dot), (.doh, resolver.doh)] {
        let untrusted = try await ask(transport, port, resolver) { $0.tls.caFile = nil }
        #expect(untrusted.verdict.reason == .tlsUntrusted, "\(transport): \(untrusted.verdict)")
        #expect(untrusted.verdict.phase == .tls)
        #expect(untrusted.tls?.verified == false)
        let misnamed = try await ask(transport, port, resolver) { $0.tls.serverName = "other.test" }
        #expect(misnamed.verdict.reason == .tlsHostname, "\(transport): \(misnamed.verdict)")
        let unverified = try await ask(transport, port, resolver) {
          ($0.tls.caFile, $0.tls.verify) = (nil, false)
        }
        #expect(unverified.verdict == .ok, "\(transport): \(unverified.verdict)")
        #expect(unverified.tls?.verified == false)
        let missing = try await ask(transport, port, resolver) { $0.tls.caFile = "/nonexistent/ca.pem" }
        #expect(missing.verdict.reason == .localFault)
      }
    }
  }

  struct Peer: Sendable {
    var what: String
    var reason: Reason
    var script: @Sendable (LoopbackConnection) -> Void
  }

  static let peers: [Peer] = [
    Peer(what: "silent", reason: .tlsTimeout) { $0.waitForEnd() },
    Peer(what: "closing", reason: .connectionClosed) { _ = $0.read() },
    Peer(what: "no TLS at all", reason: .tlsHandshake) { connection in
      _ = connection.read()
      connection.write("220 mail.example ESMTP\r\n")
      connection.waitForEnd()
    },
  ]

  @Test(arguments: peers.indices) func aPeerThatSpeaksNoTLS(index: Int) async throws {
    let peer = Self.peers[index]
    try await withLoopbackServer(script: peer.script) { server in
      let outcome = try await dnsAttempt(within: .seconds(3)) { definition in
        (definition.server, definition.transport) = ("127.0.0.1:\(server.port)", "dot")
        definition.queryName = "x.example"
      }
      #expect(outcome.verdict.reason == peer.reason, "\(peer.what): \(outcome.verdict)")
      #expect(outcome.verdict.phase == .tls)
      #expect(outcome.assertions.map(\.ok) == [false])
    }
  }

  /// Web servers that are no DNS servers.
  @Test func whatHTTPSBringsBesidesAnswers() async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      let identity = try authority.issue("web")
      let type = "default_type application/dns-message;"
      let sites: [(lines: [String], reason: Reason, words: String)] = [
        (["return 404 'no';"], .httpStatus, "answered HTTP 404"),
        (["default_type text/html; return 200 '<html>';"], .httpProtocol, "with another content type"),
        ([type + " return 200 'no message';"], .dnsMalformed, "no answer to the question"),
        ([type + " return 200 '';"], .dnsMalformed, "no answer to the question"),
        (["return 302 https://elsewhere.example/;"], .httpStatus, "answered HTTP 302"),
        (["return 444;"], .connectionClosed, ""),
      ]
      try await withNginx(in: folder, sites.map { NginxSite($0.lines, identity: identity) }) { ports in
        for (port, site) in zip(ports, sites) {
          let outcome = try await dnsAttempt { definition in
            (definition.server, definition.transport) = ("127.0.0.1:\(port)", "doh")
            (definition.queryName, definition.tls.caFile) = ("x.example", authority.rootFile)
          }
          #expect(outcome.verdict.reason == site.reason, "\(outcome.verdict)")
          #expect(
            outcome.verdict.message?.contains(site.words) == true || site.words.isEmpty, "\(outcome.verdict)")
          #expect(outcome.tls?.verified == true)
        }
      }
    }
  }

  @Test func anAnswerThatIsCutComesByTCPAndOnlyThere() async throws {
    try await withNameServers { servers in
      for transport in ["udp", "tcp"] {
        let outcome = try await dnsAttempt { definition in
          (definition.server, definition.transport) = ("127.0.0.1:\(servers.knot)", transport)
          (definition.queryName, definition.queryType) = ("long.shop.example", "TXT")
          definition.expect.count = "60"
        }
        #expect(outcome.verdict == .ok)
        #expect(outcome.dns?.truncated == (transport == "udp"))
        #expect(outcome.dns?.transport == "tcp")
      }
    }
  }

  @Test func overTCPAPortNobodyServesRefuses() async throws {
    let port = try freePort()
    for transport in ["tcp", "dot", "doh"] {
      let outcome = try await dnsAttempt { definition in
        (definition.server, definition.transport, definition.queryName) = (
          "127.0.0.1:\(port)", transport, "x.example"
        )
      }
      #expect(outcome.verdict.reason == .connectRefused, "\(transport): \(outcome.verdict)")
    }
  }

  @Test func withoutAnEngineSecureTransportsAreUnsupported() async throws {
    let reactor = try Reactor()
    let system = SystemResolver(reactor: reactor)
    let probe = DNSProbe(
      reactor: reactor, finder: TargetFinder(resolver: system, policy: EgressPolicy()), system: system)
    for transport in ["dot", "doh"] {
      let check = try makeCheck("dns") {
        ($0.server, $0.transport, $0.queryName) = ("127.0.0.1", transport, "x.example")
      }
      let outcome = try await probe.attempt(check, deadline: .after(.seconds(5)))
      #expect(outcome.verdict.reason == .unsupported)
    }
  }

  private func ask(
    _ transport: DNSTransport, _ port: UInt16, _ resolver: ValidatingResolver,
    _ change: (inout CheckDefinition) -> Void = { _ in }
  ) async throws -> ProbeOutcome {
    try await dnsAttempt { definition in
      (definition.server, definition.transport) = ("127.0.0.1:\(port)", transport.rawValue)
      (definition.queryName, definition.expect.answersAny) = ("www.signed.example", ["192.0.2.80"])
      if definition.transport == "dot" || definition.transport == "doh" {
        definition.tls.caFile = resolver.authority.rootFile
      }
      let original = definition.queryName
      change(&definition)
      if definition.queryName != original, definition.expect.answersAny == ["192.0.2.80"] {
        definition.expect.answersAny = nil
      }
    }
  }
}
