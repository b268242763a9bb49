// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import NetworkTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Checks
@testable import Network

/// `egress.proxy`: the way of the API's checks to the names that the administrator wrote down.
@Suite(.timeLimit(.minutes(1))) struct EgressProxyTests {
  private func settings(_ port: UInt16) -> EgressSettings {
    EgressSettings(
      proxy: ProxySettings(scheme: .http, endpoint: Endpoint(host: "127.0.0.1", port: port)),
      allowNames: ["shop.test", "*.wide.test"])
  }

  @Test(arguments: [
    ("shop.test", true), ("SHOP.Test.", true), ("www.shop.test", false), ("a.wide.test", true),
    ("a.b.wide.test", true), ("wide.test", false), ("xwide.test", false), ("10.0.0.1", false), ("::1", false),
    ("other.test", false), ("", false),
  ])
  func whichNamesGoThrough(host: String, goes: Bool) {
    #expect((settings(3128).proxy(forHost: host) != nil) == goes)
    #expect(EgressSettings(allowNames: ["shop.test"]).proxy(forHost: host) == nil)
  }

  private func probe(
    _ url: String, _ egress: EgressSettings, _ change: (inout CheckDefinition) -> Void = { _ in }
  ) async throws -> ProbeOutcome {
    try await withCurlEngine { engine in
      let finder = TargetFinder(resolver: NameTable(), policy: EgressPolicy(egress))
      let probe = HTTPProbe(engine: engine, reactor: try Reactor(), finder: finder, userAgent: "test")
      let check = try httpCheck(url) {
        $0.origin = .api
        change(&$0)
      }
      return try await probe.attempt(check, deadline: .after(.seconds(20)))
    }
  }

  /// The proxy is the administrator's, so it may stand on loopback; it resolves the name.
  @Test func aListedNameGoesThroughTheProxy() async throws {
    let seen = Mutex<[String]>([])
    try await withLoopbackServer(script: { link in
      let request = link.read(until: "\r\n\r\n")
      seen.withLock { $0.append(request) }
      let goes = request.contains("/away") ? "302 Found\r\nLocation: http://other.test/" : "204 No Content"
      link.write("HTTP/1.1 \(goes)\r\nContent-Length: 0\r\n\r\n")
      link.waitForEnd()
    }) { server in
      let outcome = try await probe("http://shop.test/", settings(server.port)) { $0.expect.status = ["204"] }
      #expect(outcome.verdict == .ok, "\(outcome.verdict)")
      #expect(outcome.address == nil)
      #expect(seen.withLock { $0.first?.hasPrefix("GET http://shop.test/ HTTP/1.1") } == true)
      // Where it leads from there is judged by the same list.
      let away = try await probe("http://a.wide.test/away", settings(server.port))
      #expect(away.verdict.reason == .httpRedirectRefused)
      #expect(server.accepted == 2)
    }
  }

  @Test func anUnlistedNameGoesItsOwnWay() async throws {
    try await withLoopbackServer(script: { $0.waitForEnd() }) { server in
      let outcome = try await probe("http://other.test/", settings(server.port))
      #expect(outcome.verdict.reason == .dnsNXDomain)
      let address = try await probe("http://10.0.0.1/", settings(server.port))
      #expect(address.verdict.reason == .policyDenied)
      #expect(server.accepted == 0)
    }
  }

  @Test func aStrangerChoosesNoProxy() async throws {
    try await withLoopbackServer(script: { $0.waitForEnd() }) { server in
      let outcome = try await probe("http://shop.test/", EgressSettings()) {
        $0.proxy = Redacted("http://127.0.0.1:\(server.port)")
      }
      #expect(outcome.verdict.reason == .policyDenied)
      let other = try await probe("http://shop.test/", settings(9)) {
        $0.proxy = Redacted("http://127.0.0.1:\(server.port)")
      }
      #expect(other.verdict.reason == .policyDenied)
      #expect(server.accepted == 0)
    }
  }

  /// Metadata addresses are closed to the administrator's proxy too.
  @Test func theProxyIsJudged() async throws {
    var egress = settings(80)
    egress.proxy?.endpoint = Endpoint(host: "169.254.169.254", port: 80)
    #expect(try await probe("http://shop.test/", egress).verdict.reason == .policyDenied)
  }
}
