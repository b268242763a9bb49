// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// A message that a receiver cuts keeps its end, which says how to acknowledge, and shows a title that was cut in full.
@Suite struct LongMessageTests {
  private static let formats: [WebhookChannel.Format] = [.slack, .teams, .discord, .ntfy, .alertmanager]

  /// - Parameter bytes: of each member's text.
  private func message(members count: Int, bytes: Int, name: String = "Shop") -> AlertMessage {
    var message = AlertMessage(
      id: UniqueID(high: 1, low: 1), incident: UniqueID(high: 2, low: 2), kind: .opened, severity: .critical,
      title: "\(name) is down: refused", at: after(100), begin: after(0), agent: "london-1")
    message.pageURL = "https://status.example/"
    message.members = (0..<count).map { place in
      var member = AlertMessage.Member(name: "c\(place)", rule: "down", severity: .critical, since: after(0))
      (member.state, member.text) = (.down, String(repeating: "x", count: bytes))
      (member.tags, member.runbook) = (["a", "b"], "https://wiki.example/\(place)")
      return member
    }
    (message.memberCount, message.alertCount) = (count + 5, count + 5)
    return message
  }

  /// Lines of the text as people read them.
  private func shown(_ message: AlertMessage, _ format: WebhookChannel.Format) throws -> [String] {
    let body = try body(message, makeWebhook("c", format))
    let text: String? =
      switch format {
      case .slack: body["blocks"]?[1]?["text"]?["text"]?.string
      case .discord:
        body["embeds"]?[0]?["description"]?.string?.replacing(#/\\(.)/#) { "\($0.output.1)" }
      case .ntfy: body["message"]?.string
      case .alertmanager: body[0]?["annotations"]?["description"]?.string
      case .teams:
        (body["attachments"]?[0]?["content"]?["body"]?.array ?? []).dropFirst().compactMap {
          $0["inlines"]?[0]?["text"]?.string
        }.joined(separator: "\n")
      case .json, .pagerduty: nil
      }
    return try #require(text).split(separator: "\n").map(String.init)
  }

  @Test(arguments: formats) func theEndIsKept(format: WebhookChannel.Format) throws {
    let long = message(members: 20, bytes: 900)
    let lines = try shown(long, format)
    let problems = ReceiverRules.problems(
      format, Array(ChannelSender.shown(long, makeWebhook("c", format)).utf8))
    #expect(problems == [])
    #expect(
      lines.suffix(4) == [
        "…", "agent london-1, incident \(long.incident)", "acknowledge: quartz-agent ack 000002",
        "https://status.example/incidents/\(long.incident)",
      ])
    #expect(lines.first == "severity critical, since 2026-01-05 00:00 UTC, for 1m 40s so far")
    #expect(lines.filter { $0.contains(" c") && $0.contains("since") }.count >= 1)
  }

  /// As many lines as fit: one more would not.
  @Test(arguments: [1, 60, 200, 2000, 2899, 2900]) func asMuchAsFits(room: Int) {
    let text = MessageText(message(members: 20, bytes: 100))
    let all = text.lines
    let cut = text.joined(below: text.title, maxBytes: room).split(separator: "\n").map(String.init)
    #expect(cut.joined(separator: "\n").utf8.count <= max(room, 3))
    guard let place = cut.firstIndex(of: "…"), cut.count > 1 else {
      #expect(cut == ["…"] && room < 200)
      return
    }
    #expect(
      Array(cut[..<place]) == Array(all[..<place]) && Array(cut[(place + 1)...]) == Array(all.suffix(3)))
    let more = Array(all[...place]) + cut[place...]
    #expect(more.joined(separator: "\n").utf8.count > room)
  }

  /// What fits is whole, and says how many are left out.
  @Test(arguments: formats) func whatFitsIsWhole(format: WebhookChannel.Format) throws {
    let short = message(members: 3, bytes: 20)
    #expect(try shown(short, format) == MessageText(short).lines)
    #expect(MessageText(short).lines.contains("and 5 more"))
  }

  /// A header of 150 characters has no room for a name of 161 and for what is wrong with it: the text has both.
  @Test(
    arguments: [(.slack, true), (.discord, false), (.teams, false), (.ntfy, false)]
      as [(WebhookChannel.Format, Bool)])
  func aTitleThatIsCut(format: WebhookChannel.Format, isRepeated: Bool) throws {
    let long = message(members: 1, bytes: 20, name: String(repeating: "n", count: 161))
    let title = MessageText(long).title
    #expect(title.hasSuffix("n is down: refused"))
    #expect(try shown(long, format).contains(title) == isRepeated)
    let marked = message(members: 1, bytes: 20, name: String(repeating: "_", count: 161))
    #expect(try shown(marked, .discord).first == MessageText(marked).title)
  }

  /// What leads to the status page is not called an incident.
  @Test func buttons() throws {
    var message = message(members: 1, bytes: 20)
    func label() throws -> String? {
      try body(message, makeWebhook("c", .slack))["blocks"]?[2]?["elements"]?[0]?["text"]?["text"]?.string
    }
    #expect(try label() == "Open incident")
    message.isStorm = true
    #expect(try label() == "Status page")
    (message.isStorm, message.kind) = (false, .test)
    #expect(try label() == "Status page")
    message.kind = .digest
    #expect(try label() == "Status page")
  }

  /// A text of as many bytes as there is room for is whole, and with one byte more it is cut.
  @Test(
    arguments: [(.slack, 2900), (.ntfy, 4000), (.alertmanager, 8000)] as [(WebhookChannel.Format, Int)])
  func theRoomIsUsed(format: WebhookChannel.Format, room: Int) throws {
    func size(_ message: AlertMessage) -> Int {
      MessageText(message).lines.joined(separator: "\n").utf8.count
    }
    let bytes = room - size(message(members: 1, bytes: 1)) + 1
    let (whole, more) = (message(members: 1, bytes: bytes), message(members: 1, bytes: bytes + 1))
    #expect([size(whole), size(more)] == [room, room + 1])
    #expect(try shown(whole, format) == MessageText(whole).lines)
    #expect(try shown(more, format).contains("…"))
  }

  /// A message names twenty of its alerts and counts them all.
  @Test(arguments: [(20, 20), (21, 20)]) func membersAreBounded(alerts: Int, members: Int) throws {
    let checks = try (0..<alerts).map { try makeCheck("c\($0)") }
    var desk = Desk(quickSettings(), checks)
    for check in checks { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 5)
    let message = try #require(desk.told.first?.message)
    #expect(
      [message.members.count, message.memberCount, message.alertCount] == [members, alerts, alerts])
  }
}
