// SPDX-License-Identifier: MIT

import Basics
import Checks
import Foundation
import Monitoring
import TestSupport
import Testing

/// A target that writes what it was sent into its redirects.
@Suite(.timeLimit(.minutes(2))) struct SecretHopTests {
  private static let secret = "TokenAAA+111/bbb"

  /// Sends the first request to that place, and has nothing there.
  private func outcome(
    _ location: String, change: (inout CheckDefinition) -> Void = { _ in }
  ) async throws -> ProbeOutcome {
    try await faultOutcome(
      change: {
        $0.headers = [("X-Secret", Redacted(Self.secret)), ("X-Forwarded-Proto", Redacted("http"))]
        $0.expect.finalURL = "http://good.test/"
        change(&$0)
      },
      script: { link in
        let isFirst = link.read(until: "\r\n\r\n").hasPrefix("GET / ")
        let head = isFirst ? "302 Found\r\nLocation: \(location)" : "404 Not Found"
        link.write("HTTP/1.1 \(head)\r\nContent-Length: 0\r\n\r\n")
        link.waitForEnd()
      })
  }

  @Test(arguments: [
    ("/nf/TokenAAA+111/bbb/p?q=1", "/nf/<redacted>/p"), ("/TokenAAA%2b111%2Fbbb", "/<redacted>"),
    ("/a;VG9rZW5BQUErMTExL2JiYg", "/a;<redacted>"), ("/plain", "/plain"),
  ])
  func noHopShowsIt(location: String, path: String) async throws {
    let outcome = try await outcome(location)
    #expect(outcome.verdict.reason == .httpStatus)
    #expect(outcome.hops.map(\.statusCode) == [302, 404])
    #expect(outcome.hops.last?.url.hasPrefix("http://good.test:") == true)
    #expect(outcome.hops.last?.url.hasSuffix(path) == true, "\(outcome.hops)")
    let final = outcome.assertions.first { $0.what == "final_url" }
    #expect(final?.actual.contains(path) == true, "\(outcome.assertions)")
    #expect("\(outcome)".contains("AAA") == false)
  }

  /// Where a redirect leads that is not followed.
  @Test func noExcerptShowsIt() async throws {
    let outcome = try await outcome("ftp://x.test/of/TokenAAA%2B111%2Fbbb/\u{7}")
    #expect(outcome.verdict.reason == .httpRedirectRefused)
    #expect(outcome.excerpt == "Location: ftp://x.test/of/<redacted>/\\u{7}")
  }

  /// A message names the host of a redirect that could not be followed.
  @Test func noMessageNamesIt() async throws {
    let secret = "canary-1234"
    let outcome = try await outcome("http://canary-1234.nowhere.test/") {
      $0.headers = [("X-Secret", Redacted(secret))]
    }
    #expect(outcome.verdict.reason == .dnsNXDomain)
    #expect("\(outcome)".contains(secret) == false)
  }

  /// The check's own URL is shown as its target anyway.
  @Test func theChecksOwnURLStaysReadable() async throws {
    let outcome = try await outcome("/") { $0.headers = [("Host", Redacted("good.test"))] }
    #expect(outcome.verdict.reason == .httpRedirectLimit)
    #expect(outcome.hops.allSatisfy { $0.url.hasPrefix("http://good.test:") })
  }
}
