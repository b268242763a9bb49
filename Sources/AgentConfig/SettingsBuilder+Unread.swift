// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// What lacks a credential that only the service can read: a check and a channel stay known by their names, since other
// values refer to them and commands name them. Neither is ever used.
extension SettingsBuilder {
  /// `nil` where every value of the map could be read.
  func unread(_ map: GivenMap) -> UnreadCredentials? {
    guard !walk.unread.isEmpty else { return nil }
    var unread = UnreadCredentials(map.unreadCredentials())
    unread?.hidesConditions = !map.map("expect").unreadCredentials().isEmpty
    return unread
  }

  /// By section, all but the checks.
  func unreadSections() -> [String: UnreadCredentials] {  // own text
    guard !walk.unread.isEmpty else { return [:] }
    var sections: [String: UnreadCredentials] = [:]  // own text
    for entry in root.entries where entry.name != "checks" {
      sections[entry.name] = UnreadCredentials(entry.value.unreadCredentials())
    }
    return sections
  }

  /// The check with placeholders for what it must have. Its other problems are reported.
  mutating func standIn(for definition: CheckDefinition, _ map: GivenMap) -> MonitoringCheck? {
    var whole = definition
    whole.fillIn()
    do throws(InvalidCheck) {
      return try MonitoringCheck(whole, patterns: patterns)
    } catch {
      for problem in error.problems { report(problem, map) }
    }
    var bare = CheckDefinition()
    (bare.unread, bare.plan, bare.type) = (whole.unread, whole.plan, whole.type)
    (bare.id, bare.name, bare.was, bare.resource) = (whole.id, whole.name, whole.was, whole.resource)
    (bare.interval, bare.timeout) = (whole.interval, whole.timeout)
    bare.unread?.hidesConditions = true
    bare.unread?.hidesTarget = true
    bare.fillIn()
    return try? MonitoringCheck(bare, patterns: patterns)
  }

  /// The same of a channel.
  mutating func standIn(for definition: AlertChannelDefinition, _ map: GivenMap) -> AlertChannel? {
    var whole = definition
    if map["webhook"] != nil {
      whole.webhook = whole.webhook ?? Redacted("https://\(UnreadCredentials.host)/\(UnreadCredentials.host)")
      if whole.format == WebhookChannel.Format.pagerduty.rawValue, whole.routingKey == nil {
        whole.routingKey = Redacted(Redacted.mark)
      }
    } else if map["mail"] != nil {
      whole.mail = (whole.mail ?? AlertChannelDefinition.Mail()).filledIn
    } else if map["exec"] != nil, whole.exec?.first?.isEmpty ?? true {
      whole.exec = ["/\(UnreadCredentials.host)"]
    }
    do throws(InvalidAlerts) {
      return try AlertChannel(whole)
    } catch {
      tell(error.problems, map)
      return nil
    }
  }
}

extension CheckDefinition {
  /// Gives placeholders to the keys that the type requires.
  fileprivate mutating func fillIn() {
    let lacksTarget: Bool
    switch type.flatMap(CheckType.init(rawValue:)) {
    case .http:
      lacksTarget = url == nil
      url = url ?? "https://\(UnreadCredentials.host)/"
      // It says who asks, and not what is asked.
      auth = CheckDefinition().auth
    case .tcp:
      lacksTarget = host == nil || port == nil
      host = host ?? UnreadCredentials.host
      port = port ?? 1
    case .tls, .ping:
      lacksTarget = host == nil
      host = host ?? UnreadCredentials.host
    case .dns:
      lacksTarget = queryName == nil
      queryName = queryName ?? UnreadCredentials.host
    case .heartbeat:
      lacksTarget = false
      token = token ?? Redacted(Redacted.mark)
      if period == nil, cron == nil { period = .seconds(86_400) }
    case nil: lacksTarget = false
    }
    if lacksTarget { unread?.hidesTarget = true }
  }
}

extension AlertChannelDefinition.Mail {
  fileprivate var filledIn: AlertChannelDefinition.Mail {
    var mail = self
    let address = "agent@\(UnreadCredentials.host)"
    mail.server = server ?? UnreadCredentials.host
    mail.from = from ?? address
    mail.to = (to ?? []).isEmpty ? [address] : to?.map { $0.isEmpty ? address : $0 }
    if (username == nil) != (password == nil) {
      (mail.username, mail.password) = (username ?? address, password ?? Redacted(Redacted.mark))
    }
    return mail
  }
}
