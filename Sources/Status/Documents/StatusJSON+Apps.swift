// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// Fields under the names of the Quartz apps' models: a check and a result have both names, so that one document serves
/// both kinds of reader.
extension CheckStatus {
  func writeAppNames(to json: inout JSONWriter) {
    json.field("check_type", history.type.rawValue)
    json.field("url", history.target)
    json.field("interval", Int64(history.interval.seconds.rounded()))
    json.field("timeout", Int64(history.timeout.seconds.rounded()))
    json.field("is_enabled", history.enabled)
  }
}

extension StatusSnapshot {
  /// The apps' `DashboardSummary`. Resources are counted by state; where no check names one, checks are, in maintenance
  /// neither. The notices are its alerts.
  package func writeDashboard(to json: inout JSONWriter) {
    let (resources, summary, problems) = (resources, summary, problems)
    func count(_ state: CheckState, _ ofChecks: Int) -> Int {
      resources.isEmpty ? ofChecks : resources.count { $0.state == state }
    }
    json.object { json in
      json.key("resources")
      json.object { json in
        json.field("total", resources.isEmpty ? summary.total : resources.count)
        json.field("up", count(.up, summary.up))
        json.field("down", count(.down, summary.down))
        json.field("degraded", count(.degraded, summary.degraded))
        json.field("unknown", count(.unknown, summary.unknown))
      }
      json.key("alerts")
      json.object { json in
        json.field("active", problems.count)
        json.field("critical", problems.count(where: \.isCritical))
        json.field("warning", problems.count { !$0.isCritical })
      }
      json.key("uptime")
      json.object { json in
        json.key("average")
        if let average = summary.averageUptime24h { json.number(average) } else { json.null() }
        json.field("period", UptimePeriod.day.rawValue)
      }
    }
  }
}
