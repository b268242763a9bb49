// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import History
import Logging
import Monitoring
import Status
import StatusServer
import StatusSupport
import Synchronization
import TestSupport
import Tracing

/// A source that shows a fixed instant.
struct FixedSource: StatusSource {
  var status: StatusSnapshot
  var results: [UniqueID: [CheckResult]] = [:]
  /// What outages and lines are of.
  var store: HistoryStore?
  /// Tags that become labels.
  var labels: [String] = []
  var ready = true
  var token: Redacted?
  /// Without the token to run checks, which is `token`.
  var access = StatusAccess()
  var outcome = RunNowOutcome.noSuchCheck
  var ways: [UniqueID: TraceView] = [:]
  /// What was ordered, and what came of it.
  var orders = OrderLog()

  var now: Timestamp { status.now }
  func snapshot() async -> StatusSnapshot { status }
  func recent(_ checkID: UniqueID) async -> [CheckResult]? { results[checkID] }
  func outages(_ checkID: UniqueID, at instant: Timestamp) async -> [Outage]? {
    store?.outages(checkID, now: instant)
  }
  func traces(_ checkID: UniqueID) async -> TraceView? { ways[checkID] }
  func series(
    _ checkID: UniqueID, _ period: UptimePeriod, points: Int, at instant: Timestamp
  ) async -> [SeriesPoint]? {
    store?.series(checkID, period, now: instant, points: points)
  }
  func periods(through period: CalendarPeriod, count: Int) async -> [UniqueID: CheckMonths] {
    store?.periods(through: period, count: count, now: now) ?? [:]
  }
  func metrics() async -> MetricsView {
    var view = sampleMetrics(store)
    view.labels = labels
    return view
  }
  func share(of checkID: UniqueID, at instant: Timestamp) async -> WindowShare? {
    guard status.check(checkID) != nil, let check = try? makeCheck("Shared") else { return nil }
    let store = HistoryStore()
    store.apply([check], now: started)
    return store.share(of: check.id, now: instant)
  }
  func group(withChecks: Bool) async -> (@Sendable (inout JSONWriter) -> Void)? {
    { json in json.object { $0.field("name", "london") } }
  }
  func runNow(_ checkID: UniqueID) async -> RunNowOutcome { outcome }
  func act(_ wish: OperatorWish) async -> OperatorAnswer { orders.take(wish) }
  func isReady() async -> Bool { ready }
}

/// Keeps what was ordered.
final class OrderLog: Sendable {
  private let wishes = Mutex<[OperatorWish]>([])
  let answer: OperatorAnswer

  init(_ answer: OperatorAnswer = .done("done")) { self.answer = answer }

  func take(_ wish: OperatorWish) -> OperatorAnswer {
    wishes.withLock { $0.append(wish) }
    return answer
  }

  var all: [OperatorWish] { wishes.withLock { $0 } }
}

/// A source of the sample.
func sampleSource() throws -> FixedSource {
  let sample = try sampleStatus()
  return FixedSource(status: sample.status, results: sample.results, store: sample.store)
}

/// Runs `body` with a server that lives exactly as long, on loopback and a port of the kernel's choice.
func withServer<Value: Sendable>(
  _ source: FixedSource, listen: ListenAddress = .tcp(host: "127.0.0.1", port: 0),
  heartbeats: (any HeartbeatTaking)? = nil, probes: ProbeDoor? = nil,
  _ body: @escaping @Sendable (ListenAddress) async throws -> Value
) async throws -> Value {
  let (addresses, continuation) = AsyncStream.makeStream(of: ListenAddress.self)
  var access = source.access
  access.runNowToken = source.token
  var configured = LocalStatusServer(
    listen: listen, source: source, access: access,
    logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  (configured.heartbeats, configured.probes) = (heartbeats, probes)
  let server = configured
  return try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask {
      defer { continuation.finish() }
      try await server.run { continuation.yield($0) }
    }
    guard let address = await addresses.first(where: { _ in true }) else {
      try await group.next()
      throw POSIXFailure("the server ended before it listened", 0)
    }
    let value = try await body(address)
    group.cancelAll()
    try await group.waitForAll()
    return value
  }
}

struct RawResponse: Sendable {
  var status: Int
  var head: String
  var body: String

  func header(_ name: String) -> String? {
    head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
      .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
  }

  init(_ text: String) {
    let end = text.range(of: "\r\n\r\n")
    head = end.map { String(text[..<$0.lowerBound]) } ?? text
    body = end.map { String(text[$0.upperBound...]) } ?? ""
    let line = head.split(separator: " ", maxSplits: 2)
    status = line.count > 1 ? Int(line[1]) ?? 0 : 0
  }
}

/// Sends these very bytes and reads to the end of the connection.
func exchange(_ address: ListenAddress, _ bytes: String) async throws -> RawResponse {
  try await withCheckedThrowingContinuation { continuation in
    // Blocking calls stay off the cooperative pool.
    Thread { continuation.resume(with: Result { RawResponse(try blockingExchange(address, bytes)) }) }.start()
  }
}

func get(_ address: ListenAddress, _ target: String, host: String = "localhost", method: String = "GET")
  async throws
  -> RawResponse
{
  try await exchange(address, "\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n")
}

private func blockingExchange(_ address: ListenAddress, _ bytes: String) throws -> String {
  let descriptor = try connected(address)
  defer { close(descriptor) }
  let sent = Array(bytes.utf8)
  guard write(descriptor, sent, sent.count) == sent.count else {
    throw POSIXFailure("send", errno)
  }
  var received: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 65_536)
  while true {
    let count = recv(descriptor, &buffer, buffer.count, 0)
    if count <= 0 { break }
    received += buffer[..<count]
  }
  return String(decoding: received, as: UTF8.self)
}

func connected(_ address: ListenAddress) throws -> Int32 {
  let descriptor: Int32
  let result: Int32
  switch address {
  case .tcp(_, let port):
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var storage = sockaddr_in()
    storage.sin_family = sa_family_t(AF_INET)
    storage.sin_port = port.bigEndian
    storage.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    result = withUnsafePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  case .unix(let path):
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var storage = sockaddr_un()
    storage.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &storage.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    result = withUnsafePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
  guard result == 0 else {
    close(descriptor)
    throw POSIXFailure("connect", errno)
  }
  var patience = timeval(tv_sec: 30, tv_usec: 0)
  setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  return descriptor
}
