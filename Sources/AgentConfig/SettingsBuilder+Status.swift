// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// status: who may ask
extension SettingsBuilder {
  mutating func judgeStatus(_ settings: inout StatusSettings, stateDir: String) {
    let map = root.map("status")
    if map["listen"]?.text == nil {
      let path = "\(stateDir)/agent.sock"
      settings.listen = .unix(path: path)
      judgeSocket(path, "status.listen", map.position(of: ["listen"]), &walk.reader)
    }
    if map["socket"] == nil, settings.listen?.isSocket == false {
      let path = "\(stateDir)/agent.sock"
      settings.socket = path.utf8.count > mostSocketPath ? nil : .unix(path: path)
    }
    judgeAccess(settings, map)
  }

  /// Checks on the public page are named, one by one or by tags: none gets there by accident.
  mutating func judgePublic(_ face: PublicSettings?, _ checks: [MonitoringCheck]) {
    let status = root.map("status")
    guard let face, case .map(let map)? = status["public"]?.value else { return }
    if face.listen == nil, !map.isInvalid(["listen"]) {
      walk.problem(
        map.position(of: ["listen"]), "status.public.listen must be an address",
        hint: "such as 0.0.0.0:8080; leave out status.public for no public page")
    }
    if let listen = face.listen, let own = root.map("status")["listen"]?.text,
      case .tcp(_, let port) = listen, port != 0,
      own == map["listen"]?.text
    {
      walk.problem(
        map.position(of: ["listen"]),
        "status.public.listen is status.listen: what is private would be there too",
        hint: "give it another port")
    }
    if face.groups.isEmpty, face.checks.isEmpty, map["groups"] == nil, map["checks"] == nil {
      walk.problem(
        map.position, "status.public shows nothing",
        hint: "name checks, or groups (tags) of checks; what is not named stays private")
    }
    let known = knownChecks(checks)
    judgeNamed(map, known)
    for given in map["pages"]?.list ?? [] {
      guard let page = given.map else { continue }
      judgeNamed(page, known)
      if page["groups"] == nil, page["checks"] == nil {
        walk.problem(
          page.position, "this public page shows nothing", hint: "name checks, or groups (tags) of checks")
      }
    }
  }

  /// Names and tags of checks on one public page.
  private mutating func judgeNamed(_ map: GivenMap, _ known: KnownChecks) {
    for (index, given) in (map["checks"]?.list ?? []).enumerated() {
      guard let name = given.text, let problem = known.problem(name, "checks") else { continue }
      say(problem, map.position(of: ["checks", String(index)]), known)
    }
    for (index, given) in (map["groups"]?.list ?? []).enumerated() {
      guard let tag = given.text ?? given.map?["tag"]?.text else { continue }
      warnOfTag(tag, map.position(of: ["groups", String(index)]), "groups", known)
    }
  }

  /// A client of `/probe` makes this machine dial, so access must be configured.
  mutating func judgeProbe(_ settings: ProbeSettings?) {
    guard let settings else { return }
    let map = root.map("probe")
    if settings.modules == nil, !map.isInvalid(["modules"]) {
      walk.problem(map.position, "probe.modules is missing", hint: "name a blackbox.yml")
    }
    if settings.token == nil, settings.allow.isEmpty, !map.isInvalid(["token"]), !map.isInvalid(["allow"]) {
      walk.problem(
        map.position, "probe has neither token nor allow",
        hint: "add probe.token, or probe.allow with the addresses of Prometheus, such as [127.0.0.1/32]")
    }
    if root.map("status")["listen"]?.text == "off" {
      walk.problem(map.position, "probe has no effect without a status server", hint: "set status.listen")
    }
  }

  /// A value for a message, unless it is secret.
  func found(_ map: GivenMap, _ key: String, _ text: String) -> String {
    map.isSecret([key]) ? Redacted.mark : quoted(text.withoutURLSecrets)
  }

  private mutating func refuse(_ keys: [String], _ map: GivenMap, _ place: String) {
    for key in keys where map[key] != nil {
      walk.problem(
        map.position(of: [key]), "status.\(key) has no effect \(place)",
        hint: "leave it out, or set status.listen to address:port")
    }
  }

  /// Reports the clients that can read, so that the page is not opened by accident.
  private mutating func judgeAccess(_ settings: StatusSettings, _ map: GivenMap) {
    if !map.isInvalid(["listen"]) {
      switch settings.listen {
      // Also what could not be read.
      case nil where map["listen"]?.text != "off": break
      case nil:
        refuse(
          ["socket", "read_token", "hosts", "allow_unauthenticated", "run_now_token"], map,
          "without a status server")
      case .unix: refuse(["socket", "read_token", "hosts"], map, "on a unix socket")
      case .tcp: break
      }
    }
    guard case .tcp(let host, _) = settings.listen else { return }
    let hasToken = map["read_token"]?.text != nil || map.isInvalid(["read_token"])
    if !isThisMachine(host), !hasToken, !settings.allowUnauthenticated,
      !map.isInvalid(["allow_unauthenticated"])
    {
      walk.problem(
        map.position(of: ["listen"]),
        "status.listen is reachable from other machines without authentication",
        hint: "set status.read_token, or status.allow_unauthenticated: true if that is meant")
    }
    if hasToken, settings.allowUnauthenticated {
      walk.problem(
        map.position(of: ["allow_unauthenticated"]),
        "status.allow_unauthenticated contradicts status.read_token", hint: "leave one of them out")
    }
  }

  /// Each is on every series of every check.
  mutating func judgeLabels(_ labels: [String]) {
    let map = root.map("metrics")
    if labels.count > TagLabels.limit {
      walk.problem(
        map.position(of: ["labels"]),
        "metrics.labels has \(labels.count) entries, at most \(TagLabels.limit) are allowed")
    }
    for (index, name) in labels.enumerated() where labels[..<index].contains(name) {
      walk.problem(map.position(of: ["labels", String(index)]), "metrics.labels names \(quoted(name)) twice")
    }
  }
}
