// SPDX-License-Identifier: MIT

import Basics
import HistorySupport
import Monitoring
import Testing
@testable import History

/// When the state of a check began, over times that divide its outages.
@Suite struct StateBeginTests {
  private func figures(_ runs: [Run], at second: Int) throws -> CheckFigures {
    let check = try makeCheck()
    return try #require(makeStore(check, runs: runs).figures(of: check.id, now: midnight + .seconds(second)))
  }

  private func run(_ second: Int, _ state: CheckState, maintenance: Bool = false) -> Run {
    Run(slot: midnight + .seconds(second), state: state, maintenance: maintenance, delay: .seconds(2))
  }

  /// The slot of the first result that was down, also where the agent was away since; its outage begins after that.
  @Test func anAbsenceIsNoNewBegin() throws {
    var runs = [run(0, .up), run(60, .down), run(120, .down)]
    let before = try figures(runs, at: 130)
    #expect(before.stateBegan == midnight + .seconds(60) && before.outage?.begin == midnight + .seconds(60))
    runs.append(run(600, .down))
    let after = try figures(runs, at: 610)
    #expect(after.outage?.begin == midnight + .seconds(600), "time without a verdict is never down")
    #expect(after.stateBegan == midnight + .seconds(62), "the start of its first run")
    #expect(after.stateBegan == after.since)
  }

  /// Seen up, or of an unknown state, its outage is a new one.
  @Test(arguments: [CheckState.up, .degraded, .unknown]) func anotherStateIsANewBegin(state: CheckState)
    throws
  {
    let figures = try figures([run(0, .down), run(60, state), run(120, .down)], at: 130)
    #expect(figures.stateBegan == midnight + .seconds(120))
  }

  /// A maintenance window in it is none either.
  @Test func aWindowIsNoNewBegin() throws {
    let figures = try figures(
      [run(0, .up), run(60, .down, maintenance: true), run(120, .down)], at: 130)
    #expect(figures.outage?.begin == midnight + .seconds(120))
    #expect(figures.stateBegan == midnight + .seconds(62))
  }

  /// Of another state it is when its first run began.
  @Test func ofOtherStates() throws {
    #expect(try figures([run(0, .up), run(60, .up)], at: 70).stateBegan == midnight + .seconds(2))
    #expect(try figures([], at: 70).stateBegan == nil)
  }
}
