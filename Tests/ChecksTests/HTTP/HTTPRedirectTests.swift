// SPDX-License-Identifier: MIT

import Basics
import Checks
import Curl
import Foundation
import Monitoring
import Synchronization
import TestSupport
import Testing

/// Redirects are followed by us: what is sent where, and when not.
@Suite(.timeLimit(.minutes(2))) struct HTTPRedirectTests {
  /// Answers by the path asked for and keeps every request.
  private final class Guide: Sendable {
    let seen = Mutex<[String]>([])
    let answers: [String: String]

    init(_ answers: [String: String]) { self.answers = answers }

    func serve(_ link: LoopbackConnection) {
      var request = link.read(until: "\r\n\r\n")
      if let length = contentLength(request), let end = request.range(of: "\r\n\r\n") {
        while request[end.upperBound...].utf8.count < length {
          request += String(decoding: link.read(), as: UTF8.self)
        }
      }
      seen.withLock { $0.append(request) }
      let path = request.split(separator: " ").dropFirst().first.map(String.init) ?? ""
      link.write("HTTP/1.1 \(answers[path] ?? "404 Not Found\r\n")Content-Length: 0\r\n\r\n")
      link.waitForEnd()
    }

    private func contentLength(_ request: String) -> Int? {
      request.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
        .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) }
    }
  }

  private func follow(
    _ answers: [String: String], _ change: (inout CheckDefinition) -> Void = { _ in }
  ) async throws -> (ProbeOutcome, [String]) {
    let guide = Guide(answers)
    return try await withLoopbackServer(script: { guide.serve($0) }) { server in
      let check = try httpCheck("http://good.test:\(server.port)/start?q=1", change)
      let outcome = try await ProbeBench().http(check)
      return (outcome, guide.seen.withLock { $0 })
    }
  }

  @Test func eachHopHasItsOwnTimings() async throws {
    let (outcome, seen) = try await follow([
      "/start?q=1": "301 Moved\r\nLocation: next\r\n", "/next": "302 Found\r\nLocation: /end/./x/..\r\n",
      "/end/": "200 OK\r\n",
    ])
    #expect(outcome.verdict == .ok)
    #expect(outcome.hops.map(\.statusCode) == [301, 302, 200])
    #expect(outcome.hops.allSatisfy { !$0.url.contains("?") })
    #expect(seen.count == 3)
    let totals = outcome.hops.compactMap(\.timings.total)
    #expect(totals.reduce(.zero, +) == outcome.responseTime)
    #expect(outcome.hops.compactMap(\.timings.connect).count == 3)
    #expect(outcome.timings.dns == .milliseconds(9))
  }

  @Test(arguments: [
    ("POST", 301, "GET", false), ("POST", 302, "GET", false), ("POST", 303, "GET", false),
    ("PUT", 301, "PUT", true),
    ("PUT", 303, "GET", false), ("POST", 307, "POST", true), ("POST", 308, "POST", true),
  ])
  func theMethodFollowsTheStatus(method: String, status: Int, then: String, keepsBody: Bool) async throws {
    let (outcome, seen) = try await follow([
      "/start?q=1": "\(status) Moved\r\nLocation: /end\r\n", "/end": "200 OK\r\n",
    ]) {
      $0.method = method
      $0.http.body = Redacted("payload")
      $0.headers = [("Content-Type", Redacted("text/x-test"))]
    }
    #expect(outcome.verdict == .ok)
    let last = try #require(seen.last)
    #expect(last.hasPrefix("\(then) /end "))
    #expect(last.hasSuffix("payload") == keepsBody)
    #expect(last.contains("text/x-test") == keepsBody)
  }

  @Test(arguments: [302, 303]) func headStaysHead(status: Int) async throws {
    let (_, seen) = try await follow(["/start?q=1": "\(status) Moved\r\nLocation: /end\r\n"]) {
      $0.method = "HEAD"
    }
    #expect(seen.last?.hasPrefix("HEAD /end ") == true)
  }

  @Test(arguments: ["same", "other host", "back again"])
  func secretsStayWithTheirOrigin(path: String) async throws {
    let guide = Mutex<[String: String]>([:])
    let seen = Mutex<[String]>([])
    try await withLoopbackServer(script: { link in
      let request = link.read(until: "\r\n\r\n")
      seen.withLock { $0.append(request) }
      let asked = request.split(separator: " ").dropFirst().first.map(String.init) ?? ""
      let answer = guide.withLock { $0[asked] } ?? "200 OK\r\n"
      link.write("HTTP/1.1 \(answer)Content-Length: 0\r\n\r\n")
      link.waitForEnd()
    }) { server in
      let (good, other) = ("http://good.test:\(server.port)", "http://other.test:\(server.port)")
      guide.withLock {
        $0["/"] = "302 Found\r\nLocation: \(path == "same" ? good : other)/2\r\n"
        if path == "back again" { $0["/2"] = "302 Found\r\nLocation: \(good)/3\r\n" }
      }
      let check = try httpCheck(good + "/") {
        $0.auth.bearer = Redacted("canary-token")
        $0.headers = [("X-Key", Redacted("canary-key")), ("User-Agent", Redacted("canary-agent"))]
      }
      let outcome = try await ProbeBench().http(check)
      #expect(outcome.verdict == .ok)
      let requests = seen.withLock { $0 }
      #expect(requests.count == (path == "back again" ? 3 : 2))
      #expect(requests[0].contains("canary-token") && requests[0].contains("canary-key"))
      for later in requests.dropFirst() {
        #expect(later.contains("canary") == (path == "same"))
        #expect(later.contains("quartz-agent/test") == (path != "same"))
      }
    }
  }

  @Test func aBodyIsNotCarriedToAnotherOrigin() async throws {
    let (outcome, seen) = try await follow(["/start?q=1": "307 Moved\r\nLocation: http://other.test:1/\r\n"])
    {
      $0.method = "POST"
      $0.http.body = Redacted("payload")
    }
    #expect(outcome.verdict.reason == .httpRedirectRefused)
    #expect(seen.count == 1)
  }

  @Test func notFollowingJudgesTheRedirectItself() async throws {
    let answers = ["/start?q=1": "301 Moved\r\nLocation: /end\r\n"]
    let (refused, _) = try await follow(answers) { $0.http.follow = false }
    #expect(refused.verdict.reason == .httpStatus)
    let (wanted, seen) = try await follow(answers) {
      $0.http.follow = false
      $0.expect.status = ["301"]
    }
    #expect(wanted.verdict == .ok)
    #expect(seen.count == 1)
  }

  @Test func aRedirectWithoutLocationIsAnAnswer() async throws {
    let (outcome, _) = try await follow(["/start?q=1": "304 Not Modified\r\n"]) { $0.expect.status = ["304"] }
    #expect(outcome.verdict == .ok)
  }

  @Test func aRefusedHopTellsNothing() async throws {
    let denied = try await follow(["/start?q=1": "302 Found\r\nLocation: http://169.254.169.254/\r\n"]).0
    #expect(
      denied.verdict.message
        == "redirect to a host that does not resolve or that the egress policy does not allow")
    #expect(denied.verdict.state == .down)
    #expect(denied.responseTime == nil)
    #expect(denied.timings == Timings())
    #expect(denied.hops.count == 1)
  }

  @Test(arguments: [(false, Reason.httpRedirectRefused), (true, .ok)])
  func downgradesNeedLeave(allowed: Bool, reason: Reason) async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      let plainPort = try freePort()
      let sites = [
        NginxSite(
          ["location / { return 302 http://good.test:\(plainPort)/; }"], identity: try authority.issue("good")
        ),
        NginxSite(["listen 127.0.0.1:\(plainPort);", "return 204;"]),
      ]
      try await withNginx(in: folder, sites) { ports in
        let check = try httpCheck("https://good.test:\(ports[0])/") { $0.http.allowDowngrade = allowed }
        let outcome = try await ProbeBench(trust: TrustStore(bundle: authority.rootFile)).http(check)
        #expect(outcome.verdict.reason == reason)
        #expect(outcome.tls?.verified == true)
      }
    }
  }
}
