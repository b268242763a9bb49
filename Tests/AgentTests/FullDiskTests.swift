// SPDX-License-Identifier: MIT

import AgentConfig
import Alerts
import Basics
import Checks
import Foundation
import History
import Logging
import Monitoring
import Scheduler
import Spool
import Status
import Synchronization
import TestSupport
import Testing
@testable import Agent

/// What is promised while the disk is full: the answer says so, one problem says so, a restart knows what was written, and
/// with room again nothing is missing.
@Suite struct FullDiskTests {
  /// An agent's small files, as far as people and jobs see them.
  private struct World {
    let full: FullDisk
    let clock: FakeClock
    let disk: StateDisk
    let check: MonitoringCheck
    let desk: HeartbeatDesk
    let heartbeats: HeartbeatKeeper
    let operators: OperatorDesk
    let alerts: AlertDesk

    static let token = "0123456789abcdef0123456789abcdef"

    /// One life over a folder; another one over the same is the next.
    init(_ folder: String, _ full: FullDisk, _ clock: FakeClock) async throws {
      (self.full, self.clock) = (full, clock)
      let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      disk = StateDisk(folder: folder, time: clock.time, medium: full.medium)
      var definition = CheckDefinition()
      (definition.name, definition.type, definition.interval) = ("Backup", "heartbeat", .seconds(60))
      (definition.token, definition.period) = (Redacted(Self.token), .seconds(3600))
      check = try MonitoringCheck(definition)
      desk = HeartbeatDesk(time: clock.time)
      heartbeats = HeartbeatKeeper(desk: desk, disk: disk, log: log, time: clock.time)
      await heartbeats.restore()
      desk.follow([check])
      let catalog = CheckCatalog(file: [check])
      let history = HistoryStore()
      var settings = AlertSettings()
      settings.channels = [AlertChannel(name: "pager", kind: .exec(ExecChannel(command: ["/bin/true"])))]
      settings.rules = [
        AlertRule("down", .consecutiveFailures(threshold: 1, recoveries: 1), severity: .high)
      ]
      alerts = await AlertDesk(
        settings, agent: AgentSettings(), history: history, catalog: catalog, sender: NoSender(),
        file: disk.file(AlertDesk.fileName), log: log, time: clock.time)
      alerts.apply([check])
      operators = await OperatorDesk(
        restoring: disk, catalog, MaintenanceBook(file: []), alerts: alerts, log: log, time: clock.time)
    }

    func report(_ signal: HeartbeatReport.Signal) async -> HeartbeatAnswer {
      await heartbeats.take(HeartbeatReport(signal), token: Self.token)
    }

    var lastReport: Instant? { desk.book.pages[check.id]?.last }
  }

  private struct NoSender: MessageSending {
    func send(_ message: AlertMessage, by channel: AlertChannel, to recipients: [String]?) async
      -> SendOutcome
    { .delivered }
  }

  private func inFolder(_ body: (String) async throws -> Void) async throws {
    try await withTemporaryDirectory { try await body($0.path) }
  }

  @Test func aReportIsOnTheDiskOrIsNotCalledTaken() async throws {
    try await inFolder { folder in
      let (full, clock) = (FullDisk(), FakeClock())
      let first = try await World(folder, full, clock)
      full.isFull = true
      #expect(await first.report(.ok) == .notKept)
      // It counts in this process.
      #expect(first.lastReport == clock.instant)
      let notice = try #require(first.disk.notice(store: nil))
      #expect(notice.isCritical && notice.place == .stateDirectory)
      #expect(notice.what.hasPrefix("heartbeats.json cannot be written"))
      #expect(notice.what.hasSuffix("No space left on device"))
      // A restart knows nothing of it, as its sender was told.
      #expect(try await World(folder, full, clock).lastReport == nil)

      full.isFull = false
      await first.disk.retry()
      #expect(first.disk.notice(store: nil) == nil)
      #expect(try await World(folder, full, clock).lastReport == clock.instant)
      #expect(await first.report(.ok) == .taken)
    }
  }

  /// Who was told to send it again does so: a start that comes twice is no run that never ended.
  @Test func aReportThatComesOnceMoreIsTheSame() async throws {
    try await inFolder { folder in
      let (full, clock) = (FullDisk(), FakeClock())
      let world = try await World(folder, full, clock)
      full.isFull = true
      #expect(await world.report(.start) == .notKept)
      clock.advance(by: .seconds(1))
      full.isFull = false
      #expect(await world.report(.start) == .taken)
      #expect(world.desk.book.pages[world.check.id]?.isUnfinished == false)
      clock.advance(by: .seconds(30))
      full.isFull = true
      #expect(await world.report(.ok) == .notKept)
      full.isFull = false
      #expect(await world.report(.ok) == .taken)
      #expect(world.desk.book.pages[world.check.id]?.duration == .seconds(30))
      // A start that was taken and comes again is one that never ended, as before.
      #expect(await world.report(.start) == .taken)
      #expect(await world.report(.start) == .taken)
      #expect(world.desk.book.pages[world.check.id]?.isUnfinished == true)
    }
  }

  @Test func aMuteSaysThatARestartWouldForgetIt() async throws {
    try await inFolder { folder in
      let (full, clock) = (FullDisk(), FakeClock())
      let first = try await World(folder, full, clock)
      full.isFull = true
      let wish = OperatorWish(.mute(target: .everything, length: .seconds(3600)))
      let answer = await first.operators.take(wish)
      guard case .done(let words) = answer else {
        Issue.record("\(answer)")
        return
      }
      #expect(words.contains("it is not saved yet and would be lost on restart"), "\(words)")
      #expect(first.operators.current.mutes.count == 1)
      #expect(try await World(folder, full, clock).operators.current.mutes.isEmpty)

      full.isFull = false
      await first.disk.retry()
      #expect(first.disk.notice(store: nil) == nil)
      #expect(try await World(folder, full, clock).operators.current.mutes.count == 1)
    }
  }

  /// Answered is written: not a second later, when the next look at the incidents comes.
  @Test(arguments: [false, true]) func anAcknowledgementIsOnTheDiskOrSaysSo(isFull: Bool) async throws {
    try await inFolder { folder in
      let (full, clock) = (FullDisk(), FakeClock())
      let first = try await World(folder, full, clock)
      first.alerts.note(
        CheckResult(
          id: UniqueID(high: 7, low: 1), check: first.check, trigger: .schedule, scheduledAt: clock.wall,
          startedAt: clock.wall, late: .zero, verdict: Verdict(.heartbeatMissed, phase: .answer)))
      first.alerts.apply([first.check])
      let short = try #require(first.alerts.state.withLock { $0.book.incidents.opened.first?.short })
      try await first.alerts.keep()
      full.isFull = isFull
      let answer = await first.operators.take(OperatorWish(.acknowledge(incident: short), by: "Ada"))
      guard case .done(let words) = answer else {
        Issue.record("\(answer)")
        return
      }
      #expect(words.contains("would be lost on restart") == isFull, "\(words)")
      func known(_ world: World) -> String? {
        world.alerts.state.withLock { $0.book.incidents.opened.first?.acknowledged?.by }
      }
      let second = try await World(folder, full, clock)
      #expect(known(second) == (isFull ? nil : "Ada"))
      // Two files, and one problem.
      #expect(first.disk.trouble?.files == (isFull ? ["alerts.json", "by-hand.json"] : nil))
      full.isFull = false
      await first.disk.retry()
      #expect(first.disk.notice(store: nil) == nil)
      let third = try await World(folder, full, clock)
      #expect(known(third) == "Ada")
    }
  }

  /// The store of results on the same disk makes no second problem; what it refuses itself is its own.
  @Test func oneDiskIsOneProblem() async throws {
    try await inFolder { folder in
      let (full, clock) = (FullDisk(), FakeClock())
      let world = try await World(folder, full, clock)
      let store = Notice.critical(
        .stateDirectory, "cannot write spool: No space left on device", since: clock.wall)
      let alone = try #require(world.disk.notice(store: store))
      #expect(alone.place == .stateDirectory && alone.since == clock.wall)
      #expect(
        alone.what
          == "the store of results cannot be written, results are kept in memory only, and the latest changes would be lost on restart: cannot write spool: No space left on device"
      )
      full.isFull = true
      _ = await world.report(.ok)
      let both = try #require(world.disk.notice(store: store))
      #expect(
        both.what.hasPrefix("heartbeats.json and the store of results cannot be written, results are kept"))
      let refused = Notice.critical(.store, "spool is a symbolic link")
      #expect(world.disk.notice(store: refused)?.what.hasPrefix("heartbeats.json cannot be written") == true)
    }
  }

  /// The log has one line a minute for all files, and one when it is over.
  @Test func theLogIsTold() async throws {
    try await inFolder { folder in
      let (full, clock) = (FullDisk(), FakeClock())
      let world = try await World(folder, full, clock)
      full.isFull = true
      _ = await world.report(.ok)
      _ = await world.operators.take(OperatorWish(.mute(target: .everything, length: .seconds(3600))))
      let lines = Mutex<[String]>([])
      let log = Logger(label: "test") { _ in LineHandler { line in lines.withLock { $0.append(line) } } }
      let watch = DiskWatch(world.disk, log: log, time: clock.time)
      let task = Task { await watch.run() }
      for _ in 0..<25 { await clock.advanceToNext() }
      // Two minutes: the first, the second and the third line.
      let told = lines.withLock(\.self)
      let words = "state files cannot be written; their latest changes would be lost on restart"
      #expect(told == [words, words, words])
      full.isFull = false
      while lines.withLock(\.count) < 4 { await clock.advanceToNext() }
      #expect(lines.withLock(\.last) == "all state files are written again")
      task.cancel()
      await task.value
    }
  }

  /// Windows of a history that cannot be written are tried again before their turn.
  @Test func theHistoryIsWrittenAsSoonAsThereIsRoom() async throws {
    try await inFolder { folder in
      let (full, clock) = (FullDisk(), FakeClock())
      let world = try await World(folder, full, clock)
      let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      let starts = StartWatch(disk: world.disk, log: log, time: clock.time)
      let spool = try await ResultSpool.open(
        Spool.SpoolSettings(path: folder + "/spool", size: 16 << 20, durability: .interval))
      let keeper = HistoryKeeper(on: world.disk, starts, spool: spool, log: log, time: clock.time)
      let history = await keeper.restore(
        grid: SlotGrid(agent: "test"), checks: [world.check])
      full.isFull = true
      await keeper.save(history)
      #expect(world.disk.trouble?.files == ["windows/0000"])
      full.isFull = false
      await world.disk.retry()
      #expect(world.disk.trouble == nil)
      #expect(try await StateFile(path: "\(folder)/windows/0000").read() != nil)
      // In its turn each file is written, and after the last one the first again.
      let task = Task { await keeper.run(history) }
      for turn in 1...3 {
        await clock.someoneSleeps()
        history.record(
          CheckResult(
            id: UniqueID(high: 5, low: UInt64(turn)), check: world.check, trigger: .schedule,
            scheduledAt: clock.wall, startedAt: clock.wall, late: .zero, verdict: .ok), interval: .seconds(60)
        )
        #expect(history.shard(0) != nil)
        await clock.advanceToNext()
        await clock.someoneSleeps()
        #expect(history.shard(0) == nil, "turn \(turn)")
      }
      task.cancel()
      await task.value
      await spool.close()
    }
  }
}

/// Messages as they are told.
private struct LineHandler: LogHandler {
  let told: @Sendable (String) -> Void
  var logLevel: Logger.Level = .trace
  var metadata: Logger.Metadata = [:]

  init(_ told: @escaping @Sendable (String) -> Void) { self.told = told }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { told("\(event.message)") }
}
