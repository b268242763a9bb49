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

/// Behind a proxy a redirect may not lead inward either, as far as its target can be told without asking for it.
@Suite(.timeLimit(.minutes(1))) struct ProxyRedirectTests {
  /// A resolver whose hosts file knows one name.
  private struct HostsFile: HostResolving {
    func resolve(
      _ host: String, ip: IPPreference, deadline: Instant
    ) async throws(CancellationError) -> ResolvedHost {
      if let address = IPAddress(host) { return ResolvedHost(addresses: [address]) }
      Issue.record("asked for \(host), which is the proxy's to look up")
      return ResolvedHost(failure: Verdict(.dnsNXDomain, phase: .dns))
    }

    func known(_ host: String) async -> [IPAddress] {
      host == "wiki.example.net" ? [IPAddress("10.1.2.3")].compactMap(\.self) : []
    }
  }

  /// What a proxy was asked for, when the first answer leads from `origin` to `location`.
  private func walk(from origin: String, to location: String) async throws -> (ProbeOutcome, [String]) {
    let seen = Mutex<[String]>([])
    let outcome = try await withLoopbackServer(script: { link in
      let line = link.read(until: "\r\n\r\n").prefix { $0 != "\r" && $0 != "\r\n" }
      let isFirst = seen.withLock { seen in
        seen.append(String(line))
        return seen.count == 1
      }
      let head = isFirst ? "302 Found\r\nLocation: \(location)" : "200 OK"
      link.write("HTTP/1.1 \(head)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
      link.waitForEnd()
    }) { server in
      try await withCurlEngine { engine in
        let finder = TargetFinder(resolver: HostsFile(), policy: EgressPolicy())
        let probe = HTTPProbe(engine: engine, reactor: try Reactor(), finder: finder, userAgent: "test")
        let check = try httpCheck(origin) { $0.proxy = Redacted("http://127.0.0.1:\(server.port)") }
        return try await probe.attempt(check, deadline: .after(.seconds(20)))
      }
    }
    return (outcome, seen.withLock { $0 })
  }

  /// The proxy is not asked for it, and the message does not say where it led.
  @Test(arguments: [
    "http://10.0.0.1/", "http://192.168.1.1/x", "http://100.64.0.1/", "http://127.0.0.1/", "http://[::1]/",
    "http://[fd00::1]/", "http://[fe80::1]/", "http://[::ffff:10.0.0.1]/", "http://[64:ff9b::a00:1]/",
    "http://0.0.0.0/", "http://169.254.1.1/", "http://localhost/", "http://LOCALHOST./",
    "http://a.localhost/",
    "http://localhost.localdomain/", "http://intranet/", "http://printer.local/", "http://db.internal/",
    "http://db.corp./", "http://nas.home.arpa/", "http://box.lan/", "http://metadata.google.internal/",
    "http://wiki.example.net/",
  ])
  func aPublicPageDoesNotLeadInward(location: String) async throws {
    let (outcome, asked) = try await walk(from: "http://shop.example/", to: location)
    #expect(outcome.verdict == RedirectRule.denied, "\(outcome.verdict)")
    #expect(outcome.responseTime == nil)
    #expect(asked.count == 1, "\(asked)")
  }

  @Test(arguments: [
    ("http://shop.example/", "http://www.shop.example/"), ("http://shop.example/", "http://9.9.9.9/"),
    ("http://shop.example/", "/next"), ("http://intranet/", "http://wiki.corp/"),
    ("http://intranet/", "http://10.0.0.1/"), ("http://10.0.0.1/", "http://shop.example/"),
    ("http://wiki.example.net/", "http://box.lan/"), ("http://localhost/", "http://127.0.0.1/"),
  ])
  func outwardAndOnOneLevelItIsFollowed(origin: String, location: String) async throws {
    let (outcome, asked) = try await walk(from: origin, to: location)
    #expect(outcome.verdict == .ok, "\(outcome.verdict)")
    #expect(asked.count == 2, "\(asked)")
  }

  /// A private place is no way to this machine or to the cloud's metadata.
  @Test(arguments: ["http://localhost/", "http://127.0.0.1/", "http://metadata/", "http://169.254.169.254/"])
  func norFurtherInward(location: String) async throws {
    let (outcome, asked) = try await walk(from: "http://intranet/", to: location)
    #expect(outcome.verdict == RedirectRule.denied, "\(outcome.verdict)")
    #expect(asked.count == 1)
  }
}
