// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Scheduler
import Testing

@testable import Agent

/// Rules of the composition that need no running agent.
@Suite struct AgentRulesTests {
  private func check(_ name: String, enabled: Bool = true) throws -> MonitoringCheck {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.host, definition.port) = (name, "tcp", "shop.example", 80)
    (definition.interval, definition.intervalFailing) = (.seconds(60), .seconds(10))
    definition.enabled = enabled
    return try MonitoringCheck(definition)
  }

  /// The supervisor waits for so long and no longer: it hears of the agent twice in that time.
  @Test(arguments: [("400000", 200), ("20000000", 10_000), ("60000", 50)] as [(String, Int64)])
  func theWatchdogHearsOfItTwice(allowed: String, every: Int64) throws {
    let variables = ["NOTIFY_SOCKET": "/run/nobody", "WATCHDOG_USEC": allowed]
    let supervisor = try #require(Supervisor(environment: variables))
    #expect(supervisor.pulse { 1 }.every == .milliseconds(every))
  }

  /// What a supervisor says to another process is not said to this one.
  @Test func theWatchdogOfAnotherProcessIsNotOurs() throws {
    var variables = ["NOTIFY_SOCKET": "@abstract", "WATCHDOG_USEC": "400000", "WATCHDOG_PID": "7"]
    #expect(try #require(Supervisor(environment: variables, pid: 7)).watchdog == .milliseconds(400))
    #expect(try #require(Supervisor(environment: variables, pid: 8)).watchdog == nil)
    variables["NOTIFY_SOCKET"] = "relative"
    #expect(Supervisor(environment: variables, pid: 7) == nil)
  }

  /// A verdict holds until the next slot at the pace it brings about: a check that is down is asked sooner.
  @Test func aFailureHoldsForTheShorterInterval() throws {
    let (check, hold) = (try check("Shop"), SlotHold(agent: "london-1"))
    for (state, seconds) in [(CheckState.down, 10), (.up, 60), (.degraded, 60), (.unknown, 60)]
      as [(CheckState, Int64)]
    {
      let slot = Timeline(agent: "london-1", check: check.id, interval: .seconds(seconds))
        .slot(after: Timestamp(seconds: 1_800_000_000))
      #expect(hold.interval(of: check, state, slot: slot) == .seconds(seconds), "\(state)")
    }
  }

  /// A canary that is switched off excuses nothing, and neither does a name that nobody bears.
  @Test func onlyEnabledChecksAreCanaries() throws {
    let checks = [try check("On"), try check("Off", enabled: false), try check("Other")]
    let catalog = CheckCatalog(file: checks, canaries: ["On", "Off", "Nobody"])
    #expect(catalog.canaries.map(\.name) == ["On"])
    catalog.replace(file: checks, canaries: ["Other"])
    #expect(catalog.canaries.map(\.name) == ["Other"])
  }
}
