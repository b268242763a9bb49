// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Checks
import Groups
import Logging

// A group's incidents over an etcd.
extension IncidentDesk {
  convenience init(
    _ group: GroupDesk, _ engine: ProbeEngine, _ catalog: CheckCatalog, _ log: Logger
  ) {
    let section = group.section
    self.init(
      group,
      store: EtcdIncidents(
        client: EtcdClient(section, engine), prefix: section.prefix, group: section.name),
      catalog: catalog, ttl: section.ttl, log: log, time: engine.time)
  }
}
