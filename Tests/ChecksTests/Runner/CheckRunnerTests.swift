// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import NetworkTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Checks

@Suite struct CheckRunnerTests {
  let time = FakeClock()
  let slot = ProbeSlot(scheduledAt: FakeClock.start, trigger: .schedule)

  private func up(_ taken: Duration = .milliseconds(20)) -> ProbeOutcome {
    ProbeOutcome(.ok, responseTime: taken, timings: Timings(total: taken))
  }

  private func down(_ reason: Reason = .connectRefused) -> ProbeOutcome {
    ProbeOutcome(
      Verdict(reason, phase: .connect, message: "no"), responseTime: .milliseconds(5), excerpt: "heard")
  }

  private func runner(_ probe: any Probe) -> CheckRunner {
    CheckRunner(http: probe, tcp: probe, dns: probe, tls: probe, ping: probe, time: time.passing)
  }

  private func check(_ change: (inout CheckDefinition) -> Void = { _ in }) throws -> MonitoringCheck {
    try makeCheck("tcp") { definition in
      (definition.host, definition.port) = ("example.com", 443)
      definition.retries = 2
      definition.retryDelay = .seconds(3)
      definition.confirmDelay = .seconds(7)
      change(&definition)
    }
  }

  private func run(
    _ outcomes: [ProbeOutcome], _ change: (inout CheckDefinition) -> Void = { _ in }
  ) async throws -> CheckResult {
    try await runner(ScriptedProbe(outcomes, time: time)).run(check(change), slot: slot)
  }

  @Test func oneSuccessIsOneAttempt() async throws {
    let result = try await run([up()])
    #expect(result.state == .up)
    #expect(result.attempts.count == 1)
    #expect(result.responseTime == .milliseconds(20))
    #expect(time.sleeps.isEmpty)
  }

  @Test func aRetryThatSucceedsEndsTheRun() async throws {
    let result = try await run([down(), up()])
    #expect(result.state == .up)
    #expect(result.message == nil)
    #expect(result.excerpt == nil)
    #expect(result.attempts.map(\.reason) == [.connectRefused, .ok])
    #expect(time.sleeps == [.seconds(3)])
  }

  @Test func allFailingTakesRetriesAndOneConfirmation() async throws {
    let result = try await run([down(), down(.connectTimeout), down(), down(.connectionReset)])
    #expect(result.reason == .connectionReset)
    #expect(result.state == .down)
    #expect(result.message == "confirmed failure after 2 retries: no")
    #expect(result.excerpt == "heard")
    #expect(time.sleeps == [.seconds(3), .seconds(3), .seconds(7)])
    #expect(
      result.attempts.map(\.reason) == [.connectRefused, .connectTimeout, .connectRefused, .connectionReset])
    #expect(result.attempts.map(\.status) == [.failure, .timeout, .failure, .failure])
    // 100 ms an attempt, and the pauses between them.
    let starts = result.attempts.map { FakeClock.start.duration(to: $0.startedAt) }
    #expect(starts == [.zero, .milliseconds(3100), .milliseconds(6200), .milliseconds(13_300)])
  }

  /// The pause before the confirmation is its own, also where it is the shorter one.
  @Test func theConfirmationMayComeSoonerThanARetry() async throws {
    let result = try await run([down()]) { $0.confirmDelay = .seconds(1) }
    #expect(time.sleeps == [.seconds(3), .seconds(3), .seconds(1)])
    #expect(result.message == "confirmed failure after 2 retries: no")
  }

  @Test func aConfirmationThatSucceedsIsSuccess() async throws {
    let result = try await run([down(), down(), down(), up()])
    #expect(result.state == .up)
    #expect(result.attempts.count == 4)
  }

  @Test func withoutRetriesThereIsNoConfirmation() async throws {
    let result = try await run([down()]) { definition in
      definition.origin = .api
      definition.retries = 0
    }
    #expect(result.attempts.count == 1)
    #expect(result.message == "no")
  }

  @Test func withoutConfirmationTheMessageIsTheAttempts() async throws {
    let result = try await run([down()]) { $0.confirmDelay = .zero }
    #expect(result.attempts.count == 3)
    #expect(result.message == "no")
  }

  @Test func oneRetryIsNotRetries() async throws {
    let result = try await run([down()]) { $0.retries = 1 }
    #expect(result.message == "confirmed failure after 1 retry: no")
  }

  @Test(arguments: [Reason.policyDenied, .unsupported]) func whatCannotChangeIsNotRetried(reason: Reason)
    async throws
  {
    let result = try await run([down(reason)])
    #expect(result.attempts.count == 1)
    #expect(result.state == .unknown)
  }

  @Test func aLocalFaultIsRetriedButNeverCalledConfirmed() async throws {
    let result = try await run([down(.localFault)])
    #expect(result.attempts.count == 4)
    #expect(result.state == .unknown)
    #expect(result.message == "no")
  }

  @Test func eachAttemptHasTheWholeTimeout() async throws {
    let probe = ScriptedProbe([down(), up()], time: time)
    _ = try await runner(probe).run(check { $0.timeout = .seconds(4) }, slot: slot)
    #expect(probe.deadlines == [time.instant(.seconds(4)), time.instant(.milliseconds(7100))])
  }

  /// After one that reached no address; not after one whose target answered wrongly.
  @Test func theNextAttemptTakesASecondLook() async throws {
    let wrong = ProbeOutcome(Verdict(.httpStatus, phase: .assertion))
    let probe = ScriptedProbe([down(), wrong, down(), up()], time: time)
    _ = try await runner(probe).run(check(), slot: slot)
    #expect(probe.secondLooks == [false, true, false, true])
  }

  @Test func theSlotAndTheLatenessAreInTheResult() async throws {
    time.advance(by: .milliseconds(40))
    let result = try await run([up()])
    #expect(result.scheduledAt == FakeClock.start)
    #expect(result.startedAt == FakeClock.start.advanced(by: .milliseconds(40)))
    #expect(result.late == .milliseconds(40))
    #expect(result.trigger == .schedule)
  }

  @Test func aClockThatSteppedBackIsNotLate() async throws {
    let early = ProbeSlot(scheduledAt: FakeClock.start.advanced(by: .seconds(9)), trigger: .manual)
    let result = try await runner(ScriptedProbe([up()], time: time)).run(check(), slot: early)
    #expect(result.late == .zero)
    #expect(result.trigger == .manual)
  }

  /// Two retries and a confirmation would wait for four.
  @Test func aRunWaitsForRoomForOneIntervalInAll() async throws {
    let wait = Probed.postponed(by: .seconds(20))
    let late = ProbeSlot(scheduledAt: FakeClock.start, trigger: .schedule, late: .seconds(1))
    let result = try await runner(ProbeOfWords([wait, wait, .done(down()), wait, wait])).run(
      check { $0.interval = .seconds(60) }, slot: late)
    #expect(result.isHeldBack && result.state == .unknown && result.reason == .localFault)
    #expect(time.sleeps == [.seconds(20), .seconds(20), .seconds(3), .seconds(20)])
    #expect(result.attempts.map(\.reason) == [.connectRefused, .localFault])
    #expect(result.late == .seconds(41))
  }

  @Test func idsAreVersion7AndNeverTheSame() async throws {
    var ids: Set<UniqueID> = []
    for _ in 0..<100 { ids.insert(try await run([up()]).id) }
    #expect(ids.count == 100)
    #expect(ids.allSatisfy { $0.high >> 12 & 15 == 7 })
  }

  @Test func theOutcomeIsInTheResultUnchanged() async throws {
    var outcome = down()
    outcome.statusCode = 503
    outcome.httpVersion = "2"
    outcome.peer = SocketAddress(.v4(0xc000_0201), port: 443)
    outcome.timings = Timings(dns: .milliseconds(1), total: .milliseconds(5))
    outcome.hops = [Hop(url: "https://example.com/")]
    outcome.assertions = [Assertion(what: "status", expected: "200", actual: "503", ok: false)]
    outcome.ping = PingFacts(sent: 1, received: 0)
    outcome.tls = TLSFacts(verified: true)
    outcome.dns = DNSFacts(
      rcode: "NOERROR", answers: [], authoritative: false, truncated: false, transport: "udp")
    let result = try await run([outcome])
    #expect(result.statusCode == 503)
    #expect(result.httpVersion == "2")
    #expect(result.address == "192.0.2.1:443")
    #expect(result.ipVersion == 4)
    #expect(result.timings == outcome.timings)
    #expect(result.hops == outcome.hops)
    #expect(result.assertions == outcome.assertions)
    #expect(result.ping == outcome.ping)
    #expect(result.tls == outcome.tls)
    #expect(result.dns == outcome.dns)
  }

  @Test func everyKindHasItsOwnProbe() async throws {
    let names = ["http", "tcp", "dns", "tls", "ping"]
    let probes = names.indices.map { kind in
      ScriptedProbe(
        [ProbeOutcome(.ok, peer: SocketAddress(.v4(0xc000_0201), port: UInt16(kind + 1)))], time: time)
    }
    let runner = CheckRunner(
      http: probes[0], tcp: probes[1], dns: probes[2], tls: probes[3], ping: probes[4], time: time.passing)
    for (kind, name) in names.enumerated() {
      let check = try makeCheck(name) { definition in
        definition.url = "https://example.com/"
        definition.host = "example.com"
        definition.port = name == "ping" ? nil : 443
        definition.queryName = "example.com"
      }
      #expect(try await runner.run(check, slot: slot).address == "192.0.2.1:\(kind + 1)")
    }
  }

  /// Also when the probe, cancelled, claims success.
  @Test func aCancelledRunLeavesNothing() async throws {
    let (begun, signal) = AsyncStream.makeStream(of: Void.self)
    let runner = runner(StubbornProbe { signal.yield() })
    let check = try check()
    let task = Task { [slot] in try await runner.run(check, slot: slot) }
    for await _ in begun { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { _ = try await task.value }
  }

  @Test func cancelledWhileItPausesItEnds() async throws {
    let real = CheckRunner(
      http: ScriptedProbe([down()], time: time), tcp: ScriptedProbe([down()], time: time),
      dns: ScriptedProbe([down()], time: time), tls: ScriptedProbe([down()], time: time),
      ping: ScriptedProbe([down()], time: time))
    let check = try check { $0.retryDelay = .seconds(3600) }
    let task = Task { [slot] in try await real.run(check, slot: slot) }
    task.cancel()
    await #expect(throws: CancellationError.self) { _ = try await task.value }
  }
}
