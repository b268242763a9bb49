// SPDX-License-Identifier: MIT

import Basics
import Checks
import Foundation
import Monitoring
import Synchronization
import TestSupport
import Testing

/// Faults of redirects, one named test each.
@Suite(.timeLimit(.minutes(2))) struct FaultRedirectTests {
  private func redirect(
    to location: String, status: Int = 302, change: (inout CheckDefinition) -> Void = { _ in }
  ) async throws -> ProbeOutcome {
    try await faultOutcome(
      change: change,
      script: answering("HTTP/1.1 \(status) Found\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n"))
  }

  @Test(
    "N12: a loop, and a chain of 100 hops, stop at their limit under one deadline", arguments: [true, false])
  func endlessRedirects(circle: Bool) async throws {
    let hops = Mutex(0)
    let outcome = try await faultOutcome { link in
      let path = link.read(until: "\r\n\r\n").split(separator: " ").dropFirst().first ?? "/"
      hops.withLock { $0 += 1 }
      link.write("HTTP/1.1 302 Found\r\nLocation: \(circle ? "/" : path + "a")\r\nContent-Length: 0\r\n\r\n")
    }
    #expect(outcome.verdict.reason == .httpRedirectLimit)
    #expect(hops.withLock { $0 } == 11)
    #expect(
      outcome.verdict.message == "more than 10 redirects" + (circle ? ", which lead in a circle" : ""))
    #expect(outcome.excerpt == "Location: /" + (circle ? "" : String(repeating: "a", count: 11)))
  }

  /// A server that sets nothing and answers otherwise the next time, as one does while it starts.
  @Test func aRedirectToItselfIsFollowed() async throws {
    let hops = Mutex(0)
    let outcome = try await faultOutcome { link in
      link.read(until: "\r\n\r\n")
      let count = hops.withLock { hops in
        hops += 1
        return hops
      }
      link.write(
        count < 4
          ? "HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n"
          : "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    }
    #expect(outcome.verdict == .ok)
    #expect(outcome.hops.map(\.statusCode) == [302, 302, 302, 200])
  }

  @Test("N12: the deadline is one for all hops")
  func slowRedirects() async throws {
    let outcome = try await faultOutcome(limit: .milliseconds(700)) { link in
      let path = link.read(until: "\r\n\r\n").split(separator: " ").dropFirst().first ?? "/"
      usleep(200_000)
      link.write("HTTP/1.1 302 Found\r\nLocation: \(path)a\r\nContent-Length: 0\r\n\r\n")
    }
    #expect(outcome.verdict.status == .timeout)
    #expect(outcome.hops.count < 6)
  }

  /// The target's own words lead there: it is down, and this machine is not at fault.
  @Test(arguments: [
    ("http://[::1]:9/", "4", "redirect to an IPv6 address, and the check asks for IPv4"),
    ("http://[fe80::1]/", "any", "redirect to a link-local address, which needs a zone"),
    ("http://[ff02::1]/", "any", "redirect to a multicast or broadcast address"),
    ("http://255.255.255.255/", "any", "redirect to a multicast or broadcast address"),
  ])
  func addressesThatCannotBeDialled(location: String, ip: String, words: String) async throws {
    let outcome = try await redirect(to: location, change: { $0.ip = ip })
    #expect(outcome.verdict == Verdict(.httpRedirectRefused, phase: .transfer, message: words))
    #expect(outcome.verdict.state == .down)
    #expect(outcome.excerpt == "Location: \(location)")
  }

  @Test(
    "N13: a redirect to another scheme is refused before anything is dialled",
    arguments: [
      "file:///etc/passwd", "ftp://good.test/", "gopher://good.test/", "dict://good.test/",
      "scp://good.test/",
      "data:text/plain,x", "javascript:x", "ws://good.test/", "telnet://good.test:1/",
    ])
  func otherSchemes(location: String) async throws {
    let outcome = try await redirect(to: location)
    #expect(outcome.verdict.reason == .httpRedirectRefused)
    #expect(outcome.verdict.message?.contains("good.test") == false)
    // That stays on this machine.
    #expect(outcome.excerpt == "Location: \(location)")
    #expect(outcome.hops.count == 1)
  }

  @Test(
    "N14: from https to http only with leave", arguments: [(false, Reason.httpRedirectRefused), (true, .ok)])
  func downgrades(allowed: Bool, reason: Reason) async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      try await withAnswer("HTTP/1.1 204 No Content\r\n\r\n") { plain in
        let line = "return 302 http://good.test:\(plain.port)/;"
        let site = NginxSite([line], identity: try authority.issue("good"))
        try await withNginx(in: folder, [site]) { ports in
          let check = try httpCheck("https://good.test:\(ports[0])/") {
            $0.http.allowDowngrade = allowed
            $0.tls.caFile = authority.rootFile
          }
          #expect(try await ProbeBench().http(check).verdict.reason == reason)
          #expect(plain.accepted == (allowed ? 1 : 0))
        }
      }
    }
  }

  @Test(
    "N15: a redirect to a denied address says so and nothing else, without a time",
    arguments: [
      "http://169.254.169.254/latest/", "http://[fd00:ec2::254]/", "http://[::ffff:169.254.169.254]/",
    ])
  func deniedAddresses(location: String) async throws {
    let outcome = try await redirect(to: location)
    #expect(outcome.verdict == RedirectVerdict.denied)
    #expect(outcome.verdict.state == .down)
    #expect(outcome.excerpt == "Location: \(location)")
    #expect(outcome.responseTime == nil)
    #expect(outcome.timings == Timings())
    #expect(outcome.hops.count == 1)
  }

  @Test("N16: another origin gets no credential, header, cookie of ours or client certificate")
  func crossOrigin() async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      let identity = try authority.issue("good")
      let echo =
        "return 200 '$http_authorization|$http_x_key|$http_cookie|$ssl_client_s_dn|$http_user_agent';"
      let other = try freePort()
      let sites = [
        NginxSite(
          [
            "ssl_verify_client optional_no_ca;", "add_header Set-Cookie 'own=canary; Path=/' always;",
            "return 302 https://other.test:\(other)/;",
          ],
          identity: identity),
        NginxSite(
          ["listen 127.0.0.1:\(other) ssl;", "ssl_verify_client optional_no_ca;", echo],
          identity: try authority.issue("other", Self.other)),
      ]
      try await withNginx(in: folder, sites) { ports in
        let check = try httpCheck("https://good.test:\(ports[0])/") {
          $0.tls.caFile = authority.rootFile
          $0.tls.clientCertificate = identity.certificate
          $0.tls.clientKey = identity.key
          $0.auth.bearer = Redacted("canary")
          $0.headers = [("X-Key", Redacted("canary")), ("Cookie", Redacted("a=canary"))]
          $0.http.expect.bodyContains = ["||||quartz-agent/test"]
        }
        let outcome = try await ProbeBench().http(check)
        #expect(outcome.hops.map(\.statusCode) == [302, 200])
        #expect(outcome.verdict == .ok, "\(outcome.excerpt ?? "")")
      }
    }
  }

  private static let other: TestAuthority.Leaf = {
    var leaf = TestAuthority.Leaf()
    leaf.names = ["DNS:other.test"]
    return leaf
  }()

  @Test(
    "N17: each form of Location is read one way",
    arguments: [
      ("/next", "/next"), ("next", "/next"), ("?q=2", "/?q=2"), ("#part", "/"), ("//good.test:PORT/x", "/x"),
      ("HTTP://good.test:PORT/x#part", "/x"), ("./a/../b", "/b"), ("../../c", "/c"), ("", nil),
      ("http://user:pw@good.test:PORT/x", "/x"), ("//user@good.test:PORT/x", "/x"),
    ] as [(String, String?)])
  func locations(location: String, path: String?) async throws {
    let seen = Mutex<[String]>([])
    let port = Mutex<UInt16>(0)
    try await withLoopbackServer(script: { link in
      let asked = link.read(until: "\r\n\r\n").split(separator: " ").dropFirst().first.map(String.init) ?? ""
      let isFirst = seen.withLock { seen in
        seen.append(asked)
        return seen.count == 1
      }
      let target = location.replacing("PORT", with: String(port.withLock { $0 }))
      link.write(
        "HTTP/1.1 \(isFirst ? "302 Found\r\nLocation: \(target)" : "200 OK")\r\nContent-Length: 0\r\n\r\n")
      link.waitForEnd()
    }) { server in
      port.withLock { $0 = server.port }
      let outcome = try await ProbeBench().http(try httpCheck("http://good.test:\(server.port)/"))
      #expect(seen.withLock { $0 } == ["/"] + (path.map { [$0] } ?? []))
      #expect(outcome.verdict.isSuccess == (path != nil))
    }
  }

  @Test(
    "N17: a Location that parsers read differently is refused",
    arguments: [
      "\\\\evil.test/", "/\\evil.test", "http://good.test\\@evil.test/", "http://a@b@good.test/",
      "http:/good.test/",
      "http://good.test:99999/", "http://[::1%25lo]/", "http://0x7f.1/", "http://2130706433/",
      "http://127.1/",
      "//", "/" + String(repeating: "a", count: 10_000),
    ])
  func ambiguousLocations(location: String) async throws {
    let outcome = try await redirect(to: location)
    #expect(outcome.verdict.reason == .httpRedirectRefused, "\(outcome.verdict)")
    #expect(outcome.verdict.message?.contains("evil") == false)
    #expect(outcome.excerpt?.hasPrefix("Location: \(location.prefix(200))") == true)
    #expect(try #require(outcome.excerpt).utf8.count <= 256)
  }
}

/// The constant words of a refused hop.
private enum RedirectVerdict {
  static let denied = Verdict(
    .httpRedirectRefused, phase: .transfer,
    message: "redirect to a host that does not resolve or that the egress policy does not allow")
}
