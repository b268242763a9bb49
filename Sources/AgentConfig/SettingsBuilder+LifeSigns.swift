// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// heartbeat
extension SettingsBuilder {
  mutating func lifeSigns() -> [LifeSign] {
    let list = root["heartbeat"]?.list ?? []
    guard list.count <= LifeSign.limit else {
      walk.problem(
        root.position(of: ["heartbeat"]),
        "heartbeat may list at most \(LifeSign.limit) services, found \(list.count)")
      return []
    }
    var signs: [LifeSign] = []
    for item in list {
      guard case .map(let map) = item.value else { continue }
      do throws(InvalidAlerts) {
        signs.append(try LifeSign(LifeSignDefinition(map, &walk.reader)))
      } catch {
        tell(error.problems, map)
      }
    }
    return signs
  }
}
