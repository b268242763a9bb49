// SPDX-License-Identifier: MIT

import Basics
import Checks
import Foundation
import Glibc
import Monitoring
import Synchronization
import TestSupport
import Testing

/// The `tls` options of an http check, and what leaves this machine before the verdict on the server.
@Suite(.timeLimit(.minutes(2))) struct HTTPTLSTests {
  @Test(
    arguments: [
      ("TLSv1.2", "1.3", nil, Reason.tlsProtocol), ("TLSv1.2", nil, nil, .ok),
      ("TLSv1.3", nil, "1.2", .tlsProtocol),
      ("TLSv1.3", "1.3", "1.3", .ok), ("TLSv1.1", nil, nil, .tlsProtocol), ("TLSv1.1", "1.1", nil, .ok),
      ("TLSv1", "1.0", "1.0", .ok),
    ] as [(String, String?, String?, Reason)])
  func versionsOutsideTheOptionsAreRefused(
    served: String, minimum: String?, maximum: String?, reason: Reason
  ) async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      let site = NginxSite(
        ["ssl_protocols \(served);", "ssl_ciphers ALL:@SECLEVEL=0;", "return 204;"],
        identity: try authority.issue("good"))
      try await withNginx(in: folder, [site]) { ports in
        let check = try httpCheck("https://good.test:\(ports[0])/") {
          $0.tls.caFile = authority.rootFile
          $0.tls.minVersion = minimum
          $0.tls.maxVersion = maximum
        }
        let outcome = try await ProbeBench().http(check)
        #expect(outcome.verdict.reason == reason, "\(outcome.verdict)")
        if reason == .ok { #expect(outcome.tls?.version == (served == "TLSv1" ? "TLSv1" : served)) }
        if reason != .ok { #expect(outcome.timings.tls != nil) }
      }
    }
  }

  /// RFC 7633: some clients refuse a certificate that must be stapled and is not.
  @Test(
    arguments: [
      ("TLSv1.2", false, nil), ("TLSv1.3", false, nil), ("TLSv1.2", true, nil), ("TLSv1.3", true, nil),
      ("TLSv1.3", false, true),
    ]
      as [(String, Bool, Bool?)])
  func aStapleThatIsDemandedAndMissingIsSaidSo(version: String, isStapled: Bool, strict: Bool?) async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      var leaf = TestAuthority.Leaf()
      leaf.extensions = ["tlsfeature = status_request"]
      // DER, and no OCSP response.
      let staple = folder.appending(path: "staple").path
      try Data([0x30, 0x03, 0x0a, 0x01, 0x00]).write(to: URL(filePath: staple))
      var lines = ["ssl_protocols \(version);", "return 204;"]
      if isStapled { lines += ["ssl_stapling on;", "ssl_stapling_file \(staple);"] }
      try await withNginx(in: folder, [NginxSite(lines, identity: try authority.issue("good", leaf))]) {
        ports in
        let words =
          "the certificate must come with a stapled OCSP response (RFC 7633), and none came: some clients refuse it"
        let http = try await ProbeBench().http(
          try httpCheck("https://good.test:\(ports[0])/") {
            $0.tls.caFile = authority.rootFile
            $0.expect.certificateStrict = strict
          })
        let tls = try await ProbeBench().tls(
          try tlsCheck(ports[0]) {
            $0.tls.caFile = authority.rootFile
            $0.expect.certificateStrict = strict
          })
        for outcome in [http, tls] {
          let odd = "the stapled OCSP response is not an OCSP response: some clients refuse it"
          #expect(outcome.verdict.message == (isStapled ? odd : words), "\(outcome.verdict)")
          #expect(outcome.verdict.state == (strict == true ? .degraded : .up))
          #expect(outcome.verdict.reason == (strict == true ? .tlsUntrusted : .ok))
        }
      }
    }
  }

  /// RFC 6066 section 3: the name that is asked for has no final dot, wherever it comes from.
  @Test(
    arguments: [("good.test.", nil), ("good.test", "good.test."), ("good.test.", "www.good.test.")]
      as [(String, String?)])
  func theServerNameHasNoFinalDot(host: String, serverName: String?) async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      var leaf = TestAuthority.Leaf()
      leaf.names = ["DNS:good.test", "DNS:www.good.test"]
      let site = NginxSite(["return 200 '<$ssl_server_name>';"], identity: try authority.issue("dots", leaf))
      try await withNginx(in: folder, [site]) { ports in
        let check = try httpCheck("https://\(host):\(ports[0])/") {
          $0.tls.caFile = authority.rootFile
          $0.tls.serverName = serverName
          $0.http.expect.bodyContains = ["<\(serverName == "www.good.test." ? "www." : "")good.test>"]
        }
        var bench = ProbeBench()
        bench.names.hosts["good.test."] = bench.names.hosts["good.test"]
        let outcome = try await bench.http(check)
        #expect(outcome.verdict == .ok, "\(outcome.verdict) \(outcome.excerpt ?? "")")
      }
    }
  }

  @Test(arguments: ["TLSv1.2", "TLSv1.3"])
  func aClientCertificateIsShownToWhoeverAsks(version: String) async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      let client = try authority.issue("client")
      let site = NginxSite(
        [
          "ssl_protocols \(version);", "ssl_verify_client on;",
          "ssl_client_certificate \(authority.rootFile);",
          "location / { return 200 'hello $ssl_client_s_dn'; }",
        ], identity: try authority.issue("good"))
      try await withNginx(in: folder, [site]) { ports in
        func check(_ certificate: String?, _ key: String?) throws -> MonitoringCheck {
          try httpCheck("https://good.test:\(ports[0])/") {
            $0.tls.caFile = authority.rootFile
            $0.tls.clientCertificate = certificate
            $0.tls.clientKey = key
            $0.http.expect.bodyContains = ["hello CN=client"]
          }
        }
        let shown = try await ProbeBench().http(try check(client.certificate, client.key))
        #expect(shown.verdict == .ok, "\(shown.verdict) \(shown.excerpt ?? "")")
        let none = try await ProbeBench().http(try check(nil, nil))
        #expect(none.verdict.reason == .httpStatus)
      }
    }
  }

  /// OpenSSL's server ends the handshake where nginx answers with a page.
  @Test(arguments: ["-tls1_2", "-tls1_3"])
  func aRejectedClientStillHasTheServersChain(version: String) async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      let stranger = try TestAuthority(in: folder, name: "stranger").issue("client")
      let identity = try authority.issue("good")
      let server = try await OpenSSLServer(
        identity,
        ["-CAfile", authority.rootFile, "-Verify", "1", "-verify_return_error", "-www", version, "-quiet"],
        in: folder)
      defer { server.stop() }
      for certificate in [nil, stranger] {
        let check = try httpCheck("https://good.test:\(server.port)/") {
          $0.tls.caFile = authority.rootFile
          $0.tls.clientCertificate = certificate?.certificate
          $0.tls.clientKey = certificate?.key
        }
        let outcome = try await ProbeBench().http(check)
        #expect(outcome.verdict.reason == .tlsClientCertificate, "\(outcome.verdict)")
        #expect(outcome.verdict.phase == .tls)
        #expect(outcome.tls?.verified == true)
        #expect(outcome.tls?.chain.first?.subject == "CN=good")
        #expect(outcome.tls?.daysRemaining == 89)
      }
    }
  }

  @Test func filesThatDoNotFitAreALocalFault() async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      let (one, other) = (try authority.issue("one"), try authority.issue("other"))
      let site = NginxSite(["return 204;"], identity: try authority.issue("good"))
      try await withNginx(in: folder, [site]) { ports in
        for (certificate, key) in [
          (one.certificate, other.key), ("/nonexistent/c.pem", one.key),
          (one.certificate, "/nonexistent/k.pem"),
          (one.key, one.key), (one.certificate, one.certificate),
        ] {
          let check = try httpCheck("https://good.test:\(ports[0])/") {
            $0.tls.caFile = authority.rootFile
            $0.tls.clientCertificate = certificate
            $0.tls.clientKey = key
          }
          let outcome = try await ProbeBench().http(check)
          #expect(outcome.verdict.reason == .localFault)
          #expect(outcome.verdict.state == .unknown)
          let names = [certificate, key].contains { outcome.verdict.message?.contains($0) == true }
          #expect(names, "\(outcome.verdict)")
        }
      }
    }
  }

  /// A relay that keeps what the client sends.
  private final class Tap: Sendable {
    let seen = Mutex<[UInt8]>([])
    let target: UInt16

    init(to target: UInt16) { self.target = target }

    func relay(_ client: LoopbackConnection) {
      guard let descriptor = try? connectLoopback(target) else { return }
      let server = LoopbackConnection(descriptor: descriptor)
      defer { close(descriptor) }
      Thread {
        while true {
          let bytes = server.read()
          if bytes.isEmpty || !client.write(bytes) { break }
        }
        shutdown(client.descriptor, Int32(SHUT_WR))
      }.start()
      while true {
        let bytes = client.read()
        if bytes.isEmpty { break }
        seen.withLock { $0 += bytes }
        server.write(bytes)
      }
      shutdown(descriptor, Int32(SHUT_RDWR))
      usleep(20_000)
    }

    /// Type and length of each record: RFC 8446 section 5.1.
    var records: [(type: UInt8, length: Int)] {
      seen.withLock { bytes in
        var (found, rest): ([(UInt8, Int)], ArraySlice<UInt8>) = ([], bytes[...])
        while rest.count >= 5 {
          let header = Array(rest.prefix(5))
          found.append((header[0], Int(header[3]) << 8 | Int(header[4])))
          rest = rest.dropFirst(5 + found[found.count - 1].1)
        }
        return found
      }
    }
  }

  @Test(arguments: ["1.2", "1.3"], ["expired", "wrong host", "untrusted"])
  func nothingLeavesBeforeTheVerdict(version: String, fault: String) async throws {
    try await withTemporaryDirectory { folder in
      let (authority, stranger) = (
        try TestAuthority(in: folder), try TestAuthority(in: folder, name: "stranger")
      )
      var leaf = TestAuthority.Leaf()
      if fault == "expired" { (leaf.from, leaf.until) = (-90, -2) }
      if fault == "wrong host" { leaf.names = ["DNS:other.test"] }
      let identity = try (fault == "untrusted" ? stranger : authority).issue("good", leaf)
      let client = try authority.issue("client")
      let site = NginxSite(
        [
          "ssl_protocols TLSv1.2 TLSv1.3;", "ssl_verify_client optional_no_ca;",
          "access_log \(folder.path)/access.log;", "return 200;",
        ], identity: identity,
        http2: true)
      try await withNginx(in: folder, [site]) { ports in
        let tap = Tap(to: ports[0])
        try await withLoopbackServer(script: { tap.relay($0) }) { relay in
          let check = try httpCheck("https://good.test:\(relay.port)/secret-path") {
            $0.tls.caFile = authority.rootFile
            $0.tls.minVersion = version
            $0.tls.maxVersion = version
            $0.tls.clientCertificate = client.certificate
            $0.tls.clientKey = client.key
            $0.auth.bearer = Redacted("canary")
          }
          let outcome = try await ProbeBench().http(check)
          #expect(outcome.tls?.verified == false)
          #expect(outcome.tls?.chain.count == 1)
          let records = tap.records
          // The hello, and a farewell: at most a change of cipher and an alert. A certificate alone is 400 bytes.
          #expect(records.first?.type == 22)
          let later = records.dropFirst()
          #expect(later.allSatisfy { [20, 21, 23].contains($0.type) && $0.length <= 32 }, "\(records)")
          #expect(later.count <= 2)
          let log = try String(contentsOf: folder.appending(path: "access.log"), encoding: .utf8)
          #expect(log.isEmpty)
        }
      }
    }
  }
}

private func connectLoopback(_ port: UInt16) throws -> Int32 {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
  let code = withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
  guard code == 0 else { throw POSIXFailure("connect", errno) }
  return descriptor
}
