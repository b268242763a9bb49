// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// alerts
extension SettingsBuilder {
  /// `nil` where alerts are off.
  mutating func alerts(_ read: AlertSettings?, _ checks: [MonitoringCheck]) -> AlertSettings? {
    guard case .map(let map)? = root["alerts"]?.value, var settings = read else { return nil }
    settings.zone = zone(map)
    settings.channels = channels(map)
    settings.quietHours = quietHours(map, usual: settings.zone)
    let known = KnownChannels(map)
    settings.rules = rules(map, checks, known)
    settings.escalate = escalations(map, known)
    settings.reports = reports(map, checks, settings, known)
    if case .map(let flap)? = map["flap"]?.value { settings.flap = FlapSettings(flap, &walk.reader) }
    warnOfNoApps(map, settings)
    return settings
  }

  /// Only a warning: notifications go out as with `always`.
  private mutating func warnOfNoApps(_ map: GivenMap, _ settings: AlertSettings) {
    guard settings.app == .fallback else { return }
    let target = root.map("quartz").map("deliver")["to"]?.text ?? DeliverSettings.Target.quartz.rawValue
    guard root["quartz"] == nil || target != DeliverSettings.Target.quartz.rawValue else { return }
    walk.warn(
      map.position(of: ["app"]),
      "alerts.app is fallback, but results do not go to the Quartz apps: local channels notify of everything",
      hint: "set quartz.deliver.to: quartz, or leave alerts.app out")
  }

  private mutating func escalations(_ map: GivenMap, _ channels: KnownChannels) -> [Escalation] {
    let list = map["escalate"]?.list ?? []
    if list.count > Escalation.limit {
      walk.problem(
        map.position(of: ["escalate"]),
        "alerts.escalate may list at most \(Escalation.limit) steps, found \(list.count)")
      return []
    }
    var steps: [Escalation] = []
    for item in list {
      guard case .map(let map) = item.value else { continue }
      let step = EscalationDefinition(map, &walk.reader)
      let names = step.to ?? []
      nameChannels(names, map, "to", channels)
      for name in names where steps.contains(where: { $0.to.contains(name) }) {
        walk.problem(
          map.position(of: ["to"]), "two steps of alerts.escalate name the channel \(quoted(name))",
          hint: "leave it in the earlier one")
      }
      if let after = step.after, !names.isEmpty { steps.append(Escalation(after: after, to: names)) }
    }
    if !steps.isEmpty, !channels.hasOthers, !channels.names.isEmpty,
      channels.names.allSatisfy({ name in steps.contains { $0.to.contains(name) } })
    {
      walk.problem(
        map.position(of: ["escalate"]), "alerts.escalate names every channel, so none is notified at first",
        hint: "leave one channel out of it")
    }
    return steps.sorted { $0.after < $1.after }
  }

  mutating func nameChannels(
    _ names: [String], _ map: GivenMap, _ key: String, _ channels: KnownChannels
  ) {
    guard !channels.hasOthers else { return }
    for (index, name) in names.enumerated()
    where !map.isInvalid([key, String(index)]) && !channels.names.contains(name) {
      walk.problem(
        map.position(of: [key, String(index)]), "\(key) names \(quoted(name)), which is no channel",
        hint: nearest(to: name, among: channels.names).map { "did you mean \"\($0)\"?" })
    }
  }

  private mutating func zone(_ map: GivenMap) -> TimeZoneRules {
    guard let name = map["timezone"]?.text else { return .utc }
    do throws(TimeZoneFiles.Failure) {
      return try zones.zone(name)
    } catch {
      walk.problem(map.position(of: ["timezone"]), "alerts.timezone \(error.message)", hint: error.hint)
      return .utc
    }
  }

  private mutating func quietHours(_ map: GivenMap, usual: TimeZoneRules) -> QuietHours? {
    guard case .map(let hours)? = map["quiet_hours"]?.value else { return nil }
    do throws(InvalidAlerts) {
      return try QuietHours(QuietHoursDefinition(hours, &walk.reader), usual: usual, zones: zones)
    } catch {
      tell(error.problems, hours)
      return nil
    }
  }

  /// Those of the file, or the usual ones where it names none.
  private mutating func rules(
    _ map: GivenMap, _ checks: [MonitoringCheck], _ channels: KnownChannels
  ) -> [AlertRule] {
    guard let list = map["rules"]?.list else { return AlertRule.defaults }
    if list.isEmpty {
      walk.problem(
        map.position(of: ["rules"]), "alerts.rules is empty",
        hint: "leave it out for the usual rules, or leave out alerts")
    } else if list.count > AlertRule.limit {
      walk.problem(
        map.position(of: ["rules"]),
        "alerts.rules may list at most \(AlertRule.limit) rules, found \(list.count)")
      return []
    }
    var rules: [AlertRule] = []
    for item in list {
      guard case .map(let map) = item.value else { continue }
      do throws(InvalidAlerts) {
        let rule = try AlertRule(AlertRuleDefinition(map, &walk.reader))
        if rules.contains(where: { $0.name == rule.name }) {
          walk.problem(
            map.position(of: ["name"]), "two rules are called \(quoted(rule.name))",
            hint: "give each rule a name of its own")
        }
        rules.append(rule)
      } catch {
        tell(error.problems, map)
      }
      warnOfNobody(map, checks)
      nameChannels(map["channels"]?.texts ?? [], map, "channels", channels)
    }
    return rules
  }

  /// Only a warning: the API may know the check.
  mutating func warnOfNobody(_ map: GivenMap, _ checks: [MonitoringCheck]) {
    let known = knownChecks(checks)
    guard !known.hasOthers else { return }
    for (index, name) in (map["checks"]?.texts ?? []).enumerated()
    where !name.isEmpty && !known.contains(name) {
      walk.warn(
        map.position(of: ["checks", String(index)]),
        "checks[\(index)] names no check: \(found(map, "checks", name))",
        hint: nearest(to: name, among: checks.map(\.name)).map { "did you mean \"\($0)\"?" })
    }
    for (index, tag) in (map["tags"]?.texts ?? []).enumerated()
    where !tag.isEmpty && !known.tags.contains(ByteText(tag)) {
      walk.warn(
        map.position(of: ["tags", String(index)]),
        "tags[\(index)] is a tag that no check has: \(found(map, "tags", tag))",
        hint: nearest(to: tag, among: known.tags.map(\.text).sorted()).map { "did you mean \"\($0)\"?" })
    }
  }
}
