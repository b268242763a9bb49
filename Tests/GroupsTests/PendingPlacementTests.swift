// SPDX-License-Identifier: MIT

import Basics
import TestSupport
import Testing

@testable import Groups

/// A member that has everything worked out aside.
@Suite struct PendingPlacementTests {
  private var now = ClockReading(boot: Instant(nanoseconds: 1_000_000_000), wall: .epoch)
  private var member: GroupMember
  private var watch = 0
  /// What it asked first.
  private var first: [GroupMember.Action]

  init() {
    var card = MemberCard()
    card.boot = UniqueID(high: 1, low: 1)
    var settings = GroupMember.Settings(name: "a", ttl: .seconds(5))
    settings.atOnce = 0
    member = GroupMember(settings, card: card, at: now)
    first = member.handle(.checks(Self.checks(20)), at: now)
  }

  private static func checks(_ count: UInt64) -> [Placement.GroupCheck] {
    (0..<count).map { Placement.GroupCheck(UniqueID(high: $0 &* 0x9e37_79b9_7f4a_7c15, low: $0), .api) }
  }

  private func entry(_ name: String, _ revision: Int64) -> StoreReading.Entry {
    var card = MemberCard()
    card.boot = name == "a" ? member.card.boot : UniqueID(high: 2, low: 2)
    card.applied = 1
    return .init(name: name, card: card, revision: revision)
  }

  private mutating func handle(_ event: GroupMember.Event) -> [GroupMember.Action] {
    let actions = member.handle(event, at: now)
    for case .watch(let number, _) in actions { watch = number }
    return actions
  }

  private mutating func work() throws {
    let taken = member.takeJob()
    var job = try #require(taken)
    job.run()
    finish(job)
  }

  private mutating func finish(_ job: PlacementJob) {
    for case .watch(let number, _) in member.finish(job, at: now) { watch = number }
  }

  /// In the group with `b`, by revision 10.
  private mutating func join() throws {
    var actions = first
    for answer in [
      .granted(lease: 4), .claimed(revision: 9),
      .read(StoreReading(cluster: 7, revision: 10, members: [entry("a", 9), entry("b", 8)])),
    ] as [StoreAnswer] {
      let asked = actions.compactMap { if case .ask(let number, _) = $0 { number } else { nil } }
      actions = handle(.answer(try #require(asked.first), answer))
    }
  }

  @Test mutating func nothingIsRunBeforeItIsWorkedOut() throws {
    try join()
    #expect(member.assignment.revisions.isEmpty && member.view == nil)
    try work()
    let more = member.takeJob()
    #expect((1..<20).contains(member.assignment.owned) && more == nil)
  }

  @Test mutating func whatIsRunIsRunOnMeanwhile() throws {
    try join()
    try work()
    let before = member.assignment
    // Its own share was the other's before.
    _ = member.takeTaken()
    _ = handle(.changes(watch: watch, [.gone(name: "b", revision: 11)]))
    #expect(member.assignment == before)
    // It comes again: the watch begins after what is worked out.
    _ = handle(.changes(watch: watch, [.card(entry("c", 12))]))
    #expect(member.view?.members.count == 1)
    try work()
    #expect(member.assignment.owned == 20)
    let taken = member.takeTaken()
    #expect(taken.count == 20 - before.owned)
  }

  @Test mutating func anotherListTakesThePlaceOfTheOneThatIsWorkedOut() throws {
    try join()
    try work()
    _ = handle(.checks(Self.checks(30)))
    let taken = member.takeJob()
    var old = try #require(taken)
    _ = handle(.checks(Self.checks(40)))
    old.run()
    finish(old)
    #expect(member.assignment.total == 20)
    try work()
    #expect(member.assignment.total == 40)
    let more = member.takeJob()
    #expect(more == nil)
  }

  /// The list changes while the view of the disk is worked out: what is this member's by its memory is run all the same.
  @Test mutating func aMemoryFollowsAnotherList() throws {
    var view = GroupView()
    view.placed = 9
    for name in ["a", "b"] {
      var card = member.card
      card.weight = 1
      view.members[ByteText(name)] = GroupView.Member(card: card, revision: 1)
    }
    member.recall(GroupMemory(root: "/quartz/", name: "a", cluster: 7, view: view, at: .epoch))
    now.boot += .seconds(6)
    _ = handle(.tick)
    #expect(member.pending?.recalls == true && member.assignment.owned == 0)
    _ = handle(.checks(Self.checks(30)))
    try work()
    #expect(member.assignment.total == 30 && (1..<30).contains(member.assignment.owned))
    #expect(member.pending == nil)
  }

  /// A view of the disk that costs nothing waits all the same while another list is worked out, and with it.
  @Test mutating func aMemoryWaitsForTheListThatIsWorkedOut() throws {
    var settings = GroupMember.Settings(name: "a", ttl: .seconds(5))
    settings.atOnce = .max
    member = GroupMember(settings, card: member.card, at: now)
    first = member.handle(.checks(Self.checks(20)), at: now)
    var view = GroupView()
    view.placed = 9
    for name in ["a", "b"] {
      view.members[ByteText(name)] = GroupView.Member(card: member.card, revision: 1)
      view.members[ByteText(name)]?.card.weight = 1
    }
    member.recall(GroupMemory(root: "/quartz/", name: "a", cluster: 7, view: view, at: .epoch))
    member.pending = PendingPlacement(number: member.numbers, checks: Self.checks(30))
    now.boot += .seconds(6)
    _ = handle(.tick)
    #expect(member.pending?.recalls == true && member.pending?.checks == Self.checks(30))
    #expect(member.pending?.reading == nil && member.assignment.owned == 0)
    try work()
    #expect(member.pending == nil && member.assignment.total == 30)
    #expect((1..<30).contains(member.assignment.owned))
  }
}
