// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Logging
import Monitoring
import NIOCore
import NIOHTTP1
import NIOPosix
import Status

/// The HTTP server: page, JSON, metrics, health, and the few actions of authorised clients; or the public page, which
/// only shows.
package struct LocalStatusServer: Sendable {
  private let listen: ListenAddress
  private let source: any StatusSource
  private let logger: Logger
  private let access: StatusAccess
  /// `nil` for the private page.
  private let publicFace: PublicFace?
  /// Key of the address in the configuration.
  package var key = "status.listen"
  /// Receives the reports of jobs. `nil` where none are taken.
  package var heartbeats: (any HeartbeatTaking)?
  /// Answers `/probe`. `nil` where it is off.
  package var probes: ProbeDoor?
  /// Which agent this is; `nil` where it has no socket for commands.
  package var mark: String?

  /// Open connections; for one more an idle one is closed.
  package var connections = Self.maxConnections
  /// As many as there are where the process has descriptors enough.
  static let maxConnections = 128
  /// Time that a client gets for sending a request, from its connection or the answer before, and once more for reading
  /// the answer. No byte prolongs it.
  static let patience: TimeAmount = .seconds(10)
  /// How long what still comes is read after the last answer.
  static let farewell: TimeAmount = .seconds(2)
  /// Time that connections get to finish when the server stops.
  static let grace: TimeAmount = .seconds(3)

  package init(
    listen: ListenAddress, source: any StatusSource, access: StatusAccess = StatusAccess(), logger: Logger
  ) {
    self.access = access
    self.listen = listen
    self.source = source
    self.logger = logger
    publicFace = nil
  }

  /// The public page, on an address of its own.
  package init(public face: PublicFace, listen: ListenAddress, source: any StatusSource, logger: Logger) {
    access = StatusAccess(allowUnauthenticated: true)
    (self.listen, self.source, self.logger) = (listen, source, logger)
    publicFace = face
    key = "status.public.listen"
  }

  /// Serves until the task is cancelled, then closes quietly.
  ///
  /// - Parameter onListening: told once where the server really listens, the kernel's choice of port included.
  /// - Throws: `StatusServerError`; nothing when cancelled.
  package func run(onListening: @escaping @Sendable (ListenAddress) -> Void = { _ in }) async throws {
    guard access.permits(listen) else { throw StatusServerError.notLoopback(listen) }
    if let what = listen.obstacle(key) { throw StatusServerError.cannotListen(listen, what) }
    // The library ends the process where the system gives no thread.
    guard startThread({}) else { throw StatusServerError.cannotListen(listen, "the system gives no thread") }
    // One thread: asking takes little, and the probes need the rest.
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    // Who waits for a probe takes nobody's place.
    let desk = ConnectionDesk(limit: connections + (probes?.desk.limit ?? 0))
    let forms = PageForms()
    let feed = LiveFeed(source: source, forms: access.runNowToken == nil ? nil : forms)
    var problem: StatusServerError?
    do {
      let channel = try await bind(bootstrap(group, desk, answering(feed, forms)))
      let address = bound(channel.localAddress?.port)
      logger.debug("status server listens", metadata: ["address": "\(address)"])
      onListening(address)
      try await withTaskCancellationHandler {
        try await channel.closeFuture.get()
      } onCancel: {
        channel.close(promise: nil)
      }
      if !Task.isCancelled { problem = .cannotListen(listen, "its socket was closed") }
      feed.close()
      await end(desk, group)
      removeSocket()
    } catch {
      problem = .cannotListen(listen, words(for: error), code: (error as? IOError)?.errnoCode)
    }
    try? await group.shutdownGracefully()
    if let problem { throw problem }
  }

  private func bootstrap(
    _ group: MultiThreadedEventLoopGroup, _ desk: ConnectionDesk, _ routes: any Answering
  ) -> ServerBootstrap {
    var limits = NIOHTTPDecoderLimitConfiguration()
    (limits.maxHeaderFieldSize, limits.maxHeaderListSize, limits.maxHeaderFieldCount) = (8192, 16_384, 64)
    let limitConfiguration = limits
    let heartbeats = heartbeats.map { HeartbeatDoor(desk: $0) }
    let hosts = AllowedHosts(listen: listen, further: access.hosts)
    let probes = probes.map { door -> StatusConnection.ProbeAnswering in
      { request in await door.reply(to: request, hosts: hosts) }
    }
    return ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 256)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          try pipeline.addHandler(HTTPResponseEncoder())
          try pipeline.addHandler(
            ByteToMessageHandler(HTTPRequestDecoder(limitConfiguration: limitConfiguration)))
          try pipeline.addHandler(
            StatusConnection(routes: routes, desk: desk, heartbeats: heartbeats, probes: probes))
        }
      }
  }

  private func answering(_ feed: LiveFeed, _ forms: PageForms) -> any Answering {
    if let publicFace { return PublicRoutes(publicFace, source: source) }
    var routes = Routes(
      source: source, hosts: AllowedHosts(listen: listen, further: access.hosts),
      runNow: RunNowGate(token: access.runNowToken),
      readGate: ReadGate(access, isSocket: listen.isSocket), isSocket: listen.isSocket,
      feed: feed)
    routes.mark = mark
    routes.signIn = SignInDesk(access)
    routes.button = forms
    routes.logSignIn = { [logger] isIn, name, address in
      let from: Logger.Metadata = ["from": "\(address)", "by": "\(name ?? "")"].filter { $0.value != "" }
      if isIn {
        logger.notice("signed in on the status page", metadata: from)
      } else {
        logger.warning("a wrong token was typed on the status page", metadata: from)
      }
    }
    routes.logFailure = { [logger] status, id in
      logger.warning(
        "a request to the status API failed", metadata: ["status": "\(status)", "request_id": "\(id)"])
    }
    return routes
  }

  private func bind(_ bootstrap: ServerBootstrap) async throws -> any Channel {
    switch listen {
    // What a killed agent left there is in the way.
    case .unix(let path):
      try await bootstrap.bind(unixDomainSocketPath: path, cleanupExistingSocketFile: true).get()
    case .tcp(let host, let port): try await bootstrap.bind(host: host, port: Int(port)).get()
    }
  }

  /// A client in the middle of a request must not hold up the end of the agent.
  private func end(_ desk: ConnectionDesk, _ group: MultiThreadedEventLoopGroup) async {
    desk.close()
    let last = group.next().scheduleTask(in: Self.grace) { desk.closeAll() }
    await desk.untilEmpty()
    last.cancel()
  }

  private func bound(_ port: Int?) -> ListenAddress {
    switch listen {
    case .unix(let path):
      // Until here the mode is what the umask left, which is no more than 0755: only the owner can connect.
      chmod(path, 0o660)
      return listen
    case .tcp(let host, let configured): return .tcp(host: host, port: port.map(UInt16.init) ?? configured)
    }
  }

  private func removeSocket() {
    if case .unix(let path) = listen { unlink(path) }
  }
}

extension ListenAddress {
  /// A file in the socket's place that is no socket, which is not ours to replace.
  fileprivate func obstacle(_ key: String) -> String? {
    var facts = stat()
    guard case .unix(let path) = self, lstat(path, &facts) == 0, facts.st_mode & S_IFMT != S_IFSOCK else {
      return nil
    }
    return "there is a file of another kind at this path; remove it or choose another \(key)"
  }
}

/// The system's word for it, without the library's call names.
private func words(for error: any Error) -> String {
  guard let error = error as? IOError else { return "\(error)" }
  return String(cString: strerror(error.errnoCode))
}
