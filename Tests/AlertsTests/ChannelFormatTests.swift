// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// What each receiver is sent.
@Suite struct ChannelFormatTests {
  private func message(_ kind: AlertMessage.Kind = .opened, name: String = "Shop") -> AlertMessage {
    var message = AlertMessage(
      id: UniqueID(high: 1, low: 1), incident: UniqueID(high: 2, low: 2), kind: kind, severity: .critical,
      title: "\(name) is down", at: after(100), begin: after(0), agent: "london-1")
    var member = AlertMessage.Member(
      checkID: UniqueID(high: 3, low: 4), name: name, target: "https://shop.example/", rule: "down",
      severity: .critical, since: after(0))
    (member.state, member.reason, member.text) = (.down, .httpStatus, "status 503")
    (message.members, message.memberCount, message.alertCount) = ([member], 21, 21)
    if kind == .recovered { message.end = after(90) }
    return message
  }

  private func body(
    _ format: WebhookChannel.Format, _ message: AlertMessage, url: String = "https://hooks.example/T/secret"
  ) throws -> JSONValue {
    var webhook = WebhookChannel(url: try HTTPURL(url), format: format)
    if format == .pagerduty { webhook.routingKey = Redacted("key") }
    return try JSONValue.parse(WebhookBody(message, AlertTemplate()).render(webhook))
  }

  /// PagerDuty joins by the incident, and is told to resolve it.
  @Test func pagerDuty() throws {
    let opened = try body(.pagerduty, message())
    #expect(opened["event_action"]?.string == "trigger" && opened["routing_key"]?.string == "key")
    #expect(opened["dedup_key"]?.string == UniqueID(high: 2, low: 2).description)
    #expect(opened["payload"]?["severity"]?.string == "critical")
    let over = try body(.pagerduty, message(.recovered))
    #expect(over["event_action"]?.string == "resolve" && over["dedup_key"] == opened["dedup_key"])
  }

  /// Members with one runbook are one link.
  @Test func aRunbookIsLinkedOnce() throws {
    var message = message()
    message.members = ["https://wiki/a", "https://wiki/b", "https://wiki/a"].map { runbook in
      var member = message.members[0]
      member.runbook = runbook
      return member
    }
    let links = try body(.pagerduty, message)["links"]?.array ?? []
    #expect(links.compactMap { $0["href"]?.string } == ["https://wiki/a", "https://wiki/b"])
  }

  /// Alerts of two rules for one check are told apart, and one alone needs no name of a rule.
  @Test func alertsOfTwoRules() {
    var message = message()
    var other = message.members[0]
    (other.checkID, other.name) = (UniqueID(high: 3, low: 5), "Search")
    var long = message.members[0]
    long.rule = "long"
    message.members += [long, other]
    let ends = MessageText(message).lines.compactMap { line in
      line.contains(" – ") ? line.split(separator: "–").last.map { $0.dropFirst() } : nil
    }
    #expect(
      ends == [
        "rule down: http_status: status 503", "rule long: http_status: status 503", "http_status: status 503",
      ])
  }

  /// Alertmanager knows an alert by its labels: they are the same at the end, and the end is one.
  @Test func alertmanager() throws {
    let opened = try body(.alertmanager, message())[0], over = try body(.alertmanager, message(.recovered))[0]
    #expect(
      opened?["labels"] == over?["labels"] && opened?["labels"]?["alertname"]?.string == "QuartzIncident")
    #expect(over?["endsAt"]?.string == after(90).rfc3339)
    #expect((opened?["endsAt"]?.string).flatMap { Timestamp(rfc3339: $0) } ?? .epoch > after(100 + 240))
  }

  /// Every format leads to the incident's own page.
  @Test func links() throws {
    var message = message()
    message.pageURL = "https://status.example"
    let link = "https://status.example/incidents/\(message.incident)"
    #expect(try body(.slack, message)["blocks"]?[2]?["elements"]?[0]?["url"]?.string == link)
    #expect(try body(.teams, message)["attachments"]?[0]?["content"]?["actions"]?[0]?["url"]?.string == link)
    #expect(try body(.discord, message)["embeds"]?[0]?["url"]?.string == link)
    let ntfy = try body(.ntfy, message, url: "https://ntfy.example/ops")
    #expect(ntfy["click"]?.string == link && ntfy["actions"]?[0]?["url"]?.string == link)
    #expect(try body(.pagerduty, message)["links"]?[0]?["href"]?.string == link)
    #expect(try body(.alertmanager, message)[0]?["generatorURL"]?.string == link)
    #expect(MailHTML(message, MessageText(message)).render().contains("href=\"\(link)\""))
    #expect(MessageText(message).lines.last == link)
  }

  /// What tries a receiver that keeps a state leaves nothing open there.
  @Test func samplesAreOver() throws {
    let writer = MessageWriter(agent: "a", region: nil, pageURL: nil)
    for kind in AlertMessage.Kind.allCases {
      let sample = writer.sample(kind, makePagerDuty("pd"), now: after(0))
      #expect(sample.kind == kind && sample.isSample)
      #expect(try body(.alertmanager, sample)[0]?["endsAt"]?.string == after(0).rfc3339)
      #expect(try body(.pagerduty, sample)["payload"]?["severity"]?.string == "info")
    }
  }

  /// A card names its schema and version, and has a button only where there is a page.
  @Test func teams() throws {
    var message = message()
    func card() throws -> JSONValue? { try body(.teams, message)["attachments"]?[0]?["content"] }
    #expect(try card()?.members?.map(\.name) == ["$schema", "type", "version", "body"])
    message.pageURL = "https://status.example"
    #expect(try card()?.members?.map(\.name) == ["$schema", "type", "version", "body", "actions"])
    #expect(try card()?["$schema"]?.string == "http://adaptivecards.io/schemas/adaptive-card.json")
  }

  /// ntfy is told the topic in the body.
  @Test func ntfy() throws {
    let body = try body(.ntfy, message(), url: "https://ntfy.example/ops")
    #expect(body["topic"]?.string == "ops" && body["priority"]?.integer == 5)
    #expect(body["message"]?.string?.contains("status 503") == true)
  }

  /// A check that is called like a mention mentions nobody.
  @Test func namesAreText() throws {
    let hostile = "<!channel> @everyone *x* [a](http://b) <script>"
    let slack = try body(.slack, message(name: hostile))
    #expect(slack["text"]?.string?.contains("<!channel>") == false)
    let blocks = slack["blocks"]?.array ?? []
    #expect(blocks.count == 2 && blocks.allSatisfy { $0["text"]?["type"]?.string == "plain_text" })
    let discord = try body(.discord, message(name: hostile))
    #expect(discord["allowed_mentions"]?["parse"]?.array?.isEmpty == true)
    #expect(discord["embeds"]?[0]?["title"]?.string?.contains("\\@everyone \\*x\\*") == true)
    let teams = try body(.teams, message(name: hostile))
    let runs = teams["attachments"]?[0]?["content"]?["body"]?.array ?? []
    #expect(runs.allSatisfy { $0["inlines"]?[0]?["type"]?.string == "TextRun" } && runs.count >= 4)
    let html = MailHTML(message(name: hostile), MessageText(message(name: hostile))).render()
    #expect(!html.contains("<script>") && html.contains("&lt;script&gt;"))
  }

  /// Long texts stay within what receivers take.
  @Test func limits() throws {
    var long = message(name: String(repeating: "ä", count: 90))
    long.members = (0..<20).map { _ in
      var member = long.members[0]
      member.text = String(repeating: "x", count: 250)
      return member
    }
    let slack = try body(.slack, long)
    for block in slack["blocks"]?.array ?? [] {
      #expect(block["text"]?["text"]?.string?.utf8.count ?? 9999 < 3000)
    }
    var teams = long
    teams.members = (0..<20).map { _ in
      var member = long.members[0]
      member.target = "https://shop.example/" + String(repeating: "\"", count: 1250)
      return member
    }
    let webhook = WebhookChannel(url: try HTTPURL("https://hooks.example/T"), format: .teams)
    #expect(WebhookBody(teams, AlertTemplate()).render(webhook).count <= 28 * 1024)
    #expect(try body(.discord, long)["embeds"]?[0]?["description"]?.string?.utf8.count ?? 9999 <= 4096)
    #expect(try body(.ntfy, long)["message"]?.string?.utf8.count ?? 9999 <= 4096)
  }

  /// A mail's header is ASCII lines of no more than 78 columns, its body decodes to the text, no line is too long.
  @Test func mail() throws {
    let channel = MailChannel(
      server: Endpoint(host: "m.example", port: 587), security: .starttls, sender: "agent@example.com",
      recipients: ["a@example.com", "b@example.com"])
    let name = "Straße \u{1F4A5} \r\nBcc: x@evil.example \u{202e}"
    let text = String(
      decoding: MailText(message(name: name), AlertTemplate(), channel, now: after(0)).bytes, as: UTF8.self)
    let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
    #expect(lines.allSatisfy { $0.utf8.count <= 78 && $0.utf8.allSatisfy { (0x20...0x7e).contains($0) } })
    let header = lines.prefix { !$0.isEmpty }
    #expect(!header.contains { $0.lowercased().hasPrefix("bcc") })
    #expect(
      header.contains("Date: Mon, 5 Jan 2026 00:00:00 +0000")
        && header.contains("Auto-Submitted: auto-generated"))
    #expect(header.contains { $0.hasPrefix("In-Reply-To: <") } && text.hasSuffix("--\r\n"))
    #expect(!lines.contains("."))
  }

  /// A mail of an incident belongs to its thread, and only one that opens a severe one is of high importance.
  @Test(arguments: AlertMessage.Kind.allCases) func threadsOfMail(kind: AlertMessage.Kind) {
    let channel = MailChannel(
      server: Endpoint(host: "m.example", port: 587), security: .starttls, sender: "agent@example.com",
      recipients: ["a@example.com"])
    let isThread = ![.digest, .report, .test].contains(kind)
    for severity in AlertSeverity.allCases {
      var message = message(kind)
      message.severity = severity
      let bytes = MailText(message, AlertTemplate(), channel, now: after(0)).bytes
      let header = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n").prefix(20)
      let thread = "<\(message.incident).incident@example.com>"
      #expect(header.contains { $0 == "In-Reply-To: \(thread)" } == isThread)
      #expect(header.contains { $0 == "References: \(thread)" } == isThread)
      let isUrgent = kind == .opened && (severity == .high || severity == .critical)
      #expect(header.contains { $0 == "Importance: high" } == isUrgent, "\(severity)")
    }
  }

  /// RFC 2045 section 6.7 and RFC 2047, by their own examples and edges.
  @Test func encodings() {
    #expect(MailText.quotedPrintable("a=b ") == "a=3Db=20\r\n")
    #expect(MailText.quotedPrintable(".\n..") == "=2E\r\n=2E.\r\n")
    let long = MailText.quotedPrintable(String(repeating: "é", count: 200))
    #expect(long.split(separator: "\r\n").allSatisfy { $0.utf8.count <= 76 })
    #expect(MailText.encodedWords("plain") == "plain")
    let words = MailText.encodedWords(String(repeating: "💥", count: 60)).split(separator: "\r\n ")
    #expect(words.count > 1 && words.allSatisfy { $0.utf8.count <= 75 && $0.hasPrefix("=?utf-8?B?") })
    #expect(Base64.text("foobar".utf8) == "Zm9vYmFy" && Base64.text("fooba".utf8) == "Zm9vYmE=")
    #expect(Base64.text("foob".utf8) == "Zm9vYg==" && Base64.text([]) == "")
  }

  /// Fields are filled in; what is none is refused with what there is.
  @Test func templates() throws {
    var template = AlertTemplate()
    template.title = try AlertTemplate.parse("[{{severity}}] {{ check }} {{state}} ({{count}})")
    #expect(MessageText(message(), template).title == "[critical] Shop down (21)")
    // One that comes to nothing is as if there were none.
    template.title = try AlertTemplate.parse(" {{cause}} ")
    #expect(MessageText(message(), template).title == "[critical] Shop is down")
    #expect(MessageText(message(), template).emptyKeys == ["title"])
    for bad in ["{{titel}}", "{{title", "{{}}"] {
      #expect(throws: AlertTemplate.Invalid.self) { try AlertTemplate.parse(bad) }
    }
    #expect(try AlertTemplate.parse("no fields }}") == [.text("no fields }}")])
  }

  /// The last lines name the command to acknowledge with, where there is something left to acknowledge.
  @Test func theFooter() {
    func footer(_ kind: AlertMessage.Kind, by name: String? = nil, storm: Bool = false) -> [String] {
      var message = message(kind)
      (message.acknowledgedBy, message.isStorm) = (name, storm)
      let lines = MessageText(message).lines
      return Array(lines[(lines.firstIndex { $0.hasPrefix("agent london-1") } ?? lines.count)...])
    }
    let incident = UniqueID(high: 2, low: 2)
    let whole = ["agent london-1, incident \(incident)", "acknowledge: quartz-agent ack 000002"]
    #expect(footer(.opened) == whole && footer(.update) == whole)
    #expect(footer(.update, by: "ann") == [whole[0]])
    #expect(footer(.recovered) == [whole[0]])
    #expect(footer(.opened, storm: true) == ["agent london-1"], "no incident has the id of a storm")
    #expect(footer(.test) == ["agent london-1"])
  }
}
