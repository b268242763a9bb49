// SPDX-License-Identifier: MIT

import Basics
import Curl
import Foundation
import Monitoring
import Network
import NetworkTestSupport
import TestSupport
import Testing

@testable import Checks

/// Floods of TLS records and of plain bytes on the reactor's thread, which serves many.
@Suite(.timeLimit(.minutes(1))) struct ReactorFloodTests {
  /// Reads whatever comes, as a conversation that waits for its word would.
  struct Listener: Conversation {
    mutating func opened(at now: Instant) -> ConversationStep { .wait }
    mutating func received(
      _ bytes: ArraySlice<UInt8>, from sender: IPAddress?, at now: Instant
    ) -> ConversationStep { .wait }
  }

  static let records: [[UInt8]] = [
    [22, 3, 3, 0, 4, 0, 0, 0, 0], [22, 3, 3, 0x40, 0] + [UInt8](repeating: 0, count: 0x4000),
    [22, 3, 3, 0, 0], [21, 3, 3, 0, 2, 1, 100], [20, 3, 3, 0, 1, 1],
  ]

  private func withFlood(_ record: [UInt8], _ body: (UInt16) async throws -> Void) async throws {
    let block = Array(Array(repeating: record, count: max(1, 262_144 / record.count)).joined())
    try await withLoopbackServer(script: { link in
      while link.write(block) {}
    }) { try await body($0.port) }
  }

  /// Records without content end the connection for that reason, long before its time is over.
  @Test(arguments: Machine.hasFewRounds ? Array(records.prefix(2)) : records)
  func endsTheHandshake(_ record: [UInt8]) async throws {
    try await withFlood(record) { port in
      let session = try await TLSClient(trust: TrustStore()).session(host: "good.test", options: TLSOptions())
      let outcome = try await Reactor().converse(
        TLSConversation(Listener(), over: session), over: .tcp, with: SocketAddress(.loopback, port: port),
        until: .after(.seconds(20)))
      #expect(outcome.report.end != .timedOut)
      #expect(outcome.conversation.session.summary.failure?.kind == .tls(.handshake))
    }
  }

  /// Beside eight connections that stream for their whole second, each short exchange has its turn.
  @Test func leavesOthersTheirTurn() async throws {
    let reactor = try Reactor()
    try await withFlood([UInt8](repeating: 0x61, count: 4096)) { flood in
      try await withLoopbackServer(script: { link in link.waitForEnd() }) { calm in
        try await withThrowingTaskGroup(of: Duration?.self) { group in
          for _ in 0..<8 {
            group.addTask {
              _ = try await reactor.converse(
                Listener(), over: .tcp, with: SocketAddress(.loopback, port: flood),
                until: .after(.seconds(1)))
              return nil
            }
          }
          for _ in 0..<50 {
            group.addTask {
              let begun = Instant.now
              _ = try await reactor.converse(
                Silence(), over: .tcp, with: SocketAddress(.loopback, port: calm.port),
                until: .after(.seconds(5)))
              return begun.duration(to: .now)
            }
            try await Task.sleep(for: .milliseconds(10))
          }
          let taken = try await group.reduce(into: [Duration]()) { if let one = $1 { $0.append(one) } }
            .sorted()
          #expect(taken.count == 50)
          // Half of them: the machine has its own mind about the rest.
          #expect(taken[25] < .milliseconds(100))
        }
      }
    }
  }
}
