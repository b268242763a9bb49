// SPDX-License-Identifier: MIT

import Basics
import Curl
import Foundation
import TestSupport
import Testing

/// Certificates made to fill memory, time or a terminal.
@Suite(.timeLimit(.minutes(1))) struct HostileCertificateTests {
  private func handshake(_ leaf: TestAuthority.Leaf) async throws -> TransferReport {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      let site = NginxSite(["return 200;"], identity: try authority.issue("hostile", leaf))
      return try await withNginx(in: folder, [site]) { ports in
        try await transfer(
          request(ports[0], scheme: "https", goal: .handshake), trust: TrustStore(bundle: authority.rootFile))
      }
    }
  }

  @Test func aThousandNamesAreMatchedAndCutInTheReport() async throws {
    var leaf = TestAuthority.Leaf()
    leaf.names = (0..<1000).map { "DNS:n\($0).example.test" } + ["DNS:good.test"]
    let report = try await handshake(leaf)
    #expect(report.outcome == .complete)
    #expect(report.tls?.chain.first?.alternativeNames.count == 64)
  }

  /// 100 KiB are taken, as OpenSSL's own clients take them, and no more.
  @Test(arguments: [(1900, true), (2700, false)]) func theLongestChain(names: Int, isTaken: Bool) async throws
  {
    var leaf = TestAuthority.Leaf()
    let label = String(repeating: "n", count: 26)
    leaf.names = ["DNS:good.test"] + (0..<names).map { "DNS:\(label)\(10_000 + $0).good.test" }
    let report = try await handshake(leaf)
    #expect((report.outcome == .complete) == isTaken, "\(report.outcome)")
    #expect((report.tls?.chain.first?.nameCount == names + 1) == isTaken)
    if !isTaken {
      let words = "tls handshake failed: certificates of more than 100 KiB"
      #expect(report.failure?.message.hasPrefix(words) == true, "\(report.outcome)")
    }
  }

  /// OpenSSL's own wildcards leave labels with an underscore out.
  @Test(arguments: [
    ("my_app.good.test", true), ("my_app.other.test", false), ("a.my_app.good.test", false),
    ("_dmarc.good.test", false),
  ])
  func aWildcardStandsForALabelWithAnUnderscore(host: String, isGood: Bool) async throws {
    var leaf = TestAuthority.Leaf()
    leaf.names = ["DNS:*.good.test"]
    let report = try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      let site = NginxSite(["return 200;"], identity: try authority.issue("wild", leaf))
      return try await withNginx(in: folder, [site]) { ports in
        var asked = request(ports[0], scheme: "https", goal: .handshake)
        asked.tls.serverName = host
        return try await transfer(asked, trust: TrustStore(bundle: authority.rootFile))
      }
    }
    #expect((report.outcome == .complete) == isGood, "\(report.outcome)")
  }

  /// Certificates are fine; what the handshake leans on is not (RFC 9325 section 4.1).
  @Test func aSmallDiffieHellmanGroupEndsTheHandshake() async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      try runTool("/usr/bin/openssl", ["dhparam", "-dsaparam", "-out", "dh.pem", "1024"], in: folder)
      var leaf = TestAuthority.Leaf()
      leaf.key = ["-newkey", "rsa:2048"]
      let site = NginxSite(
        [
          "ssl_protocols TLSv1.2;", "ssl_ciphers DHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0;",
          "ssl_dhparam \(folder.appending(path: "dh.pem").path);", "return 200;",
        ], identity: try authority.issue("good", leaf))
      let report = try await withNginx(in: folder, [site]) { ports in
        try await transfer(
          request(ports[0], scheme: "https", goal: .handshake), trust: TrustStore(bundle: authority.rootFile))
      }
      #expect(report.failure?.kind == .tls(.handshake))
      #expect(report.failure?.message.contains("dh key too small") == true, "\(report.outcome)")
    }
  }

  @Test func aChainBeyondItsLimitEndsTheHandshake() async throws {
    var leaf = TestAuthority.Leaf()
    let names = (0..<3500).map { "DNS:n\($0).example.test" }
    leaf.names = names + ["DNS:good.test"]
    leaf.extensions = ["issuerAltName = \(names.joined(separator: ","))"]
    let report = try await handshake(leaf)
    #expect(report.failure?.kind == .tls(.handshake))
    #expect(report.failure?.phase == .tls)
    #expect(report.tls == nil)
  }

  @Test func controlCharactersInANameAreEscaped() async throws {
    var leaf = TestAuthority.Leaf()
    leaf.commonName = "evil\u{1b}[31m\nname"
    let subject = try #require(try await handshake(leaf).tls?.chain.first?.subject)
    #expect(subject.hasPrefix("CN=evil"))
    #expect(subject.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f })
  }
}
