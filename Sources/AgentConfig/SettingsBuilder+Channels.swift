// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// alerts.channels
extension SettingsBuilder {
  mutating func channels(_ alerts: GivenMap) -> [AlertChannel] {
    let list = alerts["channels"]?.list ?? []
    if list.count > AlertChannel.limit {
      walk.problem(
        alerts.position(of: ["channels"]),
        "alerts.channels may list at most \(AlertChannel.limit) channels, found \(list.count)")
      return []
    }
    if list.isEmpty, !alerts.isInvalid(["channels"]) {
      walk.problem(
        alerts.position(of: ["channels"]), "alerts has no channel: nobody would be told",
        hint: "name one, or leave out alerts")
    }
    var channels: [AlertChannel] = []
    for item in list {
      guard case .map(let map) = item.value else { continue }
      do throws(InvalidAlerts) {
        let channel = try AlertChannel(AlertChannelDefinition(map, &walk.reader))
        if channels.contains(where: { $0.name == channel.name }) {
          walk.problem(map.position(of: ["name"]), "two channels are called \(quoted(channel.name))")
        }
        channels.append(channel)
      } catch {
        tell(error.problems, map)
      }
    }
    return channels
  }
}
