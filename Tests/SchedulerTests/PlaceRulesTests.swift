// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Scheduler

/// Places: in which order they are given, how they are divided, and what is told of those that wait.
@Suite struct PlaceRulesTests {
  private func startAll(_ limit: inout InFlightLimit) -> [Int] {
    var started: [Int] = []
    while let turn = limit.next() { started.append(turn.entry) }
    return started
  }

  private func remembered(_ limit: InFlightLimit) -> Int? {
    Mirror(reflecting: limit).descendant("hosts").map { Mirror(reflecting: $0).children.count }
  }

  private func check(
    _ name: String, _ origin: WorkOrigin.Kind, every interval: Duration, host: String
  ) throws -> MonitoringCheck {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.host, definition.port) = (name, "tcp", host, 80)
    if origin == .apiChecks { definition.origin = .api }
    (definition.interval, definition.timeout) = (interval, min(interval, .seconds(10)))
    return try MonitoringCheck(definition)
  }

  /// One place fits always, and a quarter is reserved: below four places none.
  @Test func theLeastLimits() {
    for (given, total, reserved) in [
      (-1, 1, 0), (0, 1, 0), (1, 1, 0), (3, 3, 0), (4, 4, 1), (7, 7, 1), (8, 8, 2),
    ] {
      let limits = InFlightLimits(total: given, perHost: given)
      #expect(limits.total == total && limits.perHost == total && limits.reserved == reserved)
    }
    #expect(InFlightLimits(total: 100).perHost == 8)
  }

  /// A host with several that wait has one turn, that of its first: none of them overtakes a check of another
  /// host.
  @Test(arguments: 1...6) func theOrderOfArrivalHoldsAcrossHosts(total: Int) {
    var limit = InFlightLimit(InFlightLimits(total: total))
    let hosts = ["a", "b", "a", "c", "a", "b"]
    for (entry, host) in hosts.enumerated() { limit.enqueue(entry, host: host) }
    var order: [Int] = []
    var going: [String] = []
    while order.count < hosts.count {
      while let turn = limit.next() {
        order.append(turn.entry)
        going.append(turn.host)
      }
      guard !going.isEmpty else { break }
      limit.release(host: going.removeFirst())
    }
    #expect(order == [0, 1, 2, 3, 4, 5])
  }

  /// Also across the two origins, where neither has its share used up.
  @Test func theOrderOfArrivalHoldsAcrossOrigins() {
    var limit = InFlightLimit(InFlightLimits(total: 16))
    limit.share(true)
    let kinds: [WorkOrigin.Kind] = [.apiChecks, .fileChecks, .fileChecks, .apiChecks]
    for (entry, kind) in kinds.enumerated() { limit.enqueue(entry, host: "host-\(entry)", of: kind) }
    var told: [WorkOrigin.Kind] = []
    for expected in 0..<4 {
      guard let turn = limit.next() else { break }
      #expect(turn.entry == expected && turn.host == "host-\(expected)" && turn.standing == .trusted)
      told.append(turn.kind)
    }
    #expect(told == kinds)
  }

  /// Hosts come and go for years: those with nothing in flight and nothing that waits are not kept.
  @Test func anIdleHostIsForgotten() {
    var limit = InFlightLimit(InFlightLimits(total: 2))
    for entry in 0..<5 { limit.enqueue(entry, host: "host-\(entry)") }
    #expect(startAll(&limit) == [0, 1])
    #expect(remembered(limit) == 5)
    #expect(limit.removeWaiting() == [2, 3, 4])
    #expect(remembered(limit) == 2)
    limit.release(host: "host-0")
    #expect(remembered(limit) == 1)
    limit.release(host: "host-1")
    #expect(remembered(limit) == 0)
  }

  /// Since when an origin waits stays the same while it waits; when it got its places, it waits no longer.
  @Test func theTimeOfAWaitIsItsBeginning() {
    var limit = InFlightLimit(InFlightLimits(total: 1))
    for entry in 0..<3 { limit.enqueue(entry, host: "host-\(entry)") }
    #expect(startAll(&limit) == [0])
    limit.noteHeld(at: Instant(nanoseconds: 5))
    limit.noteHeld(at: Instant(nanoseconds: 9))
    let since = Instant(nanoseconds: 5)
    #expect(limit.waits == [QueueWait(.places, .fileChecks, count: 2, since: since)])
    limit.release(host: "host-0")
    #expect(startAll(&limit) == [1])
    limit.noteHeld(at: Instant(nanoseconds: 12))
    #expect(limit.waits == [QueueWait(.places, .fileChecks, count: 1, since: since)])
    limit.release(host: "host-1")
    #expect(startAll(&limit) == [2])
    limit.noteHeld(at: Instant(nanoseconds: 20))
    #expect(limit.waits.isEmpty)
  }

  /// Twenty checks of a second are due together. Alone they have all eight places; beside a check of the
  /// other origin, which is not due, they leave it its part.
  @Test(
    arguments: [
      (.fileChecks, nil, 8), (.apiChecks, nil, 8), (.fileChecks, .fileChecks, 8), (.apiChecks, .apiChecks, 8),
      (.fileChecks, .apiChecks, 7), (.apiChecks, .fileChecks, 6),
    ] as [(WorkOrigin.Kind, WorkOrigin.Kind?, Int)])
  func placesAreDividedWhereBothHaveChecks(
    kind: WorkOrigin.Kind, other: WorkOrigin.Kind?, places: Int
  ) throws {
    var checks = try (0..<20).map {
      try check("check-\($0)", kind, every: .seconds(1), host: "host-\($0).example")
    }
    if let other {
      checks.append(try check("Shop front", other, every: .seconds(3600), host: "shop.example"))
    }
    var schedule = Schedule(testOptions(total: 8), at: newYear)
    let findings = Dictionary(uniqueKeysWithValues: checks.map { ($0.id, RunOutcome.Finding.works) })
    _ = schedule.apply(CheckList(checks), recalling: findings, at: newYear)
    var now = newYear
    now.advance(by: .seconds(1))
    #expect(schedule.begin(at: now).starts.count == places)
    let status = schedule.status(at: now.boot)
    #expect(status.inFlight == places && status.limit == 8 && status.waiting == 20 - places)
    #expect(status.waits == [QueueWait(.places, kind, count: 20 - places, since: now.boot)])
    #expect(status.checks == checks.count && status.started == places)
    #expect(status.missed == 0 && status.missedBy == [:] && status.spanned == 0)
  }

  /// The same at one host: a host that the other origin has no check of is all its own.
  @Test(
    arguments: [
      (.fileChecks, "one.example", 7), (.apiChecks, "one.example", 6), (.fileChecks, "two.example", 8),
      (.apiChecks, "two.example", 8),
    ] as [(WorkOrigin.Kind, String, Int)])
  func placesOfAHostAreDividedWhereBothHaveChecksOfIt(
    kind: WorkOrigin.Kind, otherHost: String, places: Int
  ) throws {
    let other: WorkOrigin.Kind = kind == .apiChecks ? .fileChecks : .apiChecks
    var checks = try (0..<20).map {
      try check("check-\($0)", kind, every: .seconds(1), host: "one.example")
    }
    checks.append(try check("Shop front", other, every: .seconds(3600), host: otherHost))
    var schedule = Schedule(testOptions(total: 200), at: newYear)
    let findings = Dictionary(uniqueKeysWithValues: checks.map { ($0.id, RunOutcome.Finding.works) })
    _ = schedule.apply(CheckList(checks), recalling: findings, at: newYear)
    var now = newYear
    now.advance(by: .seconds(1))
    #expect(schedule.begin(at: now).starts.count == places)
    // A full host is no lack of places.
    let status = schedule.status(at: now.boot)
    #expect(status.waiting == 20 - places && status.waits.isEmpty)
    // Without the other origin's check the next list gives all places back.
    _ = schedule.apply(CheckList(checks.dropLast()), at: now)
    #expect(schedule.begin(at: now).starts.count == 8 - places)
  }

  /// A status of nothing.
  @Test func anEmptyStatusIsZero() {
    let status = ScheduleStatus()
    #expect(status.checks == 0 && status.inFlight == 0 && status.limit == 0 && status.waiting == 0)
    #expect(status.started == 0 && status.missed == 0 && status.spanned == 0)
    #expect(status.waits.isEmpty && status.missedBy.isEmpty)
    #expect(status.lateP50 == nil && status.lateP99 == nil && status.lateMax == nil)
  }

  /// A count of none is not noted as a cause.
  @Test func noSlotsAreNoCause() {
    var status = ScheduleStatus()
    status.miss(0, .gap)
    status.miss(-1, .limit)
    #expect(status.missedBy == [:])
    status.miss(2, .gap)
    status.miss(3, .gap)
    status.miss(1, .budget)
    #expect(status.missedBy == [.gap: 5, .budget: 1] && status.missed == 6)
  }
}
