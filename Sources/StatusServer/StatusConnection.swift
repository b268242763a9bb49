// SPDX-License-Identifier: MIT

import Basics
import NIOCore
import NIOHTTP1

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
    /// The answer went out. What still comes is thrown away: a connection closed upon unread bytes is reset, and the
    /// answer lost with it (RFC 9112 section 9.6).
    case draining
  }

  private let routes: Routes
  private let desk: ConnectionDesk
  private var number = 0
  private var state = State.asking
  /// Came while a request is being answered.
  private var pending: [HTTPServerRequestPart] = []
  private var wantsToRead = false
  private var hasEnded = false
  private var timer: Scheduled<Void>?

  init(routes: Routes, desk: ConnectionDesk) {
    self.routes = routes
    self.desk = desk
  }

  func channelActive(context: ChannelHandlerContext) {
    let leaving: (any Channel)?
    (number, leaving) = desk.enter(context.channel)
    closeLater(context, after: LocalStatusServer.patience)
    leaving?.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
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
    guard case .asking = state, error is HTTPParserError else { return context.close(promise: nil) }
    send(
      routes.failure(400, "BAD_REQUEST", "this is no HTTP/1.1 request, or its header is too long"),
      staysOpen: false, context)
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
    case (.reading(let request, var body, let staysOpen), .body(let piece)):
      // A piece more is enough to see that it is too long.
      if body.readableBytes <= StatusRequest.longestBody { body.writeImmutableBuffer(piece) }
      state = .reading(request, body, staysOpen: staysOpen)
    case (.reading(var request, let body, let staysOpen), .end):
      let isWhole = body.readableBytes <= StatusRequest.longestBody
      request.body = isWhole ? Array(body.readableBytesView) : nil
      answer(request, staysOpen: staysOpen, context)
    default: break
    }
  }

  private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    let request = StatusRequest(head)
    if request.isSubmission, request.hasBody {
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
    let (loop, routes, desk) = (context.eventLoop, routes, desk)
    let isTurn = request.isReading && !request.isHealth
    let begin = { @Sendable in
      _ = Task {
        let reply = await routes.reply(to: request)
        if isTurn { desk.giveTurn() }
        loop.execute {
          let (handler, context) = connection.value
          if context.channel.isActive { handler.send(reply, staysOpen: staysOpen, context) }
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

  private func send(_ reply: Reply, staysOpen: Bool, _ context: ChannelHandlerContext) {
    state = .answering
    let staysOpen = desk.send(number, bytes: reply.body.count) && staysOpen && !hasEnded
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
    guard desk.move(number, to: .asking), !hasEnded else { return context.close(promise: nil) }
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
    self.init(
      method: method, target: head.uri, host: hosts.count == 1 ? hosts[0] : nil,
      hasBody: head.headers.contains(name: "transfer-encoding") || !lengths.allSatisfy { $0 == "0" },
      authorization: head.headers.first(name: "authorization"),
      fetchSite: head.headers.first(name: "sec-fetch-site"))
  }
}
