// SPDX-License-Identifier: MIT

import AgentConfig
import Alerts
import Basics
import History
import Logging
import Monitoring
import QuartzAPI
import Status
import Synchronization
import TestSupport
import Testing

@testable import Agent

/// What the desk of alerts takes up, when it asks the agent for its problems, and when it writes.
@Suite struct AlertDeskRulesTests {
  /// Keeps what is written, and says how often; a write may take its time.
  private final class CountingFile: DurableBytes {
    private let state = Mutex((bytes: [UInt8]?.none, writes: 0))
    private let first: Result<[UInt8]?, StateFile.Failure>
    private let slow: @Sendable () -> Void

    init(
      _ first: Result<[UInt8]?, StateFile.Failure> = .success(nil), slow: @escaping @Sendable () -> Void = {}
    ) { (self.first, self.slow) = (first, slow) }

    var writes: Int { state.withLock(\.writes) }
    func read() async throws(StateFile.Failure) -> [UInt8]? { try first.get() }
    func write(_ bytes: [UInt8]) async throws(StateFile.Failure) {
      slow()
      state.withLock { $0 = (bytes, $0.writes + 1) }
    }
  }

  private let clock = FakeClock()

  private func desk(
    _ checks: [MonitoringCheck], file: CountingFile = CountingFile(), pace: Duration = AlertDesk.every,
    around: AlertDesk.Surroundings = .init(), log: any LogHandler = LogLines(), time: TimeSource? = nil,
    catalog: CheckCatalog? = nil
  ) async -> AlertDesk {
    var settings = AlertSettings()
    settings.channels = [AlertChannel(name: "pager", kind: .exec(ExecChannel(command: ["/bin/true"])))]
    settings.rules = [
      AlertRule("down", .consecutiveFailures(threshold: 1, recoveries: 1), severity: .high),
      AlertRule("agent", .agent(for: .zero), severity: .high),
    ]
    let desk = await AlertDesk(
      settings, agent: AgentSettings(), history: HistoryStore(),
      catalog: catalog ?? CheckCatalog(file: checks), sender: OneDelivery(), file: file, around: around,
      pace: pace, log: Logger(label: "test") { _ in log }, time: time ?? clock.time)
    desk.apply(checks)
    return desk
  }

  private func result(_ check: MonitoringCheck, _ trigger: Trigger = .schedule) -> CheckResult {
    CheckResult(
      id: UniqueID(high: 7, low: 1), check: check, trigger: trigger, scheduledAt: clock.wall,
      startedAt: clock.wall, late: .zero, verdict: Verdict(.connectRefused, phase: .connect))
  }

  /// Only results of the schedule say something of a check's alerts.
  @Test func runsByHand() async throws {
    let checks = [try tcpCheck("Shop")]
    let desk = await desk(checks)
    desk.note(result(checks[0], .manual))
    desk.apply(checks)
    #expect(desk.view(now: clock.wall).open.isEmpty)
    desk.note(result(checks[0]))
    desk.apply(checks)
    #expect(desk.view(now: clock.wall).open.count == 1)
  }

  /// The names of open incidents for a command that named none of them: five at most.
  @Test func namesOfOpenIncidents() async throws {
    let checks = try (1...6).map { try tcpCheck("check \($0)") }
    let desk = await desk(checks)
    #expect(desk.openNames == "no incident is open")
    desk.note(result(checks[0]))
    desk.apply(checks)
    let one = try #require(desk.view(now: clock.wall).open.first)
    #expect(desk.openNames == "open: \(one.short) (\(one.title))")
    for check in checks.dropFirst() {
      clock.advance(by: .seconds(3600))
      desk.note(result(check))
      desk.apply(checks)
    }
    let open = desk.view(now: clock.wall).open
    let words = open.prefix(5).map { "\($0.short) (\($0.title))" }.joined(separator: ", ")
    #expect(desk.openNames == "open: \(words)")
  }

  /// The agent's own problems are asked for at once, and then every half minute, or twenty looks where those are slower.
  @Test(arguments: [(1, [0, 30, 60, 90]), (10, [0, 200, 400, 600])] as [(Int64, [Int])])
  func ownProblems(pace: Int64, asked: [Int]) async throws {
    let times = Mutex<[Int]>([])
    let (clock, begin) = (clock, clock.instant)
    let file = CountingFile()
    let desk = await desk([], file: file, pace: .seconds(pace), time: clock.passing)
    await Task {
      await desk.run {
        let second = Int(begin.duration(to: clock.instant).seconds)
        let count = times.withLock { times in
          times.append(second)
          return times.count
        }
        if count == 4 { withUnsafeCurrentTask { $0?.cancel() } }
        return [.critical("store", "it is full", since: clock.wall)]
      }
    }.value
    #expect(times.withLock(\.self) == asked)
    #expect(desk.view(now: clock.wall).open.map(\.subject) == [.agent])
    #expect(file.writes >= 1, "what came in last is on the disk")
  }

  /// Saving takes a twentieth of the time at most: after a write of two seconds the next one waits for forty.
  @Test func howOftenItIsSaved() async throws {
    let clock = clock
    let checks = [try tcpCheck("Shop")]
    let file = CountingFile(slow: { clock.advance(by: .seconds(2)) })
    let desk = await desk(checks, file: file)
    desk.note(result(checks[0]))
    desk.apply(checks)
    try await desk.keep()
    #expect(file.writes == 1)
    let (end, took) = desk.lastSave.withLock { $0 }
    #expect(end == clock.instant && took == .seconds(2))
    try await desk.keep()
    #expect(file.writes == 1, "nothing has changed")
  }

  /// What was known before is taken over; a file that is none is told of, and so is one that cannot be read.
  @Test(
    arguments: [
      ("", nil, "warning incidents of before are lost: alerts.json is damaged"), ("{}", nil, nil),
      (nil, nil, nil),
      (nil, "no", "warning incidents of before are not known problem=no"),
    ] as [(String?, String?, String?)])
  func filesOfBefore(text: String?, failure: String?, line: String?) async throws {
    let lines = FullLines(hasLevels: true)
    let content: Result<[UInt8]?, StateFile.Failure> =
      if let failure { .failure(StateFile.Failure(description: failure)) } else {
        .success(text.map { Array($0.utf8) })
      }
    _ = await desk([], file: CountingFile(content), log: lines)
    #expect(lines.all == [line].compactMap(\.self))
  }

  /// What the stages are told of the rest of the agent: of a check that is known here, and of no part of the agent itself.
  @Test func theRestOfTheAgent() async throws {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.host, definition.port) = ("Posted", "tcp", "a.test", 80)
    definition.plan.post = true
    let (posted, local) = (try MonitoringCheck(definition), try tcpCheck("Local"))
    let (muted, maintained) = (clock.wall.advanced(by: .seconds(60)), clock.wall.advanced(by: .seconds(90)))
    var around = AlertDesk.Surroundings()
    around.mutedUntil = { check, now in check.name == "Posted" ? now.advanced(by: .seconds(60)) : nil }
    around.maintenanceUntil = { id, now in id == local.id ? now.advanced(by: .seconds(90)) : nil }
    let desk = await desk([posted, local], around: around)
    let context = desk.context()
    func trouble(_ check: UniqueID?) -> Alerts.Trouble {
      Alerts.Trouble(
        key: .init(rule: "down", check: check, part: check == nil ? "store" : ""), subject: .availability,
        severity: .high, name: "x", since: clock.wall)
    }
    let stranger = UniqueID(high: 9, low: 9)
    let all = [posted.id, local.id, stranger, nil] as [UniqueID?]
    #expect(all.map { context.mutedUntil(trouble($0)) } == [muted, nil, nil, nil])
    #expect(all.map { context.maintenanceUntil(trouble($0)) } == [nil, maintained, nil, nil])
    #expect([posted.id, local.id, stranger].map(context.isInApps) == [true, false, false])
    #expect(all.map { context.isLookedAt(trouble($0)) } == [false, false, false, false])
    #expect(context.now == clock.reading && context.settings == desk.settings)
  }

  /// Other settings are taken over with what came in before them; the same settings change nothing.
  @Test func otherSettings() async throws {
    let checks = [try tcpCheck("Shop")]
    let desk = await desk(checks)
    desk.note(result(checks[0]))
    var settings = desk.settings
    settings.pageURL = "https://s.example/"
    desk.apply(settings)
    #expect(desk.settings == settings && desk.view(now: clock.wall).open.count == 1)
    desk.apply(settings)
    #expect(desk.settings == settings && desk.view(now: clock.wall).open.count == 1)
  }
}
