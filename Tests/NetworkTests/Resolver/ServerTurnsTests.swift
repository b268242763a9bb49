// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import NetworkTestSupport
import Testing

@testable import Network

struct ServerTurnsTests {
  private let first = SocketAddress(.v4(0x7f00_0001), port: 53)
  private let second = SocketAddress(.v4(0x7f00_0002), port: 53)
  private let start = Instant.now

  private func turns(_ servers: [SocketAddress], within: Duration, _ options: String = "") -> ServerTurns {
    ServerTurns(
      servers, ResolverConfiguration(parsing: "options " + options), until: start + within, from: start)
  }

  private func begins(_ turns: inout ServerTurns, at now: Instant) -> ServerTurns.Turn? {
    turns.next(at: now)
  }

  private func next(
    _ turns: inout ServerTurns, at now: Instant
  ) throws -> ServerTurns.Turn { try #require(begins(&turns, at: now)) }

  private func silence(_ elapsed: Duration = .zero) -> DNSReply {
    DNSReply(content: .failure(Verdict(.dnsTimeout)), transport: .udp, elapsed: elapsed)
  }

  private func refusal() throws -> DNSReply {
    let message = try DNSMessage(Wire(to: AnyQuery.bytes).with { $0.flags = 0x8185 }.bytes)
    return DNSReply(content: .message(message), transport: .udp, elapsed: .zero)
  }

  @Test func theNextIsAskedWhenTheTimeOfTheOneBeforeIsOver() throws {
    var turns = turns([first, second], within: .seconds(8))
    let one = try next(&turns, at: start)
    #expect(one.server == first && one.share == .seconds(4) && one.limit == .seconds(8))
    #expect(begins(&turns, at: start) == nil && !one.isLast)
    // Only once.
    #expect([turns.isOverdue(one), turns.isOverdue(one)] == [true, false])
    let two = try next(&turns, at: start + .seconds(4))
    #expect(two.server == second && two.share == .seconds(4) && two.limit == .seconds(4) && two.isLast)
    #expect([turns.isOverdue(one)] == [false])
    #expect(!turns.areOver)
  }

  @Test func aFailureMakesRoomAtOnce() throws {
    var turns = turns([first, second], within: .seconds(8))
    let one = try next(&turns, at: start)
    turns.ended(one, with: silence())
    #expect(begins(&turns, at: start)?.server == second)
  }

  /// What waited for our own thread is nobody's time: neither of who was silent meanwhile, nor of who failed after it.
  @Test func whatWasHeldIsLeftToTheNext() throws {
    let third = SocketAddress(.v4(0x7f00_0003), port: 53)
    var turns = turns([first, second, third], within: .seconds(9))
    let one = try next(&turns, at: start)
    #expect(one.share == .seconds(3) && one.limit == .seconds(9))
    #expect([turns.isOverdue(one, held: .seconds(2))] == [true])
    let two = try next(&turns, at: start + .seconds(3))
    #expect(two.limit == .seconds(8) && two.share == .seconds(4))
    var failure = silence(.seconds(4))
    failure.held = .seconds(3)
    let counted = turns.counted(failure, of: two, since: start)
    #expect(counted.elapsed == .seconds(7) && counted.spent == .seconds(2))
    turns.ended(two, with: counted)
    let last = try next(&turns, at: start + .seconds(7))
    #expect(last.limit == .seconds(7))
    #expect(turns.best?.elapsed == .seconds(7) && turns.best?.spent == .seconds(2))
    // A held span is never more than the turn had.
    var alone = self.turns([first, second], within: .seconds(2))
    let lonely = try next(&alone, at: start)
    #expect([alone.isOverdue(lonely, held: .seconds(60))] == [true])
    let after = try next(&alone, at: start + .seconds(60))
    #expect(after.limit == .seconds(2))
  }

  /// "I cannot" is worth more than silence; and the time is that of all.
  @Test func whatIsBestIsKept() throws {
    var turns = turns([first, second], within: .seconds(8))
    turns.ended(try next(&turns, at: start), with: try refusal())
    turns.ended(try next(&turns, at: start), with: silence(.seconds(5)))
    #expect(turns.areOver && begins(&turns, at: start + .seconds(5)) == nil)
    #expect(turns.best?.failure == nil && turns.best?.elapsed == .seconds(5))
  }

  @Test(arguments: [("", 10), ("timeout:1", 2), ("timeout:1 attempts:4", 4), ("timeout:30", 60)])
  func theFileSaysForHowLong(options: String, seconds: Int) throws {
    var turns = turns([first], within: .seconds(60), options)
    let turn = try next(&turns, at: start)
    #expect(turn.limit == .seconds(seconds))
  }

  /// It is over when each server was asked and each turn has ended, and not before.
  @Test func overWhenAllHaveEnded() throws {
    var turns = turns([first, second], within: .seconds(8))
    #expect(!turns.areOver)
    let one = try next(&turns, at: start)
    #expect(!turns.areOver)
    turns.ended(one, with: silence())
    #expect(!turns.areOver)
    let two = try next(&turns, at: start)
    #expect(!turns.areOver)
    turns.ended(two, with: silence())
    #expect(turns.areOver)
  }

  @Test func withoutServersItIsOver() { #expect(turns([], within: .seconds(1)).areOver) }
}

private enum AnyQuery {
  static let bytes = DNSQuery(
    id: 7, question: DNSQuestion(name: .root, type: .a), recursion: true, edns: false
  ).bytes
}
