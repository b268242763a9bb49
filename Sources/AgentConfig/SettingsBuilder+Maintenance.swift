// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// maintenance
extension SettingsBuilder {
  /// The windows of the section, then those of the checks in their order.
  mutating func maintenance(
    _ checks: [(check: MonitoringCheck, map: GivenMap)], zones: TimeZoneFiles
  ) -> [MaintenanceWindow] {
    var windows: [MaintenanceWindow] = []
    let list = root["maintenance"]?.list ?? []
    if list.count > MaintenanceLimits.windows {
      walk.problem(
        root.position(of: ["maintenance"]),
        "maintenance may list at most \(MaintenanceLimits.windows) windows, found \(list.count)")
      return []
    }
    uniqueWindows(list)
    for item in list {
      guard case .map(let map) = item.value else { continue }
      warnOfNobody(map, checks.map(\.check))
      if let window = window(MaintenanceDefinition(map, &walk.reader), map, zones) { windows.append(window) }
    }
    for (check, map) in checks {
      for item in map["maintenance"]?.list ?? [] {
        guard case .map(let map) = item.value else { continue }
        var definition = MaintenanceDefinition(map, &walk.reader)
        definition.name = definition.name ?? check.name
        definition.checks = [check.id.description]
        if let window = window(definition, map, zones) { windows.append(window) }
      }
    }
    return windows
  }

  /// Secrets in the windows of checks, as paths of the section in which they are printed.
  func secretMaintenancePaths(_ checks: [(check: MonitoringCheck, map: GivenMap)]) -> [[String]] {
    var index = root["maintenance"]?.list?.count ?? 0
    var paths: [[String]] = []
    for (_, map) in checks {
      for item in map["maintenance"]?.list ?? [] {
        guard case .map(let map) = item.value else { continue }
        paths += map.secretPaths().map { ["maintenance", String(index)] + $0 }
        index += 1
      }
    }
    return paths
  }

  private mutating func window(
    _ definition: MaintenanceDefinition, _ map: GivenMap, _ zones: TimeZoneFiles
  ) -> MaintenanceWindow? {
    do throws(InvalidMaintenance) {
      return try MaintenanceWindow(definition, zones: zones)
    } catch {
      tell(error.problems, map)
      return nil
    }
  }

  /// Reports a judge's problems of one item of a list.
  mutating func tell(_ problems: [CheckProblem], _ map: GivenMap) {
    for problem in problems where !map.isInvalid(problem.path) {
      let position = map.position(of: problem.path)
      if map.isSecret(problem.path), !problem.path.isEmpty {
        walk.problem(
          position, secretFault(problem, map),
          hint: "the value is not shown; see docs/configuration.md for what the key takes")
      } else {
        walk.problem(position, problem.message, hint: problem.hint)
      }
    }
  }

  private mutating func uniqueWindows(_ list: [Given]) {
    var first: [ByteText: Position] = [:]
    for item in list {
      guard case .map(let map) = item.value, let name = map["name"]?.text else { continue }
      let position = map.position(of: ["name"])
      if let earlier = first[ByteText(name)] {
        walk.problem(
          position, "name \(found(map, "name", name)) is taken by the window in line \(earlier.line)")
      } else {
        first[ByteText(name)] = position
      }
    }
  }
}
