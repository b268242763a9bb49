// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import NetworkTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Checks
@testable import Network

/// What a busy core does to a round trip: nothing. The reactor's thread is held from before the answer comes until long
/// after; the answer's time is that of the kernel's stamp. No time is compared with a number: the answer cannot be later
/// than when whoever gave it was back from giving it.
@Suite(.timeLimit(.minutes(1))) struct HeldThreadTests {
  /// A byte that a thread waits for.
  private final class Pipe: Sendable {
    private let ends: (read: Int32, write: Int32)

    init() throws {
      var ends: [Int32] = [0, 0]
      guard pipe(&ends) == 0 else { throw POSIXFailure("pipe", errno) }
      self.ends = (ends[0], ends[1])
    }

    deinit {
      close(ends.read)
      close(ends.write)
    }

    func put() {
      var byte: UInt8 = 1
      _ = Glibc.write(ends.write, &byte, 1)
    }

    func take() {
      var byte: UInt8 = 0
      _ = Glibc.read(ends.read, &byte, 1)
    }
  }

  /// Holds a loop's thread until `release`.
  private final class Hold: Sendable {
    private let freed: Pipe
    private let held: Pipe

    init() throws { (freed, held) = (try Pipe(), try Pipe()) }

    func release() { freed.put() }

    /// Blocks the calling thread.
    func wait() {
      held.put()
      freed.take()
    }

    /// Blocks the calling thread until another one is in `wait`.
    func untilHeld() { held.take() }
  }

  /// Says one thing, holds the thread as soon as it has left, and takes whatever comes.
  private struct HoldingQuestion: Conversation {
    let hold: Hold
    let bytes: [UInt8]
    var answeredAt: Instant?
    var leftAt: Instant?

    mutating func opened(at now: Instant) -> ConversationStep { ConversationStep(send: bytes) }

    mutating func received(
      _ bytes: ArraySlice<UInt8>, from sender: IPAddress?, at now: Instant
    ) -> ConversationStep {
      answeredAt = now
      return .done
    }

    /// The thread comes here with the query on its way, and has not looked for an answer.
    mutating func left(_ number: Int, at instant: Instant) {
      leftAt = instant
      hold.wait()
    }
  }

  /// UDP, over the same reactor and after the first time by a socket that served before. The kernel begins to stamp what
  /// comes a moment after it was asked to: until then an answer is from when it was looked at.
  @Test func anAnswerOverUDPIsFromWhenItCame() async throws {
    let hold = try Hold()
    let given = Mutex<[Instant]>([])
    let script: @Sendable ([UInt8], UDPClient) -> Void = { request, client in
      client.send(request)
      given.withLock { $0.append(.now) }
      // The loop is still held: what it would measure by itself is longer by this.
      usleep(30_000)
      hold.release()
    }
    try await withUDPResponder(script: script) { responder in
      let reactor = try Reactor()
      var stamped = 0
      for number in 0..<20 where stamped < 3 {
        let outcome = try await reactor.converse(
          HoldingQuestion(hold: hold, bytes: [1, 2, 3]), over: .udp,
          with: SocketAddress(.loopback, port: responder.port), until: .after(.seconds(20)))
        let report = outcome.report
        #expect(report.end == .done)
        #expect(outcome.conversation.leftAt == report.started)
        #expect(outcome.conversation.answeredAt == report.ended)
        #expect(report.elapsed >= .zero)
        let backFromGiving = given.withLock { $0[number] }
        // Two clocks are read for a stamp, some microseconds apart.
        guard report.ended <= backFromGiving + .microseconds(50) || stamped > 0 else { continue }
        stamped += 1
        #expect(report.ended <= backFromGiving + .microseconds(50), "held for 30 ms more")
        // What it waited for us is in no time of its own, and so is taken off nothing.
        #expect(report.held < .milliseconds(20))
      }
      #expect(stamped == 3)
    }
  }

  @Test(.enabled(if: NetworkNamespace.isAvailable), .returnsHome) func aPingIsFromWhenItsReplyCame()
    async throws
  {
    let lines = ["ip link set lo up", "echo '0 2147483647' > /proc/sys/net/ipv4/ping_group_range"]
    let reactor = try await NetworkNamespace.reactor(lines)
    let hold = try Hold()
    let echo = ICMPEcho(sequence: 1, nonce: 7, size: 16)
    // On loopback the reply has come before `send` is back.
    let release = TestThread {
      hold.untilHeld()
      usleep(50_000)
      hold.release()
    }
    release.start()
    let outcome = try await reactor.converse(
      HoldingQuestion(hold: hold, bytes: echo.request(version: 4)), over: .icmp,
      with: SocketAddress(.loopback, port: 0), until: .after(.seconds(20)))
    let (left, came) = (
      try #require(outcome.conversation.leftAt), try #require(outcome.conversation.answeredAt)
    )
    #expect(outcome.report.end == .done)
    #expect(left <= came && came - left < .milliseconds(40), "held for 50 ms")
  }

  /// The second question over a socket gets none of the first one's stamps, and the first one's late answer is nobody's.
  @Test func manyFlowsShareFewSocketsAndKeepTheirStamps() async throws {
    let script: @Sendable ([UInt8], UDPClient) -> Void = { request, client in client.send(request) }
    try await withUDPResponder(script: script) { responder in
      let reactor = try Reactor()
      for round in 0..<20 {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for number in 0..<8 {
            group.addTask {
              let question = Question(bytes: [UInt8(round), UInt8(number)])
              let outcome = try await reactor.converse(
                question, over: .udp, with: SocketAddress(.loopback, port: responder.port),
                until: .after(.seconds(20)))
              #expect(outcome.report.end == .done)
              #expect(outcome.conversation.stamps == 1)
              #expect(outcome.report.started <= outcome.report.ended)
            }
          }
          try await group.waitForAll()
        }
      }
    }
  }

  private struct Question: Conversation {
    let bytes: [UInt8]
    var stamps = 0

    mutating func opened(at now: Instant) -> ConversationStep { ConversationStep(send: bytes) }
    mutating func received(
      _ bytes: ArraySlice<UInt8>, from sender: IPAddress?, at now: Instant
    ) -> ConversationStep { Array(bytes) == self.bytes ? .done : .wait }
    mutating func left(_ number: Int, at instant: Instant) { stamps += number == 0 ? 1 : 100 }
  }
}
