// SPDX-License-Identifier: MIT

import Basics
import Checks
import Curl
import Foundation
import Monitoring
import Network
import TestSupport
import Testing

/// Sound probes of a real nginx, and what their results hold.
@Suite(.timeLimit(.minutes(2))) struct HTTPProbeTests {
  private static let lines = [
    "location /hello { return 200 'hello world'; }", "location /teapot { return 418; }",
    "location /echo { return 200 '$http_authorization|$http_user_agent|$http_x_test|$http_host'; }",
    "location /secret { return 500 'you sent $http_x_key'; }",
  ]

  private func withServer(
    _ body: (_ plain: UInt16, _ tls: UInt16, _ bench: ProbeBench) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      var leaf = TestAuthority.Leaf()
      leaf.until = 20.5
      let sites = [
        NginxSite(Self.lines),
        NginxSite(Self.lines, identity: try authority.issue("good", leaf), http2: true),
      ]
      try await withNginx(in: folder, sites) { ports in
        try await body(ports[0], ports[1], ProbeBench(trust: TrustStore(bundle: authority.rootFile)))
      }
    }
  }

  @Test func aPlainProbeHasEveryPartThatItHad() async throws {
    try await withServer { plain, _, bench in
      let outcome = try await bench.http(try httpCheck("http://good.test:\(plain)/hello"))
      #expect(outcome.verdict == .ok)
      #expect(outcome.statusCode == 200)
      #expect(outcome.httpVersion == "1.1")
      #expect(outcome.address == "127.0.0.1:\(plain)")
      #expect(outcome.ipVersion == 4)
      #expect(outcome.tls == nil)
      let timings = outcome.timings
      #expect(timings.dns == .milliseconds(3))
      #expect(timings.connect != nil && timings.firstByte != nil)
      #expect(timings.tls == nil)
      // Nobody judges the body, and it was read to its end.
      #expect(timings.transfer != nil && !outcome.truncated)
      let parts = [timings.dns, timings.connect, timings.firstByte, timings.transfer].compactMap { $0 }
        .reduce(.zero, +)
      #expect(parts <= outcome.responseTime ?? .zero)
      #expect(outcome.excerpt == nil)
    }
  }

  @Test func anEncryptedProbeShowsTheCertificate() async throws {
    try await withServer { _, tls, bench in
      let check = try httpCheck("https://good.test:\(tls)/hello") {
        $0.http.expect.bodyContains = ["hello", "world"]
        $0.expect.httpVersion = "2"
      }
      let outcome = try await bench.http(check)
      #expect(outcome.verdict == .ok)
      #expect(outcome.httpVersion == "2")
      #expect(outcome.timings.tls != nil)
      #expect(outcome.timings.transfer != nil)
      let facts = try #require(outcome.tls)
      #expect(facts.verified)
      #expect(facts.verifyError == nil)
      #expect(facts.daysRemaining == 20)
      #expect(facts.chain.first?.sans == ["good.test", "127.0.0.1"])
      #expect(outcome.assertions.map(\.what) == ["status", "http_version", "body.contains", "body.contains"])
      #expect(outcome.assertions.allSatisfy { $0.ok })
    }
  }

  @Test(arguments: [
    (Duration.seconds(86_400 * 21), Duration.zero, Reason.certificateExpiring, CheckState.degraded),
    (.seconds(86_400 * 30), .seconds(86_400 * 21), .certificateExpiring, .down),
    (.seconds(86_400 * 7), .zero, .ok, .up),
  ])
  func theCertificatesRestIsACondition(
    warn: Duration, fail: Duration, reason: Reason, state: CheckState
  ) async throws {
    try await withServer { _, tls, bench in
      let check = try httpCheck("https://good.test:\(tls)/hello") {
        $0.expect.certificate = Thresholds(warn: warn, fail: fail)
      }
      let outcome = try await bench.http(check)
      #expect(outcome.verdict.reason == reason)
      #expect(outcome.verdict.state == state)
      #expect(outcome.assertions.map(\.what) == ["status", "certificate.warn", "certificate.fail"])
    }
  }

  @Test func allConditionsAreReportedWhicheverFails() async throws {
    try await withServer { _, tls, bench in
      let check = try httpCheck("https://good.test:\(tls)/hello") {
        $0.expect.status = ["301", "400-499"]
        $0.http.expect.bodyContains = ["hello", "absent"]
        $0.http.expect.bodyNotContains = ["world"]
        $0.expect.certificate = Thresholds(warn: .seconds(86_400 * 30), fail: .seconds(86_400))
      }
      let outcome = try await bench.http(check)
      #expect(outcome.verdict.reason == .httpStatus)
      #expect(outcome.verdict.message == "status 200, expected 301, 400-499, and 2 more conditions")
      #expect(outcome.assertions.map(\.ok) == [false, true, false, false, false, true])
      #expect(outcome.assertions[2].actual == "not found")
      #expect(outcome.assertions[3].actual == "found")
    }
  }

  @Test func anyStatusCanBeRight() async throws {
    try await withServer { plain, _, bench in
      let outcome = try await bench.http(
        try httpCheck("http://good.test:\(plain)/teapot") { $0.expect.status = [] })
      #expect(outcome.verdict == .ok)
      #expect(outcome.assertions == [Assertion(what: "status", expected: "any", actual: "418", ok: true)])
    }
  }

  @Test func credentialsAndHeadersAreSent() async throws {
    try await withServer { plain, _, bench in
      let url = "http://good.test:\(plain)/echo"
      let basic = try httpCheck(url) {
        $0.auth.basic.username = "Aladdin"
        $0.auth.basic.password = Redacted("open sesame")
        $0.http.expect.bodyContains = [
          "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==|quartz-agent/test||good.test:\(plain)"
        ]
      }
      let first = try await bench.http(basic)
      #expect(first.verdict == .ok, "\(first.excerpt ?? "")")
      let bearer = try httpCheck(url) {
        $0.auth.bearer = Redacted("token")
        $0.headers = [("user-agent", Redacted("mine")), ("X-Test", Redacted("b"))]
        $0.http.expect.bodyContains = ["Bearer token|mine|b|"]
      }
      let second = try await bench.http(bearer)
      #expect(second.verdict == .ok, "\(second.excerpt ?? "")")
    }
  }

  @Test func theExcerptOfAFailureHoldsNoSecret() async throws {
    try await withServer { plain, _, bench in
      let check = try httpCheck("http://good.test:\(plain)/secret") {
        $0.headers = [("X-Key", Redacted("canary"))]
        $0.http.expect.bodyContains = ["sent"]
      }
      let outcome = try await bench.http(check)
      #expect(outcome.verdict.reason == .httpStatus)
      #expect(outcome.excerpt == "you sent <redacted>")
    }
  }

  @Test func aDeadFirstAddressDoesNotEatTheDeadline() async throws {
    try await withServer { plain, _, bench in
      var bench = bench
      // Nothing listens on the first; the second answers.
      bench.names.hosts["good.test"] = ResolvedHost(
        addresses: [.v6(high: 0, low: 1), .v4(0x7f00_0002), .v4(0x7f00_0001)], elapsed: .zero)
      let outcome = try await bench.http(try httpCheck("http://good.test:\(plain)/hello"))
      #expect(outcome.verdict == .ok)
      #expect(outcome.address == "127.0.0.1:\(plain)")
    }
  }

  @Test func cancellationIsNoResult() async throws {
    try await withLoopbackServer(script: { $0.waitForEnd() }) { server in
      let check = try httpCheck("http://good.test:\(server.port)/")
      let task = Task { try await ProbeBench(limit: .seconds(60)).http(check) }
      try await until("the connection") { server.accepted >= 1 }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
  }
}
