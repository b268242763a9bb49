// SPDX-License-Identifier: MIT

import Basics
import COpenSSL
import Foundation
import TestSupport
import Testing

@testable import Curl

/// Keys below 112 bits of strength, wherever they are on a path.
@Suite struct WeakKeyTests {
  @Test(
    arguments: [
      ("RSA", "rsa_keygen_bits:1024", "RSA key of 1024 bits"),
      ("RSA", "rsa_keygen_bits:2047", "RSA key of 2047 bits"),
      ("RSA", "rsa_keygen_bits:2048", nil), ("EC", "ec_paramgen_curve:prime192v1", "EC key of 192 bits"),
      ("EC", "ec_paramgen_curve:secp224r1", nil), ("EC", "ec_paramgen_curve:P-256", nil),
      ("ED25519", nil, nil),
    ] as [(String, String?, String?)])
  func keys(algorithm: String, option: String?, weakness: String?) async throws {
    try await withTemporaryDirectory { folder in
      try runTool(
        "/usr/bin/openssl",
        ["genpkey", "-algorithm", algorithm, "-out", "a.key"] + (option.map { ["-pkeyopt", $0] } ?? []),
        in: folder)
      let bio = try #require(BIO_new_file(folder.appending(path: "a.key").path, "r"))
      defer { BIO_free(bio) }
      let key = try #require(PEM_read_bio_PrivateKey(bio, nil, nil, nil))
      defer { EVP_PKEY_free(key) }
      #expect(CertificateVerdict.isWeak(key: key) == (weakness != nil))
      #expect(CertificateVerdict.weakness(key: key) == weakness)
    }
  }

  /// A server's own certificate is the administrator's matter when it is trusted itself, but for its key.
  @Test func aTrustedCertificateOfItsOwnIsHeldToItsKey() async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      for (name, key, problems) in [
        ("weak", TestAuthority.Leaf.weakKey, [CertificateProblem.weak]),
        ("good", TestAuthority.Leaf().key, []),
      ] {
        var leaf = TestAuthority.Leaf()
        leaf.key = key
        let own = try authority.selfSigned(name, leaf)
        let site = NginxSite(["ssl_ciphers ALL:@SECLEVEL=0;", "return 200 'secret';"], identity: own)
        try await withNginx(in: folder, [site]) { ports in
          let report = try await transfer(
            request(ports[0], scheme: "https"), trust: TrustStore(bundle: own.certificate))
          #expect(report.tls?.problems == problems)
        }
      }
    }
  }
}
