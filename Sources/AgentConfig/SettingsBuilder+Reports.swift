// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// alerts.reports
extension SettingsBuilder {
  /// - Parameter settings: the channels and the time zone.
  mutating func reports(
    _ alerts: GivenMap, _ checks: [MonitoringCheck], _ settings: AlertSettings, _ known: KnownChannels
  ) -> [ReportSchedule] {
    let list = alerts["reports"]?.list ?? []
    if list.count > ReportSchedule.limit {
      walk.problem(
        alerts.position(of: ["reports"]),
        "alerts.reports may list at most \(ReportSchedule.limit) reports, found \(list.count)")
      return []
    }
    var reports: [ReportSchedule] = []
    for item in list {
      guard case .map(let map) = item.value else { continue }
      do throws(InvalidAlerts) {
        let report = try ReportSchedule(
          ReportDefinition(map, &walk.reader), usual: settings.zone, zones: zones)
        if reports.contains(where: { $0.name == report.name }) {
          walk.problem(
            map.position(of: ["name"]), "two reports are called \(quoted(report.name))",
            hint: "give each report a name of its own")
        }
        refuseStatekeepers(report, settings.channels, map)
        reports.append(report)
      } catch {
        tell(error.problems, map)
      }
      warnOfNobody(map, checks)
      nameChannels(map["channels"]?.texts ?? [], map, "channels", known)
    }
    if settings.pageURL == nil, !reports.isEmpty {
      walk.warn(
        alerts.position(of: ["reports"]), "alerts.page_url is not set: reports have no link to the page",
        hint: "set alerts.page_url to the address of the status page")
    }
    return reports
  }

  /// A receiver that keeps the state of incidents would take a report for one.
  private mutating func refuseStatekeepers(
    _ report: ReportSchedule, _ channels: [AlertChannel], _ map: GivenMap
  ) {
    for (index, name) in report.channels.enumerated() {
      guard let channel = channels.first(where: { $0.name == name }), channel.keepsState else { continue }
      walk.problem(
        map.position(of: ["channels", String(index)]),
        "channels names \(quoted(name)), which opens incidents and takes no reports",
        hint: "name a channel of another kind, such as mail")
    }
  }
}
