// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// The text of a message: its prefix, the fields of a template, the marks and ends of its members, a storm's
/// figures.
@Suite struct MessageWordTests {
  private func message(_ kind: AlertMessage.Kind = .opened) -> AlertMessage {
    AlertMessage(
      id: UniqueID(high: 1, low: 1), incident: UniqueID(high: 2, low: 2), kind: kind, severity: .high,
      title: "T", at: after(100), begin: after(0), agent: "a")
  }

  /// Fields of a check say nothing of a digest or a report: these keep the built-in words.
  @Test func aTemplateIsForIncidents() throws {
    var template = AlertTemplate()
    template.title = try AlertTemplate.parse("{{check}} is {{state}}")
    template.text = try AlertTemplate.parse("since {{since}}, runbook in the wiki")
    for kind in AlertMessage.Kind.allCases where kind != .test {
      let message = message(kind)
      let isOwn = kind == .digest || kind == .report
      let (plain, text) = (MessageText(message), MessageText(message, template))
      #expect((text.title == plain.title) == isOwn, "\(kind)")
      #expect((text.lines == plain.lines) == isOwn, "\(kind)")
    }
  }

  @Test(
    arguments: [
      (.opened, nil, "[high] T"), (.acknowledged, nil, "[high] T"), (.update, nil, "[high] T"),
      (.update, .joined, "[high] T"), (.update, .reminder, "[high] Still: T"),
      (.recovered, nil, "[resolved] T"),
      (.digest, nil, "[digest] T"), (.report, nil, "[report] T"), (.test, nil, "[test] T"),
    ] as [(AlertMessage.Kind, Draft.Trigger?, String)])
  func prefixes(kind: AlertMessage.Kind, trigger: Draft.Trigger?, title: String) {
    var message = message(kind)
    message.trigger = trigger
    #expect(MessageText(message).title == title)
    message.isSample = true
    #expect(MessageText(message).title == (kind == .report ? "[test report] T" : title))
    #expect(
      kind.words == (kind == .update ? "updated" : kind == .recovered ? "resolved" : kind.rawValue))
  }

  /// Every field of a template, with a member and without.
  @Test func fields() throws {
    let names = [
      "title", "severity", "kind", "check", "target", "state", "reason", "message", "rule", "since",
      "duration", "agent", "region", "incident", "count", "cause", "page",
    ]
    var template = AlertTemplate()
    template.text = try AlertTemplate.parse(names.map { "{{\($0)}}" }.joined(separator: "|"))
    let (since, id) = ("2026-01-05 00:00 UTC", UniqueID(high: 2, low: 2))
    #expect(MessageText(message(), template).lines == ["T|high|opened|||||||\(since)|1m 40s|a||\(id)|0||"])
    var whole = message()
    var member = AlertMessage.Member(
      name: "Shop", target: "t.example", rule: "down", severity: .high, since: after(50))
    (member.state, member.reason, member.text) = (.down, .httpStatus, "status 503")
    (whole.members, whole.memberCount, whole.region, whole.cause) = ([member], 4, "r", "Router")
    (whole.pageURL, whole.end) = ("https://s.example", after(90))
    let link = "https://s.example/incidents/\(id)"
    let words = "Shop|t.example|down|http_status|status 503|down|\(since)|1m 30s|a|r|\(id)|4|Router|\(link)"
    #expect(MessageText(whole, template).lines == ["T|high|opened|\(words)"])
    (whole.kind, whole.members[0].until, whole.members[0].outcome) = (.recovered, after(90), .recovered)
    #expect(MessageText(whole, template).lines[0].hasPrefix("T|high|recovered|Shop|t.example|up|"))
  }

  /// What became of each member, in its mark and in its words.
  @Test(
    arguments: [
      (nil, "", .up), (.recovered, "", .up), (.maintenance, ", maintenance began", .unknown),
      (.removed, ", removed from the configuration", .unknown), (.disabled, ", disabled", .unknown),
      (.renamed, ", renamed", .unknown), (.moved, ", in another incident of the group", .unknown),
      (.ruleChanged, ", its rule was changed", .unknown),
    ] as [(TroubleEnd?, String, CheckState)])
  func endsOfMembers(outcome: TroubleEnd?, words: String, mark: CheckState) {
    var member = AlertMessage.Member(name: "Shop", rule: "down", severity: .high, since: after(0))
    #expect(member.mark == .degraded)
    member.state = .unknown
    #expect(member.mark == .unknown)
    (member.until, member.outcome) = (after(60), outcome)
    var message = message(.recovered)
    message.members = [member]
    #expect(member.outcomeWords == words && member.mark == mark)
    let line = "\(mark.mark) Shop from 2026-01-05 00:00 to 00:01 UTC\(words)"
    #expect(MessageText(message).lines.contains(line))
    member.recent = [.init(at: after(50), state: .down, responseTime: nil)]
    #expect(member.mark == (mark == .up ? .down : .unknown))
  }

  /// What a member is to the reader, and what is said of one that fires alone.
  @Test func lines() {
    var message = message()
    var member = AlertMessage.Member(name: "Shop", rule: "down", severity: .high, since: after(0))
    (member.isNew, member.isWorse, member.tags) = (true, true, (0..<9).map { "t\($0)" })
    member.state = .down
    message.members = [member]
    (message.acknowledgedBy, message.cause, message.alertCount) = ("ann", "Router", 3)
    #expect(
      MessageText(message).lines == [
        "severity high, since 2026-01-05 00:00 UTC, for 1m 40s so far", "all of it depends on Router",
        "acknowledged by ann", "\(CheckState.down.mark) Shop (worse) since 2026-01-05 00:00 UTC",
        "tags: t0, t1, t2, t3, t4, t5, t6, t7", "and 2 more", "agent a, incident \(message.incident)",
      ])
    message.members[0].until = after(60)
    message.end = after(90)
    #expect(MessageText(message).lines[0] == "severity high, from 2026-01-05 00:00 to 00:01 UTC, for 1m 30s")
    #expect(!MessageText(message).lines.contains { $0.hasPrefix("tags") })
  }

  /// One check of a tag or of a network is no pattern.
  @Test func figuresOfAStorm() {
    var message = message()
    message.isStorm = true
    message.counts = [
      .init(of: "reason", name: "http_status", checks: 4), .init(of: "tag", name: "x", checks: 3),
      .init(of: "tag", name: "y", checks: 2), .init(of: "tag", name: "z", checks: 1),
      .init(of: "network", name: "n", checks: 1),
    ]
    #expect(
      Array(MessageText(message).lines.dropFirst()) == [
        "by tag: x (3), y (2)", "by reason: http_status (4)", "agent a",
      ], "no incident has the id of a storm")
    var template = AlertTemplate()
    template.title = [.text("T"), .field(.incident)]
    #expect(MessageText(message, template).title == "[high] T", "the built-in words")
    message.isStorm = false
    #expect(MessageText(message, template).title == "T\(message.incident)")
  }

  @Test func digests() {
    var message = message(.digest)
    (message.memberCount, message.alertCount) = (5, 9)
    message.digest = [
      .init(title: "A", severity: .low, begin: after(0), end: nil),
      .init(title: "B", severity: .high, begin: after(0), end: after(90)),
      .init(title: "C", severity: .low, begin: after(0), end: after(90), saysWhen: true),
    ]
    #expect(
      MessageText(message).lines == [
        "low: A, since 2026-01-05 00:00 UTC, ongoing for 1m 40s",
        "high: B, 2026-01-05 00:00 UTC, for 1m 30s",
        "low: C", "and 2 more", "agent a",
      ])
    #expect(MessageText(self.message(.test)).lines.first == "Sent by quartz-agent a to test this channel.")
  }

  @Test func networks() throws {
    func text(_ address: String) throws -> String? {
      let network = Trouble.Relation.network(try #require(IPAddress(address)))
      return Trouble.Relation(network: network).networkText
    }
    #expect(try text("192.0.2.9") == "192.0.2.0/24" && text("2001:db8:7f01::1") == "2001:db8:7f01::/48")
    #expect(Trouble.Relation(network: "x").networkText == nil && Trouble.Relation().networkText == nil)
    #expect(DraftWords.list(["a", "b", "a", "c"]) == "a, b, c" && DraftWords.list([]) == "")
    #expect(DraftWords.list(["a", "b", "c", "d", "e"]) == "a, b, c and 2 more")
    let phrases = (1...4).map { DraftWords.phrase(Array(["a", "b", "b", "c", "d"].prefix($0 + 1))) }
    #expect(phrases == ["a and b", "a and b", "a, b and c", "a, b, c and 1 more"])
    #expect(DraftWords.phrase(["a"]) == "a" && DraftWords.phrase([]) == "")
    #expect(
      AlertSubject.allCases.map(\.noun) == [
        "outage", "slow", "certificate", "downtime", "problem of the agent",
      ])
  }
}
