// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import NetworkTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Checks
@testable import Network

/// S-9 and A22, on a clock of the test's own.
@Suite struct EgressBudgetTests {
  private let clock = FakeClock()

  private func budget(_ change: (inout EgressBudget.Limits) -> Void = { _ in }) -> EgressBudget {
    var limits = EgressBudget.Limits()
    change(&limits)
    return EgressBudget(limits, time: clock.time)
  }

  private func peer(_ number: Int, _ port: UInt16 = 443) -> SocketAddress {
    SocketAddress(.v4(0x0800_0000 + UInt32(number)), port: port)
  }

  private func isGranted(_ admission: EgressBudget.Admission) -> Bool {
    if case .granted = admission { true } else { false }
  }

  private func isRefused(_ admission: EgressBudget.Admission) -> Bool {
    if case .refused = admission { true } else { false }
  }

  @Test func aHundredConnectionsASecondOverAll() {
    let budget = budget()
    #expect((0..<100).allSatisfy { isGranted(budget.admit([peer($0)], of: "10.0.0.1")) })
    guard case .later(let wait) = budget.admit([peer(200)], of: "10.0.0.1") else {
      Issue.record("the 101st was not held back")
      return
    }
    #expect(wait > .zero && wait <= .milliseconds(10))
    clock.advance(by: wait)
    #expect(isGranted(budget.admit([peer(200)], of: "10.0.0.1")))
    #expect(!isGranted(budget.admit([peer(201)], of: "10.0.0.1")))
    // No more than a second's worth is saved up.
    clock.advance(by: .seconds(3600))
    #expect((0..<150).filter { isGranted(budget.admit([peer($0)], of: "10.0.0.1")) }.count == 100)
  }

  @Test func eightASecondToOneAddress() {
    let budget = budget()
    #expect((0..<8).allSatisfy { _ in isGranted(budget.admit([peer(1)], of: "10.0.0.1")) })
    #expect(budget.admit([peer(1)], of: "10.0.0.1") == .later(.milliseconds(125)))
    #expect(isGranted(budget.admit([peer(2)], of: "10.0.0.1")))
    clock.advance(by: .milliseconds(125))
    #expect(isGranted(budget.admit([peer(1)], of: "10.0.0.1")))
    #expect(!isGranted(budget.admit([peer(1)], of: "10.0.0.1")))
  }

  @Test func overAnyMinuteTheRateHolds() {
    let budget = budget()
    var granted = 0
    for _ in 0..<6000 {
      if isGranted(budget.admit([peer(1)], of: "10.0.0.1")) { granted += 1 }
      clock.advance(by: .milliseconds(10))
    }
    // A minute's worth, and the burst of the first second.
    #expect((480...488).contains(granted))
  }

  @Test func aRedirectIsCountedAndNotHeldBack() {
    let budget = budget()
    #expect(
      (0..<20).allSatisfy { _ in isGranted(budget.admit([peer(1)], of: "10.0.0.1", isDelayable: false)) })
    guard case .later(let wait) = budget.admit([peer(1)], of: "10.0.0.1") else {
      Issue.record("the debt is not remembered")
      return
    }
    #expect(wait > .seconds(1))
  }

  /// 254 hosts, 20 ports each: the budget trips, and what it knew goes on.
  @Test func aScanTrips() {
    let budget = budget { $0.destinations = 100 }
    var refused = 0
    for host in 0..<254 {
      for port in 0..<20 {
        clock.advance(by: .seconds(1))
        if isRefused(budget.admit([peer(host, UInt16(8000 + port))], of: "10.0.0.1")) { refused += 1 }
      }
    }
    // 100 hosts, 8 ports each.
    #expect(refused == 254 * 20 - 100 * 8)
    let status = budget.status
    #expect(status.destinations == 100 && status.limit == 100 && status.refused == refused)
    #expect(
      status.lastRefusal == "checks from the API already go to 100 destinations ('limits.destinations')")
    #expect(isGranted(budget.admit([peer(5, 8001)], of: "10.0.0.1")))
    #expect(
      budget.admit([peer(5, 9999)], of: "10.0.0.1")
        == .refused("checks from the API already use 8 ports of that host"))
  }

  @Test func whatNobodyAsksForIsForgotten() {
    let budget = budget { $0.destinations = 2 }
    #expect(
      isGranted(budget.admit([peer(1)], of: "10.0.0.1")) && isGranted(budget.admit([peer(2)], of: "10.0.0.1"))
    )
    #expect(isRefused(budget.admit([peer(3)], of: "10.0.0.1")))
    clock.advance(by: .seconds(86_400))
    #expect(isGranted(budget.admit([peer(2)], of: "10.0.0.1")))
    #expect(isRefused(budget.admit([peer(3)], of: "10.0.0.1")))
    clock.advance(by: .seconds(1))
    #expect(isGranted(budget.admit([peer(3)], of: "10.0.0.1")))
    #expect(isRefused(budget.admit([peer(4)], of: "10.0.0.1")))
    clock.advance(by: .seconds(86_400))
    #expect(budget.status.lastRefusal == nil)
  }

  @Test func ofANameWhatFitsIsDialled() {
    let budget = budget { $0.destinations = 2 }
    #expect(budget.admit([peer(1), peer(2), peer(3)], of: "10.0.0.1") == .granted([peer(1), peer(2)]))
    #expect(budget.admit([peer(3), peer(1)], of: "10.0.0.1") == .granted([peer(1)]))
  }

  /// A large site has hundreds of addresses, and is one destination; inside the client's network each is one.
  @Test func aPublicNameIsOneDestination() {
    let budget = budget { $0.destinations = 2 }
    for number in 0..<50 {
      #expect(isGranted(budget.admit([peer(number), peer(number + 100)], of: "cdn.example")))
      clock.advance(by: .seconds(1))
    }
    #expect(budget.status.destinations == 1)
    let inside = (1...3).map { SocketAddress(.v4(0x0a00_0000 + UInt32($0)), port: 443) }
    #expect(budget.admit(inside, of: "inside.example") == .granted([inside[0]]))
    #expect(isRefused(budget.admit([inside[1]], of: "inside.example")))
    #expect(isGranted(budget.admit([peer(999)], of: "CDN.example")))
  }

  // MARK: in the finder and the runner

  private func api(_ change: (inout CheckDefinition) -> Void = { _ in }) throws -> MonitoringCheck {
    try makeCheck("tcp") {
      $0.origin = .api
      $0.host = "8.8.8.8"
      $0.port = 443
      change(&$0)
    }
  }

  private func find(_ finder: TargetFinder, _ check: MonitoringCheck) async throws -> ProbeOutcome? {
    let target = try #require(check.ownTarget)
    guard case .ended(let outcome) = try await finder.find(target, for: check, until: .after(.seconds(5)))
    else {
      return nil
    }
    return outcome
  }

  @Test func onlyStrangersAreCounted() async throws {
    let budget = budget { $0.destinations = 1 }
    let finder = TargetFinder(resolver: NameTable(), policy: EgressPolicy(), budget: budget)
    #expect(try await find(finder, api()) == nil)
    let refused = try #require(try await find(finder, api { $0.host = "9.9.9.9" }))
    #expect(refused.verdict.reason == .policyDenied && refused.verdict.state == .unknown)
    #expect(refused.responseTime == nil && refused.timings == Timings())
    #expect(
      try await find(
        finder,
        api {
          $0.origin = .local
          $0.host = "9.9.9.9"
        }) == nil)
    #expect(budget.status.refused == 1)
  }

  @Test func atMostFourAddressesOfANameAreDialled() async throws {
    let addresses = (1...9).map { IPAddress.v4(0x0808_0800 + UInt32($0)) }
    let names = NameTable(hosts: ["web.test": ResolvedHost(addresses: addresses)])
    let finder = TargetFinder(resolver: names, policy: EgressPolicy(), budget: budget())
    let check = try api { $0.host = "web.test" }
    let target = try #require(check.ownTarget)
    guard case .found(let found, _) = try await finder.find(target, for: check, until: .after(.seconds(5)))
    else {
      Issue.record("not found")
      return
    }
    #expect(found.map(\.address) == Array(addresses.prefix(4)))
  }

  /// Waiting is lateness: the attempt that follows has its whole time, and the result says when it really began.
  @Test func whoIsHeldBackIsLateAndNotSlow() async throws {
    let time = FakeClock()
    let tries = Mutex<[Instant]>([])
    struct Busy: Probe {
      let tries: @Sendable (Instant) -> Int
      func probe(
        _ attempt: Attempt, at addresses: [SocketAddress], dns: Duration?
      ) async throws(CancellationError) -> Probed {
        tries(attempt.deadline) <= 3
          ? .postponed(by: .milliseconds(100)) : .done(ProbeOutcome(.ok, responseTime: .milliseconds(7)))
      }
    }
    let busy = Busy { deadline in
      tries.withLock {
        $0.append(deadline)
        return $0.count
      }
    }
    let outcome = try await CheckRunner(everyKind: busy, time: time.passing).outcome(
      of: Attempt(of: try api(), until: time.instant + .seconds(10)))
    #expect(outcome.verdict == .ok && outcome.held == .milliseconds(300))
    let deadlines = tries.withLock { $0 }
    #expect(
      zip(deadlines, deadlines.dropFirst()).map { $0.duration(to: $1) }
        == Array(repeating: .milliseconds(100), count: 3))
  }

  /// Never longer than an interval: the next slot is due then.
  @Test func whoNeverGetsATurnIsNobodysOutage() async throws {
    struct Never: Probe {
      func probe(
        _ attempt: Attempt, at addresses: [SocketAddress], dns: Duration?
      ) async throws(CancellationError) -> Probed { .postponed(by: .seconds(7)) }
    }
    let outcome = try await CheckRunner(everyKind: Never(), time: FakeClock().passing).outcome(
      of: Attempt(of: try api { $0.interval = .seconds(20) }, until: .now))
    #expect(outcome.verdict.reason == .localFault && outcome.verdict.state == .unknown)
    #expect(outcome.held == .seconds(14))
    #expect(outcome.isHeldBack, "its slot is missed")
  }
}
