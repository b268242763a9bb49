// SPDX-License-Identifier: MIT

import AgentConfig
import Alerts
import Basics
import Foundation
import Glibc
import History
import Logging
import Monitoring
import QuartzAPI
import Scheduler
import Spool
import Status
import TestSupport
import Testing

@testable import Agent

/// What single parts of the agent contribute to the picture of all.
@Suite struct AgentPartsTests {
  private let clock = FakeClock()

  /// The base of an agent over a folder. With a problem of the disk its store of results is in memory.
  private func inWorld(
    _ checks: [MonitoringCheck] = [], fault: FileFault? = nil, _ full: FullDisk = FullDisk(),
    _ body: (AgentBase) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let settings = Spool.SpoolSettings(
        path: folder.path + "/spool", size: 16 << 20, durability: .interval)
      let spool = try await ResultSpool.open(settings) { () throws(FileFault) in
        if let fault { throw fault }
        return try PosixFileSystem(path: settings.path)
      }
      let disk = StateDisk(folder: folder.path, time: clock.time, medium: full.medium)
      var all = Settings()
      (all.agent.name, all.checks) = ("here", checks)
      let base = await AgentBase(
        all, NoWorld(clock: clock).outside(spool, disk: disk), started: clock.wall,
        log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      try await body(base)
      for name in disk.trouble?.files ?? [] { disk.settled(name) }
      await spool.close()
    }
  }

  private func snapshot(_ parts: any AgentPart...) async -> StatusSnapshot {
    let agent = AgentIdentity(name: "here", region: nil, version: "1", started: clock.wall)
    var snapshot = StatusSnapshot(agent: agent, now: clock.wall, checks: [])
    for part in parts {
      await part.contribute(to: &snapshot)
      snapshot.notices += await part.notices
    }
    return snapshot
  }

  private func metrics(_ part: any AgentPart) async -> MetricsView {
    var metrics = MetricsView(HistoryStore())
    await part.contribute(to: &metrics)
    return metrics
  }

  /// All is written: nothing is said.
  @Test func aDiskThatTakesAll() async throws {
    try await inWorld { base in
      let (store, disk) = (StorePart(base: base, delivers: true), DiskPart(base: base))
      let snapshot = await snapshot(store, disk)
      #expect(snapshot.spool?.isDurable == true && snapshot.diskProblem == nil && snapshot.notices.isEmpty)
      #expect(disk.shortcomings.isEmpty)
      #expect(await metrics(disk).unwritten == 0)
    }
  }

  /// Without a receiver no outage is bridged, however much room there is.
  @Test func whatIsNeverDelivered() async throws {
    try await inWorld { base in
      var status = base.outside.spool.status()
      (status.hoursCovered, status.depth) = (9, 3)
      #expect(StorePart.shown(status, delivers: true).hoursCovered == 9)
      let shown = StorePart.shown(status, delivers: false)
      #expect(shown.hoursCovered == nil && shown.depth == 3)
    }
  }

  /// Of a store and small files on one full disk there is one problem, which names both.
  @Test func oneDiskIsOneProblem() async throws {
    let full = FullDisk()
    let fault = FileFault.failed(operation: "write", name: "spool", code: ENOSPC)
    try await inWorld(fault: fault, full) { base in
      full.isFull = true
      try? await base.outside.disk.file("a.json").write([1])
      try? await base.outside.disk.file("b.json").write([1])
      let (store, disk) = (StorePart(base: base, delivers: true), DiskPart(base: base))
      let snapshot = await snapshot(store, disk)
      let problem = try #require(snapshot.diskProblem)
      #expect(problem.what.hasPrefix("a.json, b.json and the store of results cannot be written, "))
      #expect(snapshot.notices.isEmpty, "it is told once")
      #expect(snapshot.problems.count { $0.place == .stateDirectory } == 1)
      #expect(disk.shortcomings == ["state_dir: \(problem.what)"])
      #expect(await metrics(disk).unwritten == 2)
    }
  }

  /// A store that is refused for itself is another problem than files that cannot be written.
  @Test func twoProblems() async throws {
    let full = FullDisk()
    try await inWorld(fault: .refused("spool is a symbolic link"), full) { base in
      let (store, disk) = (StorePart(base: base, delivers: true), DiskPart(base: base))
      var snapshot = await snapshot(store, disk)
      #expect(snapshot.diskProblem == nil && snapshot.notices.isEmpty && disk.shortcomings.isEmpty)
      full.isFull = true
      try? await base.outside.disk.file("a.json").write([1])
      snapshot = await self.snapshot(store, disk)
      #expect(snapshot.diskProblem == nil && snapshot.notices.count == 1)
      #expect(snapshot.notices.first?.what.hasPrefix("a.json cannot be written, ") == true)
      #expect(snapshot.spoolProblem?.what == "results are kept in memory only: spool is a symbolic link")
    }
  }

  /// What this agent says of itself to the receiver: its store, its checks that are enabled, and a version of the list.
  @Test func theReportOfAnAgent() async throws {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.host, definition.port) = ("Off", "tcp", "a.example", 80)
    definition.enabled = false
    let (shop, off) = (try tcpCheck("Shop"), try MonitoringCheck(definition))
    try await inWorld([shop, off]) { base in
      let lateness = Duration.milliseconds(7)
      let reporter = AgentReporter(
        base.catalog, spool: base.outside.spool, started: { clock.wall.advanced(by: .seconds(-5)) },
        lateness: { lateness })
      let first = await reporter.report()
      #expect(first.spoolDepth == 0 && first.oldest == nil && first.lost == 0)
      #expect(first.lostFrom == nil && first.lostTo == nil && first.lag == lateness)
      #expect(first.started == clock.wall.advanced(by: .seconds(-5)) && first.checks == 1)
      #expect(first.configVersion?.hasPrefix("2-") == true && first.configVersion?.utf8.count == 10)
      #expect(await reporter.report() == first)
      // Another order is the same list; other settings of a check are another one.
      base.catalog.replace(file: [off, shop])
      #expect(await reporter.report().configVersion == first.configVersion)
      definition.port = 81
      base.catalog.replace(file: [shop, try MonitoringCheck(definition)])
      let second = await reporter.report()
      #expect(second.configVersion?.hasPrefix("2-") == true && second.configVersion != first.configVersion)
      base.catalog.replace(file: [shop])
      #expect(await reporter.report().configVersion?.hasPrefix("1-") == true)
    }
  }

  /// A mute and a window by hand are in the picture, the mute on each check that it is for, until the last of its ends.
  @Test func ordersByHand() async throws {
    let checks = [try tcpCheck("Shop"), try tcpCheck("Mail")]
    try await inWorld(checks) { base in
      let part = await OperatorPart(base, alerts: nil)
      func seen() async -> StatusSnapshot {
        let agent = AgentIdentity(name: "here", region: nil, version: "1", started: clock.wall)
        let history = HistoryStore()
        history.apply(checks, now: clock.wall)
        var snapshot = StatusSnapshot(agent: agent, history: history, now: clock.wall)
        await part.contribute(to: &snapshot)
        return snapshot
      }
      #expect(await seen().mutes.isEmpty)
      let wishes: [OperatorWish.Kind] = [
        .mute(target: .check("Shop"), length: .seconds(60)), .mute(target: .everything, length: .seconds(30)),
        .startMaintenance(target: .check("Mail"), length: .seconds(90), skip: true),
      ]
      for wish in wishes { _ = await part.desk.take(OperatorWish(wish, by: "ann")) }
      let snapshot = await seen()
      #expect(snapshot.mutes.count == 2 && snapshot.byHand.count == 1 && snapshot.byHand.first?.skip == true)
      let ends = snapshot.checks.map { $0.mutedUntil.map { clock.wall.duration(to: $0) } }
      #expect(ends == [.seconds(60), .seconds(30)])
      clock.advance(by: .seconds(31))
      #expect(await seen().checks.map { $0.mutedUntil == nil } == [false, true])
    }
  }

  /// Orders that cannot be carried out, in words, with the names that there are.
  @Test func ordersThatCannotBe() async throws {
    try await inWorld([try tcpCheck("Shop")]) { base in
      let part = await OperatorPart(base, alerts: nil)
      func take(_ kind: OperatorWish.Kind) async -> OperatorAnswer {
        await part.desk.take(OperatorWish(kind))
      }
      #expect(
        await take(.acknowledge(incident: "abc"))
          == .refused("there are no incidents: agent.yaml has no section alerts"))
      guard case .notFound = await take(.mute(target: .check("Shp"), length: .seconds(60))) else {
        Issue.record("it was taken")
        return
      }
      #expect(base.orders.current.mutes.isEmpty)
    }
  }

  /// Whose checks are run on request: without a group those of the list.
  @Test func checksOfThisAgent() async throws {
    let (shop, mail) = (try tcpCheck("Shop"), try tcpCheck("Mail"))
    try await inWorld([shop]) { base in
      #expect(base.isRunHere(shop.id) && !base.isRunHere(mail.id))
      #expect(base.grid.agent == "here" && base.group == nil)
      let list = FollowedList([shop, mail], of: base.catalog, in: nil)
      #expect(list.all == [shop, mail] && list.here == list.all && list.known == list.all)
      #expect(list.names == nil && list.taken.isEmpty && list.orphaned.isEmpty)
    }
  }
}
