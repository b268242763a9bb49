// SPDX-License-Identifier: MIT

import Basics
import Curl
import Foundation
import Monitoring
import NetworkTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Checks
@testable import Network

/// S-6, A17: however a URL is spelled, what was judged is what is looked up, what is dialled and what is asked for.
@Suite(.timeLimit(.minutes(3))) struct URLSpellingTests {
  /// Refused when the check is read. `:@/` stands for the port of a server that would like to be asked.
  static let refused: [String] = [
    // User info, in every place it could hide.
    "http://user@good.test:@/", "http://user:pass@good.test:@/", "http://@good.test:@/",
    "http://:@good.test/",
    "http://good.test:@@127.0.0.1/", "http://127.0.0.1:@@good.test/", "http://a@b@good.test:@/",
    "http://good.test%40evil.test:@/", "http://user%3Apass@good.test:@/", "http://8.8.8.8@127.0.0.1:@/",
    "http://good.test#@127.0.0.1:@/x y", "http://good.test;@127.0.0.1:@/", "http://good.test\\@127.0.0.1:@/",
    // Numbers that some parsers take for an address.
    "http://0/", "http://1/", "http://127.1:@/", "http://127.0.1:@/", "http://2130706433:@/",
    "http://017700000001:@/",
    "http://0x7f000001:@/", "http://0x7f.0.0.1:@/", "http://0x7f.1:@/", "http://0177.0.0.1:@/",
    "http://0177.0.0.01:@/", "http://127.0.0.01:@/", "http://127.00.0.1:@/", "http://127.000.000.001:@/",
    "http://00.0.0.0/", "http://0.0/", "http://0x0/", "http://0x/", "http://00/", "http://256.0.0.1/",
    "http://127.0.0.256/", "http://127.0.0.1.1/", "http://4294967295/", "http://4294967296/",
    "http://99999999999/", "http://-1/", "http://127.0.0.-1/", "http://0x7f.0x0.0x0.0x1:@/",
    "http://0X7F000001:@/", "http://127.0.0.0x1:@/", "http://3232235777/", "http://0xc0a80101/",
    "http://10.1/",
    "http://169.254.43518/", "http://2852039166/", "http://0251.0376.0251.0376/", "http://0xa9fea9fe/",
    "http://1.2.3/", "http://1.2.3.4.5/", "http://127。1/",
    "http://127.0.0.1..:@/", "http://127.1.:@/", "http://0.:@/", "http://good.test.1:@/",
    "http://good.0x1:@/",
    // Letters that stand for others.
    "http://①②⑦.⓪.⓪.①:@/", "http://１２７.0.0.1:@/", "http://127。0。0。1:@/",
    "http://127\u{ff0e}0\u{ff0e}0\u{ff0e}1:@/",
    "http://ｇood.test:@/", "http://good\u{2024}test:@/", "http://go\u{ad}od.test:@/",
    "http://go\u{200b}od.test:@/",
    "http://good.test\u{ff0f}x:@/", "http://good.test\u{2215}x:@/", "http://ﬁ.test:@/",
    "http://\u{202e}tset.doog:@/",
    // Escapes in a host.
    "http://%31%32%37.0.0.1:@/", "http://127.0.0.1%00.good.test:@/", "http://good.test%00:@/", "http://%00/",
    "http://good%2etest:@/", "http://good.test%2f:@/", "http://good.test%3a80/", "http://good.test%20:@/",
    "http://%67ood.test:@/", "http://good.test%0d%0a:@/",
    // Zones, brackets and what is no IPv6 address.
    "http://[fe80::1%25eth0]:@/", "http://[fe80::1%eth0]:@/", "http://[::1]x:@/", "http://[::1:@/",
    "http://::1]:@/",
    "http://::1:@/", "http://[::1]]:@/", "http://[[::1]]:@/", "http://[]:@/", "http://[127.0.0.1]:@/",
    "http://[::127.0.0.1.1]:@/", "http://[::ffff:127.1]:@/", "http://[::ffff:0x7f.0.0.1]:@/",
    "http://[v1.x]:@/",
    "http://[:::1]:@/", "http://[1::2::3]:@/", "http://[::g]:@/", "http://[12345::]:@/", "http://[::1 ]:@/",
    "http://[good.test]:@/", "http://[::1]@good.test:@/", "http://[1:2:3:4:5:6:7:8:9]:@/",
    // Ports.
    "http://good.test:0/", "http://good.test:00/", "http://good.test:65536/", "http://good.test:99999/",
    "http://good.test:-1/", "http://good.test:+80/", "http://good.test:8 0/", "http://good.test:80:80/",
    "http://good.test:0x50/", "http://good.test:080808/", "http://good.test:http/", "http://good.test:８０/",
    "http://good.test:80a/", "http://good.test::/", "http://127.0.0.1:://", "http://[::1]::/",
    // Schemes and slashes.
    "ftp://good.test:@/", "file:///etc/passwd", "file://good.test/etc", "gopher://good.test:@/",
    "dict://good.test:@/",
    "ws://good.test:@/", "httpx://good.test:@/", "javascript:alert(1)", "data:text/plain,x",
    "scp://good.test/",
    "ldap://good.test/", "smtp://good.test:25/", "telnet://good.test/", "tftp://good.test/",
    "http:good.test:@/",
    "http:/good.test:@/", "http:///good.test:@/", "http:////good.test:@/", "http:\\\\good.test:@/",
    "http:/\\good.test:@/", "//good.test:@/", "good.test:@/", "://good.test:@/", "http//good.test:@/",
    "http://",
    "http:///", "http://:@/", "http://?x", "http://#x", "http://./", "http://../", "http://.good.test:@/",
    "http://good..test:@/", "http://good.test..:@/", " http://good.test:@/", "\thttp://good.test:@/",
    "http ://good.test:@/", "ht\ttp://good.test:@/", "h\u{0}ttp://good.test:@/",
    // What would end a line, or a string.
    "http://good.test:@/\r\nX-Evil: 1", "http://good.test:@/\nx", "http://good.test:@/\0",
    "http://good.test\0.x:@/",
    "http://good.test\r:@/", "http://good.test:@/a b", "http://good.test:@/\t", "http://good.test:@/\u{7f}",
    "http://good.test:@/\\x", "http://good.test:@\\x", "http://good.test :@/", "http://good test:@/",
    // Names that are none.
    "http://-good.test:@/", "http://good-.test:@/", "http://good!.test:@/", "http://good$.test:@/",
    "http://good*.test:@/", "http://<good>.test:@/", "http://good|.test:@/", "http://good^.test:@/",
    "http://good,test:@/", "http://good'.test:@/", "http://\"good\".test:@/", "http://good`.test:@/",
    "http://" + String(repeating: "a", count: 64) + ".test:@/",
    "http://" + String(repeating: "a.", count: 127) + "test:@/",
    "http://good.test:@/" + String(repeating: "a", count: 2100),
  ]

  /// Taken, with the host that is looked up or dialled and the Host header that goes out.
  static let taken: [(url: String, host: String, header: String)] = [
    ("http://good.test:@/", "good.test", "good.test:@"), ("HTTP://good.test:@/", "good.test", "good.test:@"),
    ("http://GOOD.TEST:@/", "good.test", "good.test:@"),
    ("http://good.test.:@/", "good.test.", "good.test.:@"),
    ("http://good.test:@", "good.test", "good.test:@"),
    ("http://good.test:@?x=1", "good.test", "good.test:@"),
    ("http://good.test:@#@evil.test", "good.test", "good.test:@"),
    ("http://good.test:@/@evil.test", "good.test", "good.test:@"),
    ("http://good.test:@/?u=http://evil.test/", "good.test", "good.test:@"),
    ("http://good.test:@//evil.test/", "good.test", "good.test:@"),
    ("http://good.test:@/..//../x", "good.test", "good.test:@"),
    ("http://good.test:@/%2e%2e/%00", "good.test", "good.test:@"),
    ("http://good.test:@/;x", "good.test", "good.test:@"),
    ("http://xn--bcher-kva.test:@/", "xn--bcher-kva.test", "xn--bcher-kva.test:@"),
    ("http://bücher.test:@/", "xn--bcher-kva.test", "xn--bcher-kva.test:@"),
    ("http://BÜCHER.test:@/é", "xn--bcher-kva.test", "xn--bcher-kva.test:@"),
    ("http://a_b.test:@/", "a_b.test", "a_b.test:@"), ("http://a--b.test:@/", "a--b.test", "a--b.test:@"),
    ("http://1.good.test:@/", "1.good.test", "1.good.test:@"),
    ("http://0x7f.test:@/", "0x7f.test", "0x7f.test:@"),
    ("http://127.0.0.1.test:@/", "127.0.0.1.test", "127.0.0.1.test:@"),
    ("http://127.0.0.1e0:@/", "127.0.0.1e0", "127.0.0.1e0:@"), ("http://1e10:@/", "1e10", "1e10:@"),
    ("http://localhost:@/", "localhost", "localhost:@"), ("http://127.0.0.1:@/", "127.0.0.1", "127.0.0.1:@"),
    ("http://127.0.0.1:@/?@x", "127.0.0.1", "127.0.0.1:@"),
    ("http://[::ffff:127.0.0.1]:@/", "::ffff:127.0.0.1", "[::ffff:127.0.0.1]:@"),
    ("http://[::FFFF:7F00:1]:@/", "::ffff:127.0.0.1", "[::ffff:127.0.0.1]:@"),
    ("http://[0:0:0:0:0:ffff:127.0.0.1]:@/", "::ffff:127.0.0.1", "[::ffff:127.0.0.1]:@"),
  ]

  @Test func thereAreTwoHundred() {
    let all = Self.refused + Self.taken.map(\.url)
    #expect(Set(all).count == all.count)
    #expect(all.count >= 200)
  }

  @Test(arguments: refused, CheckOrigin.allSides) func isRefusedWhenItIsRead(url: String, origin: CheckOrigin)
  {
    #expect(throws: InvalidCheck.self, "\(url)") {
      try makeCheck("http") {
        $0.origin = origin
        $0.url = url.replacing(":@/", with: ":8080/")
      }
    }
  }

  /// The same words in a Location: refused before anything is looked up or dialled.
  @Test func isRefusedInARedirectToo() async throws {
    let location = Mutex("")
    try await withLoopbackServer(script: { link in
      link.read(until: "\r\n\r\n")
      link.write("HTTP/1.1 302 Found\r\nLocation: \(location.withLock { $0 })\r\nContent-Length: 0\r\n\r\n")
      link.waitForEnd()
    }) { server in
      let names = RecordingNames()
      try await withCurlEngine { engine in
        let finder = TargetFinder(resolver: names, policy: EgressPolicy())
        let probe = HTTPProbe(engine: engine, reactor: try Reactor(), finder: finder, userAgent: "test")
        let check = try httpCheck("http://first.test:\(server.port)/")
        var asked = 0
        // A reference without a scheme is relative, and a space or a control character is cut by HTTP itself. A server
        // may write user information, which is dropped, and longer URLs than a configuration.
        let isTaken = [
          "http://user@good.test:@/", "http://user:pass@good.test:@/", "http://@good.test:@/",
          "http://:@good.test/", "http://user%3Apass@good.test:@/", "http://8.8.8.8@127.0.0.1:@/",
          "http://good.test;@127.0.0.1:@/", "http://[::1]@good.test:@/",
        ].contains
        for url in Self.refused
        where url.hasPrefix("http://")
          && url.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7f }) && !isTaken(url)
          && url.utf8.count < 2048
        {
          location.withLock { $0 = url.replacing(":@/", with: ":\(server.port)/") }
          let outcome = try await probe.attempt(check, deadline: .after(.seconds(20)))
          #expect(outcome.verdict.reason == .httpRedirectRefused, "\(url): \(outcome.verdict)")
          #expect(outcome.hops.count == 1, "\(url)")
          asked += 1
        }
        #expect(asked >= 100)
        #expect(server.accepted == asked)
      }
      #expect(Set(names.asked) == ["first.test"])
    }
  }

  @Test func whatIsTakenIsLookedUpDialledAndAskedForAlike() async throws {
    let seen = Mutex<[String]>([])
    try await withLoopbackServer(script: { link in
      let request = link.read(until: "\r\n\r\n")
      let host = request.split(separator: "\r\n").first { $0.lowercased().hasPrefix("host: ") }
      seen.withLock { $0.append(String(host?.dropFirst(6) ?? "")) }
      link.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      link.waitForEnd()
    }) { server in
      try await withCurlEngine { engine in
        let reactor = try Reactor()
        for (url, host, header) in Self.taken {
          let names = RecordingNames()
          let finder = TargetFinder(resolver: names, policy: EgressPolicy())
          let probe = HTTPProbe(engine: engine, reactor: reactor, finder: finder, userAgent: "test")
          let text = url.replacing(":@", with: ":\(server.port)", maxReplacements: 1)
          let outcome = try await probe.attempt(try httpCheck(text), deadline: .after(.seconds(20)))
          #expect(outcome.verdict == .ok, "\(url): \(outcome.verdict)")
          // An address needs no looking up.
          #expect(names.asked == (IPAddress(host) == nil ? [host] : []), "\(url)")
          #expect(seen.withLock { $0.last } == header.replacing("@", with: "\(server.port)"), "\(url)")
        }
      }
      #expect(server.accepted == Self.taken.count)
    }
  }

  /// The unspecified address, and every way to write loopback that is taken, are denied to a stranger by what they are.
  @Test(arguments: [
    "http://0.0.0.0/", "http://[::]/", "http://127.0.0.1/", "http://[::1]/", "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:0:0]/", "http://localhost/", "http://localhost./", "http://foo.localhost/",
    "http://[::7f00:1]/",
    "http://[64:ff9b::7f00:1]/", "http://[2002:7f00:1::]/", "http://0.0.0.0:8080/", "http://169.254.169.254/",
    "http://[fd00:ec2::254]/", "http://[fe80::1]/", "http://[ff02::1]/", "http://255.255.255.255/",
  ])
  func aStrangerIsDeniedByWhatItMeans(url: String) async throws {
    try await withResolver("", port: 1) { reactor, system in
      try await withCurlEngine { engine in
        let finder = TargetFinder(resolver: system, policy: EgressPolicy())
        let probe = HTTPProbe(engine: engine, reactor: reactor, finder: finder, userAgent: "test")
        let outcome = try await probe.attempt(
          try httpCheck(url) { $0.origin = .api }, deadline: .after(.seconds(20)))
        #expect(outcome.verdict.reason == .policyDenied && outcome.verdict.state == .unknown)
        #expect(outcome.responseTime == nil && outcome.timings == Timings() && outcome.address == nil)
      }
    }
  }
}

/// Every name is this machine; keeps what it was asked for.
private final class RecordingNames: HostResolving {
  private let names = Mutex<[String]>([])

  var asked: [String] { names.withLock { $0 } }

  func resolve(
    _ host: String, ip: IPPreference, deadline: Instant
  ) async throws(CancellationError) -> ResolvedHost {
    names.withLock { $0.append(host) }
    return ResolvedHost(addresses: [IPAddress(host) ?? .loopback])
  }
}
