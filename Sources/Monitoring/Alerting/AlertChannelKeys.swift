// SPDX-License-Identifier: MIT

import Basics

/// A channel as it was written: nothing judged, everything optional. `AlertChannel.init(_:)` is the only judge of it.
package struct AlertChannelDefinition: Sendable {
  package struct Mail: Sendable {
    package var server: String?
    package var security: String?
    package var username: String?
    package var password: Redacted?
    package var from: String?
    package var to: [String]?
    package var hello: String?

    package init() {}
  }

  package var name: String?
  package var webhook: Redacted?
  package var format: String?
  package var method: String?
  package var headers: [(name: String, value: Redacted)]?
  package var routingKey: Redacted?
  package var mail: Mail?
  package var exec: [String]?
  package var caFile: String?
  package var timeout: Duration?
  package var severity: String?
  package var updates: Bool?
  package var recovered: Bool?
  package var acknowledged: Bool?
  package var hideTargets: Bool?
  package var title: String?
  package var text: String?
  /// `nil` where every value could be read.
  package var unread: UnreadCredentials?

  package init() {}

  static let mailKeys: [Key<Mail>] = [
    Key(\.server, "server", .text, "host:port of the mail server; 587 where no port is given").required,
    Key(
      \.security, "tls", .word(MailChannel.Security.self),
      "starttls: not sent without it; implicit: from the first byte on (465); none", default: "starttls"),
    Key(\.username, "username", .text, "Login of the mail server"),
    Key(\.password, "password", .secret, "Password of the mail server"),
    Key(\.from, "from", .text, "Address of the sender").required,
    Key(\.to, "to", .oneOrMoreTexts, "Addresses of the recipients").required,
    Key(
      \.hello, "hello", .text, "Name given to the mail server in EHLO", default: "the full name of this host"),
  ]

  static let keys: [Key<AlertChannelDefinition>] = [
    Key(\.name, "name", .text, "Name in rules, commands and outputs; unique").required,
    Key(
      \.webhook, "webhook", .secretURL,
      "URL that notifications are sent to; its path is a secret with most receivers"
    ),
    Key(
      \.format, "format", .word(WebhookChannel.Format.self), "Format of the notification", default: "json"),
    Key(\.method, "method", .text, "Method of the request", default: "POST"),
    Key(\.headers, "headers", .headers, "Further headers of the request"),
    Key(\.routingKey, "routing_key", .secret, "Integration key, for the format pagerduty"),
    Key(given: \.mail, "mail", "Sends a mail", mailKeys, Mail()),
    Key(
      \.exec, "exec", .texts,
      "Absolute path of a program and its arguments: it gets the message as JSON on its standard input, no shell"
    ),
    Key(\.caFile, "ca_file", .file, "PEM file of trusted certificates instead of the system's bundle"),
    Key(\.timeout, "timeout", .duration(AlertChannel.timeout), "Timeout of one attempt", default: "10s"),
    Key(
      \.severity, "severity", .word(AlertSeverity.self), "Lowest severity routed to this channel",
      default: "low"),
    Key(\.updates, "updates", .flag, "Send reminders while an incident lasts", default: "true"),
    Key(\.recovered, "recovered", .flag, "Send a notification when an incident is resolved", default: "true"),
    Key(
      \.acknowledged, "acknowledged", .flag,
      "Send a notification when an incident is acknowledged; PagerDuty always gets one", default: "false"),
    Key(
      \.hideTargets, "hide_targets", .flag,
      "Leave targets, the paths to them and the text of failures out of notifications", default: "false"),
    Key(
      \.title, "title", .text,
      "Template of the title, such as \"{{severity}}: {{title}}\"; without effect for exec and format: json"),
    Key(\.text, "text", .text, "Template of the text below it; without effect for exec and format: json"),
  ]

  private static let list = KeyList(keys)

  package init(_ map: GivenMap, _ reader: inout KeyReader) {
    self.init()
    reader.fill(&self, map, Self.list)
  }

  /// The definition that a channel would be made of.
  init(_ channel: AlertChannel) {
    self.init()
    (name, timeout, severity) = (channel.name, channel.timeout, channel.severity.rawValue)
    (updates, recovered, acknowledged) = (channel.updates, channel.sendsRecovered, channel.acknowledged)
    hideTargets = channel.hidesTargets
    title = channel.template.title.map(AlertTemplate.text)
    text = channel.template.text.map(AlertTemplate.text)
    switch channel.kind {
    case .webhook(let webhook):
      self.webhook = Redacted(webhook.url.text)
      (format, method, routingKey) = (webhook.format.rawValue, webhook.method, webhook.routingKey)
      headers = webhook.headers.isEmpty ? nil : webhook.headers.map { ($0.name, $0.value) }
      caFile = webhook.caFile
    case .mail(let settings):
      var mail = Mail()
      (mail.server, mail.security) = (settings.server.description, settings.security.rawValue)
      (mail.username, mail.password) = (settings.username, settings.password)
      (mail.from, mail.to, mail.hello) = (settings.sender, settings.recipients, settings.hello)
      (self.mail, caFile) = (mail, settings.caFile)
    case .exec(let settings): exec = settings.command
    }
  }
}

extension KeyTable {
  /// A channel of the section `alerts`.
  package static let alertChannel = KeyTable(AlertChannelDefinition.keys)
}

extension KeyPrinter {
  package mutating func alertChannels(_ channels: [AlertChannel]) {
    map("channels") { printer in
      for (index, channel) in channels.enumerated() {
        printer.item(String(index)) { printer in
          let definition = AlertChannelDefinition(channel)
          for key in AlertChannelDefinition.keys { key.print(definition, &printer) }
        }
      }
    }
  }
}
