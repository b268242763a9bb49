// SPDX-License-Identifier: MIT

import Basics
import Foundation
import TestSupport
import Testing

@testable import Curl

/// Mail over libcurl. The clock stands still unless a test moves it, so that what is told is told without any wait.
@Suite(.timeLimit(.minutes(1))) struct MailTransferTests {
  private func mail(_ port: UInt16, to recipients: [String] = ["a@x.test"]) -> MailTransfer {
    MailTransfer(
      host: "127.0.0.1", address: SocketAddress(.v4(0x7f00_0001), port: port), security: .none,
      sender: "q@x.test", recipients: recipients, content: Array("Subject: t\r\n\r\nbody\r\n".utf8))
  }

  /// Moves the clock to the moment at which the client ends its connection, and not beyond, and waits for that.
  private func ends(_ server: MailServer, _ clock: FakeClock, at moment: Duration) async throws {
    await clock.someoneSleeps(until: moment)
    clock.advance(by: moment - clock.elapsed)
    try await until("the end of the connection") { server.ended == 1 }
  }

  /// The reply to the data is the outcome, whatever becomes of the connection, which is over two seconds later.
  @Test(arguments: MailServer.Ending.allCases)
  func taken(_ ending: MailServer.Ending) async throws {
    let server = MailServer()
    server.set { $0.ending = ending }
    try await withLoopbackServer(script: { server.serve($0) }) { place in
      let clock = FakeClock()
      #expect(await mail(place.port, to: ["a@x.test", "b@x.test"]).send(time: clock.time) == .taken)
      #expect(clock.elapsed == .zero)
      #expect(server.mails.map(\.recipients) == [["a@x.test", "b@x.test"]])
      try await until("the farewell") { server.quits == 1 }
      try await ends(server, clock, at: .seconds(2))
      #expect(server.received == 1)
    }
  }

  /// While the time for the farewell lasts, the connection is left alone.
  @Test func aSlowFarewell() async throws {
    let server = MailServer()
    server.set { $0.ending = .silent }
    try await withLoopbackServer(script: { server.serve($0) }) { place in
      let clock = FakeClock()
      #expect(await mail(place.port).send(time: clock.time) == .taken)
      try await until("the farewell") { server.quits == 1 }
      await clock.someoneSleeps(until: .seconds(2))
      clock.advance(by: .milliseconds(1900))
      // The task that ends it sleeps on.
      await clock.someoneSleeps(until: .seconds(2))
      #expect(server.ended == 0)
      try await ends(server, clock, at: .seconds(2))
    }
  }

  /// In the words of every other connection.
  @Test func nobodyListens() async throws {
    let transfer = mail(try freePort())
    #expect(await transfer.send(time: FakeClock().time) == .failed("connection refused"))
  }

  /// A refusal at the end of the data is the failure that it is, at once.
  @Test(
    arguments: [
      ("451 later\r\n", MailTransfer.End.answered(MailReply(451, "later"))),
      ("552 too large\r\n", .answered(MailReply(552, "too large"))),
      ("554-no\r\n554-really\r\n554 never\r\n", .answered(MailReply(554, "no really never"))),
      ("250-a\r\n250 b\r\n", .taken),
      ("252 b\r\n", .taken),
      ("354 what\r\n", .failed("an unexpected reply to the mail: 354 what")),
      ("421\r\n", .answered(MailReply(421))),
    ], MailServer.Ending.allCases)
  func judged(_ reply: (String, MailTransfer.End), _ ending: MailServer.Ending) async throws {
    let server = MailServer()
    server.set { ($0.afterData, $0.ending) = (reply.0, ending) }
    try await withLoopbackServer(script: { server.serve($0) }) { place in
      let clock = FakeClock()
      #expect(await mail(place.port).send(time: clock.time) == reply.1)
      #expect(clock.elapsed == .zero && server.received == 1)
      try await ends(server, clock, at: .seconds(2))
    }
  }

  /// A recipient that is no more keeps the others from nothing.
  @Test func twoRecipients() async throws {
    let server = MailServer()
    try await withLoopbackServer(script: { server.serve($0) }) { place in
      let end = await mail(place.port, to: ["bad@x.test", "b@x.test"]).send(time: FakeClock().time)
      #expect(end == .taken && server.mails.map(\.recipients) == [["b@x.test"]])
    }
  }

  /// Before the data libcurl says QUIT inside the transfer: what it hangs in is ended, and the refusal stays one.
  @Test(arguments: [MailServer.Ending.silent, .dripping, .flooding])
  func refusedBefore(_ ending: MailServer.Ending) async throws {
    let server = MailServer()
    server.set { $0.ending = ending }
    try await withLoopbackServer(script: { server.serve($0) }) { place in
      let clock = FakeClock()
      let transfer = mail(place.port, to: ["bad@x.test", "bad2@x.test"])
      let task = Task { await transfer.send(time: clock.time) }
      try await until("the farewell") { server.quits == 1 }
      try await ends(server, clock, at: .seconds(2))
      #expect(await task.value == .answered(MailReply(550, "no such user")))
      #expect(server.received == 0)
    }
  }

  /// A server that never comes to its point is given up, by libcurl or when the time is over.
  @Test func aFlood() async throws {
    let server = MailServer()
    server.set { $0.flood = "250-more\r\n" }
    try await withLoopbackServer(script: { server.serve($0) }) { place in
      let clock = FakeClock()
      let transfer = mail(place.port)
      let task = Task { await transfer.send(time: clock.time) }
      try await until("a connection") { place.accepted == 1 }
      // It is either ended by libcurl, or by our clock.
      try await until("the end of the connection") {
        clock.advance(by: .milliseconds(100))
        return server.ended == 1
      }
      let end = await task.value
      #expect(
        [.failed("no reply within 10s"), .failed("Failure when receiving data from the peer")].contains(end),
        "\(end)")
      #expect(server.ended == 1)
    }
  }

  /// Whoever stops before the mail was handed over waits for nothing.
  @Test func stoppedBefore() async throws {
    let server = MailServer()
    server.set { $0.greeting = "" }
    try await withLoopbackServer(script: { server.serve($0) }) { place in
      let clock = FakeClock()
      let transfer = mail(place.port)
      let task = Task { await transfer.send(time: clock.time) }
      try await until("a connection") { place.accepted == 1 }
      task.cancel()
      #expect(await task.value == .failed("stopped"))
      try await until("the end") { server.ended == 1 }
      #expect(clock.elapsed == .zero && server.quits == 0)
    }
  }

  /// A mail that was handed over may have been taken: its reply is waited for, but not for long.
  @Test(arguments: [true, false])
  func stoppedAfter(_ comes: Bool) async throws {
    let server = MailServer()
    let said = DispatchSemaphore(value: 0)
    server.set { $0.afterData = nil }
    let script: @Sendable (LoopbackConnection) -> Void = { connection in
      if comes {
        // The reply to the data comes when the test says so.
        let late = LoopbackConnection(descriptor: connection.descriptor)
        Thread {
          _ = said.wait(timeout: .now() + 30)
          late.write("250 kept\r\n")
        }.start()
      }
      server.serve(connection)
    }
    try await withLoopbackServer(script: script) { place in
      let clock = FakeClock()
      let transfer = mail(place.port)
      let task = Task { await transfer.send(time: clock.time) }
      try await until("the data") { server.received == 1 }
      task.cancel()
      if comes {
        said.signal()
        #expect(await task.value == .taken)
        #expect(clock.elapsed == .zero)
      } else {
        try await ends(server, clock, at: .seconds(3))
        #expect(await task.value == .failed("stopped while the reply to the mail was due"))
      }
    }
  }
}
