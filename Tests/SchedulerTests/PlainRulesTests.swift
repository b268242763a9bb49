// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Scheduler

/// Rules of the schedule one at a time.
@Suite struct PlainRulesTests {
  /// What is counted as missed is what was told as missed, slot for slot.
  @Test func theCountIsWhatWasTold() throws {
    let check = try makeCheck("Asleep", every: .seconds(10))
    var simulation = Simulation([check])
    simulation.takes = { _ in .seconds(9) }
    let due = try #require(simulation.schedule.nextDue)
    simulation.run(for: simulation.clock.boot.duration(to: due))
    simulation.sleep(for: .seconds(3600))
    let status = simulation.schedule.status(at: simulation.clock.boot)
    #expect(status.missed == 359 && simulation.slots(missed: check) == 359)
    #expect(status.spanned == 1)
  }

  /// Whatever happens, what is counted as missed is what was told, slot for slot and cause for cause.
  @Test func theCountsAreWhatWasTold() throws {
    func checks(every interval: Duration) throws -> [MonitoringCheck] {
      try (0..<10).map { try makeCheck("check-\($0)", every: interval, host: "one.example") }
    }
    var simulation = Simulation(try checks(every: .seconds(60)), testOptions(perHost: 2))
    simulation.takes = { _ in .seconds(90) }
    simulation.run(for: .seconds(300))
    simulation.apply(try checks(every: .seconds(90)))
    simulation.run(for: .seconds(300))
    simulation.sleep(for: .seconds(900))
    simulation.run(for: .seconds(300))
    var told: [MissCause: Int] = [:]
    for case .missed(_, let slots, let cause) in simulation.events { told[cause, default: 0] += slots.count }
    let status = simulation.schedule.status(at: simulation.clock.boot)
    #expect(status.missedBy == told && status.missed == told.values.reduce(0, +))
    #expect(told[.limit, default: 0] > 0 && told[.gap, default: 0] > 0)
  }

  /// A disabled check has no place in the list, and leaves the place to another with its id.
  @Test func aDisabledCheckIsNotRun() throws {
    let (off, on) = (try makeCheck("Shop", enabled: false), try makeCheck("Bank"))
    let list = CheckList([off, on])
    #expect(list.positions == [on.id: 1])
    #expect(CheckList([off, try makeCheck("Shop")]).positions == [off.id: 1])
    var simulation = Simulation([off, on])
    simulation.run(for: .seconds(300))
    #expect(simulation.runs(of: off).isEmpty && simulation.runs(of: on).count == 5)
    #expect(simulation.schedule.status(at: simulation.clock.boot).checks == 1)
  }

  /// The longest run has every attempt, the confirmation and the pauses in it, and five seconds of our own.
  @Test(arguments: [(0, 0, 15), (2, 0, 41), (2, 7, 58), (0, 7, 22)] as [(Int, Int64, Int64)])
  func theLongestRunHoldsAllAttempts(retries: Int, confirmation: Int64, seconds: Int64) throws {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.host, definition.port) = ("Shop", "tcp", "shop.example", 80)
    definition.origin = .api
    definition.timeout = .seconds(10)
    (definition.retries, definition.retryDelay) = (retries, .seconds(3))
    definition.confirmDelay = .seconds(confirmation)
    #expect(try MonitoringCheck(definition).longestRun == .seconds(seconds))
  }

  /// A place that a failing check had is free for the next one.
  @Test func aPlaceIsGivenBackAsItWasTaken() throws {
    let checks = try makeChecks(10)
    var simulation = Simulation(checks, testOptions(total: 4))
    simulation.finds = { _, _ in .fails }
    simulation.run(for: .seconds(600))
    for check in checks { #expect(simulation.runs(of: check).count >= 9) }
  }
}
