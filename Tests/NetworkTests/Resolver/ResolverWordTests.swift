// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network
import NetworkTestSupport
import TestSupport
import Testing

/// What the resolver says of a name that the search list makes others of.
@Suite(.timeLimit(.minutes(1))) struct ResolverWordTests {
  /// What is said of a name is said of it as it is written, unless it does not exist and a guess could not be looked up.
  @Test(arguments: [
    (own: UInt16(3), guess: UInt16(3), reason: Reason.dnsNXDomain, name: "web"),
    (3, 2, .dnsServfail, "web.corp.example"), (3, 5, .dnsRefused, "web.corp.example"),
    (2, 3, .dnsServfail, "web"), (5, 3, .dnsRefused, "web"), (5, 2, .dnsRefused, "web"),
  ])
  func theWordOnAName(own: UInt16, guess: UInt16, reason: Reason, name: String) async throws {
    try await withUDPResponder(script: { request, client in
      let isGuess = Wire(to: request).question.starts(with: Wire.name("web.corp.example"))
      client.send(Wire(to: request).with { $0.flags = 0x8180 | (isGuess ? guess : own) }.bytes)
    }) { server in
      let servers = "nameserver 127.0.0.1\nsearch corp.example"
      let found = try await withResolver(servers, hosts: "", port: server.port) { _, resolver in
        try await resolver.resolve("web", ip: .v4, deadline: .after(.seconds(20)))
      }
      #expect(found.failure?.reason == reason)
      #expect(found.failure?.message?.contains("\(name).") == true, "\(String(describing: found.failure))")
    }
  }
}
