// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// What each kind of receiver is sent, byte by byte: nothing is left out, and nothing has another name.
@Suite struct MessageBodyTests {
  private static let incident = UniqueID(high: 2, low: 2)
  private static let page = "https://s.example"
  private static let link = "\(page)/incidents/\(incident)"
  private static let (zero, hundred) = ("2026-01-05T00:00:00.000Z", "2026-01-05T00:01:40.000Z")

  private func message(_ kind: AlertMessage.Kind = .opened, hasMore: Bool = true) -> AlertMessage {
    var message = AlertMessage(
      id: UniqueID(high: 1, low: 1), incident: Self.incident, kind: kind, severity: .high,
      title: "Shop is down", at: after(100), begin: after(0), agent: "a")
    (message.memberCount, message.alertCount) = (1, 1)
    guard hasMore else { return message }
    (message.region, message.pageURL) = ("r", Self.page)
    var member = AlertMessage.Member(
      checkID: UniqueID(high: 3, low: 4), name: "Shop", target: "t.example", rule: "down", severity: .high,
      since: after(0))
    (member.state, member.reason, member.text) = (.down, .httpStatus, "status 503")
    (member.path, member.runbook, member.tags) = ("3 hops", "https://w.example/a", ["x", "y"])
    (member.isNew, member.lastGood) = (true, after(-60))
    member.recent = [
      .init(at: after(-60), state: .up, responseTime: .milliseconds(10)),
      .init(at: after(0), state: .down, responseTime: nil),
    ]
    message.members = [member]
    return message
  }

  private func body(_ message: AlertMessage, _ format: WebhookChannel.Format) -> String {
    ChannelSender.shown(message, makeWebhook("c", format))
  }

  private let head =
    #"{"version":1,"id":"\#(UniqueID(high: 1, low: 1))","incident":"\#(incident)","#
  private let lines = [
    "severity high, since 2026-01-05 00:00 UTC, for 1m 40s so far",
    "▼ Shop (new) (t.example) since 2026-01-05 00:00 UTC – http_status: status 503", "path: 3 hops",
    "last well: 2026-01-04 23:59 UTC", "tags: x, y", "runbook: https://w.example/a",
    "agent a (r), incident \(incident)", "acknowledge: quartz-agent ack 000002", link,
  ]

  /// The lines of the text that every chat is sent.
  @Test func text() {
    let mark = CheckState.down.mark
    #expect(MessageText(message()).lines == lines.map { $0.replacing("▼", with: mark) })
  }

  @Test func json() {
    let member =
      #"{"check_id":"\#(UniqueID(high: 3, low: 4))","name":"Shop","target":"t.example","rule":"down","#
      + #""severity":"high","state":"down","reason":"http_status","text":"status 503","path":"3 hops","#
      + #""since":"\#(Self.zero)","new":true,"last_good":"2026-01-04T23:59:00.000Z","#
      + #""runbook":"https://w.example/a","tags":["x","y"],"recent":["#
      + #"{"at":"2026-01-04T23:59:00.000Z","state":"up","response_time_ms":10},"#
      + #"{"at":"\#(Self.zero)","state":"down"}]}"#
    let opened =
      head + #""kind":"opened","severity":"high","title":"Shop is down","at":"\#(Self.hundred)","#
      + #""begin":"\#(Self.zero)","agent":"a","region":"r","page":"\#(Self.page)","link":"\#(Self.link)","#
      + #""member_count":1,"alert_count":1,"members":[\#(member)]}"#
    #expect(body(message(), .json) == opened)
  }

  /// What an end, a storm and a digest have besides.
  @Test func jsonOfOtherKinds() {
    var over = message(.recovered, hasMore: false)
    (over.end, over.trigger, over.cause, over.acknowledgedBy) = (after(90), .rootRecovered, "Router", "ann")
    var member = AlertMessage.Member(name: "log", rule: "own", severity: .low, since: after(0))
    (member.until, member.outcome) = (after(90), .ruleChanged)
    (over.members, over.memberCount, over.alertCount) = ([member], 3, 4)
    let end = "2026-01-05T00:01:30.000Z"
    let start = #""title":"Shop is down","at":"\#(Self.hundred)","begin":"\#(Self.zero)","#
    #expect(
      body(over, .json) == head + #""kind":"recovered","severity":"high",\#(start)"end":"\#(end)","#
        + #""agent":"a","trigger":"root_recovered","cause":"Router","acknowledged_by":"ann","#
        + #""member_count":3,"alert_count":4,"members":[{"name":"log","rule":"own","severity":"low","#
        + #""since":"\#(Self.zero)","until":"\#(end)","outcome":"rule_changed","recent":[]}]}"#)
    var storm = message(.update, hasMore: false)
    storm.isStorm = true
    storm.counts = [.init(of: "tag", name: "x", checks: 2), .init(of: "network", name: "n", checks: 1)]
    let counts = #"{"of":"tag","name":"x","checks":2},{"of":"network","name":"n","checks":1}"#
    let rest = #""agent":"a","member_count":1,"alert_count":1,"members":[],"#
    #expect(
      body(storm, .json) == head
        + #""kind":"update","severity":"high",\#(start)\#(rest)"storm":[\#(counts)]}"#)
    var digest = message(.digest, hasMore: false)
    digest.digest = [
      .init(title: "A", severity: .low, begin: after(0), end: nil),
      .init(title: "B", severity: .high, begin: after(0), end: after(90)),
    ]
    #expect(
      body(digest, .json) == head + #""kind":"digest","severity":"high",\#(start)\#(rest)"digest":["#
        + #"{"title":"A","severity":"low","begin":"\#(Self.zero)"},"#
        + #"{"title":"B","severity":"high","begin":"\#(Self.zero)","end":"\#(end)"}]}"#)
  }

  private var shown: String {
    lines.joined(separator: "\\n").replacing("▼", with: CheckState.down.mark)
  }

  @Test func slack() {
    let (section, button) = (
      #"{"type":"section","text":{"type":"plain_text","text":"\#(shown)","emoji":false}}"#,
      #"{"type":"button","text":{"type":"plain_text","text":"Open incident","emoji":false},"#
        + #""url":"\#(Self.link)"}"#
    )
    #expect(
      body(message(), .slack) == #"{"text":"[high] Shop is down","blocks":[{"type":"header","text":"#
        + #"{"type":"plain_text","text":"[high] Shop is down","emoji":false}},\#(section),"#
        + #"{"type":"actions","elements":[\#(button)]}]}"#)
    var hostile = message()
    hostile.title = "a & <b>"
    #expect(body(hostile, .slack).hasPrefix(#"{"text":"[high] a &amp; &lt;b&gt;","#))
  }

  /// A header of Slack has 150 characters.
  @Test(arguments: [(143, true), (144, false)]) func headerOfSlack(count: Int, isWhole: Bool) throws {
    var long = message()
    long.title = String(repeating: "x", count: count)
    let header = try JSONValue.parse(body(long, .slack).utf8)["blocks"]?[0]?["text"]?["text"]?.string
    #expect((header == "[high] \(long.title)") == isWhole && header?.utf8.count ?? 999 <= 150)
  }

  @Test func teams() {
    func run(_ text: String, _ more: String = "") -> String {
      #"{"type":"RichTextBlock","inlines":[{"type":"TextRun","text":"\#(text)"\#(more)}]}"#
    }
    let runs =
      [run("[high] Shop is down", #","weight":"Bolder","size":"Large""#)]
      + shown.split(separator: "\\n").map { run(String($0)) }
    #expect(
      body(message(), .teams) == #"{"type":"message","attachments":[{"contentType":"#
        + #""application/vnd.microsoft.card.adaptive","content":{"$schema":"#
        + #""http://adaptivecards.io/schemas/adaptive-card.json","type":"AdaptiveCard","version":"1.4","#
        + #""body":[\#(runs.joined(separator: ","))],"actions":[{"type":"Action.OpenUrl","#
        + #""title":"Open incident","url":"\#(Self.link)"}]}}]}"#)
  }

  /// Sixty lines at most.
  @Test(arguments: [(55, false), (56, true)]) func linesOfTeams(members: Int, isCut: Bool) throws {
    var long = message(hasMore: false)
    long.members = (0..<members).map {
      .init(name: "c\($0)", rule: "down", severity: .high, since: after(0))
    }
    (long.memberCount, long.alertCount, long.pageURL) = (99, 199, Self.page)
    let rows = try JSONValue.parse(body(long, .teams).utf8)["attachments"]?[0]?["content"]?["body"]?.array
    #expect(rows?.count == (isCut ? 61 : members + 6))
    #expect(rows?.contains { $0["inlines"]?[0]?["text"]?.string == "…" } == isCut)
  }

  @Test func discord() {
    var plain = message(hasMore: false)
    plain.title = #"a \ * _ ~ ` | > # - [ ] ( ) < @ : z"#
    let title = ##"\\[high\\] a \\\\ \\* \\_ \\~ \\` \\| \\> \\# \\- \\[ \\] \\( \\) \\< \\@ \\: z"##
    let description =
      #"severity high, since 2026\\-01\\-05 00\\:00 UTC, for 1m 40s so far\nand 1 more\n"#
      + "agent a, incident " + "\(Self.incident)".replacing("-", with: #"\\-"#) + #"\n"#
      + #"acknowledge\\: quartz\\-agent ack 000002"#
    #expect(
      body(plain, .discord) == #"{"allowed_mentions":{"parse":[]},"embeds":[{"title":"\#(title)","#
        + #""description":"\#(description)","color":15680580,"timestamp":"\#(Self.hundred)"}]}"#)
  }

  /// Colours and priorities of each severity, and of an end; the symbol of each kind.
  @Test func coloursAndSymbols() throws {
    func fields(_ kind: AlertMessage.Kind, _ severity: AlertSeverity) throws -> [String] {
      var message = message(kind)
      message.severity = severity
      let (embed, note) = (
        try JSONValue.parse(body(message, .discord).utf8)["embeds"]?[0],
        try JSONValue.parse(body(message, .ntfy).utf8)
      )
      let html = MailHTML(message, MessageText(message)).render()
      let color = html.split(separator: "6px solid #").last?.prefix(6) ?? ""
      return [
        String(embed?["color"]?.integer ?? 0, radix: 16), "\(note["priority"]?.integer ?? 0)",
        note["tags"]?[0]?.string ?? "", String(color),
      ]
    }
    let bell = "rotating_light"
    #expect(try fields(.opened, .critical) == ["dc2626", "5", bell, "dc2626"])
    #expect(try fields(.update, .high) == ["ef4444", "4", bell, "dc2626"])
    #expect(try fields(.acknowledged, .medium) == ["f97316", "3", bell, "ea580c"])
    #expect(try fields(.digest, .low) == ["3b82f6", "2", bell, "2563eb"])
    #expect(try fields(.report, .low) == ["3b82f6", "2", "bar_chart", "2563eb"])
    #expect(try fields(.test, .low) == ["3b82f6", "2", bell, "2563eb"])
    #expect(try fields(.recovered, .critical) == ["22c55e", "3", "white_check_mark", "16a34a"])
  }

  @Test func ntfy() {
    #expect(
      body(message(), .ntfy) == #"{"topic":"x","title":"[high] Shop is down","message":"\#(shown)","#
        + #""priority":4,"tags":["rotating_light"],"click":"\#(Self.link)","actions":[{"action":"view","#
        + #""label":"Open incident","url":"\#(Self.link)"}]}"#)
  }
}
