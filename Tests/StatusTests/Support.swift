// SPDX-License-Identifier: MIT

import Basics
import History
import HistorySupport
import Monitoring
import Status
import StatusSupport

let identity = AgentIdentity(name: "test-1", region: nil, version: "0", started: midnight)

extension HistoryStore {
  func snapshot(now: Timestamp) -> StatusSnapshot {
    StatusSnapshot(agent: identity, history: self, now: now)
  }

  func status(of checkID: UniqueID, now: Timestamp) -> CheckStatus? { snapshot(now: now).check(checkID) }
}

extension StatusSnapshot {
  func window(_ period: UptimePeriod) -> WindowStatus {
    checks.first?.window(period) ?? WindowStatus(period: period)
  }
}
