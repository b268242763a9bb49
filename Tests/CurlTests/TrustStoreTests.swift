// SPDX-License-Identifier: MIT

import Curl
import Foundation
import TestSupport
import Testing

/// Where trust comes from, and what happens when it does not come.
@Suite struct TrustStoreTests {
  @Test func theSystemsBundleLoads() throws { try TrustStore().check() }

  @Test func aMissingBundleIsALocalFaultBeforeAnythingIsDialled() async throws {
    try await withLoopbackServer(script: { $0.waitForEnd() }) { server in
      let trust = TrustStore(bundle: "/nonexistent/bundle.pem")
      #expect(throws: TrustStoreError.self) { try trust.check() }
      let report = try await transfer(request(server.port, scheme: "https"), trust: trust)
      #expect(report.failure?.kind == .local(.trustStore))
      #expect(report.failure?.phase == .prepare)
      #expect(report.failure?.message.contains("/nonexistent/bundle.pem") == true)
      #expect(server.accepted == 0)
    }
  }

  @Test(arguments: [
    "", "no certificate here", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
  ])
  func aBundleWithoutCertificatesIsAnError(content: String) async throws {
    try await withTemporaryDirectory { folder in
      let file = folder.appending(path: "bundle.pem")
      try content.write(to: file, atomically: true, encoding: .utf8)
      let trust = TrustStore(bundle: file.path)
      #expect(throws: TrustStoreError(path: file.path, errno: 0)) { try trust.check() }
    }
  }

  @Test func aReplacedBundleIsReadAgain() async throws {
    try await withTemporaryDirectory { folder in
      let ours = try TestAuthority(in: folder)
      let theirs = try TestAuthority(in: folder, name: "stranger")
      let bundle = folder.appending(path: "bundle.pem")
      try FileManager.default.copyItem(at: URL(filePath: theirs.rootFile), to: bundle)
      let trust = TrustStore(bundle: bundle.path)
      let site = NginxSite(["return 200 'x';"], identity: try ours.issue("good"))
      try await withNginx(in: folder, [site]) { ports in
        try await withCurlEngine(trust: trust) { engine in
          let before = try await engine.perform(request(ports[0], scheme: "https"))
          #expect(before.failure?.kind == .tls(.certificate(.untrusted)))
          try Data(contentsOf: URL(filePath: ours.rootFile)).write(to: bundle, options: .atomic)
          let after = try await engine.perform(request(ports[0], scheme: "https"))
          #expect(after.outcome == .complete)
          try FileManager.default.removeItem(at: bundle)
          let gone = try await engine.perform(request(ports[0], scheme: "https"))
          #expect(gone.failure?.kind == .local(.trustStore))
        }
      }
    }
  }
}
