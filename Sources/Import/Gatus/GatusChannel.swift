// SPDX-License-Identifier: MIT

import Basics

/// Settings of a provider, the first layer that has one winning.
struct GatusChannel {
  /// Providers that have a channel here.
  static let types: Set<ByteText> = [
    "slack", "discord", "teams", "teams-workflows", "ntfy", "pagerduty", "email", "custom",
  ]

  private let layers: [Section]
  private let ledger: Ledger

  init(layers: [Section], _ ledger: Ledger) { (self.layers, self.ledger) = (layers, ledger) }

  private func value(_ name: String) -> String? {
    guard let node = layers.lazy.compactMap({ $0[name] }).first, let text = node.text else { return nil }
    ledger.carry(node)
    return text
  }

  /// - Returns: why there is no such channel; `nil` for one that is written.
  func write(_ type: String, _ channel: inout ImportedCheck) -> String? {
    switch type {
    case "slack", "discord", "teams", "teams-workflows":
      guard let url = value("webhook-url") else { return "it has no webhook-url" }
      channel["webhook"] = .secret(Redacted(url), as: "webhook")
      channel["format"] = .plain(type == "teams-workflows" ? "teams" : type)
    case "ntfy":
      guard let topic = value("topic") else { return "it has no topic" }
      let server = value("url") ?? "https://ntfy.sh"
      channel["webhook"] = .secret(
        Redacted("\(server.hasSuffix("/") ? String(server.dropLast()) : server)/\(topic)"), as: "webhook")
      channel["format"] = .plain("ntfy")
      if let token = value("token") { channel.header("Authorization", "Bearer \(token)") }
    case "pagerduty":
      guard let key = value("integration-key") else { return "it has no integration-key" }
      channel["webhook"] = .text("https://events.pagerduty.com/v2/enqueue")
      channel["format"] = .plain("pagerduty")
      channel["routing_key"] = .secret(Redacted(key), as: "routing key")
    case "email": return mail(&channel)
    case "custom": return custom(&channel)
    default: return "no channel here is of this kind: \(type.printable(maxBytes: 40))"
    }
    return nil
  }

  private func mail(_ channel: inout ImportedCheck) -> String? {
    guard let host = value("host"), let sender = value("from"), let recipients = value("to") else {
      return "it lacks host, from or to"
    }
    let port = value("port") ?? "587"
    channel["mail.server"] = .text("\(bracketed(host)):\(port)")
    channel["mail.tls"] = .plain(port == "465" ? "implicit" : "starttls")
    if GatusVariables.isIn(port) {
      channel.note(
        .changed, "port", "STARTTLS is used whatever the port is; write mail.tls: implicit for 465")
    }
    if let password = value("password"), !password.isEmpty {
      channel["mail.username"] = .text(value("username") ?? sender)
      channel["mail.password"] = .secret(Redacted(password), as: "password")
    } else if port != "465", !GatusVariables.isIn(port) {
      // With a password Gatus gives up as well.
      channel.note(
        .changed, "port",
        "STARTTLS is required; Gatus sends without it where the server has none: write mail.tls: none then")
    }
    channel["mail.from"] = .text(sender)
    channel["mail.to"] = .list(recipients.split(separator: ",").map { .text($0.trimmed) })
    return nil
  }

  /// One that sends what the agent sends: a body of its own cannot be.
  private func custom(_ channel: inout ImportedCheck) -> String? {
    let body = layers.lazy.compactMap { $0["body"]?.text }.first ?? ""
    let address = layers.lazy.compactMap { $0["url"]?.text }.first ?? ""
    let method = (layers.lazy.compactMap { $0["method"]?.text }.first ?? "GET").uppercased()
    guard body.isEmpty else { return "it has a body of its own, and a channel here sends the agent's JSON" }
    guard !address.contains("[") else { return "its URL has placeholders, which no channel here fills in" }
    guard ["POST", "PUT", "PATCH"].contains(method) else {
      return "a channel here sends POST, PUT or PATCH, not \(method.printable(maxBytes: 40))"
    }
    guard let url = value("url") else { return "it has no url" }
    _ = value("method")
    channel["webhook"] = .secret(Redacted(url), as: "webhook")
    channel["method"] = .text(method)
    for header in layers.lazy.compactMap({ $0["headers"]?.entries }).first ?? [] {
      guard let text = header.value.text else { continue }
      ledger.carry(header.value)
      channel.header(header.name, text)
    }
    channel.note(.changed, "body", "the receiver gets the agent's own JSON")
    return nil
  }
}

/// Everything a node says, as a key of what is the same.
enum ForeignText {
  static func text(_ node: ForeignNode) -> String {
    switch node.content {
    case .scalar(let text, _): JSONValue.string(text).text
    case .list(let items): "[" + items.map(text).joined(separator: ",") + "]"
    case .map(let entries):
      "{" + entries.map { "\(JSONValue.string($0.name).text):\(text($0.value))" }.joined(separator: ",") + "}"
    }
  }
}
