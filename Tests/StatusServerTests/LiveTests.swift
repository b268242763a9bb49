// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import History
import Logging
import Monitoring
import StatusSupport
import Synchronization
import TestSupport
import Testing
@testable import Status
@testable import StatusServer

/// A source whose checks change while somebody looks.
private final class ChangingSource: StatusSource {
  private let status: Mutex<StatusSnapshot>
  private let asked = Mutex(0)
  /// Every look finds another result for every check.
  private let isBusy: Bool

  init(_ status: StatusSnapshot, isBusy: Bool = false) {
    self.status = Mutex(status)
    self.isBusy = isBusy
  }

  var now: Timestamp { status.withLock(\.now) }
  var looks: Int { asked.withLock { $0 } }
  func change(_ body: (inout StatusSnapshot) -> Void) { status.withLock { body(&$0) } }
  func snapshot() async -> StatusSnapshot {
    let look = asked.withLock { count in
      count += 1
      return count
    }
    return status.withLock { status in
      if isBusy { for index in status.checks.indices { status.checks[index].last?.statusCode = look } }
      return status
    }
  }
  func recent(_ checkID: UniqueID) async -> [CheckResult]? { nil }
  func outages(_ checkID: UniqueID, at instant: Timestamp) async -> [Outage]? { nil }
  func series(
    _ checkID: UniqueID, _ period: UptimePeriod, points: Int, at instant: Timestamp
  ) async -> [SeriesPoint]? { nil }
  func metrics() async -> MetricsView { MetricsView() }
  func runNow(_ checkID: UniqueID) async -> RunNowOutcome { .noSuchCheck }
  func isReady() async -> Bool { true }
}

/// The stream on real sockets.
@Suite struct LiveTests {
  private func withLive<Value: Sendable>(
    _ source: ChangingSource, access: StatusAccess = StatusAccess(),
    _ body: @escaping @Sendable (ListenAddress) async throws -> Value
  ) async throws -> Value {
    let (addresses, continuation) = AsyncStream.makeStream(of: ListenAddress.self)
    let server = LocalStatusServer(
      listen: .tcp(host: "127.0.0.1", port: 0), source: source, access: access,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await server.run { continuation.yield($0) } }
      let address = try #require(await addresses.first { _ in true })
      let value = try await body(address)
      group.cancelAll()
      try await group.waitForAll()
      return value
    }
  }

  /// Asks for the stream; the descriptor, and the first bytes of what came.
  private func open(_ address: ListenAddress, receiveBuffer: CInt? = nil) async throws -> (Int32, String) {
    try await offPool {
      let descriptor = try connected(address)
      if var size = receiveBuffer {
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<CInt>.size))
      }
      let request = Array("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
      _ = write(descriptor, request, request.count)
      var buffer = [UInt8](repeating: 0, count: 512)
      let count = recv(descriptor, &buffer, buffer.count, 0)
      return (descriptor, String(decoding: buffer.prefix(max(0, count)), as: UTF8.self))
    }
  }

  /// Reads until the text comes or the connection ends; what came.
  private func read(_ descriptor: Int32, until text: String) async throws -> String {
    try await offPool {
      var received: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count <= 0 { break }
        received += buffer[..<count]
        if String(decoding: received, as: UTF8.self).contains(text) { break }
      }
      return String(decoding: received, as: UTF8.self)
    }
  }

  /// curl hears of a check that goes down while it listens; nobody works anything out when nobody listens any more.
  @Test func aRealClientHearsOfAChange() async throws {
    let source = ChangingSource(try sampleSource().status)
    try await withLive(source) { address in
      guard case .tcp(_, let port) = address else { return }
      #expect(source.looks == 0)
      async let heard = offPool {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/curl")
        process.arguments = ["-sSNi", "--max-time", "6", "http://127.0.0.1:\(port)/events"]
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
      }
      try await until("two looks for a reader") { source.looks >= 2 }
      source.change { $0.checks[1].state = .down }
      let text = try await heard
      #expect(text.contains("Content-Type: text/event-stream") && !text.contains("Content-Encoding"))
      #expect(text.contains("event: sync\n") && text.contains("event: moved\n"))
      #expect(text.contains("event: part\ndata: title\ndata: 2 down"))
      var looks = -1
      while looks != source.looks {
        looks = source.looks
        try await Task.sleep(for: .milliseconds(2500))
      }
    }
  }

  /// Whoever may not read the page may not listen either.
  @Test func theSameRulesHold() async throws {
    let source = ChangingSource(try sampleSource().status)
    try await withLive(source, access: StatusAccess(readToken: Redacted("secret"))) { address in
      let value1 = try await get(address, "/events")
      #expect(value1.status == 401)
      let value2 = try await get(address, "/events", host: "evil.example")
      #expect(value2.status == 421)
    }
    #expect(source.looks == 0)
  }

  /// 150 checks, whose changes are more than a small buffer takes.
  private func manyChecks() throws -> StatusSnapshot {
    var status = try sampleSource().status
    let one = try #require(status.checks.first { $0.name == "Search" })
    status.checks = (0..<150).map { number in
      var check = one
      check.id = UniqueID(high: 9, low: UInt64(number))
      return check
    }
    return status
  }

  /// Of forty 32 get a seat. Those that do not read lose theirs, those that read keep on hearing, the page is served.
  @Test func whoDoesNotReadLosesTheSeat() async throws {
    let status = try manyChecks()
    try await withLive(ChangingSource(status, isBusy: true)) { address in
      var seated: [Int32] = []
      for _ in 0..<40 {
        let (descriptor, answer) = try await open(address, receiveBuffer: 4096)
        if answer.hasPrefix("HTTP/1.1 200") {
          seated.append(descriptor)
        } else {
          #expect(answer.hasPrefix("HTTP/1.1 503"))
          close(descriptor)
        }
      }
      #expect(seated.count == LiveFeed.maxReaders)
      let reader = seated[0]
      async let hearing = offPool {
        var total = 0
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
          let count = recv(reader, &buffer, buffer.count, 0)
          if count <= 0 { return total }
          total += count
        }
      }
      var isFree = false
      for _ in 0..<60 where !isFree {
        try await Task.sleep(for: .seconds(1))
        let value3 = try await get(address, "/livez")
        #expect(value3.status == 200)
        let (descriptor, answer) = try await open(address)
        isFree = answer.hasPrefix("HTTP/1.1 200")
        close(descriptor)
      }
      #expect(isFree, "nobody was cut off")
      let value4 = try await get(address, "/")
      #expect(value4.status == 200)
      shutdown(reader, Int32(SHUT_RDWR))
      let heard = try await hearing
      #expect(heard > 200_000)
      for descriptor in seated { close(descriptor) }
    }
  }

  /// A reader that takes nothing for some rounds, and then reads on, is told to fetch the page again: news were lost to it.
  @Test func aReaderThatWasBehindFetchesAll() async throws {
    let status = try manyChecks()
    let source = ChangingSource(status, isBusy: true)
    try await withLive(source) { address in
      let (descriptor, first) = try await open(address, receiveBuffer: 16_384)
      defer { close(descriptor) }
      // Until two rounds had no room for it; after five it would lose its seat.
      try await until("five looks") { source.looks >= 5 }
      let events = try await offPool {
        var received = Array(first.utf8)
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        var events: [String] = []
        // A reader that was told news instead sees no second one.
        while events.count(where: { $0 == "sync" }) < 2, events.count(where: { $0 == "tick" }) < 12 {
          let count = recv(descriptor, &buffer, buffer.count, 0)
          if count <= 0 { break }
          received += buffer[..<count]
          events = String(decoding: received, as: UTF8.self).split(separator: "\n")
            .filter { $0.hasPrefix("event: ") }.map { String($0.dropFirst(7)) }
        }
        return events
      }
      #expect(events.first == "sync")
      let last = events.dropFirst().filter { $0 == "sync" }
      #expect(last.count == 1, "\(events.filter { $0 != "row" })")
    }
  }

  /// The server ends while somebody listens: the stream comes to its proper end.
  @Test func aStreamEndsWithTheServer() async throws {
    let source = ChangingSource(try sampleSource().status)
    let descriptor = try await withLive(source) { address in
      let (descriptor, _) = try await open(address)
      _ = try await read(descriptor, until: "event: tick")
      return descriptor
    }
    let value5 = try await read(descriptor, until: "\r\n0\r\n\r\n")
    #expect(value5.hasSuffix("0\r\n\r\n"))
    close(descriptor)
  }
}

/// Blocking calls stay off the cooperative pool.
private func offPool<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    Thread { continuation.resume(with: Result { try body() }) }.start()
  }
}
