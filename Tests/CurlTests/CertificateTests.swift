// SPDX-License-Identifier: MIT

import Basics
import Curl
import Foundation
import TestSupport
import Testing

/// The verdict on certificates, each made by openssl and served by a real nginx.
@Suite struct CertificateTests {
  enum Served: String, CaseIterable {
    case good, expired, notYetValid, wrongHost, selfSigned, untrusted, weakKey, sha1, everythingWrong
  }

  private static let verdicts: [(Served, [CertificateProblem])] = [
    (.good, []), (.expired, [.expired]), (.notYetValid, [.notYetValid]), (.wrongHost, [.hostname]),
    (.selfSigned, [.selfSigned]), (.untrusted, [.untrusted]), (.weakKey, [.weak]), (.sha1, [.weak]),
    (.everythingWrong, [.untrusted, .expired, .hostname, .weak]),
  ]

  private func identity(_ served: Served, _ ours: TestAuthority, _ theirs: TestAuthority) throws
    -> TestAuthority.Identity
  {
    var leaf = TestAuthority.Leaf()
    switch served {
    case .good, .selfSigned, .untrusted: break
    case .expired: (leaf.from, leaf.until) = (-90, -2.5)
    case .notYetValid: (leaf.from, leaf.until) = (2, 90)
    case .wrongHost: leaf.names = ["DNS:other.test"]
    case .weakKey: leaf.key = TestAuthority.Leaf.weakKey
    case .sha1: leaf.digest = "sha1"
    case .everythingWrong:
      (leaf.from, leaf.until) = (-90, -2.5)
      leaf.names = ["DNS:other.test"]
      leaf.key = TestAuthority.Leaf.weakKey
    }
    if served == .selfSigned { return try ours.selfSigned(served.rawValue, leaf) }
    let issuer = served == .untrusted || served == .everythingWrong ? theirs : ours
    return try issuer.issue(served.rawValue, leaf)
  }

  private func withServer(
    _ served: Served, protocols: String = "ssl_protocols TLSv1.2 TLSv1.3;",
    lines: [String] = ["return 200 'secret';"],
    _ body: (_ port: UInt16, _ trust: TrustStore, _ folder: URL) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let ours = try TestAuthority(in: folder)
      let theirs = try TestAuthority(in: folder, name: "stranger")
      let site = NginxSite(
        ["ssl_ciphers ALL:@SECLEVEL=0;", protocols, "access_log \(folder.path)/access.log;"] + lines,
        identity: try identity(served, ours, theirs))
      try await withNginx(in: folder, [site]) { ports in
        try await body(ports[0], TrustStore(bundle: ours.rootFile), folder)
      }
    }
  }

  @Test(arguments: verdicts)
  func namesEachProblemAndKeepsTheFacts(served: Served, problems: [CertificateProblem]) async throws {
    try await withServer(served) { port, trust, folder in
      let report = try await transfer(request(port, scheme: "https"), trust: trust)
      let tls = try #require(report.tls)
      #expect(tls.problems == problems)
      #expect(tls.verified == problems.isEmpty)
      #expect(tls.version == "TLSv1.3")
      #expect(tls.cipher?.hasPrefix("TLS_") == true)
      let leaf = try #require(tls.chain.first)
      #expect(leaf.subject == "CN=\(served.rawValue)")
      #expect(leaf.sha256.count == 64)
      let isForAnother = problems.contains(.hostname)
      #expect(leaf.alternativeNames == (isForAnother ? ["other.test"] : ["good.test", "127.0.0.1"]))
      if let first = problems.first {
        #expect(report.failure?.kind == .tls(.certificate(first)))
        #expect(report.failure?.phase == .tls)
        #expect(report.times.connected != nil)
        #expect(report.statusCode == nil)
        // The request never left: the server saw none.
        let log = try String(contentsOf: folder.appending(path: "access.log"), encoding: .utf8)
        #expect(log.isEmpty)
      } else {
        #expect(report.text == "secret")
      }
    }
  }

  @Test(arguments: verdicts)
  func withoutVerificationTheFactsAndProblemsStay(served: Served, problems: [CertificateProblem]) async throws
  {
    try await withServer(served) { port, trust, _ in
      var asked = request(port, scheme: "https")
      asked.tls.verify = false
      let report = try await transfer(asked, trust: trust)
      #expect(report.outcome == .complete)
      #expect(report.text == "secret")
      #expect(report.tls?.problems == problems)
    }
  }

  @Test(arguments: [Served.good, .expired])
  func aHandshakeAloneSendsNoRequest(served: Served) async throws {
    try await withServer(served) { port, trust, folder in
      var asked = request(port, scheme: "https", goal: .handshake)
      asked.tls.verify = false
      let report = try await transfer(asked, trust: trust)
      #expect(report.outcome == .complete)
      #expect(report.statusCode == nil)
      #expect(report.tls?.chain.count == 1)
      #expect(report.times.tlsDone == report.times.ended)
      let log = try String(contentsOf: folder.appending(path: "access.log"), encoding: .utf8)
      #expect(log.isEmpty)
    }
  }

  @Test func theFactsAreThoseOfTheCertificate() async throws {
    try await withServer(.expired) { port, trust, _ in
      let report = try await transfer(request(port, scheme: "https"), trust: trust)
      let leaf = try #require(report.tls?.chain.first)
      let now = Int64(Date().timeIntervalSince1970)
      #expect(abs(leaf.notAfter - (now - 216_000)) < 120)
      #expect(abs(leaf.notBefore - (now - 90 * 86_400)) < 120)
      #expect(leaf.issuer == "CN=Test root")
      #expect(leaf.alternativeNames == ["good.test", "127.0.0.1"])
      #expect(leaf.serial.count % 2 == 0)
      #expect(leaf.serial.allSatisfy { $0.isHexDigit })
    }
  }

  @Test func anAddressIsLookedForAmongTheAddresses() async throws {
    try await withServer(.good) { port, trust, _ in
      var asked = request(port, scheme: "https")
      asked.url = "https://127.0.0.1:\(port)/"
      let named = try await transfer(asked, trust: trust)
      #expect(named.outcome == .complete)
      asked.url = "https://127.0.0.2:\(port)/"
      let other = try await transfer(asked, trust: trust)
      #expect(other.failure?.kind == .tls(.certificate(.hostname)))
    }
  }

  @Test func aCAFileReplacesTheBundle() async throws {
    try await withServer(.untrusted) { port, trust, folder in
      var asked = request(port, scheme: "https")
      asked.tls.caFile = folder.appending(path: "ca-stranger/root.pem").path
      let accepted = try await transfer(asked, trust: trust)
      #expect(accepted.outcome == .complete)
      asked.tls.caFile = folder.appending(path: "ca-root/root.pem").path
      let refused = try await transfer(asked, trust: trust)
      #expect(refused.failure?.kind == .tls(.certificate(.untrusted)))
    }
  }

  @Test func oldProtocolsOnlyIsItsOwnFailure() async throws {
    try await withServer(.good, protocols: "ssl_protocols TLSv1.1;", lines: ["return 200 'old';"]) {
      port, trust, _ in
      var asked = request(port, scheme: "https")
      let refused = try await transfer(asked, trust: trust)
      #expect(refused.failure?.kind == .tls(.protocolVersion))
      #expect(refused.failure?.phase == .tls)
      asked.tls.minimumVersion = .v11
      let allowed = try await transfer(asked, trust: trust)
      #expect(allowed.text == "old")
      #expect(allowed.tls?.version == "TLSv1.1")
    }
  }
}
