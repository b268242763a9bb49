// SPDX-License-Identifier: MIT

import AgentConfig
import Alerts
import Basics
import Checks
import History
import Logging
import Monitoring

// What notifies, and what it asks of the rest.
extension AgentParts {
  /// Parts of the agent that alerting uses.
  static func around(
    _ operators: OperatorDesk, _ maintenance: MaintenanceBook, _ status: AgentStatus, _ traces: TraceDesk?,
    _ once: GroupOnce
  ) -> AlertDesk.Surroundings {
    AlertDesk.Surroundings(
      mutedUntil: { operators.current.mutedUntil($0, at: $1) },
      maintenanceUntil: { maintenance.plan.ends($0, at: $1) },
      notices: { await status.snapshot().ownProblems }, traces: traces, share: once.incidents)
  }

  /// `nil` without a section `alerts`.
  static func alertDesk(
    _ settings: Settings, _ engine: ProbeEngine, _ history: HistoryStore, _ catalog: CheckCatalog,
    _ disk: StateDisk, _ log: Logger
  ) async -> AlertDesk? {
    let life = bootIdentity()
    let desk = await AlertDesk(
      settings.alerts ?? AlertSettings.none, agent: settings.agent, labels: settings.metrics.labels,
      history: history, catalog: catalog,
      sender: ChannelSender(engine, settings.egress) { log.warning("\($0)") },
      file: disk.file(AlertDesk.fileName), log: log, time: engine.time,
      life: life.isEmpty ? nil : life)
    guard settings.alerts == nil else { return desk }
    // Receivers of an earlier run that take incidents for open are named at the first start without channels alone.
    try? await desk.keep()
    return nil
  }
}
