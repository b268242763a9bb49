// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import NIOCore
import NIOEmbedded
import NIOHTTP1
import StatusSupport
import Synchronization
import Testing
@testable import StatusServer

/// One connection on a clock of its own: how long a client has, and what becomes of the connection behind an answer.
@Suite(.timeLimit(.minutes(1))) struct ConnectionTimeTests {
  /// Gives one answer to all requests, and keeps them.
  private final class Answers: Answering {
    let feed: LiveFeed?
    let given: Reply
    let asked = Mutex<[StatusRequest]>([])
    /// Ends when the answer may go.
    let gate: AsyncStream<Void>?

    init(_ given: Reply = Reply(200, text: "alive\n"), feed: LiveFeed? = nil, gate: AsyncStream<Void>? = nil)
    {
      (self.given, self.feed, self.gate) = (given, feed, gate)
    }

    func reply(to request: StatusRequest) async -> Reply {
      asked.withLock { $0.append(request) }
      if let gate { for await _ in gate {} }
      return given
    }

    func failure(_ status: Int, _ code: String, _ message: String) -> Reply {
      Reply(status, text: "\(code) \(message)\n")
    }
  }

  private func connect(
    _ routes: Answers = Answers(), desk: ConnectionDesk = ConnectionDesk(limit: 8),
    heartbeats: HeartbeatDoor? = nil
  ) async throws -> NIOAsyncTestingChannel {
    let channel = try await NIOAsyncTestingChannel { channel in
      try channel.pipeline.syncOperations.addHandler(
        StatusConnection(routes: routes, desk: desk, heartbeats: heartbeats))
    }
    try await channel.connect(to: NIOCore.SocketAddress(ipAddress: "192.0.2.1", port: 9)).get()
    return channel
  }

  private func ask(
    _ channel: NIOAsyncTestingChannel, _ target: String = "/livez", method: HTTPMethod = .GET,
    _ headers: HTTPHeaders = [:], body: [String] = []
  ) async throws {
    let head = HTTPRequestHead(version: .http1_1, method: method, uri: target, headers: headers)
    try await channel.writeInbound(HTTPServerRequestPart.head(head))
    for piece in body {
      try await channel.writeInbound(HTTPServerRequestPart.body(ByteBuffer(string: piece)))
    }
    try await channel.writeInbound(HTTPServerRequestPart.end(nil))
  }

  private func answer(_ channel: NIOAsyncTestingChannel) async throws -> (
    head: HTTPResponseHead, body: String
  ) {
    var (head, body): (HTTPResponseHead?, String) = (nil, "")
    while true {
      switch try await channel.waitForOutboundWrite(as: HTTPServerResponsePart.self) {
      case .head(let given): head = given
      case .body(.byteBuffer(let buffer)): body += String(buffer: buffer)
      case .body: break
      case .end:
        await channel.testingEventLoop.run()
        return (try #require(head), body)
      }
    }
  }

  /// Whether the connection is open just before so much time is over, and whether it is open then.
  private func isOpen(_ channel: NIOAsyncTestingChannel, around time: TimeAmount) async -> [Bool] {
    await channel.testingEventLoop.advanceTime(by: time - .milliseconds(1))
    let before = channel.isActive
    await channel.testingEventLoop.advanceTime(by: .milliseconds(1))
    return [before, channel.isActive]
  }

  /// Ten seconds to ask, from the connection on, and again from each answer on.
  @Test func timeToAsk() async throws {
    let silent = try await connect()
    #expect(await isOpen(silent, around: .seconds(10)) == [true, false])
    let channel = try await connect()
    await channel.testingEventLoop.advanceTime(by: .seconds(9))
    try await ask(channel)
    let first = try await answer(channel)
    #expect(first.body == "alive\n" && first.head.headers["connection"] == ["keep-alive"])
    #expect(await isOpen(channel, around: .seconds(10)) == [true, false])
  }

  /// No byte of a body prolongs it.
  @Test func noByteProlongsIt() async throws {
    let channel = try await connect()
    let head = HTTPRequestHead(
      version: .http1_1, method: .POST, uri: "/act", headers: ["Content-Length": "100"])
    try await channel.writeInbound(HTTPServerRequestPart.head(head))
    await channel.testingEventLoop.advanceTime(by: .seconds(9))
    try await channel.writeInbound(HTTPServerRequestPart.body(ByteBuffer(string: "x")))
    #expect(await isOpen(channel, around: .seconds(1)) == [true, false])
  }

  /// While the answer is made the client's time stands still; then it has ten seconds to take it.
  @Test func theAnswerTakesNoTime() async throws {
    let (gate, release) = AsyncStream.makeStream(of: Void.self)
    let channel = try await connect(Answers(gate: gate))
    try await ask(channel)
    await channel.testingEventLoop.advanceTime(by: .seconds(600))
    #expect(channel.isActive)
    release.finish()
    #expect(try await answer(channel).head.status == .ok)
    #expect(await isOpen(channel, around: .seconds(10)) == [true, false])
  }

  /// Requests that come before the answer to the first are answered one by one, in their order.
  @Test func requestsInARow() async throws {
    let routes = Answers()
    let channel = try await connect(routes)
    for target in ["/a", "/b", "/c"] { try await ask(channel, target) }
    for _ in 0..<3 { #expect(try await answer(channel).head.headers["connection"] == ["keep-alive"]) }
    #expect(routes.asked.withLock { $0.map(\.target) } == ["/a", "/b", "/c"])
    #expect(channel.isActive)
    try await channel.close()
  }

  /// The connection ends behind an answer where the client wants that, or sent a body that is not read.
  @Test(
    arguments: [
      (.GET, "/", [:], true), (.GET, "/", ["Connection": "close"], false),
      (.GET, "/", ["Content-Length": "5"], false), (.GET, "/", ["Content-Length": "0"], true),
      (.GET, "/", ["Transfer-Encoding": "chunked"], false), (.POST, "/x", ["Content-Length": "5"], false),
      (.POST, "/act", ["Content-Length": "5"], true),
      (.POST, "/act", ["Content-Length": "5", "Connection": "close"], false),
      (.POST, "/hb/token", ["Content-Length": "5"], false),
      (.POST, "/api/v1/spool/submit", ["Content-Length": "5"], true),
    ] as [(HTTPMethod, String, HTTPHeaders, Bool)])
  func whatBecomesOfIt(method: HTTPMethod, target: String, headers: HTTPHeaders, staysOpen: Bool) async throws
  {
    let channel = try await connect()
    try await ask(
      channel, target, method: method, headers,
      body: headers.contains(name: "content-length") ? ["12345"] : [])
    let head = try await answer(channel).head
    #expect(head.headers["connection"] == [staysOpen ? "keep-alive" : "close"])
    #expect(head.headers["content-length"] == ["6"])
    await channel.testingEventLoop.advanceTime(by: .seconds(2))
    #expect(channel.isActive == staysOpen)
    if staysOpen { try await channel.close() }
  }

  /// What reads the agent's state waits for its turn; what reads nothing, or does something, does not.
  @Test func turns() async throws {
    let (routes, desk) = (Answers(), ConnectionDesk(limit: 20))
    desk.awaitTurn(0) {}
    var waiting: [NIOAsyncTestingChannel] = []
    let read = ["/", "/probe", "/livez?x", "/api/v1/checks"]
    for target in read {
      waiting.append(try await connect(routes, desk: desk))
      try await ask(waiting[waiting.count - 1], target)
    }
    let others: [(HTTPMethod, String)] = [
      (.GET, "/livez"), (.HEAD, "/readyz"), (.GET, "/hb/token"), (.POST, "/x"), (.PUT, "/x"),
    ]
    for (method, target) in others {
      let channel = try await connect(routes, desk: desk)
      try await ask(channel, target, method: method)
      _ = try await answer(channel)
      try await channel.close()
    }
    #expect(routes.asked.withLock { $0.map(\.target) } == others.map { $0.1 })
    desk.giveTurn()
    for channel in waiting {
      _ = try await answer(channel)
      try await channel.close()
    }
    #expect(routes.asked.withLock { $0.map(\.target) } == others.map { $0.1 } + read)
  }

  private struct Jobs: HeartbeatTaking {
    func take(_ report: HeartbeatReport, token: String) async -> HeartbeatAnswer {
      report.body.count == 5 ? .taken : .unknown
    }
  }

  /// The body of a report is read where reports are taken, of one that is posted alone.
  @Test(
    arguments: [(.POST, .ok, "keep-alive"), (.GET, .notFound, "close")]
      as [(HTTPMethod, HTTPResponseStatus, String)])
  func bodiesOfReports(method: HTTPMethod, status: HTTPResponseStatus, connection: String) async throws {
    let channel = try await connect(heartbeats: HeartbeatDoor(desk: Jobs()))
    try await ask(channel, "/hb/token", method: method, ["Content-Length": "5"], body: ["123", "45"])
    let head = try await answer(channel).head
    #expect(head.status == status && head.headers["connection"] == [connection])
    if connection == "keep-alive" { try await channel.close() }
  }

  /// No stream begins once the server ends, or where the client says no more.
  @Test(arguments: [false, true]) func noStreamAtTheEnd(isClosing: Bool) async throws {
    let feed = LiveFeed(source: try sampleSource())
    feed.state.withLock { $0.isRunning = true }
    let (gate, release) = AsyncStream.makeStream(of: Void.self)
    let desk = ConnectionDesk(limit: 8)
    let channel = try await connect(Answers(Reply(200, .events, []), feed: feed, gate: gate), desk: desk)
    try await ask(channel, "/events")
    if isClosing {
      desk.close()
    } else {
      channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    }
    await channel.testingEventLoop.run()
    #expect(channel.isActive)
    release.finish()
    try await channel.closeFuture.get()
    #expect(try await channel.readOutbound(as: HTTPServerResponsePart.self) == nil)
    #expect(feed.state.withLock { $0.readers.isEmpty })
  }

  /// A body to its last byte that is kept; of one byte more nothing is.
  @Test(arguments: [(0, 0), (4095, 4095), (4096, 4096), (4097, nil), (9000, nil)] as [(Int, Int?)])
  func bodiesOfForms(length: Int, kept: Int?) async throws {
    let routes = Answers()
    let channel = try await connect(routes)
    let half = length / 2
    try await ask(
      channel, "/act", method: .POST, ["Content-Length": "\(max(1, length))"],
      body: [String(repeating: "a", count: half), String(repeating: "b", count: length - half)])
    _ = try await answer(channel)
    #expect(routes.asked.withLock { $0.first?.body?.count } == kept)
    #expect(routes.asked.withLock { $0.first?.remote?.description } == "192.0.2.1")
    try await channel.close()
  }

  /// What is no request is answered and ends the connection; another fault ends it without a word.
  @Test func faults() async throws {
    let channel = try await connect()
    channel.pipeline.fireErrorCaught(HTTPParserError.invalidHeaderToken)
    let refusal = try await answer(channel)
    #expect(refusal.head.status == .badRequest && refusal.head.headers["connection"] == ["close"])
    #expect(refusal.body == "BAD_REQUEST the request is malformed, or its header is too long\n")
    let other = try await connect()
    other.pipeline.fireErrorCaught(ChannelError.inappropriateOperationForState)
    await other.testingEventLoop.run()
    #expect(!other.isActive)
    let gone = try await connect()
    gone.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    await gone.testingEventLoop.run()
    #expect(!gone.isActive)
  }

  /// A client that says no more gets its answer, and the connection ends.
  @Test func aClientThatSaysNoMore() async throws {
    let (gate, release) = AsyncStream.makeStream(of: Void.self)
    let channel = try await connect(Answers(gate: gate))
    try await ask(channel)
    channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    await channel.testingEventLoop.run()
    #expect(channel.isActive)
    release.finish()
    let given = try await answer(channel)
    #expect(given.body == "alive\n" && given.head.headers["connection"] == ["close"] && !channel.isActive)
  }

  /// A stream has no time, and its reader leaves with the connection; where all seats are taken the answer says so and is the
  /// last one.
  @Test func streams() async throws {
    let feed = LiveFeed(source: try sampleSource())
    feed.state.withLock { $0.isRunning = true }
    let routes = Answers(Reply(200, .events, []), feed: feed)
    let channel = try await connect(routes)
    try await ask(channel, "/events")
    guard case .head(let head) = try await channel.waitForOutboundWrite(as: HTTPServerResponsePart.self)
    else {
      Issue.record("no head")
      return
    }
    #expect(head.headers["content-type"] == ["text/event-stream; charset=utf-8"])
    #expect(head.headers["connection"] == ["close"] && head.headers["content-length"] == [])
    await channel.testingEventLoop.advanceTime(by: .seconds(3600))
    #expect(channel.isActive && feed.state.withLock { $0.readers.count } == 1)
    try await channel.close()
    #expect(feed.state.withLock { $0.readers.count } == 0)
    feed.state.withLock { state in
      for seat in 1...32 { state.readers[seat] = LiveFeed.Reader(channel: channel) }
    }
    let late = try await connect(routes)
    try await ask(late, "/events")
    let refusal = try await answer(late)
    #expect(refusal.head.status == .serviceUnavailable && refusal.head.headers["connection"] == ["close"])
    #expect(refusal.body == "TOO_MANY_STREAMS 32 streams are open; the page can be fetched\n")
  }
}
