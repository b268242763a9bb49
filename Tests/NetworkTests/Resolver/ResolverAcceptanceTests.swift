// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import NetworkTestSupport
import TestSupport
import Testing

@testable import Network

/// What the resolver takes for an answer (RFC 5452), and what it does with half of one.
@Suite(.timeLimit(.minutes(1))) struct ResolverAcceptanceTests {
  private func resolve(_ ip: IPPreference, _ port: UInt16) async throws -> ResolvedHost {
    try await withResolver("nameserver 127.0.0.1", port: port) { _, resolver in
      try await resolver.resolve("web.example", ip: ip, deadline: .after(.seconds(20)))
    }
  }

  private static func answer(_ request: [UInt8], _ v4: [UInt8]) -> Wire {
    Wire(to: request).with { wire in
      wire.flags = 0x8180
      wire.answers = [Wire.record(1, v4)]
    }
  }

  @Test("D5: a cut answer is asked for again over TCP") func aCutAnswerIsAskedForOverTCP() async throws {
    let stream = try LoopbackServer { link in
      let request = Array(link.read().dropFirst(2))
      guard request.count > 12 else { return }
      link.write(
        Wire(to: request).with { wire in
          wire.flags = 0x8180
          if request.suffix(4) == [0, 1, 0, 1] || request[request.count - 14] == 1 {
            wire.answers = [Wire.record(1, [192, 0, 2, 9])]
          }
        }.framed)
      link.waitForEnd()
    }
    defer { stream.stop() }
    try await withUDPResponder(
      port: stream.port,
      script: { request, client in client.send(Wire(to: request).with { $0.flags = 0x8380 }.bytes) }
    ) { server in
      let host = try await resolve(.any, server.port)
      #expect(host.addresses == [IPAddress("192.0.2.9")])
      #expect(stream.accepted == 2)
    }
  }

  /// RFC 5452: another id, another question, no answer at all, another port, another address.
  @Test("D2, D3, D4: what answers no question of ours is ignored") func decoysAreIgnored() async throws {
    try await withUDPResponder(script: { request, client in
      let lie = Wire(to: request).with { wire in
        wire.flags = 0x8180
        wire.answers = [Wire.record(1, [203, 0, 113, 66])]
      }
      client.send(lie.with { $0.id &+= 1 }.bytes)
      client.send(lie.with { $0.question = Wire("other.example", .a).question }.bytes)
      client.send(lie.with { $0.flags = 0x0100 }.bytes)
      client.send(lie.with { $0.flags = 0xa980 }.bytes)
      client.send(lie.with { $0.counts.0 = 0 }.bytes)
      client.send([])
      try? client.sendFromElsewhere(lie.bytes)
      try? client.sendFromElsewhere(lie.bytes, address: 0x7f00_0009)
      client.send(Self.answer(request, [192, 0, 2, 1]).bytes)
    }) { server in
      let host = try await resolve(.v4, server.port)
      #expect(host.addresses == [IPAddress("192.0.2.1")])
    }
  }
}
