// SPDX-License-Identifier: MIT

import Monitoring

/// Turns what the walk read into settings: defaults, and the rules that span keys.
struct SettingsBuilder {
  var walk: Walk
  let root: TypedMap
  let hostName: String
  let patterns: PatternRule
  let zones: TimeZoneFiles

  mutating func settings() -> Settings {
    let agent = agent()
    let defaults = defaults()
    let quartz = root["quartz"] == nil ? nil : quartz(root.map("quartz"))
    let egress = egress(root.map("egress"))
    let checks = checks(defaults)
    let maintenance = maintenance(checks, zones: zones)
    let canaries = canaries(checks.map(\.check))
    nothingToDo()
    return Settings(
      agent: agent,
      status: status(stateDir: agent.stateDir),
      limits: limits(),
      defaults: defaults, quartz: quartz, spool: spool(), egress: egress, canaries: canaries,
      checks: checks.map(\.check),
      maintenance: maintenance, secretPaths: secretPaths(checks))
  }

  private mutating func agent() -> AgentSettings {
    let map = root.map("agent")
    let name = map.text("name") ?? hostName
    shownText(name, map, "agent", "name")
    if let region = map.text("region") { shownText(region, map, "agent", "region") }
    let directory = map.text("state_dir") ?? "/var/lib/quartz-agent"
    if directory.utf8.contains(0) || directory.isEmpty {
      walk.problem(map.position(of: ["state_dir"]), "agent.state_dir must be the path of a directory")
    }
    return AgentSettings(
      name: name, region: map.text("region"), stateDir: normalised(walk.references.absolute(directory)))
  }

  /// A text that goes into every result.
  private mutating func shownText(_ text: String, _ map: TypedMap, _ section: String, _ key: String) {
    let position = map.position(of: [key])
    if !text.contains(where: { !$0.isWhitespace }) {
      walk.problem(position, "\(section).\(key) is empty")
    } else if text.utf8.count > SettingLimits.nameBytes {
      walk.problem(
        position,
        "\(section).\(key) must be at most \(SettingLimits.nameBytes) bytes, found \(text.utf8.count)")
    } else if text.hasControlCharacter {
      walk.problem(position, "\(section).\(key) contains a control character")
    }
  }

  /// A name nobody bears would be a canary that never sings; names of the API's checks are known later.
  private mutating func canaries(_ checks: [MonitoringCheck]) -> [String] {
    let names = root.texts("canaries") ?? []
    let mayPull = root.map("quartz").map("checks").flag("pull") == true
    for (index, name) in names.enumerated() where !root.isInvalid(["canaries", String(index)]) {
      let position = root.position(of: ["canaries", String(index)])
      let isWritten = (root.list("checks") ?? []).contains { item in
        if case .map(let map) = item.value { map.text("name") == name } else { false }
      }
      if names[..<index].contains(name) {
        walk.problem(position, "canaries names \(quoted(name)) twice")
      } else if let check = checks.first(where: { $0.name == name }), !check.enabled {
        walk.problem(
          position, "canaries names \(quoted(name)), which is not enabled",
          hint: "enable the check, or leave it out")
      } else if !isWritten, !mayPull {
        let near = nearest(to: name, among: checks.map(\.name)).map { "did you mean \"\($0)\"?" }
        walk.problem(
          position, "canaries names \(quoted(name)), which is no check of this file",
          hint: near ?? "a canary is a check that works whenever the uplink does, such as the own router")
      }
    }
    return names
  }

  private func limits() -> LimitSettings {
    let map = root.map("limits")
    return LimitSettings(
      inFlight: map.integer("in_flight"), inFlightPerHost: map.integer("in_flight_per_host") ?? 8,
      remoteChecks: map.integer("remote_checks") ?? 2000,
      remoteIntervalMin: map.duration("remote_interval_min") ?? .seconds(10),
      destinations: map.integer("destinations") ?? 500)
  }

  private mutating func defaults() -> CheckDefaults {
    let map = root.map("defaults")
    let interval = map.duration("interval") ?? .seconds(60)
    if let timeout = map.duration("timeout"), timeout > interval {
      walk.problem(
        map.position(of: ["timeout"]),
        "defaults.timeout must be at most defaults.interval (\(interval.text)), found \(timeout.text)")
    }
    return CheckDefaults(
      interval: interval, timeout: min(map.duration("timeout") ?? .seconds(10), interval),
      retries: map.integer("retries") ?? 1, retryDelay: map.duration("retry_delay") ?? .seconds(2))
  }

  private func spool() -> SpoolSettings {
    let map = root.map("spool")
    return SpoolSettings(
      size: map.integer("size") ?? 256 * 1024 * 1024,
      durability: map.text("durability").flatMap(SpoolSettings.Durability.init) ?? .always)
  }

  /// Judged by what the file says, so that a mistake elsewhere in `quartz` does not look like this one too.
  private mutating func nothingToDo() {
    let pullPath = ["quartz", "checks", "pull"]
    let mayPull = root.isInvalid(pullPath) || root.map("quartz").map("checks").flag("pull") == true
    let checksMayExist = root["checks"].map { root.list("checks")?.isEmpty == false || $0.isInvalid } ?? false
    guard !mayPull, !checksMayExist else { return }
    walk.problem(
      root.position(of: ["checks"]), "there is nothing to do: checks is empty",
      hint: "add a check, or set quartz.checks.pull: true")
  }

  private func secretPaths(_ checks: [(check: MonitoringCheck, map: TypedMap)]) -> Set<[String]> {
    let sections = root.entries.filter { $0.name != "checks" }.flatMap { entry in
      TypedMap(entries: [entry], position: root.position).secretPaths()
    }
    let below = checks.flatMap { item in
      item.map.secretPaths().map { ["checks", item.check.id.description] + $0 }
    }
    return Set(sections + below + secretMaintenancePaths(checks))
  }
}

extension Typed {
  var isInvalid: Bool {
    if case .invalid = value { return true }
    return false
  }
}

/// Without `.` segments and doubled slashes, so that `./state` beside `/etc/agent.yaml` reads `/etc/state`. Two dots
/// stay: what they mean depends on symbolic links.
func normalised(_ path: String) -> String {
  let parts = path.split(separator: "/").filter { $0 != "." }
  let text = parts.joined(separator: "/")
  return path.hasPrefix("/") ? "/" + text : (text.isEmpty ? "." : text)
}
