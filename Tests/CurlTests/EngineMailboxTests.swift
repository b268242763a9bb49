// SPDX-License-Identifier: MIT

import Glibc
import Testing

@testable import Basics
@testable import Curl

/// What is handed to the engine's thread from outside, and when its bell rings.
@Suite(.timeLimit(.minutes(1))) struct EngineMailboxTests {
  private func ticket() -> TransferTicket {
    TransferTicket(
      TransferRequest(url: "http://a/", timeout: .seconds(1), goal: .headers),
      submitted: Instant(nanoseconds: 0))
  }

  /// Whether the bell rang since the last look, and lays its thread to sleep again.
  private func rang(_ bell: LoopBell) -> Bool {
    var count: UInt64 = 0
    defer { bell.fallAsleep() }
    return read(bell.descriptor, &count, 8) == 8
  }

  @Test func whatIsHandedIn() async throws {
    let bell = try #require(LoopBell())
    let box = EngineMailbox(bell: bell)
    let one = ticket()
    #expect(box.isIdle && !rang(bell))
    await withCheckedContinuation { reply in
      var (starts, cancels): ([TransferTicket], [TransferTicket]) = ([], [])
      box.submit(one, reply: reply)
      #expect(!box.isIdle && rang(bell))
      #expect(box.take(&starts, &cancels) == false)
      #expect(starts.map { $0 === one } == [true] && cancels.isEmpty && box.isIdle)
      box.cancel(one)
      #expect(!box.isIdle && rang(bell))
      starts = []
      #expect(box.take(&starts, &cancels) == false)
      #expect(starts.isEmpty && cancels.map { $0 === one } == [true] && box.isIdle)
      one.end(nil)?.resume()
    }
    // It has ended: there is nothing to cancel.
    box.cancel(one)
    #expect(box.isIdle && !rang(bell) && one.end(nil) == nil)
  }

  /// What was cancelled before, or comes when the engine closes, goes on at once and leaves nothing.
  @Test func whatIsTurnedAway() async throws {
    let bell = try #require(LoopBell())
    let box = EngineMailbox(bell: bell)
    let (early, late) = (ticket(), ticket())
    box.cancel(early)
    #expect(box.isIdle && !rang(bell))
    await withCheckedContinuation { box.submit(early, reply: $0) }
    #expect(box.isIdle && !rang(bell))
    box.close()
    #expect(!box.isIdle && rang(bell))
    await withCheckedContinuation { box.submit(late, reply: $0) }
    var (starts, cancels): ([TransferTicket], [TransferTicket]) = ([], [])
    #expect(box.take(&starts, &cancels) == true)
    #expect(starts.isEmpty && cancels.isEmpty && !rang(bell))
  }

  /// A report is taken once.
  @Test func aReportIsTakenOnce() {
    let ticket = ticket()
    #expect(ticket.takeReport() == nil && ticket.end(TransferReport(outcome: .complete)) == nil)
    #expect(ticket.takeReport()?.outcome == .complete)
    #expect(ticket.takeReport() == nil && !ticket.mustBeCancelled())
  }

  @Test func aBoardShowsWhatWasWrittenLast() {
    let board = WaitBoard()
    let wait = QueueWait(.starts, .asked, count: 1, since: Instant(nanoseconds: 5))
    #expect(board.waits.isEmpty)
    board.write([wait])
    #expect(board.waits == [wait])
    board.write([])
    #expect(board.waits.isEmpty)
  }

  /// The first of each stamp counts.
  @Test func firstStamps() {
    var stamps = TransferStamps()
    for (at, what) in [(1, Arrival.connection), (2, .connection), (3, .answer), (4, .answer)]
      as [(Int64, Arrival)]
    {
      stamps.note(what, at: Instant(nanoseconds: at))
    }
    #expect(
      stamps.writableSince == Instant(nanoseconds: 1) && stamps.readableSince == Instant(nanoseconds: 3))
  }

  /// A socket is taken once, and closed where it was not.
  @Test func aConnectionIsTakenOnce() throws {
    let place = SocketAddress(.v4(0x7f00_0001), port: 80)
    let (own, other) = try socketPair()
    defer { close(other) }
    do {
      let connection = ConnectedSocket(own, to: place, synRetransmits: 2)
      #expect(connection.synRetransmits == 2 && connection == connection)
      #expect(connection != ConnectedSocket(-1, to: place) && ConnectedSocket(-1, to: place).take() == nil)
    }
    var byte: UInt8 = 0
    #expect(recv(other, &byte, 1, Int32(MSG_DONTWAIT)) == 0, "it was closed")
    let (kept, peer) = try socketPair()
    defer { for number in [kept, peer] { close(number) } }
    do {
      let connection = ConnectedSocket(kept, to: place)
      #expect(connection.take() == kept)
      #expect(connection.take() == nil)
    }
    #expect(recv(peer, &byte, 1, Int32(MSG_DONTWAIT)) == -1 && errno == EAGAIN)
  }
}
