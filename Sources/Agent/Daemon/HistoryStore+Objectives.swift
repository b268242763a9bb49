// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

extension HistoryStore {
  /// The same with the objective of each check that an alerting rule names; of several the strictest.
  func periods(
    through period: CalendarPeriod, count: Int, now: Timestamp, rules: [AlertRule], checks: [MonitoringCheck]
  ) -> [UniqueID: CheckMonths] {
    var periods = periods(through: period, count: count, now: now)
    let rules = rules.filter { $0.objective != nil }
    guard !rules.isEmpty else { return periods }
    for check in checks where periods[check.id] != nil {
      periods[check.id]?.objective =
        rules.filter { $0.selection.contains(check) }.compactMap(\.objective).max()
    }
    return periods
  }
}
