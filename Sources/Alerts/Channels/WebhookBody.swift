// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// What a webhook is sent: the receiver's own format, made of one message. Names and texts come from outside; each format
/// takes them as text and as nothing else.
struct WebhookBody {
  let message: AlertMessage
  let text: MessageText

  init(_ message: AlertMessage, _ template: AlertTemplate) {
    self.message = message
    text = MessageText(message, template)
  }

  func render(_ webhook: WebhookChannel) -> [UInt8] {
    var json = JSONWriter(reserving: 2048)
    switch webhook.format {
    case .json: message.write(to: &json)
    case .slack: slack(&json)
    case .teams: teams(&json)
    case .discord: discord(&json)
    case .ntfy: ntfy(&json, topic: webhook.url.path.split(separator: "/").last.map(String.init) ?? "")
    case .pagerduty: pagerDuty(&json, webhook.routingKey)
    case .alertmanager: alertmanager(&json)
    }
    return json.bytes
  }

  /// Colours of the severity, as the apps show it; green when it is over.
  private var color: String {
    if message.kind == .recovered { return "22C55E" }
    return switch message.severity {
    case .critical: "DC2626"
    case .high: "EF4444"
    case .medium: "F97316"
    case .low: "3B82F6"
    }
  }

  /// Slack, "Formatting text for app surfaces": three characters are escaped, and then nothing is a mention or a link.
  private static func slackText(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }

  /// Lines up to so many bytes; what has no room is left out as a whole.
  private func joined(_ lines: [String], maxBytes: Int) -> String {
    var result = ""
    for line in lines {
      guard result.utf8.count + line.utf8.count + 1 <= maxBytes else { return result + "\n…" }
      result += (result.isEmpty ? "" : "\n") + line
    }
    return result
  }

  /// Incoming webhooks of Slack: a section has 3,000 characters at most. Plain text has no markup at all.
  private func slack(_ json: inout JSONWriter) {
    let body = joined(text.lines, maxBytes: 2800)
    json.object { json in
      json.field("text", Self.slackText(text.title))
      json.key("attachments")
      json.array { json in
        json.object { json in
          json.field("color", "#\(color)")
          json.key("blocks")
          json.array { json in
            for (part, isTitle) in [(text.title, true), (body, false)] {
              json.object { json in
                json.field("type", isTitle ? "header" : "section")
                json.key("text")
                json.object { json in
                  json.field("type", "plain_text")
                  json.field("text", isTitle ? part.printable(maxBytes: 150) : part)
                  json.field("emoji", false)
                }
              }
            }
          }
        }
      }
    }
  }

  /// An Adaptive Card in the envelope of Teams' workflows. A TextBlock reads Markdown; a TextRun does not.
  private func teams(_ json: inout JSONWriter) {
    json.object { json in
      json.field("type", "message")
      json.key("attachments")
      json.array { json in
        json.object { json in
          json.field("contentType", "application/vnd.microsoft.card.adaptive")
          json.key("content")
          json.object { json in
            json.field("$schema", "http://adaptivecards.io/schemas/adaptive-card.json")
            json.field("type", "AdaptiveCard")
            json.field("version", "1.4")
            json.key("body")
            json.array { json in
              run(text.title, bold: true, &json)
              for line in text.lines.prefix(60) { run(line, bold: false, &json) }
            }
          }
        }
      }
    }
  }

  private func run(_ text: String, bold: Bool, _ json: inout JSONWriter) {
    json.object { json in
      json.field("type", "RichTextBlock")
      json.key("inlines")
      json.array { json in
        json.object { json in
          json.field("type", "TextRun")
          json.field("text", text)
          if bold {
            json.field("weight", "Bolder")
            json.field("size", "Large")
          }
        }
      }
    }
  }

  /// Discord's markup is undone by backslashes; nobody is mentioned whatever the text says.
  private func discord(_ json: inout JSONWriter) {
    func plain(_ text: String) -> String {
      var result = ""
      for character in text.unicodeScalars {
        if "\\*_~`|>#-[]()<@:".unicodeScalars.contains(character) { result += "\\" }
        result.unicodeScalars.append(character)
      }
      return result
    }
    json.object { json in
      json.key("allowed_mentions")
      json.object { json in
        json.key("parse")
        json.array { _ in }
      }
      json.key("embeds")
      json.array { json in
        json.object { json in
          json.field("title", plain(text.title).printable(maxBytes: 250))
          json.field("description", joined(text.lines.map(plain), maxBytes: 4000))
          json.field("color", Int(color, radix: 16) ?? 0)
          json.field("timestamp", message.at)
          json.fieldIfPresent("url", message.pageURL)
        }
      }
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
      json.field("message", joined(text.lines, maxBytes: 3900))
      json.field("priority", priority)
      json.key("tags")
      json.array { json in json.string(message.kind == .recovered ? "white_check_mark" : "rotating_light") }
      json.fieldIfPresent("click", message.pageURL)
    }
  }

  /// PagerDuty, Events API v2. The incident's id joins what belongs together.
  private func pagerDuty(_ json: inout JSONWriter, _ key: Redacted?) {
    let severity =
      switch message.severity {
      case .critical: "critical"
      case .high: "error"
      case .medium: "warning"
      case .low: "info"
      }
    json.object { json in
      json.field("routing_key", key?.reveal() ?? "")
      let known = message.acknowledgedBy == nil ? "trigger" : "acknowledge"
      json.field("event_action", message.kind == .recovered ? "resolve" : known)
      json.field("dedup_key", message.incident.description)
      json.field("client", "quartz-agent")
      json.fieldIfPresent("client_url", message.pageURL)
      json.key("payload")
      json.object { json in
        json.field("summary", text.title)
        json.field("source", message.members.first?.target ?? message.agent)
        json.field("severity", severity)
        json.field("timestamp", message.begin)
        json.field("component", message.members.first?.name ?? message.agent)
        json.key("custom_details")
        message.write(to: &json)
      }
    }
  }

  /// Alertmanager, POST /api/v2/alerts. Labels are its identity, so they are those that do not change; it forgets what
  /// nobody repeats, so an alert holds until well after the next message.
  private func alertmanager(_ json: inout JSONWriter) {
    json.array { json in
      json.object { json in
        json.key("labels")
        json.object { json in
          json.field("alertname", "QuartzIncident")
          json.field("agent", message.agent)
          json.field("incident", message.incident.description)
          // What is routed by. An incident that becomes worse is another alert there, and the first one runs out.
          json.field("severity", message.severity.rawValue)
          json.fieldIfPresent("region", message.region)
        }
        json.key("annotations")
        json.object { json in
          json.field("summary", text.title)
          json.field("description", joined(text.lines, maxBytes: 8000))
          json.field("check", message.members.first?.name ?? "")
        }
        json.field("startsAt", message.begin)
        json.field("endsAt", message.end ?? message.at.advanced(by: Self.alertLasts))
        if let page = message.pageURL { json.field("generatorURL", page) }
      }
    }
  }

  /// Twice what passes between two messages, and a minute.
  private static let alertLasts: Duration = .seconds(540)
}
