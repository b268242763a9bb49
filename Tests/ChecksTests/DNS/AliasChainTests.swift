// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import NetworkTestSupport
import TestSupport
import Testing

@testable import Checks
@testable import Network

/// Aliases as real name servers answer them: knot with five of them at once and no more, unbound, in `DNSProbeTests`, with all
/// that it followed itself.
@Suite(.timeLimit(.minutes(2))) struct AliasChainTests {
  private static let length = 16
  /// Aliases that knot puts into one answer.
  private static let most = 5
  private static let zone = KnotZone(
    "chain.example",
    "$TTL 300\n@ SOA ns admin 7 3600 600 86400 60\n@ NS ns\nns A 127.0.0.1\n"
      + (0..<length).map { "n\($0) CNAME n\($0 + 1)\n" }.joined() + "n\(length) A 192.0.2.80\n")

  @Test(arguments: [0, 7, 10, 11, 15]) func knotsChainsAreFollowed(first: Int) async throws {
    let last = first + Self.most
    let words = "n\(first).chain.example has no"
    let end = "; its aliases end at n\(last).chain.example."
    try await withKnot([Self.zone]) { port in
      let outcome = try await dnsAttempt { definition in
        (definition.server, definition.queryName) = ("127.0.0.1:\(port)", "n\(first).chain.example")
        definition.expect.answersExact = ["192.0.2.80"]
      }
      #expect(
        outcome.verdict
          == (last >= Self.length
            ? .ok : Verdict(.dnsNoData, phase: .assertion, message: "\(words) A record\(end)")))
      try await withResolver("nameserver 127.0.0.1", port: port) { _, resolver in
        let host = try await resolver.resolve(
          "n\(first).chain.example", ip: .v4, deadline: .after(.seconds(10)))
        #expect(host.aliases.count == min(Self.most, Self.length - first))
        if last >= Self.length {
          #expect(host.addresses == [IPAddress("192.0.2.80")], "\(String(describing: host.failure))")
        } else {
          #expect(host.failure?.message == "n\(first).chain.example. has no IPv4 address\(end)")
          // As http, tcp and tls ask, for both families.
          let both = try await resolver.resolve(
            "n\(first).chain.example", ip: .any, deadline: .after(.seconds(10)))
          #expect(both.failure?.message == "n\(first).chain.example. exists but has no address\(end)")
        }
      }
    }
  }
}
