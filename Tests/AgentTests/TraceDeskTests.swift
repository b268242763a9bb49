// SPDX-License-Identifier: MIT

import Basics
import Foundation
import History
import Logging
import Monitoring
import Network
import Status
import Synchronization
import TestSupport
import Testing
import Tracing
@testable import Agent

/// The desk that has ways looked at, with a tracer that the test scripts.
@Suite struct TraceDeskTests {
  /// Answers when the test lets it.
  private final class Script: RouteTracing {
    let asked: AsyncStream<TraceRequest>
    private let sink: AsyncStream<TraceRequest>.Continuation
    private let gates: AsyncStream<TraceEnd>
    private let gate: AsyncStream<TraceEnd>.Continuation
    private let time: TimeSource

    init(_ time: TimeSource) {
      self.time = time
      (asked, sink) = AsyncStream.makeStream()
      (gates, gate) = AsyncStream.makeStream()
    }

    func answer(_ end: TraceEnd) { gate.yield(end) }

    func trace(
      _ request: TraceRequest, each: (@Sendable (RouteTrace) -> Void)?
    ) async throws(CancellationError) -> RouteTrace {
      sink.yield(request)
      guard let end = await gates.first(where: { _ in true }) else { throw CancellationError() }
      var trace = RouteTrace(
        host: request.host, target: request.target, startedAt: time.wall(), method: .tcp, why: "scripted",
        flows: 3, end: end)
      let last = if case .silent(let ttl) = end { ttl } else { 4 }
      trace.hops = (1...4).map { ttl in
        let address = ttl == 4 ? request.target.address : IPAddress.v4(UInt32(0x0a00_0001 + ttl << 8))
        let answer = TraceAnswer(
          address: address, received: 9, best: .milliseconds(1), average: .milliseconds(1),
          worst: .milliseconds(1), flows: [0])
        return TraceHop(ttl: ttl, sent: 9, answers: ttl <= last ? [answer] : [])
      }
      return trace
    }
  }

  private struct World {
    let clock = FakeClock()
    let script: Script
    let check: MonitoringCheck
    let history: HistoryStore
    let folder: String
    let desk: TraceDesk

    init(folder: String? = nil) async throws {
      var definition = CheckDefinition()
      (definition.name, definition.type) = ("Shop", "tcp")
      (definition.host, definition.port, definition.interval) = ("shop.example", 443, .seconds(60))
      check = try MonitoringCheck(definition)
      script = Script(clock.time)
      history = HistoryStore()
      history.apply([check], now: clock.wall)
      self.folder =
        folder
        ?? FileManager.default.temporaryDirectory.appending(path: "quartz-test-\(UUID().uuidString)").path
      try FileManager.default.createDirectory(atPath: self.folder, withIntermediateDirectories: true)
      desk = await TraceDesk(
        TraceSettings(), disk: StateDisk(folder: self.folder, time: clock.time), tracer: script,
        history: history,
        catalog: CheckCatalog(file: [check]), maintenance: MaintenanceBook(file: []),
        log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, time: clock.time)
    }

    func result(_ verdict: Verdict) -> CheckResult {
      var facts = ProbeFacts()
      facts.peer = SocketAddress(.v4(0xcb00_7107), port: 443)
      let result = CheckResult(
        id: UniqueID(high: 1, low: 1), check: check, trigger: .schedule, scheduledAt: clock.wall,
        startedAt: clock.wall, late: .zero, verdict: verdict, facts: facts)
      history.record(result, interval: .seconds(60))
      return result
    }

    /// Has the desk at work meanwhile.
    func working(_ body: () async throws -> Void) async throws {
      let run = Task { await desk.run() }
      defer { run.cancel() }
      try await body()
      run.cancel()
      await run.value
    }

    /// Until what the desk knows satisfies the test; the desk's own tasks make it so.
    func view(when isSo: (TraceView) -> Bool) async throws -> TraceView {
      while true {
        let view = try #require(desk.view(of: check.id))
        if isSo(view) { return view }
        await Task.yield()
      }
    }

    func end() { try? FileManager.default.removeItem(atPath: folder) }
  }

  private let timeout = Verdict(.connectTimeout, phase: .connect)

  @Test(.timeLimit(.minutes(1))) func aFailureIsComparedWithTheWayThatWorked() async throws {
    let world = try await World()
    defer { world.end() }
    try await world.working {
      var asked = world.script.asked.makeAsyncIterator()
      world.desk.note(world.result(.ok), of: world.check)
      let first = await asked.next()
      let good = try #require(first)
      #expect(good.host == "shop.example" && good.target.port == 443 && good.findsNames)
      world.script.answer(.reached("accepted"))
      _ = try await world.view { $0.good != nil }
      world.clock.advance(by: .seconds(18_000))
      let failed = world.result(timeout)
      #expect(world.desk.note(failed, of: world.check))
      _ = await asked.next()
      #expect(try #require(world.desk.view(of: world.check.id)).isPending)
      #expect(world.desk.line(of: world.check.id, since: failed.startedAt) == nil, "it is not there yet")
      world.script.answer(.silent(after: 2))
      let latest = try #require(try await world.view { $0.latest != nil }.latest)
      #expect(latest.comparison.brokenAfter == 2 && latest.begin == failed.startedAt)
      let words = "the route ends behind 10.0.2.1 (hop 2 of 4); hop 3, 10.0.3.1, answered 5 h before"
      #expect(world.desk.line(of: world.check.id, since: failed.startedAt) == words)
      #expect(world.desk.line(of: world.check.id, since: failed.startedAt.advanced(by: .seconds(601))) == nil)
      #expect(
        failed.reason == .connectTimeout && world.desk.figures.failure == 1 && world.desk.figures.good == 1)
    }
  }

  @Test(.timeLimit(.minutes(1))) func whatIsKnownSurvivesARestart() async throws {
    let world = try await World()
    defer { world.end() }
    try await world.working {
      var asked = world.script.asked.makeAsyncIterator()
      world.desk.note(world.result(timeout), of: world.check)
      _ = await asked.next()
      world.script.answer(.silent(after: 2))
      _ = try await world.view { $0.latest != nil }
    }
    await world.desk.save()
    let next = try await World(folder: world.folder)
    #expect(next.desk.notice == nil && next.desk.view(of: world.check.id)?.latest?.trace.hops.count == 4)
  }

  @Test func aDamagedFileIsForgottenAndSaidSo() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "quartz-test-\(UUID().uuidString)")
      .path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try await StateFile(path: "\(folder)/\(TraceDesk.fileName)").write(Array("not a trace".utf8))
    let world = try await World(folder: folder)
    defer { world.end() }
    #expect(world.desk.notice?.what.contains("damaged") == true)
    #expect(world.desk.view(of: world.check.id)?.latest == nil)
  }

  @Test func aCheckThatNobodyKnowsHasNoView() async throws {
    let world = try await World()
    defer { world.end() }
    #expect(world.desk.view(of: UniqueID(high: 9, low: 9)) == nil)
  }
}
