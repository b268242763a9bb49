// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Scheduler

/// What hangs must not keep waiting what works.
@Suite struct StarvationTests {
  private func percentile99(_ values: [Duration]) -> Duration {
    values.sorted()[max(0, values.count * 99 / 100 - 1)]
  }

  /// 500 targets that answer nothing for ten seconds, twice each with the retry, beside 1,000 that answer in 50 ms.
  /// Unhindered the hanging would hold 183 places at once; there are 100.
  @Test func fiveHundredHangingTargetsDoNotDelayHealthyOnes() throws {
    let hanging = try (0..<500).map { try makeCheck("hanging-\($0)", retries: 1) }
    let healthy = try makeChecks(1000)
    var simulation = Simulation(healthy + hanging, testOptions(total: 100))
    simulation.takes = { $0.retries == 1 ? .seconds(22) : .milliseconds(50) }
    simulation.finds = { check, _ in check.retries == 1 ? .fails : .works }
    // Nobody knows yet who works.
    simulation.run(for: .seconds(180))
    simulation.forgetRecords()
    simulation.run(for: .seconds(600))
    let late = healthy.flatMap { simulation.runs(of: $0).map(\.late) }
    #expect(late.count == 10_000)
    #expect(percentile99(late) < .milliseconds(250))
    #expect(healthy.allSatisfy { simulation.slots(missed: $0) == 0 })
    // The hanging have what is left, and it is used to the full: three quarters of the places, 22 s each.
    #expect(simulation.worstInFlight <= 100)
    let hung = hanging.reduce(0) { $0 + simulation.runs(of: $1).count }
    #expect((1950...2130).contains(hung))
    #expect(hanging.allSatisfy { !simulation.runs(of: $0).isEmpty })
  }

  /// The same with one host: the limit per host is what holds them.
  @Test func oneHangingHostDelaysNobodyElse() throws {
    let hanging = try (0..<500).map { try makeCheck("hanging-\($0)", host: "hanging.example", retries: 1) }
    let healthy = try makeChecks(1000)
    var simulation = Simulation(healthy + hanging, testOptions(total: 100))
    simulation.takes = { $0.retries == 1 ? .seconds(22) : .milliseconds(50) }
    simulation.finds = { check, _ in check.retries == 1 ? .fails : .works }
    simulation.run(for: .seconds(600))
    let late = healthy.flatMap { simulation.runs(of: $0).map(\.late) }
    #expect(percentile99(late) < .milliseconds(250))
    #expect(simulation.slots(missed: healthy[0]) == 0)
  }

  @Test func aRestartKnowsWhoWorked() throws {
    let hanging = try (0..<500).map { try makeCheck("hanging-\($0)", retries: 1) }
    let healthy = try makeChecks(1000)
    let works = Dictionary(uniqueKeysWithValues: healthy.map { ($0.id, RunOutcome.Finding.works) })
    var simulation = Simulation(
      healthy + hanging, testOptions(total: 100), recalling: settled(hanging).merging(works) { $1 })
    simulation.takes = { $0.retries == 1 ? .seconds(22) : .milliseconds(50) }
    simulation.finds = { check, _ in check.retries == 1 ? .fails : .works }
    simulation.run(for: .seconds(120))
    let late = healthy.flatMap { simulation.runs(of: $0).map(\.late) }
    #expect(percentile99(late) < .milliseconds(250))
  }
}
