// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Monitoring

/// What the receivers' own documentation says of what they take, so that a payload that one of them would refuse, or cut,
/// is found here. Each rule set names its page.
struct ReceiverRules {
  private(set) var problems: [String] = []

  static func problems(_ format: WebhookChannel.Format, _ body: [UInt8]) -> [String] {
    var rules = ReceiverRules()
    guard let value = try? JSONValue.parse(body) else { return ["is no JSON"] }
    switch format {
    case .slack: rules.slack(value)
    case .discord: rules.discord(value)
    case .teams: rules.teams(value, bytes: body.count)
    case .ntfy: rules.ntfy(value, bytes: body.count)
    case .pagerduty: rules.pagerDuty(value, bytes: body.count)
    case .alertmanager: rules.alertmanager(value)
    case .json: break
    }
    return rules.problems
  }

  private mutating func note(_ words: String) { problems.append(words) }

  /// Reads a text, and notes when it is none, is empty or has more than so many characters (UTF-16 units, the larger count of
  /// those in use).
  @discardableResult
  private mutating func text(_ value: JSONValue?, _ what: String, most: Int, least: Int = 1) -> String {
    guard let text = value?.string else {
      note("\(what) is no text")
      return ""
    }
    if text.utf16.count > most { note("\(what) has \(text.utf16.count) characters, \(most) are taken") }
    if text.utf16.count < least { note("\(what) is empty") }
    return text
  }

  private mutating func link(_ value: JSONValue?, _ what: String, most: Int = 2048) {
    let text = text(value, what, most: most)
    guard let url = URL(string: text), ["http", "https"].contains(url.scheme), url.host != nil else {
      return note("\(what) is no link: \(text.prefix(80))")
    }
  }

  private mutating func time(_ value: JSONValue?, _ what: String) {
    if Timestamp(rfc3339: value?.string ?? "") == nil { note("\(what) is no time of RFC 3339") }
  }

  private mutating func keys(_ value: JSONValue, _ known: Set<String>, _ what: String) {
    for member in value.members ?? [] where !known.contains(member.name) {
      note("\(what) has \(member.name)")
    }
    if value.members == nil { note("\(what) is no object") }
  }

  /// docs.slack.dev: "Sending messages using incoming webhooks", "Blocks" (header, section, actions), "Button element", "Text
  /// object", and of chat.postMessage "Truncating content".
  private mutating func slack(_ value: JSONValue) {
    keys(value, ["text", "blocks"], "the message")
    let fallback = text(value["text"], "text", most: 4000)
    if ["<!", "<@", "<#"].contains(where: fallback.contains) { note("text mentions someone") }
    let blocks = value["blocks"]?.array ?? []
    if blocks.isEmpty || blocks.count > 50 { note("\(blocks.count) blocks") }
    for (place, block) in blocks.enumerated() {
      switch block["type"]?.string {
      case "header": plain(block["text"], "header", most: 150)
      case "section": plain(block["text"], "section", most: 3000)
      case "actions":
        let elements = block["elements"]?.array ?? []
        if elements.isEmpty || elements.count > 25 { note("\(elements.count) elements") }
        for element in elements {
          if element["type"]?.string != "button" { note("an element that is no button") }
          plain(element["text"], "button", most: 75)
          link(element["url"], "the button's url", most: 3000)
        }
      default: note("block \(place) is of no known type")
      }
    }
  }

  private mutating func plain(_ value: JSONValue?, _ what: String, most: Int) {
    guard let value else { return note("\(what) has no text") }
    keys(value, ["type", "text", "emoji"], what)
    if value["type"]?.string != "plain_text" { note("\(what) is no plain text") }
    text(value["text"], what, most: most)
  }

  /// docs.discord.com: "Webhook resource: execute webhook", "Message: embed limits", "Allowed mentions object".
  private mutating func discord(_ value: JSONValue) {
    keys(value, ["embeds", "allowed_mentions"], "the message")
    if value["allowed_mentions"]?["parse"]?.array?.isEmpty != true { note("mentions are read") }
    let embeds = value["embeds"]?.array ?? []
    if embeds.isEmpty || embeds.count > 10 { note("\(embeds.count) embeds") }
    for embed in embeds {
      keys(embed, ["title", "description", "color", "timestamp", "url"], "an embed")
      let title = text(embed["title"], "title", most: 256)
      let description = text(embed["description"], "description", most: 4096)
      if title.utf16.count + description.utf16.count > 6000 { note("more than 6000 characters") }
      if !(0...0xff_ffff).contains(embed["color"]?.integer ?? -1) { note("no colour") }
      time(embed["timestamp"], "timestamp")
      if let url = embed["url"] { link(url, "url") }
    }
  }

  /// learn.microsoft.com: "Create incoming webhooks with Workflows" (28 KB), and the schema of Adaptive Cards 1.4 at
  /// adaptivecards.io/explorer: RichTextBlock, TextRun, Action.OpenUrl.
  private mutating func teams(_ value: JSONValue, bytes: Int) {
    if bytes > 28 * 1024 { note("\(bytes) bytes") }
    if value["type"]?.string != "message" { note("is no message") }
    let attachments = value["attachments"]?.array ?? []
    if attachments.count != 1 { note("\(attachments.count) attachments") }
    for attachment in attachments {
      if attachment["contentType"]?.string != "application/vnd.microsoft.card.adaptive" { note("is no card") }
      guard let card = attachment["content"] else { return note("has no card") }
      keys(card, ["$schema", "type", "version", "body", "actions"], "the card")
      if card["type"]?.string != "AdaptiveCard" || card["version"]?.string != "1.4" { note("another card") }
      for element in card["body"]?.array ?? [] {
        if element["type"]?.string != "RichTextBlock" { note("an element that reads Markdown") }
        for run in element["inlines"]?.array ?? [] {
          keys(run, ["type", "text", "weight", "size"], "a run")
          if run["type"]?.string != "TextRun" { note("is no run") }
          text(run["text"], "a run", most: 28 * 1024)
          if let weight = run["weight"]?.string, !["Default", "Lighter", "Bolder"].contains(weight) {
            note(weight)
          }
          let sizes = ["Default", "Small", "Medium", "Large", "ExtraLarge"]
          if let size = run["size"]?.string, !sizes.contains(size) { note(size) }
        }
      }
      for action in card["actions"]?.array ?? [] {
        if action["type"]?.string != "Action.OpenUrl" { note("another action") }
        text(action["title"], "an action", most: 100)
        link(action["url"], "the action's url")
      }
    }
  }

  /// docs.ntfy.sh/publish: "Publish as JSON", "Message priority", "Action buttons", and "Limitations" (4,096 bytes of message;
  /// what is longer becomes a file); a topic is what the server's rule for it takes.
  private mutating func ntfy(_ value: JSONValue, bytes: Int) {
    keys(value, ["topic", "title", "message", "priority", "tags", "click", "actions"], "the message")
    let topic = value["topic"]?.string ?? ""
    if topic.wholeMatch(of: /[-_A-Za-z0-9]{1,64}/) == nil { note("the topic is \(topic)") }
    let message = text(value["message"], "message", most: 4096)
    if message.utf8.count > 4096 { note("\(message.utf8.count) bytes of message") }
    text(value["title"], "title", most: 1024)
    if !(1...5).contains(value["priority"]?.integer ?? 0) { note("no priority") }
    if value["click"] != nil { link(value["click"], "click") }
    let actions = value["actions"]?.array ?? []
    if actions.count > 3 { note("\(actions.count) actions") }
    for action in actions {
      if action["action"]?.string != "view" { note("another action") }
      text(action["label"], "label", most: 100)
      link(action["url"], "the action's url")
    }
  }

  /// developer.pagerduty.com: "Send an alert event" of the Events API v2 (512 KB; summary 1,024 characters, dedup_key 255).
  private mutating func pagerDuty(_ value: JSONValue, bytes: Int) {
    if bytes > 512 * 1024 { note("\(bytes) bytes") }
    let known: Set = ["routing_key", "event_action", "dedup_key", "client", "client_url", "links", "payload"]
    keys(value, known, "the event")
    text(value["routing_key"], "routing_key", most: 32)
    text(value["dedup_key"], "dedup_key", most: 255)
    let action = value["event_action"]?.string ?? ""
    if !["trigger", "acknowledge", "resolve"].contains(action) { note("the action is \(action)") }
    for item in value["links"]?.array ?? [] {
      link(item["href"], "a link", most: 2048)
      text(item["text"], "a link's text", most: 255)
    }
    if let url = value["client_url"] { link(url, "client_url") }
    guard let payload = value["payload"] else { return note("has no payload") }
    let parts: Set = [
      "summary", "source", "severity", "timestamp", "component", "group", "class", "custom_details",
    ]
    keys(payload, parts, "the payload")
    text(payload["summary"], "summary", most: 1024)
    for name in ["source", "component", "group", "class"] where payload[name] != nil || name == "source" {
      text(payload[name], name, most: 2048)
    }
    let severity = payload["severity"]?.string ?? ""
    if !["critical", "error", "warning", "info"].contains(severity) { note("the severity is \(severity)") }
    time(payload["timestamp"], "timestamp")
    if payload["custom_details"]?.members == nil { note("custom_details is no object") }
  }

  /// api/v2/openapi.yaml of Alertmanager: postableAlerts; and prometheus.io, "Data model": names of labels.
  private mutating func alertmanager(_ value: JSONValue) {
    let alerts = value.array ?? []
    if alerts.count != 1 { note("\(alerts.count) alerts") }
    for alert in alerts {
      keys(alert, ["labels", "annotations", "startsAt", "endsAt", "generatorURL"], "an alert")
      for set in ["labels", "annotations"] {
        let pairs = alert[set]?.members ?? []
        if pairs.isEmpty { note("no \(set)") }
        if Set(pairs.map { ByteText($0.name) }).count != pairs.count { note("\(set) twice") }
        for pair in pairs {
          if pair.name.wholeMatch(of: /[a-zA-Z_][a-zA-Z0-9_]*/) == nil { note("\(set): \(pair.name)") }
          if pair.value.string == nil { note("\(set): \(pair.name) is no text") }
        }
      }
      if alert["labels"]?["alertname"]?.string?.isEmpty != false { note("no alertname") }
      time(alert["startsAt"], "startsAt")
      time(alert["endsAt"], "endsAt")
      if (alert["endsAt"]?.string ?? "") < (alert["startsAt"]?.string ?? "") { note("ends before it starts") }
      if let url = alert["generatorURL"] { link(url, "generatorURL") }
    }
  }
}
