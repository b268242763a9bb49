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
      judgeSocket(path, map.position(of: ["listen"]), &walk.reader)
    }
    judgeAccess(settings, map)
  }

  /// A value for a message, unless it is secret.
  func found(_ map: GivenMap, _ key: String, _ text: String) -> String {
    map.isSecret([key]) ? Redacted.mark : quoted(text)
  }

  private mutating func refuse(_ keys: [String], _ map: GivenMap, _ place: String) {
    for key in keys where map[key] != nil {
      walk.problem(
        map.position(of: [key]), "status.\(key) has no effect \(place)",
        hint: "leave it out, or set status.listen to address:port")
    }
  }

  /// Who can read, said so that nobody opens it by accident.
  private mutating func judgeAccess(_ settings: StatusSettings, _ map: GivenMap) {
    if !map.isInvalid(["listen"]) {
      switch settings.listen {
      // Also what could not be read.
      case nil where map["listen"]?.text != "off": break
      case nil:
        refuse(
          ["read_token", "hosts", "allow_unauthenticated", "run_now_token"], map, "without a status server")
      case .unix: refuse(["read_token", "hosts"], map, "on a unix socket")
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
