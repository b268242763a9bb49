// SPDX-License-Identifier: MIT

import AgentConfig
import Alerts
import Basics
import Logging
import Monitoring
import Scheduler

/// The common ground of the parts of one agent: its settings, the world around it, and the lists that all of them follow.
struct AgentBase: Sendable {
  let settings: Settings
  let outside: Outside
  let catalog: CheckCatalog
  let maintenance: MaintenanceBook
  let orders: OrdersInForce
  /// `nil` where the agent is in no group.
  let group: GroupDesk?
  private let begin: Timestamp
  private let steady: SteadyTime
  let log: Logger

  var time: TimeSource { outside.time }
  /// When the process began, by the wall clock as it is now.
  var started: Timestamp { steady.shown(begin) }
  var grid: SlotGrid { SlotGrid(agent: settings.agent.name, group: group?.grid) }

  init(_ settings: Settings, _ outside: Outside, started: Timestamp, log: Logger) async {
    (self.settings, self.outside, begin, self.log) = (settings, outside, started, log)
    steady = SteadyTime(outside.time)
    catalog = CheckCatalog(settings)
    maintenance = MaintenanceBook(file: settings.maintenance, agent: settings.agent.name)
    orders = OrdersInForce(time: outside.time)
    group = await GroupDesk.make(settings, outside, log)
  }

  /// Whether a check is this agent's, in a group as its owner: the owner runs what people ask for, and says what was
  /// acknowledged.
  func isRunHere(_ check: UniqueID) -> Bool {
    guard let group else { return catalog[check] != nil }
    return [.own, .owner].contains(group.role(of: check) { catalog[$0] != nil })
  }
}
