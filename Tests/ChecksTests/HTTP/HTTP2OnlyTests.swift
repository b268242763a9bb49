// SPDX-License-Identifier: MIT

import Basics
import Curl
import Foundation
import Monitoring
import TestSupport
import Testing

@testable import Checks

/// `http_version: auto` and servers that speak nothing but HTTP/2 over TLS.
@Suite(.timeLimit(.minutes(2))) struct HTTP2OnlyTests {
  private static func check(
    _ port: UInt16, _ authority: TestAuthority, _ change: (inout CheckDefinition) -> Void = { _ in }
  ) throws -> MonitoringCheck {
    try httpCheck("https://good.test:\(port)/") {
      $0.tls.caFile = authority.rootFile
      change(&$0)
    }
  }

  /// nghttpd says nothing to a client that offers HTTP/1.1, and hangs up. A condition on the body is judged all the
  /// same, and so is a request with a body; the second attempt does not ask over HTTP/1.1 first.
  @Test func nghttpdIsAskedOverHTTP2() async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      let identity = try authority.issue("good")
      let port = try freePort()
      try "a needle".write(to: folder.appending(path: "index.html"), atomically: true, encoding: .utf8)
      let log = folder.appending(path: "nghttpd.log")
      let server = try RealServer(
        "/usr/sbin/nghttpd",
        ["-v", "--address=127.0.0.1", "-d", folder.path, String(port), identity.key, identity.certificate],
        debianPackage: "nghttp2-server", log: log)
      defer { server.stop() }
      try await server.waitUntilListening(port: port)
      try await withProbe(trust: TrustStore()) { probe in
        let judged = try Self.check(port, authority) { $0.http.expect.bodyContains = ["needle"] }
        for _ in 0..<3 {
          let outcome = try await probe.attempt(judged, deadline: .now + .seconds(10))
          #expect(outcome.verdict == .ok, "\(outcome.verdict)")
          #expect(outcome.httpVersion == "2" && outcome.hops.count == 1)
        }
        let missing = try Self.check(port, authority) { $0.http.expect.bodyContains = ["hay"] }
        #expect(try await probe.attempt(missing, deadline: .now + .seconds(10)).verdict.reason == .body)
        let upload = try Self.check(port, authority) {
          $0.method = "POST"
          $0.http.body = Redacted("x")
          $0.expect.status = []
        }
        let outcome = try await probe.attempt(upload, deadline: .now + .seconds(10))
        #expect(outcome.httpVersion == "2", "\(outcome.verdict)")
        let plain = try Self.check(port, authority)
        #expect(try await probe.attempt(plain, deadline: .now + .seconds(10)).verdict == .ok)
      }
      // One connection over HTTP/1.1 in all, and then one for each attempt.
      let lines = try String(contentsOf: log, encoding: .utf8)
      #expect(lines.components(separatedBy: "negotiated protocol: h2").count - 1 == 6, "\(lines)")
    }
  }

  /// A server that refuses the handshake for the protocol it was offered (RFC 7301 section 3.2) gets the other one, and
  /// what it does then is the verdict.
  @Test func anAlertForTheProtocolIsNotTheEnd() async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      let server = try await OpenSSLServer(authority.issue("good"), ["-rev", "-alpn", "h2"], in: folder)
      defer { server.stop() }
      let outcome = try await ProbeBench().http(
        Self.check(server.port, authority) { $0.http.expect.bodyContains = ["x"] })
      #expect(outcome.verdict.reason == .httpProtocol, "\(outcome.verdict)")
      #expect(outcome.verdict.message?.hasSuffix("what the server sends is not HTTP/2") == true)
    }
  }

  /// nginx that answers HTTP/1.1 with a demand for another version.
  @Test(arguments: [426, 505]) func aDemandForAnotherVersionIsMet(status: Int) async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      let lines = [
        "if ($server_protocol != 'HTTP/2.0') { return \(status) 'no'; }",
        "location / { return 200 'needle'; }",
      ]
      let site = NginxSite(lines, identity: try authority.issue("good"), http2: true)
      try await withNginx(in: folder, [site]) { ports in
        let judged = try Self.check(ports[0], authority) { $0.http.expect.bodyContains = ["needle"] }
        let outcome = try await ProbeBench().http(judged)
        #expect(outcome.verdict == .ok && outcome.httpVersion == "2", "\(outcome.verdict)")
        // Who insists on HTTP/1.1 gets its answer.
        let strict = try Self.check(ports[0], authority) { $0.httpVersion = "1.1" }
        #expect(try await ProbeBench().http(strict).statusCode == status)
      }
    }
  }

  /// A server that agreed on HTTP/1.1 and then hangs up is down, although it would have answered over HTTP/2: who asks
  /// a second time hides the fault.
  @Test func aServerThatHangsUpIsDown() async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      let lines = [
        "if ($server_protocol != 'HTTP/2.0') { return 444; }", "location / { return 200 'needle'; }",
      ]
      let site = NginxSite(lines, identity: try authority.issue("good"), http2: true)
      try await withNginx(in: folder, [site]) { ports in
        let judged = try Self.check(ports[0], authority) { $0.http.expect.bodyContains = ["needle"] }
        let outcome = try await ProbeBench().http(judged)
        #expect(outcome.verdict.reason == .connectionClosed, "\(outcome.verdict)")
        #expect(outcome.verdict.phase == .firstByte)
        // Without the condition HTTP/2 is negotiated.
        #expect(try await ProbeBench().http(Self.check(ports[0], authority)).verdict == .ok)
      }
    }
  }

  /// The memory of such servers is bounded, and forgets one that has changed.
  @Test func theMemoryIsBounded() throws {
    let memory = HTTP2Servers()
    func place(_ number: Int) throws -> HTTP2Servers.Place {
      HTTP2Servers.Place(origin: try HTTPURL("https://h\(number).example/").origin, serverName: nil)
    }
    for number in 0..<10_000 { memory.note(try place(number)) }
    let (first, last) = (try place(0), try place(9_999))
    #expect(memory.contains(last) && !memory.contains(first))
    memory.forget(last)
    #expect(!memory.contains(last))
  }
}
