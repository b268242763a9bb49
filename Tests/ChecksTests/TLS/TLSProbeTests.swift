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

/// Certificates of a real nginx through the tls probe, each with the reason it must get.
@Suite(.timeLimit(.minutes(2))) struct TLSProbeTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let reason: Reason
    var leaf = TestAuthority.Leaf()
    var issuer = Issuer.trusted
    var lines: [String] = []
    var testDescription: String { reason.rawValue }

    enum Issuer { case trusted, stranger, itself }

    init(_ reason: Reason, _ change: (inout Case) -> Void = { _ in }) {
      self.reason = reason
      change(&self)
    }
  }

  static let cases: [Case] = [
    Case(.ok),
    Case(.tlsExpired) { ($0.leaf.from, $0.leaf.until) = (-90, -2.5) },
    Case(.tlsNotYetValid) { ($0.leaf.from, $0.leaf.until) = (2, 90) },
    Case(.tlsHostname) { $0.leaf.names = ["DNS:*.good.test"] },
    Case(.tlsSelfSigned) { $0.issuer = .itself },
    Case(.tlsUntrusted) { $0.issuer = .stranger },
    Case(.tlsWeak) { $0.leaf.key = TestAuthority.Leaf.weakKey },
    Case(.tlsProtocol) { $0.lines = ["ssl_protocols TLSv1.1;"] },
    Case(.certificateExpiring) { $0.leaf.until = 3.5 },
  ]

  private func withServer(
    _ example: Case, _ body: (_ port: UInt16, _ bench: ProbeBench, _ folder: URL) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let trusted = try TestAuthority(in: folder)
      let identity =
        switch example.issuer {
        case .trusted: try trusted.issue("leaf", example.leaf)
        case .stranger: try TestAuthority(in: folder, name: "stranger").issue("leaf", example.leaf)
        case .itself: try trusted.selfSigned("leaf", example.leaf)
        }
      let lines = ["ssl_ciphers ALL:@SECLEVEL=0;", "access_log \(folder.path)/access.log;", "return 200;"]
      try await withNginx(in: folder, [NginxSite(lines + example.lines, identity: identity)]) { ports in
        try await body(ports[0], ProbeBench(trust: TrustStore(bundle: trusted.rootFile)), folder)
      }
    }
  }

  @Test(arguments: cases)
  func endsInItsReason(of example: Case) async throws {
    try await withServer(example) { port, bench, folder in
      let check = try tlsCheck(port) {
        $0.expect.certificate = Thresholds(warn: .seconds(86_400 * 10), fail: .seconds(86_400 * 5))
      }
      let outcome = try await bench.tls(check)
      #expect(outcome.verdict.reason == example.reason, "\(outcome.verdict)")
      #expect(outcome.assertions.map(\.what) == ["certificate.warn", "certificate.fail"])
      if example.reason == .tlsHostname {
        let words = "certificate is not for good.test (it is for *.good.test)"
        #expect(outcome.verdict.message?.hasSuffix(words) == true, "\(outcome.verdict)")
      }
      if example.reason != .tlsProtocol {
        let facts = try #require(outcome.tls)
        #expect(
          facts.verified == (outcome.verdict.reason == .ok || outcome.verdict.reason == .certificateExpiring))
        #expect(facts.notAfter == facts.chain.first?.notAfter)
      }
      // A handshake is all there was.
      let log = try String(contentsOf: folder.appending(path: "access.log"), encoding: .utf8)
      #expect(log.isEmpty)
    }
  }

  @Test func anUnverifiedCertificateIsStillJudgedByItsEnd() async throws {
    try await withServer(Case(.tlsExpired) { ($0.leaf.from, $0.leaf.until) = (-90, -2.5) }) {
      port, bench, _ in
      let outcome = try await bench.tls(try tlsCheck(port) { $0.tls.verify = false })
      #expect(outcome.verdict.reason == .certificateExpiring)
      #expect(outcome.verdict.state == .down)
      #expect(outcome.tls?.verified == false)
      let end = try #require(outcome.tls?.notAfter).rfc3339.prefix(10)
      #expect(outcome.tls?.verifyError == "certificate has expired (CN=leaf; it ended on \(end))")
      #expect(outcome.tls?.daysRemaining == -3)
      #expect(outcome.assertions.map(\.actual) == ["expired", "expired"])
    }
  }

  /// A server with a certificate for each sort of keys, of which one has ended: a client that knows both sees the one that the
  /// server likes better, and only it. Seen where both are asked for; where there is one certificate, it decides.
  @Test func anExpiredTwinIsSeen() async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      func issue(_ sort: String, isOver: Bool) throws -> TestAuthority.Identity {
        var leaf = TestAuthority.Leaf()
        if sort == "rsa" { leaf.key = ["-newkey", "rsa:2048"] }
        if isOver { (leaf.from, leaf.until) = (-90, -2.5) }
        return try authority.issue(isOver ? "\(sort)-over" : sort, leaf)
      }
      let good = ["rsa": try issue("rsa", isOver: false), "ecdsa": try issue("ecdsa", isOver: false)]
      for (ended, other) in [("rsa", "ecdsa"), ("ecdsa", "rsa")] {
        let (first, second) = (try #require(good[ended]), try #require(good[other]))
        let twin = ["ssl_certificate \(second.certificate);", "ssl_certificate_key \(second.key);"]
        let sites = [
          NginxSite(twin + ["return 200;"], identity: try issue(ended, isOver: true)),
          NginxSite(["return 200;"], identity: first),
        ]
        try await withNginx(in: folder, sites) { ports in
          for question in ["both", "each", "any", "single"] {
            let result = try await asks(question, ports[question == "single" ? 1 : 0], authority)
            let words: Comment = "\(ended), \(question): \(result.message ?? "")"
            switch question {
            case "single": #expect(result.state == .up, words)
            // OpenSSL's servers like ECDSA better.
            case "any": #expect(result.state == (ended == "rsa" ? .up : .down), words)
            default:
              #expect(result.state == .down && result.reason == .tlsExpired, words)
              #expect(
                result.message?.contains("the \(ended.uppercased()) certificate: ") == true, words)
            }
          }
        }
      }
    }
  }

  /// A whole run of a check that asks for both certificates, for each address, or for what comes.
  private func asks(
    _ question: String, _ port: UInt16, _ authority: TestAuthority
  ) async throws -> CheckResult {
    let check = try tlsCheck(port) {
      if question == "each" { $0.addresses = "each" } else { $0.tls.both = question != "any" }
    }
    return try await withCurlEngine(trust: TrustStore(bundle: authority.rootFile)) { engine in
      let reactor = try Reactor()
      let system = SystemResolver(
        reactor: reactor, resolvConf: "/nonexistent/a", hosts: "/nonexistent/b", port: 1)
      let finder = TargetFinder(resolver: NameTable.loopback, policy: EgressPolicy(EgressSettings()))
      let runner = CheckRunner(
        engine: engine, reactor: reactor, system: system, finder: finder, userAgent: "test")
      return try await runner.run(check, slot: ProbeSlot(scheduledAt: .now(), trigger: .manual))
    }
  }

  @Test func aSuccessHasItsTimings() async throws {
    try await withServer(Case(.ok)) { port, bench, _ in
      let outcome = try await bench.tls(try tlsCheck(port))
      #expect(outcome.verdict == .ok)
      #expect(outcome.timings.connect != nil && outcome.timings.tls != nil && outcome.timings.dns != nil)
      #expect(outcome.timings.firstByte == nil && outcome.timings.transfer == nil)
      #expect(outcome.responseTime == outcome.timings.total)
      #expect(outcome.address == "127.0.0.1:\(port)")
    }
  }

  @Test func anotherNameCanBeAskedFor() async throws {
    try await withServer(Case(.ok) { $0.leaf.names = ["DNS:mail.test"] }) { port, bench, _ in
      let named = try await bench.tls(try tlsCheck(port) { $0.tls.serverName = "mail.test" })
      #expect(named.verdict == .ok)
    }
  }

  @Test(arguments: [
    ("refused", Reason.connectRefused), ("silent", .tlsTimeout), ("closes", .connectionClosed),
    ("resets", .connectionReset), ("plain", .tlsHandshake),
  ])
  func portsWithoutTLS(behaviour: String, reason: Reason) async throws {
    try await withLoopbackServer(script: { link in
      switch behaviour {
      case "silent": link.waitForEnd()
      case "plain":
        link.write("220 mail.test ESMTP\r\n")
        link.waitForEnd()
      default:
        _ = link.read()
        if behaviour == "resets" { link.resetOnClose() }
      }
    }) { server in
      let port = behaviour == "refused" ? try freePort() : server.port
      let outcome = try await ProbeBench(limit: behaviour == "silent" ? .milliseconds(800) : .seconds(10))
        .tls(try tlsCheck(port))
      #expect(outcome.verdict.reason == reason, "\(outcome.verdict)")
      #expect(outcome.tls == nil)
      #expect(outcome.assertions.allSatisfy { !$0.ok && $0.actual.isEmpty })
    }
  }
}
