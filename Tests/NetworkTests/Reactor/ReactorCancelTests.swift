// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network
import NetworkTestSupport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct ReactorCancelTests {
  let reactor: Reactor

  init() throws { reactor = try Reactor() }

  @Test func cancellingEndsAWaitAtOnce() async throws {
    try await withUDPResponder(script: { _, _ in }) { [reactor] responder in
      let peer = SocketAddress(.loopback, port: responder.port)
      let task = Task {
        try await reactor.converse(Chat(say: [1]), over: .udp, with: peer, until: .after(.seconds(3600)))
      }
      // The query having arrived, the flow is waiting, by itself for longer than this test may last.
      while responder.received.isEmpty { await Task.yield() }
      task.cancel()
      await #expect(throws: CancellationError.self) { _ = try await task.value }
    }
  }

  /// Cancels come before, while and after the flow is handed over; none may be lost.
  @Test func noCancelIsLostHoweverItFalls() async throws {
    try await withUDPResponder(script: { _, _ in }) { [reactor] responder in
      let peer = SocketAddress(.loopback, port: responder.port)
      await withTaskGroup(of: Void.self) { group in
        for delay in 0..<2000 {
          group.addTask {
            let task = Task {
              try await reactor.converse(Chat(say: [1]), over: .udp, with: peer, until: .after(.seconds(60)))
            }
            for _ in 0..<(delay % 7) { await Task.yield() }
            task.cancel()
            _ = await task.result
          }
          if delay % 100 == 99 { await group.waitForAll() }
        }
      }
    }
  }

  /// Aims at the moment of the hand-over, where a cancel finds no flow yet.
  @Test func aCancelAtTheHandOverIsNotLost() async throws {
    try await withUDPResponder(script: { _, _ in }) { [reactor] responder in
      let peer = SocketAddress(.loopback, port: responder.port)
      for round in 0..<4000 {
        let flag = Flag()
        await withTaskGroup(of: Void.self) { group in
          group.addTask {
            flag.raise()
            _ = try? await reactor.converse(
              Chat(say: [1]), over: .udp, with: peer, until: .after(.seconds(90)))
          }
          while !flag.isRaised { await Task.yield() }
          for _ in 0..<(round % 100) { _ = flag.isRaised }
          group.cancelAll()
        }
      }
    }
  }
}

private final class Flag: Sendable {
  private let state = Mutex(false)
  var isRaised: Bool { state.withLock { $0 } }
  func raise() { state.withLock { $0 = true } }
}
