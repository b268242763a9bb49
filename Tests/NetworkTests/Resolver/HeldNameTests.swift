// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import NetworkTestSupport
import TestSupport
import Testing

@testable import Network

/// One name server after the other, and each gets its whole time: for what the reactor's thread held the one before back,
/// the next one does not pay.
@Suite(.serialized, .timeLimit(.minutes(1))) struct HeldNameTests {
  private static let limit = Duration.seconds(1)
  /// The thread is with others for so long, while the first answer waits, and the second answer takes as long.
  private static let busy: UInt32 = 700_000

  private struct Blocker: Conversation {
    mutating func opened(at now: Instant) -> ConversationStep {
      usleep(HeldNameTests.busy)
      return .done
    }

    mutating func received(
      _ bytes: ArraySlice<UInt8>, from sender: IPAddress?, at now: Instant
    ) -> ConversationStep { .done }
  }

  private static func answer(_ request: [UInt8], _ flags: UInt16, _ answers: [[UInt8]] = []) -> [UInt8] {
    Wire(to: request).with { ($0.flags, $0.answers) = (flags, answers) }.bytes
  }

  /// Holds the thread as soon as the server was asked.
  private func hold(_ reactor: Reactor, whenAsked server: UDPResponder) async throws {
    try await until("the question") { !server.received.isEmpty }
    try await withLoopbackServer(script: { $0.waitForEnd() }) { other in
      _ = try await reactor.converse(
        Blocker(), over: .tcp, with: SocketAddress(.loopback, port: other.port), until: .after(.seconds(5)))
    }
  }

  /// Says "I cannot", or that the name is none, a moment after the question.
  private static func refuses(_ flags: UInt16) -> @Sendable ([UInt8], UDPClient) -> Void {
    { request, client in
      usleep(60_000)
      client.send(answer(request, flags))
    }
  }

  private static let knows: @Sendable ([UInt8], UDPClient) -> Void = { request, client in
    usleep(busy)
    client.send(answer(request, 0x8180, [Wire.record(1, [192, 0, 2, 1])]))
  }

  /// The machine's second name server, when the first one cannot answer.
  @Test func theNextServerHasAllThatIsLeft() async throws {
    try await withUDPResponder(script: Self.refuses(0x8182)) { first in
      try await withUDPResponder(0x7f00_0002, port: first.port, script: Self.knows) { _ in
        let both = "nameserver 127.0.0.1\nnameserver 127.0.0.2"
        try await withResolver(both, port: first.port) { reactor, resolver in
          async let held: Void = hold(reactor, whenAsked: first)
          let host = try await resolver.resolve("web.example", ip: .v4, deadline: .after(Self.limit))
          #expect(host.addresses == [IPAddress("192.0.2.1")], "\(String(describing: host.failure))")
          // What is told is what it took; what is spent leaves out what was ours.
          #expect(host.elapsed > Self.limit)
          #expect(host.spent < host.elapsed)
          try await held
        }
      }
    }
  }

  /// The next name of the search list, when the one before does not exist.
  @Test func theNextNameHasAllThatIsLeft() async throws {
    let script: @Sendable ([UInt8], UDPClient) -> Void = { request, client in
      let isGuess = Wire(to: request).question.starts(with: Wire.name("web.a.example"))
      isGuess ? Self.refuses(0x8183)(request, client) : Self.knows(request, client)
    }
    try await withUDPResponder(script: script) { server in
      try await withResolver("nameserver 127.0.0.1\nsearch a.example", port: server.port) {
        reactor, resolver in
        async let held: Void = hold(reactor, whenAsked: server)
        let host = try await resolver.resolve("web", ip: .v4, deadline: .after(Self.limit))
        #expect(host.addresses == [IPAddress("192.0.2.1")], "\(String(describing: host.failure))")
        try await held
      }
    }
  }

  /// The question over TCP, when the answer over UDP was cut.
  @Test func theStreamHasAllThatIsLeft() async throws {
    try await withServersOfOnePort(
      datagrams: Self.refuses(0x8380),
      stream: { link in
        let request = link.read()
        guard request.count > 14 else { return }
        usleep(Self.busy)
        let answer = Self.answer(Array(request[2...]), 0x8180, [Wire.record(1, [192, 0, 2, 1])])
        link.write([UInt8(answer.count >> 8), UInt8(answer.count & 255)] + answer)
      }
    ) { cut in
      let reactor = try Reactor()
      async let held: Void = hold(reactor, whenAsked: cut)
      let name = try #require(DNSName("web.example"))
      let reply = try await DNSClient(reactor: reactor, phase: .answer).ask(
        DNSQuestion(name: name, type: .a), recursion: true, server: SocketAddress(.loopback, port: cut.port),
        until: .after(Self.limit))
      #expect(reply.failure == nil && reply.truncated, "\(String(describing: reply.failure))")
      #expect(reply.spent < reply.elapsed)
      try await held
    }
  }
}
