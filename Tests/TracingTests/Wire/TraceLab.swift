// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Monitoring
import Network
import Synchronization
import TestSupport
import Testing
import Tracing

/// The network of scripts/trace/lab.sh: eight routers in a row in namespaces that end with this process, and ways to
/// break it. One for all tests, which take turns.
final class TraceLab: Sendable {
  static let shared: Result<TraceLab, any Error> = Result { try TraceLab() }

  /// An address of the server or of hop n.
  enum Family: Int, CaseIterable, CustomTestStringConvertible {
    case v4 = 4
    case v6 = 6

    func hop(_ number: Int) -> String { self == .v4 ? "10.77.\(number).2" : "fd77:\(number)::2" }
    var server: String { hop(9) }
    var testDescription: String { "IPv\(rawValue)" }
  }

  private let keeper: Process
  private let orders: FileHandle
  private let answers: FileHandle
  private let client: Int32

  private init() throws {
    let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "scripts/trace/lab.sh")
    let (input, output) = (Pipe(), Pipe())
    keeper = Process()
    keeper.executableURL = URL(filePath: "/usr/bin/unshare")
    keeper.arguments = ["-m", "-n", "sh", script.path]
    keeper.environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
    (keeper.standardInput, keeper.standardOutput) = (input, output)
    keeper.standardError = FileHandle.standardError
    try keeper.run()
    (orders, answers) = (input.fileHandleForWriting, output.fileHandleForReading)
    guard Self.line(answers) == "ready" else { throw SetUpFailed(line: "lab.sh") }
    client = open("/proc/\(keeper.processIdentifier)/ns/net", O_RDONLY | O_CLOEXEC)
    guard client >= 0 else { throw POSIXFailure("open the client's namespace", errno) }
    try serve()
  }

  /// Moves the calling thread to the client.
  var enter: @Sendable () -> Void {
    { [client] in
      if !joinNamespace(client) { preconditionFailure("setns: \(errno)") }
    }
  }

  /// Runs one line of the lab's own commands.
  func order(_ line: String) throws {
    try orders.write(contentsOf: Data((line + "\n").utf8))
    guard Self.line(answers) == "ok" else { throw SetUpFailed(line: line) }
  }

  /// With the network broken in this way.
  func with<Value>(_ fault: String, _ body: () async throws -> Value) async throws -> Value {
    try order("break_\(fault)")
    do {
      let value = try await body()
      try order("mend_\(fault)")
      return value
    } catch {
      try order("mend_\(fault)")
      throw error
    }
  }

  private static func line(_ handle: FileHandle) -> String {
    var bytes: [UInt8] = []
    while let byte = try? handle.read(upToCount: 1)?.first, byte != 0x0a { bytes.append(byte) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The server takes connections on port 443 and forgets them.
  private func serve() throws {
    let place = open("/proc/\(keeper.processIdentifier)/root/run/netns/s", O_RDONLY | O_CLOEXEC)
    guard place >= 0 else { throw POSIXFailure("open the server's namespace", errno) }
    TestThread {
      guard joinNamespace(place) else { return }
      let listener = socket(AF_INET6, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      let any = SocketAddress(.v6(high: 0, low: 0), port: 443)
      guard any.withPointer({ bind(listener, $0, $1) }) == 0, listen(listener, 128) == 0 else { return }
      while true {
        let connection = accept(listener, nil, nil)
        if connection >= 0 { close(connection) } else if errno != ECONNABORTED { break }
      }
    }.start()
    // The listener is there when it answers.
    for _ in 0..<200 {
      if try Self.answers(from: client) { return }
      usleep(5000)
    }
    throw SetUpFailed(line: "the server does not listen")
  }

  private static func answers(from client: Int32) throws -> Bool {
    let done = DispatchSemaphore(value: 0)
    let result = Answered()
    TestThread {
      if joinNamespace(client) {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let peer = SocketAddress(.v4(0x0a4d_0902), port: 443)
        result.set(peer.withPointer { connect(number, $0, $1) } == 0)
        close(number)
      }
      done.signal()
    }.start()
    done.wait()
    return result.isSet
  }

  /// A trace by the engine, from the client, as fast as the network lets it.
  func trace(
    _ target: String, port: UInt16 = 443, _ change: (inout TraceRequest) -> Void = { _ in },
    each: (@Sendable (RouteTrace) -> Void)? = nil
  ) async throws -> RouteTrace {
    let address = try #require(IPAddress(target))
    var request = TraceRequest(host: target, target: SocketAddress(address, port: port))
    request.pace = .zero
    request.wait = .milliseconds(300)
    request.findsNames = false
    request.findsMTU = false
    change(&request)
    return try await Tracer(enter: enter).trace(request, each: each)
  }
}

private final class Answered: Sendable {
  private let value = Mutex(false)
  var isSet: Bool { value.withLock { $0 } }
  func set(_ new: Bool) { value.withLock { $0 = new } }
}

extension RouteTrace {
  /// Who answered, by TTL, one address each; `*`: nobody.
  var path: [String] { hops.map { $0.answers.first?.address.description ?? "*" } }
  /// The same, with all.
  var widths: [Int] { hops.map(\.answers.count) }
}
