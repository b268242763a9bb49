// SPDX-License-Identifier: MIT

import Basics
import Curl
import Foundation
import Monitoring
import NetworkTestSupport
import TestSupport
import Testing

@testable import Checks

/// TLS of a tcp check: the same verdicts and facts as http has, by the rows L of the fault catalogue.
@Suite(.timeLimit(.minutes(3))) struct TCPTLSTests {
  /// An nginx, and a dialog that speaks HTTP with it.
  private func outcome(
    leaf: TestAuthority.Leaf = TestAuthority.Leaf(), issuer: String = "root", _ lines: [String] = [],
    _ change: @escaping (inout CheckDefinition) -> Void = { _ in }
  ) async throws -> ProbeOutcome {
    var result: ProbeOutcome?
    try await withTemporaryDirectory { folder in
      let trusted = try TestAuthority(in: folder)
      let identity =
        switch issuer {
        case "root": try trusted.issue("leaf", leaf)
        case "self": try trusted.selfSigned("leaf", leaf)
        default: try TestAuthority(in: folder, name: issuer).issue("leaf", leaf)
        }
      let site = NginxSite(["ssl_ciphers ALL:@SECLEVEL=0;"] + lines + ["return 200;"], identity: identity)
      try await withNginx(in: folder, [site]) { ports in
        let check = try makeCheck("tcp") {
          ($0.host, $0.port, $0.tls.isWanted) = ("good.test", Int(ports[0]), true)
          $0.dialogSteps = [
            TCPReasonTests.send(#"GET / HTTP/1.0\r\n\r\n"#), TCPReasonTests.expect("~ ^HTTP/1.1 (200)"),
          ]
          $0.expect.certificate = Thresholds(warn: .seconds(86_400 * 10), fail: .seconds(86_400 * 5))
          change(&$0)
        }
        result = try await ProbeBench(trust: TrustStore(bundle: trusted.rootFile)).tcp(check)
      }
    }
    return try #require(result)
  }

  private func leaf(_ change: (inout TestAuthority.Leaf) -> Void) -> TestAuthority.Leaf {
    var leaf = TestAuthority.Leaf()
    change(&leaf)
    return leaf
  }

  @Test(
    "L1 L3 certificates and versions",
    arguments: [
      Reason.ok, .tlsExpired, .tlsNotYetValid, .tlsHostname, .tlsSelfSigned, .tlsUntrusted, .tlsWeak,
      .tlsProtocol, .certificateExpiring,
    ])
  func endsInItsReason(reason: Reason) async throws {
    let found =
      switch reason {
      case .tlsExpired: try await outcome(leaf: leaf { ($0.from, $0.until) = (-90, -2.5) })
      case .tlsNotYetValid: try await outcome(leaf: leaf { ($0.from, $0.until) = (2, 90) })
      case .tlsHostname: try await outcome(leaf: leaf { $0.names = ["DNS:*.good.test"] })
      case .tlsSelfSigned: try await outcome(issuer: "self")
      case .tlsUntrusted: try await outcome(issuer: "stranger")
      case .tlsWeak: try await outcome(leaf: leaf { $0.key = TestAuthority.Leaf.weakKey })
      case .tlsProtocol: try await outcome(["ssl_protocols TLSv1.1;"])
      case .certificateExpiring: try await outcome(leaf: leaf { $0.until = 3.5 })
      default: try await outcome()
      }
    #expect(found.verdict.reason == reason, "\(found.verdict)")
    #expect(found.assertions.map(\.what) == ["certificate.warn", "certificate.fail"])
    let isAccepted = reason == .ok || reason == .certificateExpiring
    if reason != .tlsProtocol {
      let facts = try #require(found.tls)
      #expect(facts.verified == isAccepted)
      #expect(facts.notAfter == facts.chain.first?.notAfter && facts.daysRemaining != nil)
    }
    // L2: nothing of the dialog leaves before the verdict.
    #expect(found.dialog.count == (isAccepted ? 2 : 0))
    // A handshake that failed took its time as well.
    #expect(found.timings.tls != nil)
  }

  @Test func anUnverifiedHandshakeIsTold() async throws {
    let found = try await outcome(issuer: "stranger") {
      ($0.tls.verify, $0.expect.certificate) = (false, .init())
    }
    #expect(found.verdict == .ok)
    #expect(
      found.tls?.verified == false
        && found.tls?.verifyError?.hasPrefix("certificate is not trusted (") == true)
  }

  /// The server's farewell inside TLS settles a pattern that reaches to the end of what came.
  @Test func aFarewellEndsTheDialog() async throws {
    let found = try await outcome(["return 200 'the end';"]) {
      $0.dialogSteps = [
        TCPReasonTests.send(#"GET / HTTP/1.0\r\n\r\n"#), TCPReasonTests.expect(#"~ the \w+"#),
      ]
    }
    #expect(found.verdict == .ok, "\(found.verdict)")
    let short = try await outcome(["return 200 'the end';"]) {
      $0.dialogSteps = [TCPReasonTests.send(#"GET / HTTP/1.0\r\n\r\n"#), TCPReasonTests.expect("more")]
    }
    #expect(short.verdict.reason == .connectionClosed && short.verdict.phase == .dialog, "\(short.verdict)")
  }

  @Test func anOldVersionCanBeAllowed() async throws {
    let found = try await outcome(["ssl_protocols TLSv1.1;"]) { $0.tls.minVersion = "1.0" }
    #expect(found.verdict == .ok && found.tls?.version == "TLSv1.1")
  }

  @Test("L5 a chain of thousands of names is refused, quickly") func thousandsOfNames() async throws {
    let found = try await outcome(leaf: leaf { $0.names = (0..<6000).map { "DNS:host-\($0).good.test" } })
    #expect(found.verdict.reason == .tlsHandshake, "\(found.verdict)")
    #expect(found.tls == nil && found.dialog.isEmpty)
  }

  @Test("L6 names with control characters are made safe") func controlCharacters() async throws {
    let found = try await outcome(
      leaf: leaf { ($0.commonName, $0.names) = ("evil\u{1b}[31m", ["DNS:good.test"]) })
    #expect(found.verdict == .ok)
    let subject = try #require(found.tls?.chain.first?.subject)
    #expect(!subject.utf8.contains(0x1b) && subject.contains("evil"))
  }

  /// Under TLS 1.3 the server refuses after our handshake is complete; even without a dialog that is waited for.
  @Test(arguments: ["-tls1_2", "-tls1_3"], [true, false])
  func aServerThatInsistsOnACertificate(version: String, speaks: Bool) async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      let identity = try authority.issue("leaf")
      let client = try authority.issue("client")
      let stranger = try TestAuthority(in: folder, name: "stranger").issue("stranger")
      let server = try await OpenSSLServer(
        identity,
        ["-CAfile", authority.rootFile, "-Verify", "1", "-verify_return_error", "-www", version, "-quiet"],
        in: folder)
      defer { server.stop() }
      for (shown, reason) in [
        (nil, Reason.tlsClientCertificate), (stranger, .tlsClientCertificate), (client, .ok),
      ] {
        let check = try makeCheck("tcp") {
          ($0.host, $0.port, $0.tls.isWanted) = ("good.test", Int(server.port), true)
          ($0.tls.clientCertificate, $0.tls.clientKey) = (shown?.certificate, shown?.key)
          if speaks {
            $0.dialogSteps = [
              TCPReasonTests.send(#"GET / HTTP/1.0\r\n\r\n"#), TCPReasonTests.expect("HTTP/1.0 200"),
            ]
          }
        }
        let found = try await ProbeBench(trust: TrustStore(bundle: authority.rootFile)).tcp(check)
        #expect(found.verdict.reason == reason, "\(found.verdict)")
      }
    }
  }
}
