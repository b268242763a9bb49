// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Notifications and which monitors they are for, as channels and rules.
struct KumaNotifications {
  private let ledger: Ledger
  private let days: [Int]
  private var channels: [ByteText: ImportedCheck] = [:]
  /// Where the channels are from.
  private var nodes: [ByteText: ForeignNode] = [:]
  private var order: [ByteText] = []
  private var names = FreeNames()
  /// Which channels the checks notify, in the order of the monitors.
  private var wanted: [(check: Int, way: Way)] = []
  private var certificates: [ByteText: [Int]] = [:]
  private var reminders = Reminders()

  /// How a notification is used: one that repeats failures is a channel of its own.
  private struct Way: Hashable {
    var id: ByteText
    var reminds: Bool
  }

  /// - Parameter days: before a certificate's end, on which it is notified of.
  init(_ nodes: [ForeignNode], days: [Int], _ ledger: Ledger) {
    (self.ledger, self.days) = (ledger, days)
    for node in nodes {
      let row = KumaRow(node, ledger)
      guard let id = row["id"]?.text else { continue }
      let before = ledger.carried
      let name = row.text("name") ?? "unnamed"
      row.carry("id", "user_id", "active", "is_default")
      var channel = ImportedCheck(named: names.take(name))
      if let why = write(row, &channel) {
        ledger.list(node, why)
        ledger.leaveOut("notification \(name)", why)
        continue
      }
      channel.carried = ledger.carried - before
      channels[ByteText(id)] = channel
      self.nodes[ByteText(id)] = node
      order.append(ByteText(id))
    }
  }

  /// - Parameter ids: notifications of the monitor.
  mutating func add(_ check: inout ImportedCheck, _ row: KumaRow, _ ids: [String]) {
    let resend = row.number("resend_interval") ?? 0
    let known = ids.map { ByteText($0) }.filter { channels[$0] != nil }
    for id in known {
      wanted.append((check.key, Way(id: id, reminds: resend > 0)))
      if check["expect.certificate.warn"] != nil { certificates[id, default: []].append(check.key) }
    }
    guard resend > 0, !known.isEmpty else { return }
    let interval = min(max(1, row["interval"]?.number ?? 60), 604_800)
    reminders.add(min(resend, 604_800) * interval * 1000, of: &check, "resend_interval")
  }

  /// Writes the channels that monitors use.
  mutating func finish() {
    let names = writeChannels()
    ledger.sections.reminders.merge(reminders.ofChecks) { min($0, $1) }
    var book = RuleBook()
    for (check, way) in wanted {
      if let name = names[way] { book.add(check, to: name, after: nil, recoveries: 1) }
    }
    ledger.sections.rules += book.rules()
    for id in order {
      guard let checks = certificates[id], let name = names[Way(id: id, reminds: false)] else { continue }
      var rule = ImportedCheck(name: "\(name) certificates", type: "certificate_expiry")
      rule["before"] = .list(days.map { .plain("\($0)d") })
      rule["severity"] = .plain("medium")
      rule["channels"] = .list([.text(name)])
      rule.selected = checks
      ledger.sections.rules.append(rule)
    }
  }

  /// - Returns: the names of the channels. A certificate is notified of once a step, so it has one that does not remind.
  private mutating func writeChannels() -> [Way: String] {
    let ways = Set(wanted.map(\.way)).union(certificates.keys.map { Way(id: $0, reminds: false) })
    var made: [Way: String] = [:]
    for id in order {
      guard let channel = channels[id] else { continue }
      let own = [false, true].map { Way(id: id, reminds: $0) }.filter(ways.contains)
      for (index, way) in own.enumerated() {
        var channel = channel
        channel["updates"] = .flag(way.reminds)
        if index > 0 { (channel.name, channel.carried) = (names.take("\(channel.name) with reminders"), 0) }
        if way.reminds, let difference = reminders.difference {
          channel.note(.changed, "resend_interval", difference)
        }
        made[way] = channel.name
        ledger.sections.channels.append(channel)
      }
      if own.isEmpty {
        let why = "no monitor uses it"
        ledger.list(nodes[id], why)
        ledger.leaveOut("notification \(channel.name)", why)
      }
    }
    return made
  }

  // MARK: Kinds

  /// - Returns: why there is no channel.
  private func write(_ row: KumaRow, _ channel: inout ImportedCheck) -> String? {
    guard let text = row["config"]?.text, let config = try? JSONValue.parse(Array(text.utf8)),
      let members = config.members
    else { return "its settings are not in the file" }
    var settings = KumaSettings(members)
    let type = settings.text("type") ?? ""
    if let why = write(type, &settings, &channel) { return why }
    row.carry("config")
    channel["updates"] = .flag(false)
    _ = (settings.text("name"), settings.text("isDefault"), settings.text("applyExisting"))
    let rest = settings.rest
    if !rest.isEmpty {
      channel.note(
        .changed, "config", "without counterpart: \(rest.joined(separator: ", ").printable(maxBytes: 300))")
    }
    return nil
  }

  private func write(_ type: String, _ settings: inout KumaSettings, _ channel: inout ImportedCheck)
    -> String?
  {
    let urls = [
      "slack": "slackwebhookURL", "discord": "discordWebhookUrl", "teams": "webhookUrl",
    ]  // own text
    switch type {
    case "slack", "discord", "teams":
      guard let url = settings.text(urls[type] ?? "") else { return "it has no address" }
      if settings.text("discordChannelType") == "createNewForumPost" { return "forum posts are not written" }
      let thread = settings.text("threadId").map { "\(url.contains("?") ? "&" : "?")thread_id=\($0)" } ?? ""
      channel["webhook"] = .secret(Redacted(url + thread), as: "webhook")
      channel["format"] = .plain(type)
    case "ntfy": return ntfy(&settings, &channel)
    case "PagerDuty":
      guard let key = settings.text("pagerdutyIntegrationKey") else { return "it has no key" }
      channel["webhook"] = .text(
        settings.text("pagerdutyIntegrationUrl") ?? "https://events.pagerduty.com/v2/enqueue")
      channel["format"] = .plain("pagerduty")
      channel["routing_key"] = .secret(Redacted(key), as: "routing key")
    case "webhook": return webhook(&settings, &channel)
    case "smtp": return mail(&settings, &channel)
    default: return "no channel here is of this kind: \(type.printable(maxBytes: 40))"
    }
    return nil
  }

  private func ntfy(_ settings: inout KumaSettings, _ channel: inout ImportedCheck) -> String? {
    guard let topic = settings.text("ntfytopic") else { return "it has no topic" }
    let server = settings.text("ntfyserverurl") ?? "https://ntfy.sh"
    channel["webhook"] = .secret(
      Redacted("\(server.hasSuffix("/") ? String(server.dropLast()) : server)/\(topic)"), as: "webhook")
    channel["format"] = .plain("ntfy")
    let (user, password) = (settings.text("ntfyusername"), settings.text("ntfypassword"))
    let token = settings.text("ntfyaccesstoken")
    switch settings.text("ntfyAuthenticationMethod") {
    case "usernamePassword":
      channel.header("Authorization", "Basic \(Base64.text("\(user ?? ""):\(password ?? "")".utf8))")
    case "accessToken": channel.header("Authorization", "Bearer \(token ?? "")")
    default: break
    }
    return nil
  }

  private func webhook(_ settings: inout KumaSettings, _ channel: inout ImportedCheck) -> String? {
    guard let url = settings.text("webhookURL") else { return "it has no address" }
    let kind = settings.text("webhookContentType") ?? "json"
    guard kind != "custom", kind != "form-data", settings.text("httpMethod") != "get" else {
      return "a webhook with a body of its own, or none, is not sent"
    }
    channel["webhook"] = .secret(Redacted(url), as: "webhook")
    channel.note(.changed, "config", "the receiver gets the agent's own JSON")
    guard let text = settings.text("webhookAdditionalHeaders") else { return nil }
    for member in (try? JSONValue.parse(Array(text.utf8)).members) ?? [] {
      channel.header(member.name, member.value.string ?? member.value.text)
    }
    return nil
  }

  private func mail(_ settings: inout KumaSettings, _ channel: inout ImportedCheck) -> String? {
    guard let host = settings.text("smtpHost"), let sender = settings.text("smtpFrom"),
      let recipients = settings.text("smtpTo")
    else { return "it has no server, sender or recipient" }
    let port = settings.text("smtpPort") ?? "587"
    let isImplicit = settings.text("smtpSecure") == "true"
    let isPlain = settings.text("smtpIgnoreSTARTTLS") == "true"
    channel["mail.server"] = .text("\(bracketed(host)):\(port)")
    channel["mail.tls"] = .plain(isImplicit ? "implicit" : isPlain ? "none" : "starttls")
    if !isImplicit, !isPlain {
      channel.note(
        .changed, "config",
        "STARTTLS is required; Kuma sends without it where the server has none: write mail.tls: none then")
    }
    if let name = settings.text("smtpUsername") {
      channel["mail.username"] = .text(name)
      channel["mail.password"] = .secret(Redacted(settings.text("smtpPassword") ?? ""), as: "password")
    }
    channel["mail.from"] = .text(Self.address(sender))
    channel["mail.to"] = .list(recipients.split(separator: ",").map { .text(Self.address($0.trimmed)) })
    return nil
  }

  /// `"Kuma" <kuma@example.com>` as the address alone.
  private static func address(_ text: String) -> String {
    guard let open = text.lastIndex(of: "<"), text.hasSuffix(">") else { return text }
    return String(text[text.index(after: open)...].dropLast())
  }
}

/// Settings of a notification. Those that were not carried are named; their values are never shown.
struct KumaSettings {
  private var values: [ByteText: String] = [:]
  private var order: [String] = []
  private var taken: Set<ByteText> = []

  init(_ members: [JSONValue.Member]) {
    for member in members {
      let text = member.value.string ?? (member.value.isNothing ? "" : member.value.text)
      values[ByteText(member.name)] = text
      order.append(member.name)
    }
  }

  mutating func text(_ name: String) -> String? {
    taken.insert(ByteText(name))
    return values[ByteText(name)].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Names of what says something and was not taken.
  var rest: [String] {
    order.filter { name in
      !taken.contains(ByteText(name))
        && !["", "false", "0", "[]", "{}"].contains(values[ByteText(name)] ?? "")
    }
  }
}

extension JSONValue {
  fileprivate var isNothing: Bool { if case .null = self { true } else { false } }
}
