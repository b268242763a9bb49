// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import QuartzAPI
import TestSupport
import Testing

/// `quartz.update_resources`: the status of resources, written once a change.
@Suite struct ResourceTests {
  private static let shop = UniqueID(high: 0x4000, low: 0xaaaa)
  private static let office = UniqueID(high: 0x4000, low: 0xbbbb)

  private func check(_ number: Int, _ resource: UniqueID) throws -> MonitoringCheck {
    var definition = CheckDefinition()
    definition.name = "Check \(number)"
    definition.id = checkID(number).description
    definition.resource = resource.description
    definition.type = "tcp"
    definition.host = "shop.example"
    definition.port = 443
    return try MonitoringCheck(definition)
  }

  private func result(
    _ check: MonitoringCheck, _ state: CheckState, _ change: (inout CheckResult) -> Void = { _ in }
  ) -> CheckResult {
    var result = CheckResult(
      id: UniqueID(high: 0x7000, low: 1), check: check, trigger: .schedule, scheduledAt: dawn,
      startedAt: dawn,
      late: .zero, verdict: .ok)
    result.state = state
    change(&result)
    return result
  }

  @Test func boardFollowsTheBackendsRule() throws {
    let (first, second) = (try check(1, Self.shop), try check(2, Self.shop))
    var board = ResourceBoard()
    board.apply([first, second, try check(3, Self.office)])
    func after(
      _ check: MonitoringCheck, _ state: CheckState, _ change: (inout CheckResult) -> Void = { _ in }
    )
      -> [String]
    {
      board.note(result(check, state, change))
      return board.due.map(\.status)
    }
    #expect(after(first, .down) == [], "the other check has no verdict yet")
    #expect(after(second, .up) == ["degraded"])
    #expect(after(second, .down) == ["down"])
    #expect(after(second, .unknown) == ["down"], "unknown says nothing")
    #expect(after(second, .up) { $0.maintenance = true } == ["down"])
    #expect(after(first, .degraded) == ["degraded"])
    #expect(after(first, .up) == ["degraded"])
    #expect(after(second, .up) == ["up"])
    let update = try #require(board.due.first)
    #expect(update.resource == Self.shop && update.checkedAt == dawn)
    board.took(update)
    #expect(board.due.isEmpty)
    #expect(after(first, .up) == [], "told once")
  }

  /// The backend may have taken it although no answer came: what is so again by then is told again.
  @Test func anAnswerThatIsLostLeavesNothingKnown() throws {
    let check = try check(1, Self.shop)
    var board = ResourceBoard()
    board.apply([check])
    board.note(result(check, .up))
    board.took(try #require(board.due.first))
    board.note(result(check, .down))
    let update = try #require(board.due.first)
    #expect(update.status == "down")
    #expect(board.doubt(update) && !board.doubt(update))
    #expect(board.due.map(\.status) == ["down"])
    board.note(result(check, .up))
    #expect(board.due.map(\.status) == ["up"], "the backend may have been told that it is down")
  }

  private func updater(
    _ fake: FakeQuartz, _ clock: FakeClock, _ file: MemoryBytes
  ) throws -> ResourceUpdater {
    let time = SteadyTime(clock.time)
    let wire = Wire(exchange: InProcess(fake: fake), now: { time.now }) { _ throws(CancellationError) in }
    return ResourceUpdater(
      base: try HTTPURL("https://api.test/v1"), keys: KeyRing(Redacted(FakeQuartz.key)), over: wire,
      time: time,
      file: file, generator: longest)
  }

  @Test func oneRequestAChangeAlsoOverARestart() async throws {
    let (fake, clock, file) = (FakeQuartz(now: { 0 }), FakeClock(), MemoryBytes())
    let checks = [try check(1, Self.shop), try check(2, Self.office)]
    func run(_ states: [CheckState]) async throws {
      let updater = try updater(fake, clock, file)
      updater.apply(checks)
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await updater.run() }
        for state in states {
          await clock.someoneSleeps()
          for check in checks { updater.note(result(check, state)) }
          clock.advance(by: .seconds(1))
          while fake.resourceUpdates.count < checks.count { await Task.yield() }
        }
        await clock.someoneSleeps()
        group.cancelAll()
      }
    }
    try await run([.up, .up, .up])
    #expect(fake.resourceUpdates.map(\.status) == ["up", "up"])
    #expect(Set(fake.resourceUpdates.map(\.id)) == [Self.shop.description, Self.office.description])
    try await run([.up])
    #expect(fake.resourceUpdates.count == 2, "a restart says nothing again")
  }

  /// A resource that is gone is a 500, as an error that passes is; the others are told, and it is retried after growing
  /// pauses. Its trouble stays.
  @Test func goneResourceIsSetAside() async throws {
    let (fake, clock, file) = (FakeQuartz(now: { 0 }), FakeClock(), MemoryBytes())
    fake.setKnownResources { $0 == Self.office.description }
    let checks = [try check(1, Self.shop), try check(2, Self.office)]
    let updater = try updater(fake, clock, file)
    updater.apply(checks)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await updater.run() }
      await clock.someoneSleeps()
      for check in checks { updater.note(result(check, .down)) }
      while fake.resourceUpdates.isEmpty { await Task.yield() }
      await clock.someoneSleeps(until: .seconds(10))
      clock.advance(by: .seconds(10))
      await clock.someoneSleeps(until: .seconds(30))
      group.cancelAll()
    }
    #expect(fake.resourceUpdates == [FakeResourceUpdate(id: Self.office.description, status: "down")])
    #expect(fake.requests.count == 3)
    #expect(updater.status.trouble?.what.contains("500") == true)
  }

  @Test func outageIsWaitedForWithBackoff() async throws {
    let (fake, clock, file) = (FakeQuartz(now: { 0 }), FakeClock(), MemoryBytes())
    fake.setDown(true)
    let check = try check(1, Self.shop)
    let updater = try updater(fake, clock, file)
    updater.apply([check])
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await updater.run() }
      await clock.someoneSleeps()
      // Every result rings; none of them makes a request of its own while the outage is waited for.
      for _ in 0..<50 { updater.note(result(check, .down)) }
      while updater.status.trouble == nil { await Task.yield() }
      await clock.someoneSleeps()
      for _ in 0..<50 { updater.note(result(check, .down)) }
      await clock.someoneSleeps()
      #expect(fake.requests.count == 1)
      fake.setDown(false)
      clock.advance(by: .seconds(1))
      while fake.resourceUpdates.isEmpty { await Task.yield() }
      group.cancelAll()
    }
    #expect(fake.resourceUpdates.map(\.status) == ["down"])
  }
}
