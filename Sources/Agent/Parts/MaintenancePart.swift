// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Monitoring
import Status

/// The maintenance windows.
struct MaintenancePart: AgentPart {
  let base: AgentBase

  func services(_ picture: @escaping AgentPicture) -> [AgentService] {
    [
      {
        await MaintenanceWatch(every: base.outside.looks, log: base.log, time: base.time) {
          base.maintenance.plan
        }.run()
      }
    ]
  }

  func follow(_ list: FollowedList) { base.maintenance.replace(checks: list.all) }
  func apply(_ settings: Settings) { base.maintenance.replace(file: settings.maintenance) }
  func contribute(to snapshot: inout StatusSnapshot) { snapshot.mark(base.maintenance.plan) }
}
