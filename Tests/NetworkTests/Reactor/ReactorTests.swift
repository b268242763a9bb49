// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import NetworkTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Network

@Suite(.timeLimit(.minutes(1))) struct ReactorTests {
  let reactor: Reactor

  init() throws { reactor = try Reactor() }

  @Test func connectsAndStampsInOrder() async throws {
    try await withLoopbackServer(script: { $0.waitForEnd() }) { server in
      let peer = SocketAddress(.loopback, port: server.port)
      let report = try await reactor.converse(Silence(), over: .tcp, with: peer, until: .after(.seconds(5)))
        .report
      #expect(report.end == .done)
      let connected = try #require(report.connected)
      #expect(report.started <= connected)
      #expect(connected <= report.ended)
    }
  }

  @Test(.enabled(if: Machine.hasIPv6, "\(Machine.noIPv6)")) func connectsOverIPv6() async throws {
    try await withLoopbackServer(ipv6: true, script: { $0.waitForEnd() }) { server in
      let peer = SocketAddress(.v6(high: 0, low: 1), port: server.port)
      let report = try await reactor.converse(Silence(), over: .tcp, with: peer, until: .after(.seconds(5)))
        .report
      #expect(report.end == .done)
    }
  }

  @Test func refusalIsAnErrno() async throws {
    let peer = SocketAddress(.loopback, port: try freePort())
    let report = try await reactor.converse(Silence(), over: .tcp, with: peer, until: .after(.seconds(5)))
      .report
    #expect(report.end == .failed(ECONNREFUSED))
    #expect(report.connected == nil)
  }

  @Test func silenceEndsAtTheDeadline() async throws {
    try await withUDPResponder(script: { _, _ in }) { responder in
      let start = Instant.now
      let outcome = try await reactor.converse(
        Chat(say: [1, 2, 3]), over: .udp, with: SocketAddress(.loopback, port: responder.port),
        until: .after(.milliseconds(120)))
      #expect(outcome.report.end == .timedOut)
      #expect(start.duration(to: .now) >= .milliseconds(120))
      #expect(responder.received == [[1, 2, 3]])
    }
  }

  @Test func aDeadlineInThePastNeverOpensASocket() async throws {
    let peer = SocketAddress(.loopback, port: 1)
    let report = try await reactor.converse(Silence(), over: .tcp, with: peer, until: .now - .seconds(1))
      .report
    #expect(report.end == .timedOut)
  }

  @Test func exchangesDatagrams() async throws {
    try await withUDPResponder(script: { request, client in client.send(request.reversed()) }) { responder in
      let outcome = try await reactor.converse(
        Chat(say: [1, 2, 3]), over: .udp, with: SocketAddress(.loopback, port: responder.port),
        until: .after(.seconds(5)))
      #expect(outcome.report.end == .done)
      #expect(outcome.conversation.heard == [3, 2, 1])
      #expect(outcome.report.firstByte != nil)
    }
  }

  @Test func sendsMoreThanASocketBufferHolds() async throws {
    let size = 8 * 1024 * 1024
    let script: @Sendable (LoopbackConnection) -> Void = { connection in
      var count = 0
      while count < size {
        let more = connection.read().count
        if more == 0 { return }
        count += more
      }
      connection.write([42])
      connection.waitForEnd()
    }
    try await withLoopbackServer(script: script) { server in
      let outcome = try await reactor.converse(
        Chat(say: [UInt8](repeating: 7, count: size)), over: .tcp,
        with: SocketAddress(.loopback, port: server.port), until: .after(.seconds(20)))
      #expect(outcome.conversation.heard == [42])
    }
  }

  @Test func theOtherSideMayEndFirst() async throws {
    try await withLoopbackServer(script: { _ in }) { server in
      let outcome = try await reactor.converse(
        Chat(say: []), over: .tcp, with: SocketAddress(.loopback, port: server.port),
        until: .after(.seconds(5)))
      #expect(outcome.report.end == .closed)
    }
  }

  @Test func aResetAfterTheHandshakeIsAnErrno() async throws {
    let script: @Sendable (LoopbackConnection) -> Void = { connection in
      _ = connection.read(1)
      connection.resetOnClose()
    }
    try await withLoopbackServer(script: script) { server in
      let outcome = try await reactor.converse(
        Chat(say: [1]), over: .tcp, with: SocketAddress(.loopback, port: server.port),
        until: .after(.seconds(5)))
      #expect(outcome.report.end == .failed(ECONNRESET))
    }
  }

  /// The other side sees the end of every connection, whoever it was that ended it.
  @Test func everySocketIsClosedAgain() async throws {
    let ended = Mutex(0)
    let script: @Sendable (LoopbackConnection) -> Void = { connection in
      connection.waitForEnd()
      ended.withLock { $0 += 1 }
    }
    try await withLoopbackServer(script: script) { [reactor] server in
      let peer = SocketAddress(.loopback, port: server.port)
      await withTaskGroup(of: Void.self) { group in
        for index in 0..<200 {
          group.addTask {
            _ = try? await reactor.converse(Silence(), over: .tcp, with: peer, until: .after(.seconds(5)))
            let waiting = Task {
              try await reactor.converse(
                Chat(say: []), over: .tcp, with: peer, until: .after(.milliseconds(100)))
            }
            if index % 2 == 0 { waiting.cancel() }
            _ = await waiting.result
          }
        }
      }
      while ended.withLock({ $0 }) < server.accepted || server.accepted < 300 { await Task.yield() }
    }
  }

  @Test func aFloodIsReadNoFurtherThanTheDialogueWants() async throws {
    let script: @Sendable (LoopbackConnection) -> Void = { connection in
      while connection.write([UInt8](repeating: 0x41, count: 65_536)) {}
    }
    try await withLoopbackServer(script: script) { server in
      let outcome = try await reactor.converse(
        Chat(say: []), over: .tcp, with: SocketAddress(.loopback, port: server.port),
        until: .after(.seconds(5)))
      #expect(outcome.report.end == .done)
      #expect(outcome.conversation.heard.count <= 65_536)
    }
  }

  /// 500 that hang, and a healthy one beside them.
  @Test func hangingFlowsDelayNobody() async throws {
    try await withUDPResponder(script: { _, _ in }) { [reactor] silent in
      try await withUDPResponder(script: { request, client in client.send(request) }) { healthy in
        try await withThrowingTaskGroup(of: Void.self) { group in
          for _ in 0..<500 {
            group.addTask {
              _ = try? await reactor.converse(
                Chat(say: [1]), over: .udp, with: SocketAddress(.loopback, port: silent.port),
                until: .after(.seconds(3600)))
            }
          }
          try await until("many that hang") { silent.received.count >= 100 }
          // While each of them waits, for longer than this test may last.
          let outcome = try await reactor.converse(
            Chat(say: [9]), over: .udp, with: SocketAddress(.loopback, port: healthy.port),
            until: .after(.seconds(10)))
          #expect(outcome.conversation.heard == [9])
          group.cancelAll()
        }
      }
    }
  }

  @Test func wakesADialogueWhenItAsked() async throws {
    try await withUDPResponder(script: { request, client in if request == [2] { client.send([2]) } }) {
      responder in
      let outcome = try await reactor.converse(
        Chat(say: [1], again: [2], after: .milliseconds(60)), over: .udp,
        with: SocketAddress(.loopback, port: responder.port), until: .after(.seconds(5)))
      #expect(outcome.conversation.heard == [2])
      #expect(outcome.report.elapsed >= .milliseconds(60))
    }
  }

  /// A conversation that hogs the thread makes everybody's deadline fall late, and that is seen.
  @Test func ownLatenessIsMeasured() async throws {
    try await withUDPResponder(script: { request, client in client.send(request) }) { [reactor] echo in
      try await withUDPResponder(script: { _, _ in }) { silent in
        async let starved = reactor.converse(
          Chat(say: [1]), over: .udp, with: SocketAddress(.loopback, port: silent.port),
          until: .after(.seconds(2)))
        while silent.received.isEmpty { await Task.yield() }
        _ = try await reactor.converse(
          Hog(), over: .udp, with: SocketAddress(.loopback, port: echo.port), until: .after(.seconds(5)))
        let report = try await starved.report
        #expect(report.end == .timedOut)
        #expect(report.lateness >= .milliseconds(500))
        #expect(report.isOwnLateness)
      }
    }
  }
}

/// Says one thing, perhaps another later, and is content with the first thing it hears.
struct Chat: Conversation {
  var say: [UInt8]
  var again: [UInt8]?
  var after: Duration = .zero
  var heard: [UInt8] = []

  init(say: [UInt8], again: [UInt8]? = nil, after: Duration = .zero) {
    self.say = say
    self.again = again
    self.after = after
  }

  mutating func opened(at now: Instant) -> ConversationStep {
    ConversationStep(send: say.isEmpty ? nil : say, wake: again == nil ? nil : now + after)
  }
  mutating func woke(at now: Instant) -> ConversationStep { ConversationStep(send: again) }
  mutating func received(
    _ bytes: ArraySlice<UInt8>, from sender: IPAddress?, at now: Instant
  ) -> ConversationStep {
    heard = Array(bytes)
    return .done
  }
}

/// Does what no conversation may: it blocks the reactor's thread.
private struct Hog: Conversation {
  mutating func opened(at now: Instant) -> ConversationStep { ConversationStep(send: [1]) }
  mutating func received(
    _ bytes: ArraySlice<UInt8>, from sender: IPAddress?, at now: Instant
  ) -> ConversationStep {
    usleep(600_000)
    return .done
  }
}
