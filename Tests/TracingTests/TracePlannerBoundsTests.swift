// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import TestSupport
import Testing
import Tracing

/// How often, for whom, and how many: both sides of each bound of the planner.
@Suite struct TracePlannerBoundsTests {
  private let clock = FakeClock()

  /// By reference, so that an expectation can ask it for the next one.
  private final class Machine {
    var planner: TracePlanner
    var usual: TraceUsual?
    var lastGood: Timestamp? = FakeClock.start
    private(set) var lookedUp = 0

    init(_ settings: TraceSettings = TraceSettings()) { planner = TracePlanner(settings) }

    func note(_ result: CheckResult, _ check: MonitoringCheck, _ now: Instant, skipped: Bool = false)
      -> TracePlanner.Step
    {
      planner.note(
        result, of: check, now: now, isSkipped: { skipped },
        usual: {
          lookedUp += 1
          return usual
        }, lastGood: { _ in lastGood })
    }

    func next(_ now: Instant) -> TracePlanner.Job? { planner.next(now) }
    func ended(_ job: TracePlanner.Job) -> [UniqueID] { planner.ended(job) }
  }

  private func makeCheck(_ name: String = "Shop") throws -> MonitoringCheck {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.host, definition.port) = (name, "tcp", "shop.example", 443)
    (definition.interval, definition.origin) = (.seconds(60), .local)
    return try MonitoringCheck(definition)
  }

  private func result(
    _ check: MonitoringCheck, _ verdict: Verdict, _ last: Int = 7, took: Duration? = nil
  ) -> CheckResult {
    var facts = ProbeFacts()
    facts.peer = SocketAddress(.v4(0xcb00_7100 + UInt32(last)), port: 443)
    facts.responseTime = took
    return CheckResult(
      id: UniqueID(high: 1, low: 1), check: check, trigger: .schedule, scheduledAt: clock.wall,
      startedAt: clock.wall, late: .zero, verdict: verdict, facts: facts)
  }

  private let timeout = Verdict(.connectTimeout, phase: .connect)

  /// Between two traces of targets at work lie ten seconds with few checks, exactly.
  @Test func thePauseBetweenGoodOnes() throws {
    let machine = Machine()
    machine.lastGood = nil
    let (one, two) = (try makeCheck("1"), try makeCheck("2"))
    _ = machine.note(result(one, .ok), one, clock.instant)
    #expect(machine.ended(try #require(machine.next(clock.instant))).isEmpty)
    clock.advance(by: .microseconds(9_999_999))
    _ = machine.note(result(two, .ok, 8), two, clock.instant)
    #expect(!machine.planner.hasWork)
    clock.advance(by: .microseconds(1))
    _ = machine.note(result(two, .ok, 8), two, clock.instant)
    let job = try #require(machine.next(clock.instant))
    #expect(job.cause == .good && job.checks == [two.id] && job.target.address == .v4(0xcb00_7108))
    #expect(machine.planner.shown.good == 2 && machine.planner.shown.failure == 0)
  }

  /// With many checks the pause is their share of the day, and a second at least.
  @Test(arguments: [(8640, 10_000), (17_280, 5000), (86_400, 1000), (172_800, 1000)])
  func thePauseWithManyChecks(perDay: Int, milliseconds: Int) throws {
    var settings = TraceSettings()
    // As many checks as ten, of a day that is so much shorter.
    settings.goodEvery = .seconds(864_000) / perDay
    let machine = Machine(settings)
    let checks = try (0..<10).map { try makeCheck("c\($0)") }
    for check in checks { _ = machine.note(result(check, .ok), check, clock.instant) }
    machine.lastGood = nil
    _ = machine.note(result(checks[0], .ok), checks[0], clock.instant)
    _ = machine.ended(try #require(machine.next(clock.instant)))
    clock.advance(by: .milliseconds(milliseconds) - .microseconds(1))
    _ = machine.note(result(checks[1], .ok, 8), checks[1], clock.instant)
    #expect(!machine.planner.hasWork)
    clock.advance(by: .microseconds(1))
    _ = machine.note(result(checks[1], .ok, 8), checks[1], clock.instant)
    #expect(machine.planner.hasWork)
  }

  /// A check whose address changes all the time is traced at work four times in `goodEvery` at most.
  @Test func aCheckWhoseAddressChanges() throws {
    let machine = Machine()
    machine.lastGood = nil
    let check = try makeCheck()
    _ = machine.note(result(check, .ok, 1), check, clock.instant)
    _ = machine.ended(try #require(machine.next(clock.instant)))
    clock.advance(by: .seconds(21_600) - .microseconds(1))
    _ = machine.note(result(check, .ok, 2), check, clock.instant)
    #expect(!machine.planner.hasWork)
    clock.advance(by: .microseconds(1))
    _ = machine.note(result(check, .ok, 3), check, clock.instant)
    #expect(machine.planner.hasWork)
  }

  /// A look of this moment is enough, one of times to come is none: the clock was set back.
  @Test func theAgeOfAGoodOne() throws {
    for (age, isMade) in [(-1, true), (0, false), (86_399, false), (86_400, true)] as [(Int64, Bool)] {
      let (machine, check) = (Machine(), try makeCheck())
      machine.lastGood = clock.wall.advanced(by: .seconds(-age))
      _ = machine.note(result(check, .ok), check, clock.instant)
      #expect(machine.planner.hasWork == isMade, "\(age)")
    }
    // In a maintenance window none is made, and of a degraded check there is none.
    let (machine, check) = (Machine(), try makeCheck())
    machine.lastGood = nil
    _ = machine.note(result(check, .ok), check, clock.instant, skipped: true)
    _ = machine.note(result(check, Verdict(.tlsExpired, phase: .tls, degraded: true)), check, clock.instant)
    #expect(!machine.planner.hasWork)
    _ = machine.note(result(check, .ok), check, clock.instant)
    #expect(machine.planner.hasWork)
  }

  /// The usual response time is looked up again after ten minutes, and of each check apart.
  @Test func theUsualTimeIsKept() throws {
    let (machine, check, other) = (Machine(), try makeCheck(), try makeCheck("other"))
    machine.usual = TraceUsual(count: 100, p99: .milliseconds(100))
    let slow = result(check, .ok, took: .milliseconds(301))
    #expect(machine.note(slow, check, clock.instant, skipped: true) == .nothing && machine.lookedUp == 1)
    machine.usual = nil
    clock.advance(by: .seconds(600) - .microseconds(1))
    #expect(machine.note(slow, check, clock.instant) == .asked && machine.lookedUp == 1)
    #expect(machine.note(result(other, .ok, 8), other, clock.instant) == .nothing && machine.lookedUp == 2)
    clock.advance(by: .microseconds(1))
    #expect(machine.note(slow, check, clock.instant) == .nothing && machine.lookedUp == 3)
  }

  /// Another cause shares no trace of the target, the same one of another check does; its own check has it already.
  @Test func whoShares() throws {
    let (machine, check, other) = (Machine(), try makeCheck(), try makeCheck("other"))
    machine.usual = TraceUsual(count: 100, p99: .milliseconds(1))
    #expect(machine.note(result(check, timeout), check, clock.instant) == .asked)
    #expect(machine.ended(try #require(machine.next(clock.instant))) == [check.id])
    clock.advance(by: .seconds(300) - .microseconds(1))
    #expect(machine.note(result(other, .ok, took: .seconds(1)), other, clock.instant) == .nothing)
    let refused = result(other, Verdict(.connectRefused, phase: .connect))
    #expect(
      machine.note(refused, other, clock.instant)
        == .shares(with: check.id, cause: .failure(.connectRefused), begin: clock.wall))
    #expect(machine.note(refused, other, clock.instant) == .nothing, "it is traced")
    clock.advance(by: .microseconds(1))
    #expect(machine.note(result(other, timeout), other, clock.instant) == .asked)
    #expect(machine.planner.isPending(other.id) && !machine.planner.isPending(check.id))
  }

  /// Of checks that share a trace there are a thousand at most, and each is in it once.
  @Test func howManyShare() throws {
    let (machine, check) = (Machine(), try makeCheck())
    _ = machine.note(result(check, timeout), check, clock.instant)
    let refused = Verdict(.connectRefused, phase: .connect)
    _ = machine.note(result(check, refused), check, clock.instant)
    let others = try (1...1000).map { try makeCheck("c\($0)") }
    for other in others { _ = machine.note(result(other, timeout), other, clock.instant) }
    let job = try #require(machine.next(clock.instant))
    #expect(job.checks == [check.id] + others.prefix(999).map(\.id))
  }

  /// What one check does not wait for any more others still do.
  @Test func whoIsGoneLeavesTheOthers() throws {
    let (machine, one, two) = (Machine(), try makeCheck("1"), try makeCheck("2"))
    for check in [one, two] { _ = machine.note(result(check, timeout), check, clock.instant) }
    machine.planner.keep([two.id])
    #expect(machine.planner.shown.dropped == 0 && machine.planner.shown.waiting == 1)
    #expect(machine.next(clock.instant)?.checks == [two.id])
    // What is forgotten may be asked for again.
    clock.advance(by: .seconds(300))
    #expect(machine.note(result(two, timeout), two, clock.instant) == .nothing)
    machine.planner.keep([])
    #expect(machine.note(result(two, timeout), two, clock.instant) == .asked)
  }

  /// Where failures are not looked at, slowness still is, and each counts for itself.
  @Test func whatIsLookedAt() throws {
    var settings = TraceSettings()
    settings.onFailure = false
    let (machine, check) = (Machine(settings), try makeCheck())
    machine.usual = TraceUsual(count: 100, p99: .milliseconds(1))
    #expect(machine.note(result(check, timeout), check, clock.instant) == .nothing)
    #expect(machine.note(result(check, .ok, took: .seconds(1)), check, clock.instant) == .asked)
    let job = try #require(machine.next(clock.instant))
    #expect(machine.planner.shown.slow == 1 && machine.planner.shown.failure == 0)
    #expect(machine.planner.shown.running == 1 && machine.ended(job) == [check.id])
    #expect(machine.planner.shown.running == 0)
    #expect(TracePlanner.queueLimit == 64 && job.begin == clock.wall && job.method == nil)
  }
}
