// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Curl

/// What all answers under way hold is counted, and what waits for memory waits on our time.
@Suite(.timeLimit(.minutes(1))) struct FlightMemoryTests {
  /// Sends so much of a body and then nothing more.
  private static func halfABody(_ count: Int) -> @Sendable (LoopbackConnection) -> Void {
    { link in
      link.read(until: "\r\n\r\n")
      link.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
      link.write([UInt8](repeating: 0x61, count: count))
      link.waitForEnd()
    }
  }

  /// Answers that never end take no more than the budget; those without room say so, and are no outage.
  @Test func answersStayWithinTheirBudget() async throws {
    let budget = MemoryBudget(limit: 2 << 20)
    try await withLoopbackServer(script: Self.halfABody(400_000)) { server in
      try await withCurlEngine(memory: budget) { engine in
        let asked = request(server.port, goal: .body(limit: 1 << 20), timeout: .seconds(3))
        let kinds = try await withThrowingTaskGroup(of: TransferFailureKind?.self) { group in
          for _ in 0..<32 {
            group.addTask {
              let report = try await engine.perform(asked)
              #expect(budget.inUse <= budget.limit)
              return report.failure?.kind
            }
          }
          return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(kinds.contains(.local(.memory)))
        #expect(kinds.allSatisfy { $0 == .local(.memory) || $0 == .timeout }, "\(kinds)")
        #expect(budget.inUse == 0)
      }
    }
  }

  /// A report that somebody keeps is counted until he lets go of it.
  @Test func aReportIsCountedForAsLongAsItIsKept() async throws {
    let budget = MemoryBudget(limit: 2 << 20)
    try await withLoopbackServer(script: { link in
      link.read(until: "\r\n\r\n")
      link.write("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + String(repeating: "a", count: 100_000))
      link.waitForEnd()
    }) { server in
      try await withCurlEngine(memory: budget) { engine in
        do {
          let report = try await engine.perform(request(server.port, goal: .body(limit: 1 << 20)))
          #expect(report.body.count == 100_000)
          #expect(budget.inUse >= 100_000)
        }
        #expect(budget.inUse == 0)
      }
    }
  }

  /// Waiting for memory, or for a turn, is not the server's time: nothing of it is taken off the timeout.
  @Test func whatWaitsKeepsItsWholeTimeout() async throws {
    let budget = MemoryBudget(limit: 2 << 20)
    try await withLargePage(budget, delay: .milliseconds(1500)) { engine, port in
      #expect(budget.take(1 << 20))
      let waiting = Task {
        var asked = request(port, timeout: .milliseconds(2500))
        asked.patience = .seconds(30)
        return try await engine.perform(asked)
      }
      try await until("one that waits") { !engine.waits.isEmpty }
      // With what its server takes, more than its timeout: however much longer this lasts, it is not the server's.
      try await Task.sleep(for: .milliseconds(1300))
      budget.give(1 << 20)
      let report = try await waiting.value
      #expect(report.outcome == .complete, "\(report.outcome)")
      #expect(report.times.queued >= .seconds(1))
    }
  }

  /// It is waited for as long as a request says, and what needs no body, or little, does not wait at all.
  @Test func nobodyWaitsForMemoryForEver() async throws {
    let budget = MemoryBudget(limit: 2 << 20)
    try await withLargePage(budget) { engine, port in
      #expect(budget.take(1 << 20))
      let report = try await engine.perform(request(port, timeout: .milliseconds(300)))
      #expect(report.failure?.kind == .local(.queue))
      #expect(report.times.queued >= .milliseconds(300))
      #expect(try await engine.perform(request(port, goal: .headers)).outcome == .complete)
      #expect(try await engine.perform(request(port, goal: .body(limit: 1000))).text == "ok")
      budget.give(1 << 20)
    }
  }

  /// With an engine and a page that it has seen to be large; thereafter it is two bytes, after a delay.
  private func withLargePage(
    _ budget: MemoryBudget, delay: Duration = .zero,
    _ body: @escaping (CurlEngine, UInt16) async throws -> Void
  ) async throws {
    let asked = Mutex(0)
    try await withLoopbackServer(script: { link in
      link.read(until: "\r\n\r\n")
      let isFirst = asked.withLock { count in
        count += 1
        return count == 1
      }
      if !isFirst { Thread.sleep(forTimeInterval: delay.seconds) }
      let text = isFirst ? String(repeating: "a", count: 50_000) : "ok"
      link.write("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n" + text)
      link.waitForEnd()
    }) { server in
      try await withCurlEngine(memory: budget) { engine in
        #expect(try await engine.perform(request(server.port)).body.count == 50_000)
        try await body(engine, server.port)
      }
    }
  }

  /// A chain of certificates counts as well: without room for it the handshake is given up, and it is our fault.
  @Test func certificatesAreCounted() async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      let site = NginxSite(["location / { return 200 good; }"], identity: try authority.issue("good"))
      try await withNginx(in: folder, [site]) { ports in
        let trust = TrustStore(bundle: authority.rootFile)
        let poor = try await withCurlEngine(trust: trust, memory: MemoryBudget(limit: 500)) {
          try await $0.perform(request(ports[0], scheme: "https", goal: .handshake))
        }
        #expect(poor.failure?.kind == .local(.memory), "\(poor.outcome)")
        let budget = MemoryBudget(limit: 64 * 1024)
        try await withCurlEngine(trust: trust, memory: budget) { engine in
          let rich = try await engine.perform(request(ports[0], scheme: "https", goal: .headers))
          #expect(rich.outcome == .complete)
        }
        #expect(budget.inUse == 0)
      }
    }
  }
}
