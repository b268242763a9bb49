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
        alerts.position(of: ["channels"]), "alerts has no channel, so nothing would be sent",
        hint: "add a channel, or leave out alerts")
    }
    var channels: [AlertChannel] = []
    for item in list {
      guard case .map(let map) = item.value else { continue }
      var definition = AlertChannelDefinition(map, &walk.reader)
      definition.unread = unread(map)
      do throws(InvalidAlerts) {
        let channel = try AlertChannel(definition)
        if channels.contains(where: { $0.name == channel.name }) {
          walk.problem(map.position(of: ["name"]), "two channels are called \(quoted(channel.name))")
        }
        warnOfListeners(channel, map)
        warnOfTemplates(channel, map)
        channels.append(channel)
      } catch {
        if definition.unread == nil {
          tell(error.problems, map)
        } else if let channel = standIn(for: definition, map) {
          channels.append(channel)
        }
      }
    }
    return channels
  }

  /// Warns of plain text through foreign networks: the URL of a webhook is its password.
  private mutating func warnOfListeners(_ channel: AlertChannel, _ map: GivenMap) {
    switch channel.kind {
    case .webhook(let webhook) where webhook.url.scheme == .http && !Self.isNear(webhook.url.host):
      walk.warn(
        map.position(of: ["webhook"]),
        "the channel \(quoted(channel.name)) sends over plain http: everybody on the way reads the messages and the URL",
        hint: "use https")
    case .mail(let mail) where mail.security == .none && !Self.isNear(mail.server.host):
      walk.warn(
        map.position(of: ["mail", "tls"]),
        "the channel \(quoted(channel.name)) sends mail in plain text: everybody on the way reads it",
        hint: "use tls: starttls or implicit")
    default: break
    }
  }

  /// Only a warning: a program and a webhook of the format json get every value by its own name, and notifications are sent all the same.
  private mutating func warnOfTemplates(_ channel: AlertChannel, _ map: GivenMap) {
    let kind: String
    switch channel.kind {
    case .exec: kind = "for exec"
    case .webhook(let webhook) where webhook.format == .json: kind = "with format: json"
    default: return
    }
    let keys = [("title", channel.template.title), ("text", channel.template.text)]
    for (key, template) in keys where template != nil {
      walk.warn(
        map.position(of: [key]),
        "\(key) has no effect \(kind): the channel \(quoted(channel.name)) is sent the fields of the notification as JSON",
        hint: "leave it out")
    }
  }

  /// This machine, or an address of a private network.
  private static func isNear(_ host: String) -> Bool {
    if isThisMachine(host) { return true }
    guard let address = IPAddress(host) else { return false }
    return nearby.contains { $0.contains(address) }
  }

  /// RFC 1918, RFC 4193, and what is of one link.
  private static let nearby = [
    "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "fc00::/7", "fe80::/10",
  ]
  .compactMap { CIDR($0) }
}
