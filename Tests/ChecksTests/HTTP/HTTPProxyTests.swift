// SPDX-License-Identifier: MIT

import Basics
import Checks
import Curl
import Foundation
import Glibc
import Monitoring
import TestSupport
import Testing

/// Probes through real proxies: tinyproxy for HTTP, microsocks for SOCKS 5.
@Suite(.timeLimit(.minutes(2))) struct HTTPProxyTests {
  enum Kind: String, CaseIterable, Sendable { case http, socks5h }

  /// Runs `body` with a proxy that lives exactly as long; it gets the proxy's port.
  private func withProxy(
    _ kind: Kind, login: (String, String)? = nil, in folder: URL, _ body: (UInt16) async throws -> Void
  ) async throws {
    let port = try freePort()
    let server: RealServer
    switch kind {
    case .http:
      let configuration = folder.appending(path: "tinyproxy.conf")
      var lines = [
        "Port \(port)", "Listen 127.0.0.1", "Timeout 20", "LogLevel Info", "DisableViaHeader Yes",
        "MaxClients 20",
      ]
      if let login { lines.append("BasicAuth \(login.0) \(login.1)") }
      try lines.joined(separator: "\n").write(to: configuration, atomically: true, encoding: .utf8)
      server = try RealServer(
        "/usr/bin/tinyproxy", ["-d", "-c", configuration.path], debianPackage: "tinyproxy",
        log: folder.appending(path: "proxy.log"))
    case .socks5h:
      let credentials = login.map { ["-u", $0.0, "-P", $0.1] } ?? []
      server = try RealServer(
        "/usr/bin/microsocks", ["-i", "127.0.0.1", "-p", String(port)] + credentials,
        debianPackage: "microsocks", log: folder.appending(path: "proxy.log"))
    }
    defer { server.stop() }
    try await server.waitUntilListening(port: port)
    try await body(port)
  }

  /// `localhost` is a name that this bench's resolver does not know: only the proxy can have looked it up.
  private func withTarget(
    _ kind: Kind, login: (String, String)? = nil,
    _ body: (_ plain: UInt16, _ tls: UInt16, _ proxy: UInt16, _ bench: ProbeBench) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      var leaf = TestAuthority.Leaf()
      leaf.names = ["DNS:localhost"]
      let lines = ["location / { return 200 '$http_host|$http_proxy_authorization|$http_x_key'; }"]
      let sites = [
        NginxSite(lines), NginxSite(lines, identity: try authority.issue("good", leaf), http2: true),
      ]
      try await withNginx(in: folder, sites) { ports in
        try await withProxy(kind, login: login, in: folder) { proxy in
          try await body(ports[0], ports[1], proxy, ProbeBench(trust: TrustStore(bundle: authority.rootFile)))
        }
      }
    }
  }

  @Test(arguments: Kind.allCases)
  func theTargetsNameIsTheProxysToResolve(kind: Kind) async throws {
    try await withTarget(kind) { plain, _, proxy, bench in
      let check = try httpCheck("http://localhost:\(plain)/") {
        $0.proxy = Redacted("\(kind.rawValue)://127.0.0.1:\(proxy)")
        $0.headers = [("X-Key", Redacted("mine"))]
        $0.http.expect.bodyContains = ["localhost:\(plain)||mine"]
      }
      let outcome = try await bench.http(check)
      #expect(outcome.verdict == .ok, "\(outcome.verdict) \(outcome.excerpt ?? "")")
      #expect(outcome.address == nil)
      #expect(outcome.ipVersion == nil)
      #expect(outcome.hops.map(\.address) == [nil])
      #expect(outcome.timings.connect != nil)
    }
  }

  @Test(arguments: Kind.allCases)
  func tlsGoesThroughATunnel(kind: Kind) async throws {
    try await withTarget(kind, login: ("me", "pass1")) { _, tls, proxy, bench in
      let check = try httpCheck("https://localhost:\(tls)/") {
        $0.proxy = Redacted("\(kind.rawValue)://me:%70ass1@127.0.0.1:\(proxy)")
        $0.headers = [("X-Key", Redacted("mine"))]
        // The proxy's credentials stay with the proxy.
        $0.http.expect.bodyContains = ["localhost:\(tls)||mine"]
        $0.expect.httpVersion = "2"
      }
      let outcome = try await bench.http(check)
      #expect(outcome.verdict == .ok, "\(outcome.verdict) \(outcome.excerpt ?? "")")
      #expect(outcome.httpVersion == "2")
      #expect(outcome.tls?.verified == true)
      #expect(outcome.timings.tls != nil)
    }
  }

  @Test(
    arguments: [
      (Kind.http, "http", ""), (.http, "https", ""), (.http, "https", "me:wrong@"), (.socks5h, "http", ""),
      (.socks5h, "https", "me:wrong@"),
    ])
  func aProxyThatWantsOtherCredentialsSaysSo(kind: Kind, scheme: String, login: String) async throws {
    try await withTarget(kind, login: ("me", "right")) { plain, tls, proxy, bench in
      let port = scheme == "http" ? plain : tls
      let check = try httpCheck("\(scheme)://localhost:\(port)/") {
        $0.proxy = Redacted("\(kind.rawValue)://\(login)127.0.0.1:\(proxy)")
      }
      let outcome = try await bench.http(check)
      #expect(outcome.verdict.reason == .proxyAuth, "\(outcome.verdict)")
      #expect(outcome.verdict.phase == .proxy)
      #expect(outcome.verdict.message?.contains("right") == false)
    }
  }

  @Test(arguments: [(Kind.http, "https"), (.socks5h, "http"), (.socks5h, "https")])
  func aTargetTheProxyCannotReachIsToldFromAnUnreachableProxy(kind: Kind, scheme: String) async throws {
    try await withTarget(kind) { _, _, proxy, bench in
      let dead = try freePort()
      let check = try httpCheck("\(scheme)://localhost:\(dead)/") {
        $0.proxy = Redacted("\(kind.rawValue)://127.0.0.1:\(proxy)")
      }
      let outcome = try await bench.http(check)
      #expect(outcome.verdict.reason == .proxyConnect, "\(outcome.verdict)")
      #expect(outcome.verdict.phase == .proxy)
      #expect(outcome.timings.connect != nil)
    }
  }

  @Test(arguments: Kind.allCases)
  func anUnreachableProxyIsNotTheTargetsFault(kind: Kind) async throws {
    let dead = try freePort()
    let check = try httpCheck("http://localhost/") {
      $0.proxy = Redacted("\(kind.rawValue)://good.test:\(dead)")
    }
    let outcome = try await ProbeBench().http(check)
    #expect(outcome.verdict.reason == .proxyConnect)
    #expect(outcome.verdict.phase == .proxy)
    #expect(outcome.verdict.message == "good.test:\(dead): connection refused")
    let unknown = try httpCheck("http://localhost/") {
      $0.proxy = Redacted("\(kind.rawValue)://nowhere.test:1")
    }
    let missing = try await ProbeBench().http(unknown)
    #expect(missing.verdict.reason == .dnsNXDomain)
    #expect(missing.verdict.phase == .proxy)
  }

  @Test(arguments: Kind.allCases)
  func aSilentProxyEndsAtTheDeadline(kind: Kind) async throws {
    try await withLoopbackServer(script: { $0.waitForEnd() }) { server in
      let check = try httpCheck("https://localhost/") {
        $0.proxy = Redacted("\(kind.rawValue)://127.0.0.1:\(server.port)")
      }
      var bench = ProbeBench()
      bench.limit = .seconds(1)
      let outcome = try await bench.http(check)
      #expect(outcome.verdict.reason == .proxyConnect)
      #expect(try #require(outcome.timings.connect) > .milliseconds(400))
    }
  }

  @Test func theProxysAddressIsJudged() async throws {
    let check = try httpCheck("http://localhost/") { $0.proxy = Redacted("http://169.254.169.254:3128") }
    let outcome = try await ProbeBench().http(check)
    #expect(outcome.verdict.reason == .policyDenied)
    let target = try httpCheck("http://169.254.169.254/") { $0.proxy = Redacted("http://127.0.0.1:1") }
    #expect(try await ProbeBench().http(target).verdict.reason == .policyDenied)
  }

  @Test func aCheckFromTheAPIUsesNone() async throws {
    let check = try httpCheck("http://good.test/") {
      $0.origin = .api
      $0.proxy = Redacted("http://127.0.0.1:1")
    }
    let outcome = try await ProbeBench().http(check)
    #expect(outcome.verdict.reason == .policyDenied)
    #expect(outcome.verdict.state == .unknown)
  }

  @Test("N28: proxies named in the environment are not used")
  func theEnvironmentsProxiesAreNotUsed() async throws {
    try await withLoopbackServer(script: { $0.waitForEnd() }) { wrong in
      for name in ["http_proxy", "https_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"] {
        setenv(name, "http://127.0.0.1:\(wrong.port)", 1)
      }
      defer {
        for name in ["http_proxy", "https_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"] { unsetenv(name) }
      }
      try await withAnswer("HTTP/1.1 204 No Content\r\n\r\n") { server in
        let outcome = try await ProbeBench().http(try httpCheck("http://good.test:\(server.port)/"))
        #expect(outcome.verdict == .ok)
      }
      #expect(wrong.accepted == 0)
    }
  }

  /// A proxy that offers other kinds of login than Basic, which no user and no password mend.
  @Test(arguments: ["http", "https"]) func aProxyWithoutBasic(scheme: String) async throws {
    let offer = "Proxy-Authenticate: Digest realm=\"x\", nonce=\"a\", qop=\"auth\"\r\n"
    let server = try LoopbackServer { link in
      link.read(until: "\r\n\r\n")
      link.write("HTTP/1.1 407 Proxy Authentication Required\r\n\(offer)Content-Length: 0\r\n\r\n")
      link.waitForEnd()
    }
    defer { server.stop() }
    let check = try httpCheck("\(scheme)://good.test/") {
      $0.proxy = Redacted("http://me:right@127.0.0.1:\(server.port)")
    }
    let outcome = try await ProbeBench().http(check)
    #expect(outcome.verdict.reason == .proxyAuth && outcome.verdict.phase == .proxy, "\(outcome.verdict)")
    let words = "the proxy wants a kind of login that is not supported: it offers Digest, and not Basic"
    #expect(outcome.verdict.message?.hasSuffix(words) == true, "\(outcome.verdict)")
  }

  /// A plain request that hangs, or that the proxy answers itself: the proxy is all that was connected to.
  @Test func aPlainRequestThatTheProxyKeeps() async throws {
    let answers = ["", "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"]
    var found: [String] = []
    for answer in answers {
      let server = try LoopbackServer { link in
        link.read(until: "\r\n\r\n")
        link.write(answer)
        link.waitForEnd()
      }
      defer { server.stop() }
      let proxy = "127.0.0.1:\(server.port)"
      let check = try httpCheck("http://good.test/") {
        $0.proxy = Redacted("http://\(proxy)")
        $0.timeout = .seconds(1)
      }
      var bench = ProbeBench()
      bench.limit = .seconds(1)
      let message = try #require(try await bench.http(check).verdict.message)
      found.append(message.replacing(proxy, with: "PROXY"))
    }
    #expect(
      found == [
        "good.test:80, through the proxy PROXY: no answer came within the timeout of 1s",
        "status 503, expected 200-299, through the proxy PROXY",
      ])
  }

  /// What the target does a proxy answers for (RFC 9110 section 15.6); a connection it breaks is its own.
  @Test func aPlainRequestThatTheProxyBreaksOff() async throws {
    let server = try LoopbackServer { link in _ = link.read(until: "\r\n\r\n") }
    defer { server.stop() }
    let check = try httpCheck("http://good.test/") {
      $0.proxy = Redacted("http://127.0.0.1:\(server.port)")
      $0.negate = true
    }
    let outcome = try await ProbeBench().http(check)
    #expect(outcome.verdict.reason == .proxyConnect && outcome.verdict.phase == .proxy, "\(outcome.verdict)")
    #expect(outcome.verdict.message?.hasSuffix("the proxy broke off before it had answered") == true)
  }
}
