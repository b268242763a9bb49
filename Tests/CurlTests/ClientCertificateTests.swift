// SPDX-License-Identifier: MIT

import Basics
import Curl
import Foundation
import TestSupport
import Testing

/// A server that insists on a client certificate, which nginx would answer with a page: OpenSSL's own server.
@Suite struct ClientCertificateTests {
  @Test(arguments: ["-tls1_2", "-tls1_3"])
  func isToldFromOtherHandshakeFailures(version: String) async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      let identity = try authority.issue("good")
      let server = try await OpenSSLServer(
        identity,
        ["-CAfile", authority.rootFile, "-Verify", "1", "-verify_return_error", "-www", version, "-quiet"],
        in: folder)
      defer { server.stop() }
      let report = try await transfer(
        request(server.port, scheme: "https"), trust: TrustStore(bundle: authority.rootFile))
      #expect(report.failure?.kind == .tls(.clientCertificate))
      #expect(report.failure?.phase == .tls)
      #expect(report.tls?.verified == true)
    }
  }

  /// A file that cannot be used is a fault of the request, which names it.
  @Test func aFileThatIsNotThereIsAFaultOfTheRequest() async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      let server = try await OpenSSLServer(try authority.issue("good"), ["-www", "-quiet"], in: folder)
      defer { server.stop() }
      var asked = request(server.port, scheme: "https")
      asked.tls.clientCertificate = "/nonexistent.pem"
      let report = try await transfer(asked, trust: TrustStore(bundle: authority.rootFile))
      #expect(report.failure?.kind == .local(.request))
      #expect(report.failure?.message.contains("/nonexistent.pem") == true)
    }
  }

  @Test func filesAreJudgedBeforeAnybodyIsDialled() async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      let (one, other) = (try authority.issue("one"), try authority.issue("other"))
      #expect(clientCertificateProblem(certificate: one.certificate, key: one.key) == nil)
      for (certificate, key, path) in [
        (one.certificate, other.key, other.key), ("/nonexistent.pem", one.key, "/nonexistent.pem"),
        (one.certificate, "/nonexistent.key", "/nonexistent.key"), (one.certificate, nil, one.certificate),
        (one.key, one.key, one.key),
      ] as [(String, String?, String)] {
        let problem = try #require(clientCertificateProblem(certificate: certificate, key: key))
        #expect(problem.contains(path))
      }
    }
  }
}
