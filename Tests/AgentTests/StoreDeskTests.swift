// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Foundation
import Logging
import Monitoring
import QuartzAPI
import Spool
import StatusServer
import TestSupport
import Testing

@testable import Agent

/// The running agent's answers about its store, and what it takes from another process of its machine.
@Suite struct StoreDeskTests {
  /// Takes nothing.
  private struct NoTransport: ResultTransport {
    var dialect: DeliveryDialect { .quartz }
    func deliver(_ records: [DeliveryRecord]) async throws(CancellationError) -> DeliveryReport {
      throw CancellationError()
    }
    func renewCredentials() async throws(CancellationError) -> Bool { false }
  }

  private struct World {
    let posted: MonitoringCheck
    let listed: MonitoringCheck
    let local: MonitoringCheck
    let base: AgentBase
    let spool: ResultSpool
    let desk: StoreDesk

    func record(_ check: MonitoringCheck, _ verdict: Verdict, _ number: UInt64, ago: Duration = .zero)
      -> DeliveryRecord
    {
      let at = base.time.wall().advanced(by: .zero - ago)
      let result = CheckResult(
        id: UniqueID(high: 1, low: number), check: check, trigger: .schedule, scheduledAt: at, startedAt: at,
        late: .zero, verdict: verdict)
      return DeliveryRecord(result, agent: "another", flags: [.post, .maintenance])
    }

    /// All that is in the store, in its order.
    func stored() async -> [DeliveryRecord] {
      await spool.flush()
      return await spool.read { reader in
        var records: [DeliveryRecord] = []
        reader.results(after: 0) { queued, _ in
          records.append(queued.record)
          return true
        }
        return records
      } ?? []
    }
  }

  private let down = Verdict(.connectRefused, phase: .connect, message: "refused")
  private let slow = Verdict(.responseTime, message: "slow", degraded: true)
  private let fault = Verdict(.localFault, phase: .connect, message: "no descriptor")

  private func inWorld(delivers: Bool = true, _ body: (World) async throws -> Void) async throws {
    try await withTemporaryDirectory { folder in
      let clock = FakeClock()
      let spool = try await ResultSpool.open(
        Spool.SpoolSettings(path: folder.path + "/spool", size: 16 << 20, durability: .interval))
      let disk = StateDisk(folder: folder.path, time: clock.time)
      var definition = CheckDefinition()
      (definition.name, definition.type, definition.host, definition.port) = ("Posted", "tcp", "a.test", 80)
      definition.plan.post = true
      let posted = try MonitoringCheck(definition)
      let (listed, local) = (try tcpCheck("Listed"), try tcpCheck("Local"))
      var settings = Settings()
      (settings.agent.name, settings.checks) = ("here", [posted, listed, local])
      let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      let base = await AgentBase(
        settings, NoWorld(clock: clock).outside(spool, disk: disk), started: clock.wall, log: log)
      base.catalog.replace(api: [], listed: [listed.id])
      let gate = RateGate(time: SteadyTime(clock.time), file: disk.file("budget.json"))
      let route = Uploader.Route(NoTransport(), gate: gate, memory: disk.file("memory"), receiver: "test")
      let uploader = Uploader(queue: spool, route: route, settings: DeliveryMachine.Settings())
      let desk = StoreDesk(base: base, uploader: delivers ? uploader : nil)
      try await body(
        World(posted: posted, listed: listed, local: local, base: base, spool: spool, desk: desk))
      await spool.close()
    }
  }

  /// Of what another process hands over, results of checks that are delivered are taken; one that is unknown says
  /// nothing of the target, and is neither taken nor refused.
  @Test func whatIsTaken() async throws {
    try await inWorld { world in
      let stranger = try tcpCheck("Stranger")
      let records = [
        world.record(world.posted, .ok, 1), world.record(world.posted, down, 2),
        world.record(world.listed, slow, 3), world.record(world.listed, fault, 4),
        world.record(world.local, down, 5), world.record(stranger, down, 6),
        world.record(world.local, fault, 7), world.record(stranger, fault, 8),
      ]
      #expect(records.map(\.state) == [.up, .down, .degraded, .unknown, .down, .down, .unknown, .unknown])
      let answer = await world.desk.answer(.submit(RecordBundle.encode(records)))
      #expect(answer.status == 200)
      #expect(answer.text == #"{"taken":3,"refused":["\#(world.local.id)","\#(stranger.id)"]}"#)
      #expect(await world.stored().map(\.id) == records.prefix(3).map(\.id))
      #expect(await world.stored().map(\.state) == [.up, .down, .degraded])
    }
  }

  /// The result is another's; whose it is, of which kind, and whether its check is in a window is known here.
  @Test func whatIsKnownHere() async throws {
    try await inWorld { world in
      let now = world.base.time.wall()
      world.base.maintenance.replace(checks: world.base.catalog.checks)
      world.base.maintenance.replace(hand: [
        MaintenanceWindow(
          id: UniqueID(high: 3, low: 3), name: "work",
          selection: MaintenanceSelection(checks: [ByteText("Listed")]),
          from: now.advanced(by: .seconds(-60)), until: now.advanced(by: .seconds(60)), skip: false)
      ])
      let sent = [world.record(world.posted, down, 1), world.record(world.listed, down, 2)]
      _ = await world.desk.answer(.submit(RecordBundle.encode(sent)))
      let stored = await world.stored()
      #expect(stored.map(\.agent) == ["here", "here"] && stored.map(\.trigger) == [.manual, .manual])
      #expect(stored.map(\.flags) == [.post, [.post, .maintenance]])
      #expect(stored.map(\.message) == ["refused", "refused"] && stored.map(\.scheduledAt) == [now, now])
    }
  }

  /// Bytes that are no bundle, and an agent that delivers nothing; no result at all is no error.
  @Test func whatIsRefused() async throws {
    try await inWorld { world in
      let none = SpoolAnswer("this is no list of results\n", status: 400)
      #expect(await world.desk.answer(.submit([1, 2, 3])) == none)
      #expect(await world.desk.answer(.submit([])) == SpoolAnswer(#"{"taken":0,"refused":[]}"#))
      let many = (0...500).map { world.record(world.posted, .ok, UInt64($0)) }
      #expect(
        await world.desk.answer(.submit(RecordBundle.encode(many)))
          == SpoolAnswer("more than 500 results: send them in parts\n", status: 413))
      #expect(await world.stored().isEmpty)
      let most = SpoolAnswer(#"{"taken":500,"refused":[]}"#)
      #expect(await world.desk.answer(.submit(RecordBundle.encode(many.dropLast()))) == most)
    }
    try await inWorld(delivers: false) { world in
      let bundle = RecordBundle.encode([world.record(world.posted, .ok, 1)])
      #expect(
        await world.desk.answer(.submit(bundle))
          == SpoolAnswer("this agent delivers nothing: quartz.deliver.to is off\n", status: 409))
      #expect(await world.desk.answer(.submit([1])).status == 400)
      #expect(await world.stored().isEmpty)
    }
  }

  /// Pages of the store: so many, and those that wait alone; each with the name of its check, where there is one.
  @Test func pages() async throws {
    try await inWorld { world in
      let gone = try tcpCheck("Gone")
      for (number, check) in [world.posted, world.local, gone, world.posted].enumerated() {
        var record = world.record(check, .ok, UInt64(number))
        record.flags = check.id == world.local.id ? [] : .post
        _ = await world.spool.record(record)
      }
      func page(_ after: UInt64, _ limit: Int, waiting: Bool = false) async throws -> [[String?]] {
        let answer = await world.desk.answer(.results(after: after, limit: limit, waiting: waiting))
        #expect(answer.status == 200)
        return try answer.text.split(separator: "\n").map { line in
          let json = try JSONValue.parse(Array(line.utf8))
          return [json["id"]?.string?.last.map { String($0) }, json["check"]?.string]
        }
      }
      let first = try #require(await world.stored().first)
      #expect(first.id == UniqueID(high: 1, low: 0))
      #expect(
        try await page(0, 10) == [["0", "Posted"], ["1", "Local"], ["2", nil], ["3", "Posted"]])
      #expect(try await page(0, 2) == [["0", "Posted"], ["1", "Local"]])
      #expect(try await page(0, 2, waiting: true) == [["0", "Posted"], ["2", nil]])
      #expect(try await page(0, 10, waiting: true) == [["0", "Posted"], ["2", nil], ["3", "Posted"]])
    }
  }

  /// A result that a receiver refused, with its code; it is sent again once, and none is said to be.
  @Test func quarantine() async throws {
    try await inWorld { world in
      #expect(await world.desk.answer(.quarantine) == SpoolAnswer(""))
      _ = await world.spool.record(world.record(world.posted, down, 5))
      let waiting = await world.spool.pending(.live, limit: 9) + world.spool.pending(.backlog, limit: 9)
      await world.spool.quarantine(waiting, code: "22P02")
      let listed = await world.desk.answer(.quarantine)
      let json = try JSONValue.parse(Array(listed.text.utf8))
      #expect(json["check"]?.string == "Posted" && listed.text.contains(#""22P02""#), "\(listed.text)")
      #expect(await world.desk.answer(.resubmit) == SpoolAnswer("1 result will be sent again\n"))
      #expect(await world.desk.answer(.resubmit) == SpoolAnswer("the quarantine is empty\n"))
    }
  }

  /// A sound store says so beside the text; a store that is closed gives nothing.
  @Test func checks() async throws {
    try await inWorld { world in
      _ = await world.spool.record(world.record(world.posted, down, 1))
      let sound = await world.desk.answer(.check)
      #expect(sound.isSound == true && sound.status == 200)
      #expect(sound.text.contains("results      1, of these 1 to be delivered\n"), "\(sound.text)")
      await world.spool.flush()
      let summary = await world.desk.answer(.summary)
      #expect(summary.isSound == nil && summary.text.contains("waiting      1 to be delivered\n"))
      await world.spool.close()
      let closed = SpoolAnswer("the agent is stopping\n", status: 503)
      #expect(await world.desk.answer(.check) == closed)
      #expect(await world.desk.answer(.results(after: 0, limit: 9, waiting: false)) == closed)
    }
  }
}
