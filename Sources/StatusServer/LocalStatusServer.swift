// SPDX-License-Identifier: MIT

import Glibc
import Hummingbird
import HummingbirdCore
import Logging
import Monitoring
import NIOCore

/// The local HTTP server: page, JSON, metrics, health. It reads; the one thing it can do is to run a check now.
package struct LocalStatusServer: Sendable {
  private let listen: ListenAddress
  private let source: any StatusSource
  private let logger: Logger
  private let access: StatusAccess

  /// Open connections; more wait until one ends.
  static let maxConnections = 128
  /// A connection that is silent this long is closed.
  static let idleTimeout: TimeAmount = .seconds(10)
  /// What connections get to finish in when the server stops.
  static let grace: Duration = .seconds(3)

  package init(
    listen: ListenAddress, source: any StatusSource, access: StatusAccess = StatusAccess(), logger: Logger
  ) {
    self.access = access
    self.listen = listen
    self.source = source
    self.logger = logger
  }

  /// Serves until the task is cancelled, then closes quietly.
  ///
  /// - Parameter onListening: told once where the server really listens, the kernel's choice of port included.
  /// - Throws: `StatusServerError`; nothing when cancelled.
  package func run(onListening: @escaping @Sendable (ListenAddress) -> Void = { _ in }) async throws {
    guard access.permits(listen) else { throw StatusServerError.notLoopback(listen) }
    if let what = listen.obstacle { throw StatusServerError.cannotListen(listen, what) }
    let (listening, announce) = AsyncStream.makeStream(of: Void.self)
    let server = makeServer { address in
      onListening(address)
      announce.finish()
    }
    // A task of its own, because a server that is cancelled reports it as an error: it is told to stop instead.
    let serving = Task {
      defer { announce.finish() }
      try await server.run()
    }
    do {
      try await withTaskCancellationHandler {
        try await serving.value
        removeSocket()
      } onCancel: {
        Task {
          // Before it listens it cannot be told to stop.
          for await _ in listening {}
          await stop(server, serving)
        }
      }
    } catch {
      if !Task.isCancelled { throw StatusServerError.cannotListen(listen, words(for: error)) }
    }
  }

  private func stop(_ server: Server<HTTP1Channel>, _ serving: Task<Void, any Error>) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { try? await server.shutdownGracefully() }
      group.addTask {
        // A client in the middle of a request must not hold up the end of the agent.
        if (try? await Task.sleep(for: Self.grace)) != nil { serving.cancel() }
      }
      await group.next()
      group.cancelAll()
    }
  }

  private func makeServer(onListening: @escaping @Sendable (ListenAddress) -> Void) -> Server<HTTP1Channel> {
    let bind: BindAddress =
      switch listen {
      case .unix(let path): .unixDomainSocket(path: path)
      case .tcp(let host, let port): .hostname(host, port: Int(port))
      }
    // What the library logs is about connections; what matters of it reaches us as errors.
    let silent = Logger(label: "status.http") { _ in SwiftLogNoOpLogHandler() }
    let routes = Routes(
      source: source, hosts: AllowedHosts(listen: listen, further: access.hosts),
      runNow: RunNowGate(token: access.runNowToken),
      readGate: ReadGate(access, isSocket: listen.isSocket), isSocket: listen.isSocket)
    let channel = HTTP1Channel(
      responder: { request, writer, _ in
        var asked = StatusRequest(request)
        if asked.isSubmission { asked.body = try? await request.submission() }
        let response = Response(await routes.reply(to: asked))
        try await writer.write(response: response.head, body: response.body)
      },
      configuration: .init(
        idleTimeout: Self.idleTimeout,
        httpDecoderConfiguration: .init(
          maxHeaderFieldSize: 8192, maxHeaderListSize: 16_384, maxHeaderFieldCount: 64)))
    return Server(
      childChannelSetup: channel,
      configuration: ServerConfiguration(
        address: bind,
        availableConnectionsDelegate: MaximumAvailableConnections(Self.maxConnections, logger: silent)),
      onServerRunning: { channel in
        let address = bound(channel.localAddress?.port)
        logger.debug("status server listens", metadata: ["address": "\(address)"])
        onListening(address)
      },
      eventLoopGroup: EventLoopGroupProvider.singleton.eventLoopGroup, logger: silent)
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

extension Request {
  /// The body, at most as long as a submission may be; throws when it is longer or breaks off.
  fileprivate func submission() async throws -> [UInt8] {
    Array(buffer: try await body.collect(upTo: StatusRequest.longestBody))
  }
}

extension ListenAddress {
  /// What lies where the socket should be, and is none: somebody's file, which is not ours to replace.
  fileprivate var obstacle: String? {
    var facts = stat()
    guard case .unix(let path) = self, lstat(path, &facts) == 0, facts.st_mode & S_IFMT != S_IFSOCK else {
      return nil
    }
    return "there is a file of another kind at this path; remove it or choose another status.listen"
  }
}

/// The system's word for it, without the library's call names.
private func words(for error: any Error) -> String {
  guard let error = error as? IOError else { return "\(error)" }
  let cause = String(cString: strerror(error.errnoCode))
  return error.errnoCode == EADDRINUSE ? "\(cause); choose another status.listen" : cause
}
