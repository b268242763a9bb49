// SPDX-License-Identifier: MIT

import Foundation
import Basics
import TestSupport
import Testing

@testable import Curl

/// A body that nobody judges is counted and not kept, and one that is kept has its limit.
@Suite(.timeLimit(.minutes(1))) struct BodyDrainTests {
  private func report(
    _ goal: TransferRequest.Goal, _ script: @escaping @Sendable (LoopbackConnection) -> Void
  ) async throws -> TransferReport {
    try await withLoopbackServer(script: script) { server in
      try await withCurlEngine(trust: TrustStore()) { engine in
        let request = TransferRequest(
          url: "http://127.0.0.1:\(server.port)/",
          plan: .address(try SocketAddress("127.0.0.1", server.port)),
          timeout: .seconds(10), goal: goal)
        return try await engine.perform(request)
      }
    }
  }

  /// Sixteen megabytes leave nothing behind.
  @Test func nothingIsKept() async throws {
    let size = 16 * 1024 * 1024
    let report = try await report(.drain(limit: size)) { link in
      link.read(until: "\r\n\r\n")
      link.write("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
      for _ in 0..<256 { link.write([UInt8](repeating: 0x61, count: 65_536)) }
      link.waitForEnd()
    }
    #expect(report.outcome == .complete)
    #expect(report.body.capacity == 0 && !report.truncated)
    #expect(report.times.lastByte != nil)
  }

  /// Its limit ends it with success, at once.
  @Test func theLimitIsEnough() async throws {
    let report = try await report(.drain(limit: 1000)) { link in
      link.read(until: "\r\n\r\n")
      link.write("HTTP/1.1 200 OK\r\n\r\n")
      while link.write([UInt8](repeating: 0x61, count: 4096)) {}
    }
    #expect(report.outcome == .complete)
    #expect(report.body.isEmpty && report.truncated)
  }

  /// A body that is kept ends at its limit as well, and tells that there was more.
  @Test(arguments: [(99, false), (100, false), (101, true), (70_000, true)])
  func whatIsKeptEndsAtItsLimit(size: Int, isCut: Bool) async throws {
    let report = try await report(.body(limit: 100)) { link in
      link.read(until: "\r\n\r\n")
      link.write("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
      link.write([UInt8](repeating: 0x61, count: size))
      link.waitForEnd()
    }
    #expect(report.body.count == min(size, 100))
    #expect(report.truncated == isCut && report.failure?.kind == (isCut ? .bodyTooLarge : nil))
  }
}
