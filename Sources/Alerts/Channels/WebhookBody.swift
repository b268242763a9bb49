// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Body of a webhook: the receiver's own format, made of one message. Names and texts come from outside; each format
/// takes them as text and as nothing else, and stays within the receiver's limits, counted in bytes.
struct WebhookBody {
  let message: AlertMessage
  let text: MessageText
  private let template: AlertTemplate
  /// A test that is resolved at once, for receivers that keep state.
  var endsTest = false

  init(_ message: AlertMessage, _ template: AlertTemplate, endsTest: Bool = false) {
    (self.message, self.template, self.endsTest) = (message, template, endsTest)
    text = MessageText(message, template)
  }

  func render(_ webhook: WebhookChannel) -> [UInt8] {
    var json = JSONWriter(reserving: 2048)
    switch webhook.format {
    case .json: message.write(to: &json)
    case .slack: slack(&json)
    case .teams: return teams()
    case .discord: discord(&json)
    case .ntfy: ntfy(&json, topic: webhook.url.path.split(separator: "/").last.map(String.init) ?? "")
    case .pagerduty: pagerDuty(&json, webhook.routingKey)
    case .alertmanager: alertmanager(&json)
    }
    return json.bytes
  }

  /// Colours of the severity, as the apps show it; green when it is over.
  var color: String {
    if message.kind == .recovered { return "22C55E" }
    return switch message.severity {
    case .critical: "DC2626"
    case .high: "EF4444"
    case .medium: "F97316"
    case .low: "3B82F6"
    }
  }

  /// From 1 to 5.
  private var priority: Int {
    if message.kind == .recovered { return 3 }
    return switch message.severity {
    case .critical: 5
    case .high: 4
    case .medium: 3
    case .low: 2
    }
  }

  /// ntfy, "Publish as JSON": sent to the server's root, the topic in the body.
  private func ntfy(_ json: inout JSONWriter, topic: String) {
    json.object { json in
      json.field("topic", topic)
      json.field("title", text.title)
      json.field("message", text.joined(below: text.title, maxBytes: 4000))
      json.field("priority", priority)
      json.key("tags")
      json.array { json in json.string(symbol) }
      guard let link = message.link else { return }
      json.field("click", link)
      json.key("actions")
      json.array { json in
        json.object { json in
          json.field("action", "view")
          json.field("label", message.linkLabel)
          json.field("url", link)
        }
      }
    }
  }

  private var symbol: String {
    switch message.kind {
    case .recovered: "white_check_mark"
    case .report: "bar_chart"
    case .opened, .update, .acknowledged, .digest, .test: "rotating_light"
    }
  }

  /// PagerDuty, Events API v2. The incident's id joins what belongs together.
  private func pagerDuty(_ json: inout JSONWriter, _ key: Redacted?) {
    let action =
      switch message.kind {
      case _ where endsTest: "resolve"
      case .recovered: "resolve"
      case .acknowledged: "acknowledge"
      case .opened, .update, .digest, .report, .test: "trigger"
      }
    json.object { json in
      json.field("routing_key", key?.reveal() ?? "")
      json.field("event_action", action)
      json.field("dedup_key", message.incident.description)
      json.field("client", "quartz-agent")
      json.fieldIfPresent("client_url", message.link)
      json.key("links")
      json.array { json in links(&json) }
      json.key("payload")
      json.object { json in payload(&json) }
    }
  }

  private func links(_ json: inout JSONWriter) {
    // Members often have one runbook.
    let runbooks = message.members.compactMap(\.runbook).withoutRepetitions { ByteText($0) }
    var links = runbooks.prefix(5).map { ($0, "Runbook") }
    let words = message.isOfIncident ? "Incident" : message.report == nil ? "Status page" : "Report"
    if let link = message.link { links.insert((link, words), at: 0) }
    for (href, text) in links {
      json.object { json in
        json.field("href", href)
        json.field("text", text)
      }
    }
  }

  private func payload(_ json: inout JSONWriter) {
    let severity =
      switch message.severity {
      case .critical: "critical"
      case .high: "error"
      case .medium: "warning"
      case .low: "info"
      }
    let first = message.members.first
    json.field("summary", text.title.printable(maxBytes: 1024))
    json.field("source", first?.target ?? message.agent)
    json.field("severity", message.isSample ? "info" : severity)
    json.field("timestamp", message.begin)
    json.field("component", first?.name ?? message.agent)
    json.fieldIfPresent("group", message.region ?? first?.tags.first)
    json.fieldIfPresent("class", first?.reason?.rawValue ?? first?.rule)
    json.key("custom_details")
    message.write(to: &json)
  }

  /// Alertmanager, POST /api/v2/alerts. Labels are an alert's identity, so nothing that changes is one; it forgets what is not
  /// repeated, so an alert holds until well after the next notification.
  private func alertmanager(_ json: inout JSONWriter) {
    json.array { json in
      alert(&json)
      for other in message.others { WebhookBody(other, template).alert(&json) }
    }
  }

  private func alert(_ json: inout JSONWriter) {
    json.object { json in
      json.key("labels")
      json.object { json in
        json.field("alertname", message.isStorm ? "QuartzStorm" : "QuartzIncident")
        json.field("incident", message.incident.description)
        json.field("job", "quartz-agent")
        json.field("severity", (message.opening ?? message.severity).rawValue)
        for label in message.labels {
          json.key(dynamic: label.name)
          json.string(label.value)
        }
      }
      json.key("annotations")
      json.object { json in
        json.field("summary", text.title)
        json.field("description", text.joined(below: text.title, maxBytes: 8000))
        json.field("severity_now", message.severity.rawValue)
        json.field("agent", message.agent)
        json.fieldIfPresent("region", message.region)
        json.fieldIfPresent("runbook_url", message.members.compactMap(\.runbook).first)
      }
      json.field("startsAt", message.begin)
      json.field("endsAt", alertEnd)
      if let link = message.link { json.field("generatorURL", link) }
    }
  }

  private var alertEnd: Timestamp {
    if let end = message.end { return end }
    if message.isSample { return message.at }
    return message.at.advanced(by: Self.keepAlive + message.pace * 3.0 + .seconds(60))
  }

  /// Time between two notifications.
  private static let keepAlive: Duration = .seconds(240)
}
