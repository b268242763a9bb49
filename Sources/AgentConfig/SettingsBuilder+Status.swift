// SPDX-License-Identifier: MIT

import Monitoring

// status: who may ask
extension SettingsBuilder {
  mutating func status(stateDir: String) -> StatusSettings {
    let map = root.map("status")
    let settings = StatusSettings(
      listen: listen(stateDir: stateDir), runNowToken: statusToken("run_now_token"),
      readToken: statusToken("read_token"), allowUnauthenticated: map.flag("allow_unauthenticated") ?? false,
      hosts: statusHosts())
    judgeAccess(settings, map)
    return settings
  }

  private mutating func statusToken(_ key: String) -> Redacted? {
    let map = root.map("status")
    guard let token = map.text(key) else { return nil }
    let position = map.position(of: [key])
    if token.utf8.count < 10 {
      walk.problem(
        position, "status.\(key) must be at least 10 characters, found \(token.utf8.count)",
        hint: "such as what openssl rand -hex 16 prints")
    } else if !token.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) {
      walk.problem(position, "status.\(key) may hold printable ASCII only: it travels in a header")
    }
    return Redacted(token)
  }

  private mutating func statusHosts() -> [String] {
    var hosts: [String] = []
    for (index, item) in (root.map("status").list("hosts") ?? []).enumerated() {
      guard case .text(let text) = item.value else { continue }
      let name = try? InternationalName.ascii(text).lowercased()
      if let name, hostProblem(name) == nil {
        hosts.append(name)
      } else {
        walk.problem(
          item.position, "status.hosts[\(index)] must be a name without a port, found \(quoted(text))",
          hint: "such as agent.example")
      }
    }
    return hosts
  }

  private mutating func refuse(_ keys: [String], _ map: TypedMap, _ place: String) {
    for key in keys where map[key] != nil {
      walk.problem(
        map.position(of: [key]), "status.\(key) has no effect \(place)",
        hint: "leave it out, or set status.listen to address:port")
    }
  }

  /// Who can read, said so that nobody opens it by accident.
  private mutating func judgeAccess(_ settings: StatusSettings, _ map: TypedMap) {
    if !map.isInvalid(["listen"]) {
      switch settings.listen {
      // Also what could not be read.
      case .off where map.text("listen") != "off": break
      case .off:
        refuse(
          ["read_token", "hosts", "allow_unauthenticated", "run_now_token"], map, "without a status server")
      case .unix: refuse(["read_token", "hosts"], map, "on a unix socket")
      case .tcp: break
      }
    }
    guard case .tcp(let host, _) = settings.listen else { return }
    let isLocal = host == "localhost" || IPAddress(host)?.isLoopback == true
    let hasToken = map.text("read_token") != nil || map.isInvalid(["read_token"])
    if !isLocal, !hasToken, !settings.allowUnauthenticated, !map.isInvalid(["allow_unauthenticated"]) {
      walk.problem(
        map.position(of: ["listen"]),
        "status.listen reaches other machines, and anybody there could read the status",
        hint: "set status.read_token, or status.allow_unauthenticated: true if that is meant")
    }
    if hasToken, settings.allowUnauthenticated {
      walk.problem(
        map.position(of: ["allow_unauthenticated"]),
        "status.allow_unauthenticated contradicts status.read_token", hint: "leave one of them out")
    }
  }
}
