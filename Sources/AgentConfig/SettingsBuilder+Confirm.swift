// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// confirm of the checks
extension SettingsBuilder {
  /// A place that is not this agent's would ask others and never be asked.
  mutating func judgeConfirm(_ group: GroupSettings?, _ checks: [(check: MonitoringCheck, map: GivenMap)]) {
    for (check, map) in checks {
      guard let confirm = check.plan.confirm else { continue }
      guard let group else {
        guard root["group"] == nil else { return }
        walk.problem(
          map.position(of: ["confirm"]), "confirm has no effect without group",
          hint: "a place is the name of a group: docs/places.md")
        continue
      }
      guard !confirm.of.contains(group.name), !group.name.isEmpty else { continue }
      walk.problem(
        map.position(of: ["confirm", "of"]),
        "confirm.of does not name this agent's own place, \(quoted(group.name))",
        hint: "the places are names of groups, and group.name is one of them")
    }
  }
}
