// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import TestSupport
import Testing
import Tracing

/// Which results have a way looked at, and how often.
@Suite struct TracePlannerTests {
  private let clock = FakeClock()

  /// By reference, so that an expectation can ask it for the next one.
  private final class Machine {
    private var planner: TracePlanner

    init(_ settings: TraceSettings, mostBegun: Int = 4096) {
      planner = TracePlanner(settings, mostBegun: mostBegun)
    }

    var shown: TraceFigures { planner.shown }
    var hasWork: Bool { planner.hasWork }
    func next(_ now: Instant) -> TracePlanner.Job? { planner.next(now) }
    func ended(_ job: TracePlanner.Job) -> [UniqueID] { planner.ended(job) }
    func isPending(_ check: UniqueID) -> Bool { planner.isPending(check) }
    func keep(_ checks: Set<UniqueID>) { planner.keep(checks) }

    func note(
      _ result: CheckResult, _ check: MonitoringCheck, _ now: Instant, skipped: Bool, usual: TraceUsual?,
      lastGood: Timestamp?
    ) -> TracePlanner.Step {
      planner.note(
        result, of: check, now: now, isSkipped: { skipped }, usual: { usual }, lastGood: { _ in lastGood })
    }
  }

  private func makeCheck(_ name: String = "Shop", origin: CheckOrigin = .local, traced: Bool = true) throws
    -> MonitoringCheck
  {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.host, definition.port) = (name, "tcp", "shop.example", 443)
    (definition.interval, definition.origin, definition.plan.trace) = (.seconds(60), origin, traced)
    if origin == .api { definition.id = UniqueID(high: 7, low: 7).description }
    return try MonitoringCheck(definition)
  }

  private func result(
    _ check: MonitoringCheck, _ verdict: Verdict, peer: String? = "203.0.113.7", took: Duration? = nil,
    trigger: Trigger = .schedule
  ) -> CheckResult {
    var facts = ProbeFacts()
    facts.peer = peer.flatMap { IPAddress($0) }.map { SocketAddress($0, port: 443) }
    facts.responseTime = took
    return CheckResult(
      id: UniqueID(high: 1, low: 1), check: check, trigger: trigger, scheduledAt: clock.wall,
      startedAt: clock.wall, late: .zero, verdict: verdict, facts: facts)
  }

  private let timeout = Verdict(.connectTimeout, phase: .connect)

  @discardableResult
  private func note(
    _ planner: Machine, _ result: CheckResult, _ check: MonitoringCheck, skipped: Bool = false,
    usual: TraceUsual? = nil, lastGood: Timestamp? = FakeClock.start
  ) -> TracePlanner.Step {
    planner.note(result, check, clock.instant, skipped: skipped, usual: usual, lastGood: lastGood)
  }

  @Test func theFirstFailureOfARunAsksOnce() throws {
    let planner = Machine(TraceSettings())
    let check = try makeCheck()
    #expect(note(planner, result(check, timeout), check) == .asked)
    #expect(note(planner, result(check, timeout), check) == .nothing)
    let job = try #require(planner.next(clock.instant))
    #expect(job.cause == .failure(.connectTimeout) && job.target.port == 443 && job.host == "shop.example")
    #expect(planner.ended(job) == [check.id])
    clock.advance(by: .seconds(3600))
    #expect(note(planner, result(check, timeout), check) == .nothing, "the same outage")
    note(planner, result(check, .ok), check)
    #expect(note(planner, result(check, timeout), check) == .asked, "the next outage")
  }

  @Test func anotherReasonAsksAgainButNotWithinFiveMinutes() throws {
    let planner = Machine(TraceSettings())
    let check = try makeCheck()
    note(planner, result(check, timeout), check)
    let job = try #require(planner.next(clock.instant))
    _ = planner.ended(job)
    clock.advance(by: .seconds(299))
    let refused = result(check, Verdict(.connectRefused, phase: .connect))
    #expect(note(planner, refused, check) == .nothing)
    clock.advance(by: .seconds(1))
    #expect(note(planner, refused, check) == .asked)
  }

  @Test(arguments: [
    Reason.httpStatus, .body, .tlsExpired, .dnsNXDomain, .dnsTimeout, .proxyConnect, .authToken, .localFault,
    .policyDenied, .dependency, .unsupported,
  ])
  func whatTheWayDoesNotExplainAsksForNothing(reason: Reason) throws {
    let planner = Machine(TraceSettings())
    let check = try makeCheck()
    #expect(note(planner, result(check, Verdict(reason)), check) == .nothing)
  }

  @Test(arguments: ["127.0.0.1", "::1", nil])
  func whereThereIsNoWayNothingIsAsked(peer: String?) throws {
    let planner = Machine(TraceSettings())
    let check = try makeCheck()
    #expect(note(planner, result(check, timeout, peer: peer), check) == .nothing)
  }

  @Test func whoMustNotIsNotTraced() throws {
    let planner = Machine(TraceSettings())
    let (off, api, own) = (try makeCheck(traced: false), try makeCheck(origin: .api), try makeCheck())
    #expect(note(planner, result(off, timeout), off) == .nothing)
    #expect(note(planner, result(api, timeout), api) == .nothing)
    #expect(note(planner, result(own, timeout), own, skipped: true) == .nothing)
    #expect(note(planner, result(own, timeout, trigger: .manual), own) == .nothing)
    #expect(planner.next(clock.instant) == nil)
    var settings = TraceSettings()
    settings.apiChecks = true
    let open = Machine(settings)
    #expect(note(open, result(api, timeout), api) == .asked)
  }

  @Test func atMostSoManyAtOnceAndTheNewestFirst() throws {
    let planner = Machine(TraceSettings())
    for number in 0..<70 {
      let check = try makeCheck("c\(number)")
      note(planner, result(check, timeout, peer: "203.0.113.\(number)"), check)
    }
    #expect(planner.shown.waiting == 64 && planner.shown.dropped == 6)
    let jobs = (0..<4).compactMap { _ in planner.next(clock.instant) }
    #expect(jobs.map { "\($0.target.address)" } == (66..<70).reversed().map { "203.0.113.\($0)" })
    #expect(planner.next(clock.instant) == nil && planner.shown.running == 4)
    _ = planner.ended(jobs[0])
    #expect(planner.next(clock.instant)?.target.address == IPAddress("203.0.113.65"))
  }

  /// There is work while something waits and a place is free, whether it is a failure or a target at work.
  @Test func workToBegin() throws {
    var settings = TraceSettings()
    settings.atOnce = 1
    let planner = Machine(settings)
    let (one, two) = (try makeCheck("1"), try makeCheck("2"))
    #expect(!planner.hasWork)
    note(planner, result(one, timeout), one)
    note(planner, result(two, timeout, peer: "203.0.113.8"), two)
    #expect(planner.hasWork)
    let job = try #require(planner.next(clock.instant))
    #expect(!planner.hasWork && planner.next(clock.instant) == nil)
    _ = planner.ended(job)
    #expect(planner.hasWork)
    _ = planner.ended(try #require(planner.next(clock.instant)))
    #expect(!planner.hasWork)
    note(planner, result(two, .ok, peer: "203.0.113.9"), two, lastGood: nil)
    #expect(planner.hasWork && planner.next(clock.instant)?.cause == .good)
    #expect(!planner.hasWork)
  }

  @Test func checksOfOneTargetShareItsTrace() throws {
    let planner = Machine(TraceSettings())
    let (one, two, three) = (try makeCheck("1"), try makeCheck("2"), try makeCheck("3"))
    note(planner, result(one, timeout), one)
    #expect(note(planner, result(two, timeout), two) == .asked)
    let job = try #require(planner.next(clock.instant))
    #expect(planner.next(clock.instant) == nil)
    #expect(note(planner, result(three, timeout), three) == .asked, "it is under way")
    #expect(planner.isPending(three.id))
    #expect(planner.ended(job) == [one.id, two.id, three.id] && !planner.isPending(three.id))
    let four = try makeCheck("4")
    let shared = TracePlanner.Step.shares(with: one.id, cause: .failure(.connectTimeout), begin: clock.wall)
    #expect(note(planner, result(four, timeout), four) == shared)
  }

  @Test func whatWorksAgainBeforeItsTurnIsLeftOut() throws {
    let planner = Machine(TraceSettings())
    let check = try makeCheck()
    note(planner, result(check, timeout), check)
    note(planner, result(check, .ok), check)
    #expect(planner.next(clock.instant) == nil && planner.shown.dropped == 1)
  }

  @Test func slownessTakesEnoughResults() throws {
    let planner = Machine(TraceSettings())
    let check = try makeCheck()
    let slow = result(check, .ok, took: .milliseconds(301))
    let few = TraceUsual(count: 99, p99: .milliseconds(100))
    #expect(note(planner, slow, check, usual: few) == .nothing)
    clock.advance(by: .seconds(601))
    let enough = TraceUsual(count: 100, p99: .milliseconds(100))
    #expect(note(planner, result(check, .ok, took: .milliseconds(300)), check, usual: enough) == .nothing)
    #expect(note(planner, slow, check, usual: enough) == .asked)
    #expect(planner.next(clock.instant)?.cause == .slow(took: .milliseconds(301), usual: enough))
  }

  @Test func slownessCanBeOff() throws {
    var settings = TraceSettings()
    settings.slowFactor = 0
    let planner = Machine(settings)
    let check = try makeCheck()
    let usual = TraceUsual(count: 1000, p99: .milliseconds(1))
    #expect(note(planner, result(check, .ok, took: .seconds(9)), check, usual: usual) == .nothing)
  }

  @Test func aTargetAtWorkIsTracedOnceADay() throws {
    let planner = Machine(TraceSettings())
    let check = try makeCheck()
    note(planner, result(check, .ok), check, lastGood: nil)
    let job = try #require(planner.next(clock.instant))
    #expect(job.cause == .good)
    _ = planner.ended(job)
    let made = clock.wall
    clock.advance(by: .seconds(86_399))
    note(planner, result(check, .ok), check, lastGood: made)
    #expect(planner.next(clock.instant) == nil)
    clock.advance(by: .seconds(1))
    note(planner, result(check, .ok), check, lastGood: made)
    #expect(planner.next(clock.instant)?.cause == .good)
  }

  /// Ten thousand checks that all work at once do not all go out at once.
  @Test func targetsAtWorkAreSpread() throws {
    let planner = Machine(TraceSettings())
    var begun = 0
    for number in 0..<200 {
      let check = try makeCheck("c\(number)")
      note(planner, result(check, .ok, peer: "203.0.113.\(number)"), check, lastGood: nil)
      if let job = planner.next(clock.instant) {
        begun += 1
        _ = planner.ended(job)
      }
      clock.advance(by: .milliseconds(100))
    }
    #expect((2...3).contains(begun), "\(begun) in 20 s")
  }

  /// A failure does not wait for a trace of the target at work, nor for its five minutes.
  @Test func aGoodTraceHoldsUpNoFailure() throws {
    let planner = Machine(TraceSettings())
    let check = try makeCheck()
    note(planner, result(check, .ok), check, lastGood: nil)
    let good = try #require(planner.next(clock.instant))
    #expect(note(planner, result(check, timeout), check) == .asked)
    #expect(planner.next(clock.instant)?.cause == .failure(.connectTimeout))
    #expect(planner.ended(good).isEmpty)
  }

  /// Of so many targets it is remembered when they were traced; beyond, the oldest may be traced again before its time.
  @Test func whatIsRememberedHasACap() throws {
    let planner = Machine(TraceSettings(), mostBegun: 300)
    func asked(_ number: Int) throws -> TracePlanner.Step {
      let check = try makeCheck("c\(number) \(clock.instant)")
      return note(planner, result(check, timeout, peer: "10.1.\(number / 256).\(number % 256)"), check)
    }
    for number in 0..<301 {
      #expect(try asked(number) == .asked)
      clock.advance(by: .milliseconds(10))
      _ = planner.ended(try #require(planner.next(clock.instant)))
    }
    #expect(try asked(0) == .asked)
    guard case .shares = try asked(1) else { return #expect(Bool(false), "the second is remembered") }
  }

  @Test func checksThatAreGoneWaitForNothing() throws {
    let planner = Machine(TraceSettings())
    let check = try makeCheck()
    note(planner, result(check, timeout), check)
    planner.keep([])
    #expect(planner.next(clock.instant) == nil)
  }
}
