// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Groups

/// The picture of a group for people: its members, and all that is not as it should be.
@Suite struct GroupStatusTests {
  private func status(_ bench: MemberBench, root: String? = "/q/g/") -> GroupStatus {
    GroupStatus(bench.member, group: "g", root: root)
  }

  private func told(_ bench: MemberBench) -> [String] { status(bench).notices.map(\.what) }

  private func joined(_ others: Int = 2, checks: Int = 0) -> MemberBench {
    var bench = MemberBench(checks: checks)
    bench.join(others: others)
    return bench
  }

  /// Members by name, with what each has; this one has no clock of its own to compare.
  @Test func members() {
    var bench = joined(2, checks: 24)
    bench.member.view?.members[ByteText("a")]?.ahead = .seconds(9)
    bench.member.view?.members[ByteText("m0")]?.ahead = .milliseconds(400)
    bench.member.view?.members[ByteText("m1")]?.card.pools.without = [UniqueID(high: 1, low: 1)]
    let status = status(bench)
    #expect(status.name == "a" && status.group == "g" && status.view == 10 && status.remembered == nil)
    #expect(status.members.map(\.name) == ["a", "m0", "m1"])
    #expect(status.members.map(\.isSelf) == [true, false, false])
    #expect(status.members.map(\.ahead) == [nil, .milliseconds(400), nil])
    #expect(status.members.allSatisfy { !$0.isApart })
    #expect(status.members.map(\.owns).reduce(0, +) == 24)
    #expect(status.members[0].owns == status.assignment.owned && status.notices == [])
    bench.member.view?.members[ByteText("m1")]?.card.pools.file = "x"
    #expect(self.status(bench).members.map(\.isApart) == [false, false, true])
  }

  /// Members with alerts and without run each other's checks.
  @Test func membersWithoutAlerts() {
    var bench = joined(3, checks: 24)
    #expect(["a", "m0", "m1", "m2"].contains(status(bench).notifier))
    for name in ["m0", "m2"] {
      bench.member.view?.members[ByteText(name)]?.card.alerts = false
      bench.member.view?.members[ByteText(name)]?.card.pools.file = "x without alerts"
    }
    let hint = "give all members of the group the same section alerts"
    let missing = "m0, m2 have no section alerts, and this agent has one: each runs all of the checks"
    #expect(status(bench).notices == [.warning(.group, missing, hint: hint)])
    #expect(["a", "m1"].contains(status(bench).notifier))
    bench.member.view?.members[ByteText("m1")]?.card.alerts = false
    bench.member.view?.members[ByteText("a")]?.card.alerts = false
    #expect(
      status(bench).notices.map(\.what) == [
        "m0, m2 and this agent differ in the shared checks of its file: these are run by both"
      ])
    bench.member.view?.members[ByteText("m1")]?.card.alerts = true
    #expect(
      status(bench).notices.map(\.what).first
        == "this agent has no section alerts, and m1 has one: each runs all of the checks")
    #expect(status(bench).notifier == "m1")
  }

  /// Inside is a member that has its key in the store and a view.
  @Test func stages() {
    let bench = joined()
    for (stage, isInside) in [
      (.inside, true), (.reading, true), (.leaving(until: bench.boot), true), (.claiming, false),
      (.granting, false), (.out(retry: bench.boot), false), (.revoking(until: bench.boot), false),
      (.left, false),
    ] as [(GroupMember.Stage, Bool)] {
      var other = bench
      other.member.stage = stage
      #expect(status(other).isInside == isInside, "\(stage)")
    }
  }

  /// A clock is told of beyond one second, in whole seconds.
  @Test(
    arguments: [
      (1000, nil), (-1000, nil), (1001, "1 s ahead of"), (-1001, "1 s behind"), (1500, "2 s ahead of"),
      (-2400, "2 s behind"), (90_000, "90 s ahead of"),
    ] as [(Int, String?)])
  func clocks(ahead: Int, words: String?) {
    var bench = joined(1)
    bench.member.view?.members[ByteText("m0")]?.ahead = .milliseconds(ahead)
    let expected = words.map {
      Notice.warning(
        .group, "the clock of m0 is \($0) this machine's",
        hint:
          "let both machines keep time (chronyc tracking): their slots are as far apart, and results may be doubled"
      )
    }
    #expect(status(bench).notices == (expected.map { [$0] } ?? []))
  }

  /// Members that divide nothing with this one: the first three by name, for each of both sources.
  @Test func otherConfigurations() {
    var bench = joined(5)
    for number in 1...4 { bench.member.view?.members[ByteText("m\(number)")]?.card.pools.file = "x" }
    for number in 2...4 { bench.member.view?.members[ByteText("m\(number)")]?.card.pools.api = "y" }
    #expect(
      told(bench) == [
        "m1, m2, m3 and 1 more and this agent differ in the shared checks of its file: these are run by both",
        "m2, m3, m4 and this agent differ in the rules for the API's checks: these are run by both",
      ])
    #expect(status(bench).notices.first?.hint == "give all members of the group the same configuration")
  }

  /// Why the store does not answer, since when, and which agent has the name.
  @Test func storeAndName() {
    var bench = joined()
    let (first, second) = (Timestamp(seconds: 1), Timestamp(seconds: 2))
    bench.member.journal.trouble(StoreTrouble(.noSpace, "full"), at: first)
    var card = MemberCard()
    card.version = "1.2"
    bench.member.journal.taken(by: card, at: second)
    #expect(
      status(bench).notices == [
        Notice(
          .warning, .group, "the group's store: full",
          hint: "etcd's quota is used up: etcdctl compact, defrag, then alarm disarm", since: first),
        Notice(
          .critical, .group, "another agent (version 1.2) is in the group g as a",
          hint:
            "give each agent an agent.name of its own; one that was copied with its state_dir is another too",
          since: second),
      ])
    bench.member.journal.clearTrouble()
    bench.member.journal.clearTaken()
    bench.member.journal.taken(by: nil, at: second)
    #expect(told(bench) == ["another agent is in the group g as a"])
  }

  /// Keys that no agent wrote, and a head that is none, with what to do about them.
  @Test func oddKeys() {
    var bench = joined()
    bench.member.view?.garbled = ["d", "b\u{7}", "c", "a1"]
    bench.member.view?.strays = 1
    bench.member.headRevision = 8
    let notices = status(bench).notices
    let words = "is not understood, or has no lease: it counts as none"
    #expect(
      notices.map(\.what) == [
        "the store's key of the member a1 \(words)", "the store's key of the member b\\u{7} \(words)",
        "the store's key of the member c \(words)",
        "the store has 1 key below /q/g/m/ that no agent wrote, or more than 2000 members: what is too much is not looked at",
        "the key /q/g/c/head in the store is not understood: the list of before stays",
      ])
    #expect(notices.first?.hint == "unless a newer agent wrote it: etcdctl del /q/g/m/a1")
    #expect(notices.last?.hint?.contains("etcdctl del /q/g/c/head.") == true)
    #expect(notices.allSatisfy { $0.severity == .warning && $0.place == .group })
    bench.member.view = GroupView()
    bench.member.head = ListHead(version: 1, parts: 1, sha256: "x", revision: 8)
    #expect(status(bench).notices == [])
    bench.member.head = nil
    #expect(status(bench, root: nil).notices.first?.what.hasPrefix("the key g/c/head in") == true)
  }

  /// Words about a member whose store is out of reach: what it runs, by what it knows of the group.
  @Test func alone() {
    let since = Timestamp(seconds: 5)
    func words(_ bench: MemberBench, _ standsIn: Bool, _ runsAll: Bool) -> [Notice] {
      var bench = bench
      bench.member.alone = .init(since: since, standsIn: standsIn, runsAll: runsAll)
      return status(bench).notices
    }
    func notice(_ what: String) -> [Notice] { [Notice(.warning, .group, what, since: since)] }
    let known = joined()
    #expect(
      words(known, false, false) == notice("the group is out of reach: this agent runs its own checks"))
    #expect(
      words(known, true, false)
        == notice(
          "the group is out of reach: this agent runs its own checks and those it is the standby of"))
    let all = "this agent runs all of the group's checks"
    let start = "the group has not been reached since the start"
    #expect(
      words(MemberBench(), false, false) == notice("\(start), and no view of before is kept: \(all)"))
    var view = GroupView()
    view.placed = 6
    view.members[ByteText("a")] = GroupView.Member(card: MemberBench.other(1), revision: 0)
    let memory = GroupMemory(
      root: "/q/g/", name: "a", cluster: 7, view: view, at: Timestamp(milliseconds: 1_800_000_000_123))
    let recalled = MemberBench(memory: memory)
    #expect(
      words(recalled, false, false)
        == notice("\(start): this agent runs its own checks, by the view of 2027-01-15T08:00:00Z"))
    #expect(
      words(recalled, true, true)
        == notice("\(start), and who of its last view is there is not known: \(all)"))
    #expect(status(recalled).remembered == nil && status(recalled).members.isEmpty)
    var late = recalled
    late.member.alone = .init(since: since)
    #expect(status(late).remembered == memory.at && status(late).view == 6)
    #expect(status(late).members.map(\.name) == ["a"])
  }
}
