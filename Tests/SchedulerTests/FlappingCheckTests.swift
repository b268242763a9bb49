// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Scheduler
import Testing

/// Row A21 of the fault list: somebody edits a check all the time.
@Suite struct FlappingCheckTests {
  @Test("A21: a check edited every few seconds keeps its grid: no burst, one run an interval")
  func editsKeepTheGrid() throws {
    let versions = try [0, 1, 2].map { try makeCheck("Flapping", every: .seconds(60), retries: $0) }
    var simulation = Simulation([versions[0]])
    for number in 0..<200 {
      simulation.run(for: .seconds(7))
      simulation.apply([versions[number % 3]])
    }
    let slots = simulation.runs(of: versions[0]).map(\.scheduledAt)
    #expect(slots.count == 200 * 7 / 60 || slots.count == 200 * 7 / 60 + 1)
    #expect(zip(slots, slots.dropFirst()).allSatisfy { $0.duration(to: $1) == .seconds(60) })
  }

  /// An interval that goes back and forth: two grids, and still no more runs than the shorter one has.
  @Test func anIntervalThatFlapsMakesNoBurst() throws {
    let fast = try makeCheck("Flapping", every: .seconds(10))
    let slow = try makeCheck("Flapping", every: .seconds(60))
    var simulation = Simulation([fast])
    for number in 0..<200 {
      simulation.run(for: .seconds(3))
      simulation.apply([number % 2 == 0 ? slow : fast])
    }
    #expect(simulation.runs(of: fast).count <= 200 * 3 / 10 + 1)
    #expect(simulation.worstOverlap <= 1)
  }
}
