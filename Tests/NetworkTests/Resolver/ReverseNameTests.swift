// SPDX-License-Identifier: MIT

import Basics
import Network
import NetworkTestSupport
import TestSupport
import Testing

/// The names of reverse DNS.
@Suite(.timeLimit(.minutes(1))) struct ReverseNameTests {
  @Test func names() throws {
    #expect(IPAddress.v4(0xc000_0201).reverseName == "1.2.0.192.in-addr.arpa")
    let six = try #require(IPAddress("2001:db8::567:89ab"))
    #expect(
      six.reverseName
        == "b.a.9.8.7.6.5.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa")
  }

  /// The question is the one of reverse DNS; what a stranger's server puts into a name cannot drive a terminal.
  @Test func aNameIsAskedOfTheResolver() async throws {
    let script: @Sendable ([UInt8], UDPClient) -> Void = { request, client in
      let name = try? DNSMessage(request).question?.name.description
      let isRight = name == "1.2.0.192.in-addr.arpa."
      client.send(
        Wire(to: request).with { wire in
          wire.flags = 0x8180 | (isRight ? 0 : 3)
          if isRight {
            wire.answers = [Wire.record(12, [4] + Array("r\u{1b}[m".utf8) + [3] + Array("lab".utf8) + [0])]
          }
        }.bytes)
    }
    try await withUDPResponder(script: script) { server in
      try await withResolver("nameserver 127.0.0.1", port: server.port) { _, resolver in
        #expect(
          await resolver.reverseName(of: .v4(0xc000_0201), until: .after(.seconds(5))) == "r\\027[m.lab")
        #expect(await resolver.reverseName(of: .v4(0xc000_0202), until: .after(.seconds(5))) == nil)
      }
    }
  }
}
