// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Makes settings of what the walk read, by the keys that they declare, and judges the rules that span keys.
struct SettingsBuilder {
  var walk: Walk
  var root: GivenMap
  let hostName: String
  let patterns: PatternRule
  let zones: TimeZoneFiles

  mutating func settings() -> Settings {
    var settings = Settings()
    settings.agent.name = hostName
    uselessSupabase()
    _ = walk.reader.read(root, into: &settings, [])
    judgeAgent()
    judgeDefaults(&settings.defaults)
    judgeQuartz(&settings.quartz)
    judgeGroup()
    judgeEgress(settings.egress)
    let checks = checks()
    settings.checks = checks.map(\.check)
    judgeGroupsUse()
    judgeConfirm(settings.group, checks)
    judgeRequests(settings)
    settings.maintenance = maintenance(checks, zones: zones)
    settings.canaries = canaries(settings.checks)
    settings.dependencies = dependencies(checks)
    settings.alerts = alerts(settings.alerts, settings.checks)
    settings.lifeSigns = lifeSigns()
    nothingToDo()
    judgeStatus(&settings.status, stateDir: settings.agent.stateDir)
    judgePublic(settings.status.publicFace, settings.checks)
    judgeProbe(settings.probe)
    judgeLabels(settings.metrics.labels)
    settings.secretPaths = secretPaths(checks)
    settings.unread = unreadSections()
    return settings
  }

  /// The host's name was not read, and goes into every result as well.
  private mutating func judgeAgent() {
    let map = root.map("agent")
    guard map["name"]?.text == nil else { return }
    let place = KeyPlace(path: ["agent", "name"], position: map.position(of: ["name"]))
    judgeShown(hostName, place, &walk.reader)
  }

  private mutating func judgeDefaults(_ defaults: inout CheckDefaults) {
    let map = root.map("defaults")
    if map["timeout"]?.duration != nil, defaults.timeout > defaults.interval {
      walk.problem(
        map.position(of: ["timeout"]),
        "defaults.timeout must be at most defaults.interval (\(defaults.interval.text)), "
          + "found \(defaults.timeout.text)")
    }
    defaults.timeout = min(defaults.timeout, defaults.interval)
  }

  /// An unknown name would be a canary that can never fail; names of the API's checks are known later.
  private mutating func canaries(_ checks: [MonitoringCheck]) -> [String] {
    let names = root["canaries"]?.texts ?? []
    guard !names.isEmpty else { return names }
    let known = knownChecks(checks)
    for (index, name) in names.enumerated() where !root.isInvalid(["canaries", String(index)]) {
      let position = root.position(of: ["canaries", String(index)])
      if names[..<index].contains(name) {
        walk.problem(position, "canaries names \(quoted(name)) twice")
      } else if let check = checks.first(where: { $0.name == name }), !check.enabled {
        walk.problem(
          position, "canaries names \(quoted(name)), which is not enabled",
          hint: "enable the check, or leave it out")
      } else if !known.written.contains(ByteText(name)), !known.hasOthers {
        let near = nearest(to: name, among: known.written.map(\.text).sorted()).map {
          "did you mean \"\($0)\"?"
        }
        let message = "canaries names \(quoted(name)), which is no check of this file"
        let hint = near ?? "a canary is a check that works whenever the uplink does, such as the own router"
        if known.mayDiscover {
          walk.warn(position, message, hint: hint)
        } else {
          walk.problem(position, message, hint: hint)
        }
      }
    }
    return names
  }

  /// Judged by what the file says, so that a mistake elsewhere in `quartz` does not look like this one too.
  private mutating func nothingToDo() {
    let pullPath = ["quartz", "checks", "pull"]
    let mayPull = root.isInvalid(pullPath) || root.map("quartz").map("checks")["pull"]?.flag == true
    let checksMayExist =
      root["checks"].map { root["checks"]?.list?.isEmpty == false || $0.isInvalid } ?? false
    let mayDiscover = root["discover"].map { $0.list?.isEmpty == false || $0.isInvalid } ?? false
    guard !mayPull, !mayDiscover, !checksMayExist, !walk.lacksFiles, !walk.lacksChecks else { return }
    walk.problem(
      root.position(of: ["checks"]), "there is nothing to do: checks is empty",
      hint: "add a check, or set quartz.checks.pull: true")
  }

  private func secretPaths(_ checks: [(check: MonitoringCheck, map: GivenMap)]) -> Set<[String]> {
    guard walk.hasSecrets else { return [] }
    let sections = root.entries.filter { $0.name != "checks" }.flatMap { entry in
      GivenMap([entry], at: root.position).secretPaths()
    }
    let below = checks.flatMap { item in
      item.map.secretPaths().map { ["checks", item.check.id.description] + $0 }
    }
    return Set(sections + below + secretMaintenancePaths(checks))
  }
}

/// Without `.` segments and doubled slashes, so that `./state` beside `/etc/agent.yaml` reads `/etc/state`. Two dots
/// stay: what they mean depends on symbolic links.
func normalised(_ path: String) -> String {
  let parts = path.split(separator: "/").filter { $0 != "." }
  let text = parts.joined(separator: "/")
  return path.hasPrefix("/") ? "/" + text : (text.isEmpty ? "." : text)
}
