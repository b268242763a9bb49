// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Logging
import Monitoring
import TestSupport
import Testing

@testable import Agent
@testable import Groups

/// The group as `/api/v1/group` and the status show it.
@Suite struct GroupDocumentTests {
  private let start = FakeClock.start

  private func text(_ document: GroupDocument) -> String {
    var json = JSONWriter()
    document.write(to: &json)
    return json.text
  }

  private func member(
    _ name: String, weight: Int, version: String, applied: Int64, without: Int = 0
  ) -> GroupStatus.Member {
    var card = MemberCard()
    (card.weight, card.version, card.applied) = (weight, version, applied)
    card.pools.without = (0..<without).map { UniqueID(high: 1, low: UInt64($0)) }
    return GroupStatus.Member(name: name, card: card)
  }

  private func full() -> GroupStatus {
    var status = GroupStatus("london")
    (status.name, status.view, status.isInside) = ("a", 7, true)
    status.assignment = GroupAssignment(total: 9)
    (status.assignment.owned, status.assignment.held, status.assignment.standingIn) = (4, 2, 3)
    status.alone = .init(since: start)
    status.remembered = start.advanced(by: .seconds(-60))
    status.notifier = "b"
    status.journal.takeovers = 5
    status.journal.note(start, 3, .joined("b"))
    status.journal.note(start.advanced(by: .seconds(1)), 4, .alone)
    var (own, other) = (
      member("a", weight: 2, version: "1.2", applied: 6),
      member("b", weight: 0, version: "1.1", applied: 5, without: 2)
    )
    (own.isSelf, own.owns, other.owns) = (true, 4, 1)
    (other.ahead, other.isApart) = (.milliseconds(-250), true)
    status.members = [own, other]
    return status
  }

  /// Every member of the document, with its value.
  @Test func allOfIt() {
    let (shop, mail) = (UniqueID(high: 3, low: 1), UniqueID(high: 3, low: 2))
    let document = GroupDocument(
      status: full(),
      checks: [
        .init(id: shop, owner: "a", standby: "b", isHere: true),
        .init(id: mail, owner: nil, standby: nil, isHere: false),
      ],
      names: [shop: "Shop front"],
      notices: [
        Notice(.critical, .group, "one", hint: "do", since: start), Notice.warning(.group, "two"),
      ])
    #expect(
      text(document) == """
        {"name":"london","member":"a","inside":true,"view":7,"checks":9,"owned":4,"held":2,"standing_in":3,\
        "alone_since":"2026-01-04T02:00:00.000Z","remembered_at":"2026-01-04T01:59:00.000Z","notified_by":"b","takeovers":5,\
        "members":[{"name":"a","self":true,"version":"1.2","weight":2,"leaving":false,"owns":4,"applied":6,\
        "apart":false,"without":0},{"name":"b","self":false,"version":"1.1","weight":0,"leaving":true,"owns":1,\
        "applied":5,"clock_ahead_ms":-250,"apart":true,"without":2}],\
        "moves":[{"at":"2026-01-04T02:00:00.000Z","view":3,"what":"b joined"},\
        {"at":"2026-01-04T02:00:01.000Z","view":4,"what":"the store was lost: going on alone"}],\
        "problems":[{"what":"one","hint":"do","since":"2026-01-04T02:00:00.000Z","critical":true},\
        {"what":"two","critical":false}],\
        "placement":[{"id":"\(shop)","name":"Shop front","owner":"a","standby":"b",\
        "here":true},{"id":"\(mail)","name":"","here":false}]}
        """)
  }

  /// What is not known, and what is not asked for, is left out.
  @Test func aGroupThatWasNeverReached() {
    let document = GroupDocument(status: GroupStatus("paris"), checks: nil, names: [:], notices: [])
    #expect(
      text(document) == """
        {"name":"paris","member":"","inside":false,"view":0,"checks":0,"owned":0,"held":0,"standing_in":0,\
        "takeovers":0,"members":[],"moves":[],"problems":[]}
        """)
  }

  /// Of a desk: its checks by name where they are asked for, and who runs those that are not run here.
  @Test func ofADesk() throws {
    let clock = FakeClock()
    let checks = try (0..<12).map { try tcpCheck("check \($0)") }
    var (group, settings) = (GroupSettings(), Settings())
    (group.name, group.share, settings.agent.name) = ("london", true, "a")
    settings.alerts = AlertSettings()
    var view = GroupView()
    view.placed = 7
    for (number, name) in ["a", "b", "c"].enumerated() {
      var card = MemberCard()
      card.boot = UniqueID(high: 2, low: UInt64(number))
      card.pools.file = PoolDigest.of(checks)
      view.members[ByteText(name)] = GroupView.Member(card: card, revision: 1)
    }
    let desk = GroupDesk(
      group, settings, home: .init(id: UniqueID(high: 1, low: 1), isOld: false),
      recalling: GroupMemory(root: "/quartz/london/", name: "a", cluster: 1, view: view, at: clock.wall),
      store: NoStore(), log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, time: clock.time)
    #expect(desk.status.others.isEmpty && desk.status.elsewhere.isEmpty, "it is not known yet")
    clock.advance(by: .seconds(11))
    let here = Set(desk.arrange(checks).here.map(\.id))
    let owners = Dictionary(desk.runner.placed.map { ($0.id, $0.owner) }) { first, _ in first }
    let status = desk.status
    #expect(status.elsewhere.map(\.id) == desk.runner.placed.map(\.id).filter { !here.contains($0) })
    for item in status.elsewhere {
      #expect(item.name == checks.first { $0.id == item.id }?.name && item.member == owners[item.id])
    }
    let others = Set(owners.values.compactMap(\.self)).subtracting(["a"])
    #expect(status.others.map(\.member) == others.sorted().map { Optional($0) }, "by name")
    for share in status.others {
      #expect(share.checks == owners.values.count { $0 == share.member })
    }
    let (plain, whole) = (desk.document(withChecks: false), desk.document(withChecks: true))
    #expect(plain.checks == nil && whole.checks == desk.runner.placed && whole.checks?.count == 12)
    #expect(whole.names == Dictionary(checks.map { ($0.id, $0.name) }) { first, _ in first })
    #expect(whole.notices == desk.notices && whole.status.name == "a")
  }
}
