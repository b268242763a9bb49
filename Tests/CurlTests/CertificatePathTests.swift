// SPDX-License-Identifier: MIT

import Basics
import COpenSSL
import Foundation
import TestSupport
import Testing

@testable import Curl

/// The path above the server's own certificate, and the names in it that are no match.
@Suite(.timeLimit(.minutes(1))) struct CertificatePathTests {
  /// One transfer to a server with a certificate from an authority below the root.
  private func report(
    intermediate: TestAuthority.Leaf = TestAuthority.Leaf(), leaf: TestAuthority.Leaf = TestAuthority.Leaf(),
    sendsIntermediate: Bool = true, host: String? = nil, verify: Bool = true
  ) async throws -> TransferReport {
    try await withTemporaryDirectory { folder in
      let root = try TestAuthority(in: folder)
      var between = intermediate
      between.names = ["DNS:authority.test"]
      let authority = try root.subordinate("between", between)
      let own = try authority.issue("good", leaf)
      let site = NginxSite(
        ["ssl_ciphers ALL:@SECLEVEL=0;", "return 200 'secret';"],
        identity: sendsIntermediate ? try authority.chained(own) : own)
      return try await withNginx(in: folder, [site]) { ports in
        var asked = request(ports[0], scheme: "https")
        asked.tls.serverName = host
        asked.tls.verify = verify
        return try await transfer(asked, trust: TrustStore(bundle: root.rootFile))
      }
    }
  }

  /// A path through an authority in between is good, and ends when its first certificate does.
  @Test func aPathEndsWithItsFirstCertificate() async throws {
    var between = TestAuthority.Leaf()
    between.until = 30
    let tls = try #require(try await report(intermediate: between).tls)
    #expect(tls.problems.isEmpty)
    #expect(tls.chain.count == 2)
    let end = try #require(tls.pathNotAfter)
    #expect(abs(end - Int64(Date().timeIntervalSince1970 + 30 * 86_400)) < 120)
  }

  /// An authority in between that ran out, or is not good yet, ends the handshake as the server's own would.
  @Test(arguments: [(-90.0, -2.5, CertificateProblem.expired), (2.0, 90.0, .notYetValid)])
  func theTimeOfAnAuthorityInBetweenCounts(from: Double, until: Double, problem: CertificateProblem)
    async throws
  {
    var between = TestAuthority.Leaf()
    (between.from, between.until) = (from, until)
    let report = try await report(intermediate: between)
    #expect(report.failure?.kind == .tls(.certificate(problem)))
    #expect(report.statusCode == nil)
    let tls = try #require(report.tls)
    #expect(tls.problems == [problem])
    let words = try #require(tls.details[problem])
    #expect(words.hasPrefix("not the server's own, but 1 above it"))
    if problem == .expired {
      let end = Timestamp(seconds: try #require(tls.chain.last).notAfter).rfc3339.prefix(10)
      #expect(words == "not the server's own, but 1 above it, CN=between; it ended on \(end)")
    }
    #expect(tls.pathNotAfter == nil)
  }

  /// A weak key above the server's own is weak too.
  @Test func aWeakAuthorityInBetweenCounts() async throws {
    var between = TestAuthority.Leaf()
    between.key = TestAuthority.Leaf.weakKey
    let tls = try await report(intermediate: between).tls
    #expect(tls?.problems == [.weak])
    #expect(
      tls?.details == [.weak: "not the server's own, but 1 above it, CN=between; RSA key of 1024 bits"])
  }

  /// An address is matched with addresses alone (RFC 9525 section 6.4), which the message says.
  @Test func anAddressThatIsThereAsAName() async throws {
    var leaf = TestAuthority.Leaf()
    leaf.names = ["DNS:good.test", "DNS:127.0.0.1"]
    let tls = try await report(leaf: leaf, host: "127.0.0.1").tls
    #expect(tls?.problems == [.hostname])
    #expect(tls?.details == [.hostname: "it has 127.0.0.1 as a host name and not as an IP address"])
    let other = try await report(leaf: leaf, host: "127.0.0.2").tls
    #expect(other?.details == [.hostname: "it is for good.test, 127.0.0.1"])
  }

  /// A server that leaves out the authority in between: no path can be built.
  @Test func aPathThatCannotBeBuiltIsNoTrust() async throws {
    let report = try await report(sendsIntermediate: false)
    #expect(report.failure?.kind == .tls(.certificate(.untrusted)))
    #expect(report.tls?.details[.untrusted]?.contains("local issuer") == true)
    let seen = try await self.report(sendsIntermediate: false, verify: false)
    #expect(seen.text == "secret")
    #expect(seen.tls?.problems == [.untrusted])
  }

  /// A path that OpenSSL could not build and said nothing about is no trust either.
  @Test func aSilentFailureIsNoTrust() {
    #expect(CertificateVerdict.problems(of: [], isBuilt: false) == [.untrusted])
    #expect(CertificateVerdict.problems(of: [], isBuilt: true).isEmpty)
    let expired = VerifyError(code: X509_V_ERR_CERT_HAS_EXPIRED, depth: 1)
    #expect(CertificateVerdict.problems(of: [expired], isBuilt: true) == [.expired])
    #expect(CertificateVerdict.problems(of: [expired], isBuilt: false) == [.expired])
  }

  /// RFC 9525 section 6.3: a wildcard is a whole label, and one label.
  @Test(arguments: [
    ("DNS:*.good.test", "world.good.test", true), ("DNS:wo*.good.test", "world.good.test", false),
    ("DNS:*ld.good.test", "world.good.test", false), ("DNS:w*d.good.test", "world.good.test", false),
    ("DNS:*.good.test", "new.world.good.test", false), ("DNS:*.good.test", "good.test", false),
    ("DNS:world.*.test", "world.good.test", false),
    // Directly below a single label, as in private networks.
    ("DNS:*.vault-internal", "node1.vault-internal", true),
    ("DNS:*.VAULT-internal", "Node1.vault-internal", true),
    ("DNS:*.vault-internal", "a.node1.vault-internal", false),
    ("DNS:*.vault-internal", "vault-internal", false),
    ("DNS:*.vault-internal", "node1.other-internal", false), ("DNS:*", "node1", false),
    ("DNS:*.*", "node1.vault-internal", false), ("DNS:n*.vault-internal", "node1.vault-internal", false),
  ])
  func aWildcardIsAWholeLabel(name: String, host: String, isGood: Bool) async throws {
    var leaf = TestAuthority.Leaf()
    leaf.names = [name]
    let report = try await report(leaf: leaf, host: host)
    #expect(report.tls?.problems == (isGood ? [] : [.hostname]))
  }

  /// RFC 9525 section 2: the common name is no identity, also where there is no other name.
  @Test func theCommonNameIsNoIdentity() async throws {
    var leaf = TestAuthority.Leaf()
    (leaf.commonName, leaf.names) = ("good.test", ["email:somebody@good.test"])
    #expect(try await report(leaf: leaf).tls?.problems == [.hostname])
  }
}
