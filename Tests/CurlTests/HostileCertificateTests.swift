// SPDX-License-Identifier: MIT

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

  @Test func aChainBeyondItsLimitEndsTheHandshake() async throws {
    var leaf = TestAuthority.Leaf()
    let names = (0..<2500).map { "DNS:n\($0).example.test" }
    leaf.names = names + ["DNS:good.test"]
    leaf.extensions = ["issuerAltName = \(names.joined(separator: ","))"]
    let report = try await handshake(leaf)
    #expect(report.failure?.kind == .tls(.handshake))
    #expect(report.failure?.phase == .tls)
    #expect(report.tls == nil)
    #expect(report.times.ended < .seconds(2))
  }

  @Test func controlCharactersInANameAreEscaped() async throws {
    var leaf = TestAuthority.Leaf()
    leaf.commonName = "evil\u{1b}[31m\nname"
    let subject = try #require(try await handshake(leaf).tls?.chain.first?.subject)
    #expect(subject.hasPrefix("CN=evil"))
    #expect(subject.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f })
  }
}
