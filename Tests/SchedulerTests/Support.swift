// SPDX-License-Identifier: MIT

import Basics
import Monitoring

@testable import Scheduler

/// 2026-01-01T00:00:00Z, on a machine that has been up for 1,000 s.
let newYear = ClockReading(
  boot: Instant(microseconds: 1_000_000_000), wall: Timestamp(seconds: 1_767_225_600))

func makeCheck(
  _ name: String, every interval: Duration = .seconds(60), host: String = "", retries: Int = 0,
  failing: Duration? = nil, enabled: Bool = true
) throws -> MonitoringCheck {
  var definition = CheckDefinition()
  definition.name = name
  definition.type = "tcp"
  definition.host = host.isEmpty ? "\(name.lowercased().filter { $0 != " " }).example" : host
  definition.port = 80
  definition.interval = interval
  definition.intervalFailing = failing
  definition.timeout = min(failing ?? interval, .seconds(10))
  definition.retries = retries
  definition.enabled = enabled
  return try MonitoringCheck(definition)
}

func makeChecks(_ count: Int, every interval: Duration = .seconds(60)) throws -> [MonitoringCheck] {
  try (0..<count).map { try makeCheck("check-\($0)", every: interval) }
}

func testOptions(total: Int = 2000, perHost: Int = 8, agent: String = "london-1") -> SchedulerOptions {
  SchedulerOptions(agent: agent, limits: InFlightLimits(total: total, perHost: perHost)) { $0.target }
}

/// Checks that have a result, and one that says nothing of them.
func settled(_ checks: [MonitoringCheck]) -> [UniqueID: RunOutcome.Finding] {
  Dictionary(checks.map { ($0.id, .unknown) }, uniquingKeysWith: { first, _ in first })
}

extension ClockReading {
  mutating func advance(by duration: Duration) {
    boot = boot.advanced(by: duration)
    wall = wall.advanced(by: duration)
  }
}

/// Drives a schedule through hours in no time: every run takes as long as `takes` says, wake-ups come exactly when
/// they are due.
struct Simulation {
  struct Record {
    var check: UniqueID
    var scheduledAt: Timestamp
    var started: ClockReading
    var late: Duration
    var run: UInt64
  }

  private struct Going {
    var run: UInt64
    var check: MonitoringCheck
    var late: Duration
    var end: Instant
  }

  var schedule: Schedule
  var clock: ClockReading
  var takes: (MonitoringCheck) -> Duration = { _ in .milliseconds(20) }
  /// What a run of the check finds that ends at this time.
  var finds: (MonitoringCheck, Timestamp) -> RunOutcome.Finding = { _, _ in .works }
  /// Whether a run that begins at this time leaves a result behind.
  var leavesResult: (Timestamp) -> Bool = { _ in true }
  private(set) var runs: [Record] = []
  /// By the number of the run.
  private(set) var spans: [UInt64: SlotRange] = [:]
  private(set) var events: [ScheduleEvent] = []
  private var runsByCheck: [UniqueID: [Record]] = [:]
  private var missed: [UniqueID: Int] = [:]
  private var spanned: [UniqueID: Int] = [:]
  private var going: [Going] = []

  /// How many runs of one check were going at once at most; of any check.
  private(set) var worstOverlap = 0
  private(set) var worstInFlight = 0

  /// - Parameter findings: of the checks of which something is known; nil: all have a result that says nothing, so that
  ///   none has a first run off its grid.
  init(
    _ checks: [MonitoringCheck], _ options: SchedulerOptions = testOptions(),
    recalling findings: [UniqueID: RunOutcome.Finding]? = nil, at clock: ClockReading = newYear
  ) {
    schedule = Schedule(options, at: clock)
    self.clock = clock
    _ = schedule.apply(CheckList(checks), recalling: findings ?? settled(checks), at: clock)
  }

  /// Time passes and the agent runs.
  mutating func run(for duration: Duration) {
    let end = clock.boot.advanced(by: duration)
    settle()
    while let next = [schedule.nextDue, going.map(\.end).min()].compactMap({ $0 }).min(), next <= end {
      clock.advance(by: clock.boot.duration(to: next))
      settle()
    }
    clock.advance(by: clock.boot.duration(to: end))
  }

  /// Time passes and the agent does not run: suspend, or a stall.
  mutating func sleep(for duration: Duration) {
    clock.advance(by: duration)
    settle()
  }

  /// Somebody sets the wall clock, and the wake source tells.
  mutating func stepWall(by duration: Duration) {
    clock.wall = clock.wall.advanced(by: duration)
    settle()
  }

  mutating func apply(_ checks: [MonitoringCheck], recalling findings: [UniqueID: RunOutcome.Finding]? = nil)
  {
    record(schedule.apply(CheckList(checks), recalling: findings ?? settled(checks), at: clock))
  }

  mutating func forgetRecords() {
    runs = []
    runsByCheck = [:]
    events = []
    missed = [:]
    spanned = [:]
  }

  func runs(of check: MonitoringCheck) -> [Record] { runsByCheck[check.id] ?? [] }

  func slots(missed check: MonitoringCheck) -> Int { missed[check.id] ?? 0 }

  func slots(spanned check: MonitoringCheck) -> Int { spanned[check.id] ?? 0 }

  private mutating func record(_ told: [ScheduleEvent]) {
    events += told
    for event in told {
      switch event {
      case .missed(let check, let slots, _): missed[check, default: 0] += slots.count
      }
    }
  }

  private mutating func settle() {
    let ended = going.filter { $0.end <= clock.boot }
    going.removeAll { $0.end <= clock.boot }
    for run in ended {
      let finding = finds(run.check, clock.wall)
      let slots = schedule.conclude(
        run.run, finding, hasResult: leavesResult(clock.wall), at: clock.boot)
      spanned[run.check.id, default: 0] += slots?.count ?? 0
      spans[run.run] = slots
      record(schedule.finish(run.run, late: run.late, at: clock.boot).events)
    }
    let begun = schedule.begin(at: clock)
    record(begun.events)
    for start in begun.starts {
      let late = start.due.duration(to: clock.boot)
      let run = Record(
        check: start.check.id, scheduledAt: start.scheduledAt, started: clock, late: late, run: start.run)
      runs.append(run)
      runsByCheck[run.check, default: []].append(run)
      going.append(
        Going(
          run: start.run, check: start.check, late: late,
          end: clock.boot.advanced(by: takes(start.check))))
      worstOverlap = max(worstOverlap, going.count { $0.check.id == start.check.id })
    }
    worstInFlight = max(worstInFlight, going.count)
  }
}
