// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import TestSupport
import Testing

@testable import Network

/// On the reactor, too, each side gets its whole time: what waits for the thread waits on ours.
@Suite(.timeLimit(.minutes(1))) struct HeldTimeTests {
  /// Keeps the reactor's thread for a while, as the work for many others would.
  private struct Blocker: Conversation {
    var microseconds: UInt32

    mutating func opened(at now: Instant) -> ConversationStep {
      usleep(microseconds)
      return .done
    }

    mutating func received(
      _ bytes: ArraySlice<UInt8>, from sender: IPAddress?, at now: Instant
    ) -> ConversationStep { .done }
  }

  /// Says a word and waits for another.
  private struct Greeting: Conversation {
    var isPatient = false

    mutating func opened(at now: Instant) -> ConversationStep {
      ConversationStep(send: [0x61])
    }

    mutating func received(
      _ bytes: ArraySlice<UInt8>, from sender: IPAddress?, at now: Instant
    ) -> ConversationStep { isPatient ? .wait : .done }
  }

  /// The thread is busy with another flow for most of the time, and the answer comes after it: still in time.
  @Test func whatTheThreadTookIsGivenBack() async throws {
    let reactor = try Reactor()
    try await withLoopbackServer(script: { link in
      guard !link.read(1).isEmpty else { return }
      usleep(400_000)
      link.write("b")
      link.waitForEnd()
    }) { server in
      let peer = SocketAddress(.v4(0x7f00_0001), port: server.port)
      async let blocked = reactor.converse(
        Blocker(microseconds: 500_000), over: .tcp, with: peer, until: .now + .seconds(5))
      let answered = try await reactor.converse(
        Greeting(), over: .tcp, with: peer, until: .now + .milliseconds(600))
      #expect(answered.report.end == .done)
      let end = try await blocked.report.end
      #expect(end == .done)
    }
  }

  /// Who sends a byte now and then for ever is ended when his time is over: his bytes make it no longer.
  @Test func drippingBuysNoTime() async throws {
    let reactor = try Reactor()
    try await withLoopbackServer(script: { link in
      while link.write("b") { usleep(2000) }
    }) { server in
      let peer = SocketAddress(.v4(0x7f00_0001), port: server.port)
      let limit = Duration.milliseconds(500)
      let dripped = try await reactor.converse(
        Greeting(isPatient: true), over: .tcp, with: peer, until: .now + limit)
      #expect(dripped.report.end == .timedOut)
      #expect(dripped.report.held <= limit)
    }
  }
}
