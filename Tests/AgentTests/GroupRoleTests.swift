// SPDX-License-Identifier: MIT

import AgentConfig
import Alerts
import Basics
import Groups
import Logging
import Monitoring
import TestSupport
import Testing

@testable import Agent

/// Part of this agent in each check of its group: an owner's, an assistant's, or none.
@Suite struct GroupRoleTests {
  private let clock = FakeClock()

  /// A desk of the agent `a`, with the last view of the group as it was kept; `nil`: it knows of none.
  private func desk(_ memory: GroupMemory? = nil, sharesFile: Bool = true) -> GroupDesk {
    var (group, settings) = (GroupSettings(), Settings())
    (group.name, group.share, settings.agent.name) = ("london", sharesFile, "a")
    settings.alerts = AlertSettings()
    return GroupDesk(
      group, settings, home: .init(id: UniqueID(high: 1, low: 1), isOld: false), recalling: memory,
      store: NoStore(), log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, time: clock.time)
  }

  /// A view of these members, who share these checks.
  private func memory(_ members: [String], of checks: [MonitoringCheck]) -> GroupMemory {
    var view = GroupView()
    view.placed = 7
    for (number, name) in members.enumerated() {
      var card = MemberCard()
      card.boot = UniqueID(high: 2, low: UInt64(number))
      card.pools.file = PoolDigest.of(checks)
      view.members[ByteText(name)] = GroupView.Member(card: card, revision: 1)
    }
    return GroupMemory(root: "/quartz/london/", name: "a", cluster: 1, view: view, at: clock.wall)
  }

  private func role(_ desk: GroupDesk, _ check: MonitoringCheck) -> ShareRole {
    desk.role(of: check.id) { _ in true }
  }

  /// Without the store and a view every check is run, and none is its own: an assistant's.
  @Test func aMemberThatHasSeenNobody() throws {
    let desk = desk()
    let checks = [try tcpCheck("Shop"), try tcpCheck("Mail")]
    #expect(desk.arrange(checks).here.isEmpty, "who has what is not known yet")
    #expect(checks.map { role(desk, $0) } == [.elsewhere, .elsewhere])
    clock.advance(by: .seconds(10))
    #expect(desk.arrange(checks).here.isEmpty, "a lease")
    clock.advance(by: .milliseconds(1))
    #expect(desk.arrange(checks).here.map(\.name) == ["Shop", "Mail"])
    #expect(checks.map { role(desk, $0) } == [.assistant, .assistant])
  }

  /// By the last view: its own at once, and those of others that it is the standby of after half a lease more.
  @Test func aMemberWithAView() throws {
    let checks = try (0..<20).map { try tcpCheck("check \($0)") }
    let desk = desk(memory(["a", "b"], of: checks))
    clock.advance(by: .seconds(11))
    _ = desk.arrange(checks)
    let owners = Dictionary(desk.runner.placed.map { ($0.id, $0.owner) }) { first, _ in first }
    #expect(Set(owners.values) == ["a", "b"], "each has some")
    for check in checks {
      #expect(role(desk, check) == (owners[check.id] == "a" ? .owner : .elsewhere), "\(check.name)")
    }
    clock.advance(by: .seconds(5))
    #expect(desk.arrange(checks).here.count == checks.count)
    for check in checks {
      #expect(role(desk, check) == (owners[check.id] == "a" ? .owner : .assistant), "\(check.name)")
    }
  }

  /// What is not the group's is this agent's own where it is in its list; what it takes no part in is with others.
  @Test func whatIsNotShared() throws {
    func remote(_ name: String, _ number: UInt64, enabled: Bool) throws -> MonitoringCheck {
      try tcpCheck(name) {
        ($0.origin, $0.id) = (.api, UniqueID(high: 0x4000, low: number).description)
        $0.enabled = enabled
      }
    }
    let (own, shared) = (try tcpCheck("Own"), try remote("Shared", 1, enabled: true))
    let (off, refused) = (try remote("Off", 2, enabled: false), UniqueID(high: 9, low: 9))
    let desk = desk(sharesFile: false)
    clock.advance(by: .seconds(11))
    let here = desk.arrange([own, shared, off], of: [shared.id, refused]).here
    #expect(here.map(\.name) == ["Own", "Shared", "Off"])
    #expect([own, shared, off].map { role(desk, $0) } == [.own, .assistant, .own])
    #expect(desk.role(of: own.id) { _ in false } == .unlisted)
    #expect(desk.role(of: shared.id) { _ in false } == .assistant)
    #expect(desk.role(of: refused) { _ in true } == .elsewhere)
    #expect(desk.names == IncidentNames(group: "london", checks: [shared.id]) && desk.shared == [shared])
  }

  /// The name of its slot for each result of the schedule; the revision where the check is this agent's own.
  @Test func stamps() throws {
    let (owned, other) = (try tcpCheck("Owned"), try tcpCheck("Other"))
    let desk = desk(memory(["a"], of: [owned]))
    clock.advance(by: .seconds(11))
    _ = desk.arrange([owned])
    let lonely = self.desk()
    clock.advance(by: .seconds(11))
    _ = lonely.arrange([owned])
    func stamped(_ desk: GroupDesk, _ check: MonitoringCheck, _ trigger: Trigger) -> DeliveryRecord {
      let result = CheckResult(
        id: UniqueID(high: 5, low: 5), check: check, trigger: trigger, scheduledAt: clock.wall,
        startedAt: clock.wall, late: .zero, verdict: .ok)
      var record = DeliveryRecord(result, agent: "a", flags: [])
      desk.stamping(&record, check)
      return record
    }
    let slot = SlotID.id(group: "london", check: owned.id, slot: clock.wall)
    let found = stamped(desk, owned, .schedule)
    #expect(found.wireID == slot && found.ownerRevision == 7)
    let helped = stamped(lonely, owned, .schedule)
    #expect(helped.wireID == slot && helped.ownerRevision == nil, "it is not its own")
    let byHand = stamped(desk, owned, .manual)
    #expect(byHand.wireID == nil && byHand.ownerRevision == nil)
    let strange = stamped(self.desk(sharesFile: false), other, .schedule)
    #expect(strange.wireID == nil && strange.ownerRevision == nil)
  }
}
