// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

extension HistoryStore {
  func figures(of checkID: UniqueID, now: Timestamp) -> CheckFigures? { checks(now: now).check(checkID) }
}

extension [CheckFigures] {
  func check(_ id: UniqueID) -> CheckFigures? { first { $0.id == id } }

  func window(_ period: UptimePeriod) -> WindowStatus {
    first?.window(period) ?? WindowStatus(period: period)
  }
}
