// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import NetworkTestSupport
import TestSupport
import Testing

@testable import Network

/// While this machine's own link or gateway is gone, silence says nothing about a name or its servers.
@Suite(.timeLimit(.minutes(1))) struct OwnPathTests {
  private static let words = "the link is gone"
  private static let one = SocketAddress(.loopback, port: 53)
  private static let two = SocketAddress(.v4(0x7f00_0002), port: 53)

  private static func failure(_ reason: Reason) -> DNSReply {
    DNSReply(
      content: .failure(Verdict(reason, phase: .dns, message: "no answer")), transport: .udp,
      elapsed: .seconds(1))
  }

  @Test(arguments: [
    Reason.dnsTimeout, .connectUnreachable, .connectTimeout, .connectRefused, .dnsMalformed, .connectionReset,
  ])
  func onlySilenceIsExplained(reason: Reason) {
    let silence: [Reason] = [.dnsTimeout, .connectUnreachable, .connectTimeout]
    let reply = Self.failure(reason).onOwnPath(to: [Self.one]) { _, _ in Self.words }
    #expect(
      reply.failure
        == (silence.contains(reason)
          ? Verdict(.localFault, phase: .dns, message: Self.words)
          : Verdict(reason, phase: .dns, message: "no answer")))
    #expect(reply.elapsed == .seconds(1))
  }

  /// A server that is silent behind a sound path is silent.
  @Test func allServersMustLieBehindIt() {
    let dead: [(servers: [SocketAddress], behind: Set<IPAddress>, reason: Reason)] = [
      ([Self.one], [], .dnsTimeout), ([Self.one], [Self.one.address], .localFault),
      ([Self.one, Self.two], [Self.one.address], .dnsTimeout),
      ([Self.one, Self.two], [Self.two.address], .dnsTimeout),
      ([Self.one, Self.two], [Self.one.address, Self.two.address], .localFault),
      // Without a route nothing was asked of it.
      (
        [Self.one, SocketAddress(.v6(high: 0xfe80 << 48, low: 1), port: 53)], [Self.one.address], .localFault
      ),
      ([], [], .dnsTimeout),
    ]
    for (servers, behind, reason) in dead {
      let reply = Self.failure(.dnsTimeout).onOwnPath(to: servers) { failure, address in
        #expect(failure == .dnsTimeout)
        return behind.contains(address) ? Self.words : nil
      }
      #expect(reply.failure?.reason == reason, "\(servers) \(behind)")
    }
  }

  /// - Parameter isGone: this machine's own link is.
  private func failures(isGone: Bool) async throws -> [Verdict?] {
    try await withUDPResponder(script: { _, _ in }) { server in
      try await withResolver(
        "nameserver 127.0.0.1", port: server.port, ownCause: { _, _ in isGone ? Self.words : nil }
      ) { _, resolver in
        let own = try await resolver.resolve("web.example", ip: .any, deadline: .after(.seconds(1)))
        let named = try await resolver.resolve(
          "web.example", ip: .any, scope: .each, asking: [SocketAddress(.loopback, port: server.port)],
          called: Endpoint(host: "ns.example", port: 53), deadline: .after(.seconds(1)))
        let question = DNSQuestion(name: try #require(DNSName("web.example")), type: .a)
        let asked = try await resolver.ask(
          question, recursion: true, over: .udp, phase: .answer, until: .after(.seconds(1)))
        return [own.failure, named.failure, asked.failure]
      }
    }
  }

  @Test func everyQuestionSaysSo() async throws {
    #expect(
      try await failures(isGone: true) == [
        Verdict(.localFault, phase: .dns, message: "this machine's name server: the link is gone"),
        Verdict(
          .localFault, phase: .dns, message: "resolver ns.example:53 cannot be asked: the link is gone"),
        Verdict(.localFault, phase: .answer, message: "the link is gone"),
      ])
    #expect(
      try await failures(isGone: false).map { $0?.reason } == [.dnsTimeout, .dnsTimeout, .dnsTimeout])
  }
}
