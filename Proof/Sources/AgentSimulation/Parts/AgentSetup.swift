// SPDX-License-Identifier: MIT

import AgentConfig
import Alerts
import Basics
import Monitoring
import Scheduler
import Spool

/// What an agent is configured with.
struct AgentSetup {
  var name: String
  var checks: [MonitoringCheck]
  var windows: [MaintenanceWindow]
  var spool: Spool.SpoolSettings
  var quartz: QuartzSettings
  var alerts: AlertSettings
  var alertPace: Duration
  /// Names of the checks that tell whether the uplink works.
  var canaries: [String] = []
  /// The check without whose target another one's cannot work, by name.
  var parents: [String: String] = [:]
  var discover: [DiscoverySource] = []
  /// The ways to targets that fail are looked for.
  var traces = false

  var settings: Settings {
    var settings = Settings()
    settings.agent.name = name
    (settings.checks, settings.maintenance, settings.canaries) = (checks, windows, canaries)
    (settings.quartz, settings.alerts, settings.discover) = (quartz, alerts, discover)
    settings.dependencies = parents.sorted { $0.key < $1.key }.map { child, parent in
      var rule = DependencyRule()
      (rule.checks, rule.dependsOn) = ([child], [parent])
      return rule
    }
    settings.limits.inFlight = 64
    (settings.trace.onFailure, settings.trace.slowFactor) = (traces, 0)
    return settings
  }
}

/// Who watches what an agent does, from outside of it.
protocol AgentWitness: AnyObject, Sendable {
  /// The history is there, and the schedule not begun.
  func restored(_ agent: SimulatedAgent)
  /// The agent runs other checks than before, or the first ones of its life.
  func arranged(_ checks: [MonitoringCheck], _ agent: SimulatedAgent)
  func began(_ due: DueCheck, _ agent: SimulatedAgent)
  /// A run came to no result because it was cancelled.
  func abandoned(_ due: DueCheck, _ agent: SimulatedAgent)
  func found(_ result: CheckResult, _ check: MonitoringCheck, _ sequence: UInt64, spanned: SlotRange?)
  func skipped(_ due: DueCheck)
  func missed(_ event: ScheduleEvent)
  func acknowledged(_ message: AlertMessage)
  /// It came to its end as it was told.
  func stopped(_ agent: SimulatedAgent)
}

extension AgentWitness {
  func arranged(_ checks: [MonitoringCheck], _ agent: SimulatedAgent) {}
}
