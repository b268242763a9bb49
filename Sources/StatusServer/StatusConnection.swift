// SPDX-License-Identifier: MIT

import Basics
import NIOCore
import NIOHTTP1

/// From a request to its answer.
protocol Answering: Sendable {
  /// `nil` without events.
  var feed: LiveFeed? { get }
  func reply(to request: StatusRequest) async -> Reply
  /// Answer to a bad request.
  func failure(_ status: Int, _ code: String, _ message: String) -> Reply
}

/// One connection: requests one after the other, each with a time to be asked and a time to be taken that no single
/// byte prolongs.
///
/// Belongs to its event loop.
final class StatusConnection: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private enum State {
    case asking
    /// The head of the one request that has a body, and what came of it.
    case reading(StatusRequest, ByteBuffer, staysOpen: Bool)
    /// An answer is on its way.
    case answering
    /// The answer went out. Further bytes are discarded: a connection closed upon unread bytes is reset, and the answer
    /// lost with it (RFC 9112 section 9.6).
    case draining
    /// Events go out from its seat until the client goes or the server ends.
    case streaming(LiveFeed, seat: Int)
  }

  private let routes: any Answering
  private let desk: ConnectionDesk
  private let heartbeats: HeartbeatDoor?
  /// `nil` where `/probe` is off.
  private let probes: ProbeAnswering?
  private var number = 0
  private var state = State.asking
  /// Came while a request is being answered.
  private var pending: [HTTPServerRequestPart] = []
  private var wantsToRead = false
  private var hasEnded = false
  /// Bytes behind the request cannot be read.
  private var isBroken = false
  /// Of the body that is being read.
  private var bodyBytes = 0
  private var timer: Scheduled<Void>?

  /// `nil` for any other request.
  typealias ProbeAnswering = @Sendable (StatusRequest) async -> Reply?

  init(
    routes: any Answering, desk: ConnectionDesk, heartbeats: HeartbeatDoor? = nil,
    probes: ProbeAnswering? = nil
  ) {
    self.probes = probes
    self.routes = routes
    self.desk = desk
    self.heartbeats = heartbeats
  }

  func channelActive(context: ChannelHandlerContext) {
    let leaving: (any Channel)?
    (number, leaving) = desk.enter(context.channel)
    closeLater(context, after: LocalStatusServer.patience)
    leaving?.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    if case .streaming(let feed, let seat) = state { feed.leave(seat) }
    desk.leave(number)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard case .inputClosed = event as? ChannelEvent else {
      return context.fireUserInboundEventTriggered(event)
    }
    hasEnded = true
    // Who has asked and says no more still gets his answer.
    if case .answering = state { return }
    context.close(promise: nil)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    switch state {
    case .asking where error is HTTPParserError:
      send(
        routes.failure(400, "BAD_REQUEST", "the request is malformed, or its header is too long"),
        staysOpen: false, context)
    // What comes behind a request does not take its answer away.
    case .answering: isBroken = true
    case .draining: break
    default: context.close(promise: nil)
    }
  }

  /// Nothing is read that is not asked for yet.
  func read(context: ChannelHandlerContext) {
    if case .answering = state { wantsToRead = true } else { context.read() }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let part = unwrapInboundIn(data)
    if case .answering = state { pending.append(part) } else { take(part, context) }
  }

  private func take(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
    switch (state, part) {
    case (.asking, .head(let head)): begin(head, context)
    case (.reading(var request, var body, let staysOpen), .body(let piece)):
      body.take(piece, of: request)
      state = .reading(request, body, staysOpen: staysOpen)
      bodyBytes += piece.readableBytes
      guard request.isHeartbeat, bodyBytes > StatusRequest.longestBody else { return }
      // Enough of it was thrown away: what still comes is drained after the answer.
      request.body = Array(body.readableBytesView.prefix(request.keptBody))
      answer(request, staysOpen: false, context)
    case (.reading(var request, let body, let staysOpen), .end):
      let isWhole = request.isHeartbeat || body.readableBytes <= request.keptBody
      request.body = isWhole ? Array(body.readableBytesView.prefix(request.keptBody)) : nil
      answer(request, staysOpen: staysOpen, context)
    default: break
    }
  }

  private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    // RFC 9112, section 6.3: any other body has no known end.
    if let codings = head.headers["transfer-encoding"].last,
      codings.lowercased().split(whereSeparator: { ", \t".contains($0) }).last != "chunked"
    {
      return send(
        routes.failure(400, "BAD_REQUEST", "the last Transfer-Encoding of a request must be chunked"),
        staysOpen: false, context)
    }
    var request = StatusRequest(head)
    request.remote = context.channel.remoteAddress?.ipAddress.flatMap { IPAddress($0) }
    let isWanted =
      request.isSubmission || request.isForm
      || heartbeats != nil && request.isHeartbeat && request.method == .post
    if isWanted, request.hasBody {
      bodyBytes = 0
      state = .reading(request, context.channel.allocator.buffer(capacity: 0), staysOpen: head.isKeepAlive)
    } else {
      // A body that nobody wants is not waited for.
      answer(request, staysOpen: head.isKeepAlive && !request.hasBody, context)
    }
  }

  private func answer(_ request: StatusRequest, staysOpen: Bool, _ context: ChannelHandlerContext) {
    state = .answering
    timer?.cancel()
    let connection = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    let (loop, routes, desk, heartbeats) = (context.eventLoop, routes, desk, heartbeats)
    let probes = probes
    // A report may wait for the disk, and reads nothing; a probe waits for its target.
    let isTurn =
      request.isReading && !request.isHealth && !request.isHeartbeat && !(request.isProbe && probes != nil)
    let begin = { @Sendable in
      _ = Task {
        var reply: Reply
        if let report = await heartbeats?.reply(to: request) {
          reply = report
        } else if let probe = await probes?(request) {
          reply = probe
        } else {
          reply = await routes.reply(to: request)
        }
        // Here and not on the event loop, and no two at once for who reads.
        reply.compress(for: request.acceptEncoding)
        if isTurn { desk.giveTurn() }
        let answer = reply
        loop.execute {
          let (handler, context) = connection.value
          if context.channel.isActive { handler.send(answer, staysOpen: staysOpen, context) }
        }
      }
    }
    if isTurn {
      desk.awaitTurn(number, begin)
    } else {
      _ = desk.move(number, to: .answering)
      begin()
    }
  }

  /// The head, and from then on what the feed sends.
  private func stream(_ reply: Reply, _ feed: LiveFeed, _ context: ChannelHandlerContext) {
    guard let seat = feed.join(context.channel) else {
      return send(
        routes.failure(
          503, "TOO_MANY_STREAMS", "\(LiveFeed.maxReaders) streams are open; the page can be fetched"),
        staysOpen: false, context)
    }
    state = .streaming(feed, seat: seat)
    timer?.cancel()
    pending = []
    guard desk.move(number, to: .streaming), !hasEnded else { return context.close(promise: nil) }
    // Best effort: with the system's own size it takes longer to see who does not read.
    context.channel.setOption(.socketOption(.so_sndbuf), value: LiveFeed.sendBuffer).whenFailure { _ in }
    let headers = HTTPHeaders(reply.headers + [("Connection", "close")])
    context.writeAndFlush(
      wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .ok, headers: headers))), promise: nil
    )
    resume(context)
  }

  private func send(_ reply: Reply, staysOpen: Bool, _ context: ChannelHandlerContext) {
    if case .events = reply.kind, !reply.omitsBody, let feed = routes.feed {
      return stream(reply, feed, context)
    }
    state = .answering
    let staysOpen = desk.send(number, bytes: reply.body.count) && staysOpen && !hasEnded && !isBroken
    closeLater(context, after: LocalStatusServer.patience)
    context.write(wrapOutboundOut(.head(HTTPResponseHead(reply, staysOpen: staysOpen))), promise: nil)
    if !reply.omitsBody, !reply.body.isEmpty {
      context.write(
        wrapOutboundOut(.body(.byteBuffer(context.channel.allocator.buffer(bytes: reply.body)))), promise: nil
      )
    }
    let connection = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { result in
      let (handler, context) = connection.value
      switch result {
      case .success where staysOpen: handler.goOn(context)
      case .success: handler.drain(context)
      case .failure: context.close(promise: nil)
      }
    }
  }

  /// The next request, which may be there already.
  private func goOn(_ context: ChannelHandlerContext) {
    guard desk.move(number, to: .asking), !hasEnded, !isBroken else { return context.close(promise: nil) }
    state = .asking
    closeLater(context, after: LocalStatusServer.patience)
    while !pending.isEmpty {
      if case .answering = state { return }
      take(pending.removeFirst(), context)
    }
    resume(context)
  }

  private func drain(_ context: ChannelHandlerContext) {
    guard !hasEnded else { return context.close(promise: nil) }
    state = .draining
    pending = []
    _ = desk.move(number, to: .asking)
    closeLater(context, after: LocalStatusServer.farewell)
    context.close(mode: .output, promise: nil)
    resume(context)
  }

  private func resume(_ context: ChannelHandlerContext) {
    guard wantsToRead else { return }
    wantsToRead = false
    context.read()
  }

  private func closeLater(_ context: ChannelHandlerContext, after time: TimeAmount) {
    timer?.cancel()
    let channel = context.channel
    timer = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
  }
}

extension HTTPResponseHead {
  fileprivate init(_ reply: Reply, staysOpen: Bool) {
    var headers = HTTPHeaders(reply.headers)
    headers.add(name: "Content-Length", value: String(reply.body.count))
    headers.add(name: "Connection", value: staysOpen ? "keep-alive" : "close")
    self.init(version: .http1_1, status: HTTPResponseStatus(statusCode: reply.status), headers: headers)
  }
}

extension StatusRequest {
  init(_ head: HTTPRequestHead) {
    let method: Method =
      switch head.method {
      case .GET: .get
      case .HEAD: .head
      case .POST: .post
      default: .other
      }
    let lengths = head.headers["content-length"]
    // Two would be read one way here and another way elsewhere (RFC 9112 section 3.2).
    let hosts = head.headers["host"]
    let absolute = Self.absolute(head.uri)
    self.init(
      method: method, target: absolute?.target ?? head.uri,
      host: hosts.count == 1 ? absolute?.host ?? hosts[0] : nil,
      hasBody: head.headers.contains(name: "transfer-encoding") || !lengths.allSatisfy { $0 == "0" },
      authorization: head.headers.first(name: "authorization"),
      fetchSite: head.headers.first(name: "sec-fetch-site"),
      accept: head.headers["accept"].joined(separator: ","))
    scrapeTimeout = head.headers.first(name: "x-prometheus-scrape-timeout-seconds")
    origin = head.headers.first(name: "origin")
    let cookies = head.headers["cookie"]
    if !cookies.isEmpty { cookie = cookies.joined(separator: ";") }
    isEncrypted = head.headers.first(name: "x-forwarded-proto")?.lowercased() == "https"
    isForwarded = Self.isForwarded(head.headers)
    forwardedFor = Self.forwardedFor(head.headers)
    let languages = head.headers["accept-language"]
    if !languages.isEmpty { acceptLanguage = languages.joined(separator: ",") }
    let encodings = head.headers["accept-encoding"]
    if !encodings.isEmpty { acceptEncoding = encodings.joined(separator: ",") }
  }

  /// A target in absolute form taken apart; its authority counts, whatever Host says (RFC 9112, section 3.2.2).
  private static func absolute(_ target: String) -> (host: String, target: String)? {
    guard let scheme = ["http://", "https://"].first(where: { target.lowercased().hasPrefix($0) }) else {
      return nil
    }
    let rest = target.dropFirst(scheme.count)
    let host = rest.prefix { $0 != "/" && $0 != "?" }
    let path = rest[host.endIndex...]
    return (String(host), path.hasPrefix("/") ? String(path) : "/" + path)
  }
}

extension ByteBuffer {
  /// Of a report the last bytes are kept, for the end of an output says why it failed. Of any other body a piece more than
  /// it may have is enough to see that it is too long.
  fileprivate mutating func take(_ piece: ByteBuffer, of request: StatusRequest) {
    guard request.isHeartbeat else {
      if readableBytes <= request.keptBody { writeImmutableBuffer(piece) }
      return
    }
    var end = piece
    end.moveReaderIndex(forwardBy: max(0, piece.readableBytes - request.keptBody))
    writeBuffer(&end)
    moveReaderIndex(forwardBy: max(0, readableBytes - request.keptBody))
    discardReadBytes()
  }
}
