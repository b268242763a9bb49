// SPDX-License-Identifier: MIT

import Basics
import Dispatch
import TestSupport
import Testing

@testable import Curl

/// A transfer that waits for a budget delays neither those that need none of it nor those of other origins. Nothing here
/// is timed: what must not wait ends while all that holds the budget still holds it.
@Suite(.timeLimit(.minutes(1))) struct HeadOfLineTests {
  private static let limit = 16 << 20
  private static var shares: [WorkOrigin.Kind: Shares.Share] {
    MemoryBudget.flightShares.mapValues { .init(guaranteed: $0.guaranteed / 16, bound: $0.bound / 16) }
  }

  /// 64 answers of one origin hold all that it may have.
  private func withHolders(
    _ kind: WorkOrigin.Kind, keys: UInt64 = 64,
    _ body: (CurlEngine, LoopbackServer, MemoryBudget) async throws -> Void
  ) async throws {
    let budget = MemoryBudget(limit: Self.limit, shares: Self.shares, areKeyed: true)
    try await withLoopbackServer(script: holdABody) { holder in
      try await withLoopbackServer(script: answer) { healthy in
        try await withCurlEngine(memory: budget) { engine in
          // Each of its own URL: of one whose answer was large the rest would wait.
          let held = (0..<64).map { large(holder.port, WorkOrigin(kind, key: $0 % keys), "/\($0)") }
          let holders = held.map { request in Task { try await engine.perform(request) } }
          try await until("all holders") { holder.accepted >= holders.count }
          let isFull = { keys == 1 ? budget.isCrowded(by: WorkOrigin(kind)) : budget.isCrowded(kind) }
          try await until("that they hold all") { isFull() }
          try await body(engine, healthy, budget)
          #expect(isFull(), "the holders were over first")
          for holder in holders { holder.cancel() }
          for holder in holders { _ = try? await holder.value }
        }
      }
    }
  }

  @Test(arguments: WorkOrigin.Kind.allCases)
  func holdersOfOneOriginDelayNobodyElse(kind: WorkOrigin.Kind) async throws {
    try await withHolders(kind) { engine, healthy, budget in
      for other in WorkOrigin.Kind.allCases where other != kind {
        var request = request(healthy.port, "/15000", goal: .body(limit: 1 << 20))
        request.origin = WorkOrigin(other, key: 1)
        // The second one is known to be large.
        for _ in 0..<2 {
          let report = try await engine.perform(request)
          #expect(report.outcome == .complete && report.body.count == 15_000, "\(other): \(report.outcome)")
        }
      }
    }
  }

  /// One host that holds all that it may delays no other host of its origin, large answers included.
  @Test(arguments: [WorkOrigin.Kind.fileChecks, .apiChecks, .asked])
  func oneHostDelaysNoOtherOfItsOrigin(kind: WorkOrigin.Kind) async throws {
    try await withHolders(kind, keys: 1) { engine, healthy, budget in
      let greedy = WorkOrigin(kind)
      var request = request(healthy.port, "/150000", goal: .body(limit: 1 << 20))
      request.origin = WorkOrigin(kind, key: 1)
      // The second one is known to be large.
      for _ in 0..<2 {
        let report = try await engine.perform(request)
        #expect(report.outcome == .complete && report.body.count == 150_000, "\(report.outcome)")
        #expect(engine.waits.isEmpty)
      }
      #expect(budget.inUse(by: greedy) == budget.inUse(by: kind), "the other has given back what it had")
      // Its own next large one waits.
      request.origin = greedy
      let waiter = Task { try await engine.perform(request) }
      try await until("one that waits") { !engine.waits.isEmpty }
      #expect(
        engine.waits.map { [$0.queue.rawValue, $0.origin.label, "\($0.count)"] } == [
          ["memory", kind.label, "1"]
        ])
      waiter.cancel()
      _ = try? await waiter.value
    }
  }

  /// What is no probe has another thread than the plain probes share with those who ask: its megabytes delay no start.
  @Test func whatIsNoProbeDoesNotRunWhereProbesBegin() async throws {
    let loop = try EventLoop("test")
    let (held, release) = (AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0))
    try await withLoopbackServer(script: answer) { server in
      try await withCurlEngine(on: loop) { engine in
        let holder = Task(executorPreference: loop) {
          held.continuation.finish()
          hold(release)
        }
        for await _ in held.stream {}
        let probe = request(server.port, "/100", goal: .body(limit: 1 << 20))
        let waiter = Task { try await engine.perform(probe) }
        for kind in WorkOrigin.Kind.allCases where !kind.isProbe {
          var request = request(server.port, "/15000", goal: .body(limit: 1 << 20))
          request.origin = WorkOrigin(kind)
          let report = try await engine.perform(request)
          #expect(report.body.count == 15_000, "\(kind)")
        }
        #expect(server.accepted == 6, "the probe has not begun")
        release.signal()
        let late = try await waiter.value
        #expect(late.body.count == 100)
        await holder.value
      }
    }
    await loop.shutdown()
  }

  /// Those of the same origin that need no memory, or little, go by as well.
  @Test func smallAnswersOfTheSameOriginAreNotDelayed() async throws {
    try await withHolders(.apiChecks) { engine, healthy, budget in
      let asked = large(healthy.port, WorkOrigin(.apiChecks, key: 200), "/900000")
      #expect(try await engine.perform(asked).failure?.kind == .local(.memory), "its size is not known yet")
      let waiter = Task { try await engine.perform(asked) }
      try await until("one that waits for memory") {
        engine.waits.contains { $0.queue == .memory && $0.origin == .apiChecks }
      }
      var small = request(healthy.port, "/900", goal: .body(limit: 1 << 20))
      small.origin = WorkOrigin(.apiChecks, key: 99)
      #expect(try await engine.perform(small).body.count == 900)
      var headers = request(healthy.port, "/900", goal: .headers)
      headers.origin = WorkOrigin(.apiChecks, key: 200)
      #expect(try await engine.perform(headers).outcome == .complete)
      // A cancel does not wait either.
      waiter.cancel()
      await #expect(throws: CancellationError.self) { try await waiter.value }
      try await until("none that waits") { engine.waits.isEmpty }
    }
  }

  /// What waited for as long as it may says so, and nothing about its target.
  @Test func patienceEnds() async throws {
    try await withHolders(.asked) { engine, healthy, budget in
      var waiting = large(healthy.port, WorkOrigin(.asked, key: 200), "/900000")
      #expect(try await engine.perform(waiting).failure?.kind == .local(.memory), "its size is not known yet")
      waiting.patience = .milliseconds(100)
      let accepted = healthy.accepted
      let report = try await engine.perform(waiting)
      #expect(report.failure?.kind == .local(.queue) && report.isHeldBack)
      #expect(report.times.queued >= .milliseconds(100))
      #expect(healthy.accepted == accepted)
    }
  }

  /// An engine that is closed ends what waits and what holds.
  @Test func shutdownDoesNotWait() async throws {
    let budget = MemoryBudget(limit: Self.limit, shares: Self.shares, areKeyed: true)
    try await withLoopbackServer(script: holdABody) { holder in
      let engine = try CurlEngine(memory: budget)
      let asked = (0..<128).map { large(holder.port, WorkOrigin(.apiChecks, key: $0 % 8)) }
      let tasks = asked.map { request in Task { try await engine.perform(request) } }
      try await until("a budget that is used up") { budget.isCrowded(.apiChecks) }
      await engine.shutdown()
      for task in tasks { _ = try? await task.value }
      #expect(budget.inUse == 0)
    }
  }

  private func large(_ port: UInt16, _ origin: WorkOrigin, _ path: String = "/") -> TransferRequest {
    var asked = request(port, path, goal: .body(limit: 1 << 20), timeout: .seconds(50))
    asked.origin = origin
    return asked
  }
}

/// Sends half of what it announces, and holds.
private func holdABody(_ link: LoopbackConnection) {
  link.read(until: "\r\n\r\n")
  link.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
  link.write([UInt8](repeating: 0x61, count: 500_000))
  link.waitForEnd()
}

/// Answers with as many bytes as the path says.
private func answer(_ link: LoopbackConnection) {
  let head = link.read(until: "\r\n\r\n")
  let count = head.split(separator: " ").dropFirst().first.flatMap { Int($0.dropFirst()) } ?? 0
  link.write("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n")
  link.write([UInt8](repeating: 0x61, count: count))
  link.waitForEnd()
}

/// Keeps the thread that runs it.
private func hold(_ release: DispatchSemaphore) { release.wait() }
