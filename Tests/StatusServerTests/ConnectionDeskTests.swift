// SPDX-License-Identifier: MIT

import Basics
import NIOCore
import NIOEmbedded
import Status
import Synchronization
import Testing

@testable import StatusServer

/// Open connections: nobody's place or turn is kept for one that has gone.
@Suite(.timeLimit(.minutes(1))) struct ConnectionDeskTests {
  private func connect(_ desk: ConnectionDesk) throws -> EmbeddedChannel {
    let routes = Routes(
      source: try sampleSource(), hosts: AllowedHosts(listen: .tcp(host: "127.0.0.1", port: 1)))
    let channel = EmbeddedChannel(handler: StatusConnection(routes: routes, desk: desk))
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    return channel
  }

  /// The newest is closed while it enters: it gives back its place all the same, or the server never ends.
  @Test func whoIsClosedWhileEnteringLeaves() async throws {
    let desk = ConnectionDesk(limit: 1)
    let first = try connect(desk)
    _ = desk.move(1, to: .answering)
    let second = try connect(desk)
    #expect(!second.isActive)
    #expect(first.isActive)
    try await first.close().get()
    await desk.untilEmpty()
  }

  /// One answer is made at a time, in the order of asking; who has gone is passed over.
  @Test func turnsComeInOrder() throws {
    let desk = ConnectionDesk(limit: 10)
    let channels = try (0..<4).map { _ in try connect(desk) }
    let begun = Mutex<[Int]>([])
    for number in 1...4 {
      desk.awaitTurn(number) { begun.withLock { $0.append(number) } }
    }
    #expect(begun.withLock(\.self) == [1])
    try channels[1].close().wait()
    desk.giveTurn()
    #expect(begun.withLock(\.self) == [1, 3])
    desk.giveTurn()
    desk.giveTurn()
    #expect(begun.withLock(\.self) == [1, 3, 4])
    desk.awaitTurn(3) { begun.withLock { $0.append(3) } }
    #expect(begun.withLock(\.self) == [1, 3, 4, 3], "the turn was free")
  }

  /// A connection is asked for more until the server closes, which closes at once what is idle.
  @Test func closingEndsTheAsking() throws {
    let desk = ConnectionDesk(limit: 10)
    let channels = try (0..<2).map { _ in try connect(desk) }
    #expect(desk.move(1, to: .answering) && desk.send(1, bytes: 10) && desk.move(2, to: .asking))
    desk.close()
    #expect(channels.map(\.isActive) == [true, false])
    #expect(!desk.move(1, to: .asking) && !desk.send(1, bytes: 10))
    try channels[0].close().wait()
  }
}
