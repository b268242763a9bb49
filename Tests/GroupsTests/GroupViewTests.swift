// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Groups

/// The members' keys as they are counted, who does what all need once, and what is kept for a later start.
@Suite struct GroupViewTests {
  private func entry(_ name: String, _ card: MemberCard?, _ revision: Int64 = 5) -> StoreReading.Entry {
    .init(name: name, card: card, revision: revision)
  }

  private func view(_ cards: [String: MemberCard]) -> GroupView {
    GroupView(
      StoreReading(cluster: 1, revision: 9, members: cards.map { entry($0.key, $0.value) }))
  }

  /// A key is one thing at a time: a member, or bytes that say nothing.
  @Test func oneKeyAtATime() {
    var view = view(["a": MemberBench.other(1), "b": MemberBench.other(2)])
    #expect(view.revision == 9 && view.placed == 9 && view.counted == 2)
    view.members[ByteText("b")]?.ahead = .seconds(3)
    view.take(entry("b", nil, 10))
    #expect(view.names == ["a"] && view.garbled == ["b"] && view.counted == 2)
    view.take(entry("b", MemberBench.other(2), 11), ahead: nil)
    #expect(view.names == ["a", "b"] && view.garbled.isEmpty)
    #expect(view.members[ByteText("b")]?.ahead == nil && view.members[ByteText("b")]?.revision == 11)
    view.take(entry("a", MemberBench.other(1), 12), ahead: .seconds(4))
    view.take(entry("a", MemberBench.other(1), 13))
    #expect(view.members[ByteText("a")]?.ahead == .seconds(4) && view.members[ByteText("a")]?.revision == 13)
    view.take(strays: 2)
    view.remove("x")
    #expect(view.strays == 1 && view.counted == 3)
    view.take(entry("c", nil))
    view.remove("c")
    view.remove("b")
    #expect(view.strays == 1 && view.names == ["a"] && view.garbled.isEmpty && view.counted == 2)
    view.take(strays: -5)
    #expect(view.strays == 0)
  }

  /// As many members as are looked at; the others count as keys beside them.
  @Test func tooManyMembers() {
    let entries = (0..<2003).map { entry("m\($0)", MemberBench.other($0)) }
    var reading = StoreReading(cluster: 1, revision: 9, members: entries)
    reading.strays = 4
    var view = GroupView(reading)
    #expect(view.members.count == 2000 && view.strays == 7 && view.counted == 2007)
    view.take(entry("new", MemberBench.other(1)))
    #expect(view.members.count == 2000 && view.strays == 8)
    view.take(entry("m5", MemberBench.other(5), 10))
    #expect(view.strays == 8 && view.members[ByteText("m5")]?.revision == 10)
  }

  /// Checks are placed alike by two views whose members are the same processes, of the same weights and pools.
  @Test func placedAlike() {
    let one = view(["a": MemberBench.other(1), "b": MemberBench.other(2)])
    func other(_ change: (inout MemberCard) -> Void) -> GroupView {
      var card = MemberBench.other(2)
      change(&card)
      return view(["a": MemberBench.other(1), "b": card])
    }
    #expect(one.isPlaced(like: other { ($0.applied, $0.clock, $0.version, $0.waits) = (9, 9, "9", 9) }))
    #expect(!one.isPlaced(like: other { $0.weight = 2 }))
    #expect(!one.isPlaced(like: other { $0.boot = UniqueID(high: 9, low: 9) }))
    #expect(!one.isPlaced(like: other { $0.pools.api = "x" }))
    #expect(!one.isPlaced(like: other { $0.pools.file = "x" }))
    #expect(!one.isPlaced(like: other { $0.pools.without = [UniqueID(high: 9, low: 9)] }))
    #expect(!one.isPlaced(like: view(["a": MemberBench.other(1)])))
    #expect(!view(["a": MemberBench.other(1)]).isPlaced(like: one))
    #expect(!one.isPlaced(like: view(["a": MemberBench.other(1), "c": MemberBench.other(2)])))
  }

  /// The first and the second by their claims, of those that are fit and do not leave; whole members before others.
  @Test func ownersOfATask() {
    var cards = Dictionary(uniqueKeysWithValues: (0..<6).map { ("m\($0)", MemberBench.other($0)) })
    func ranked(_ task: UniqueID) -> [String] {
      cards.keys.sorted {
        Rendezvous.claim(task, seed: Rendezvous.seed($0), weight: 1)
          > Rendezvous.claim(task, seed: Rendezvous.seed($1), weight: 1)
      }
    }
    for task in [UniqueID.listTask, .alertsTask] {
      let names = ranked(task)
      func owners(_ isFit: (MemberCard) -> Bool = { _ in true }) -> [String?] {
        let found = view(cards).owners(of: task, where: isFit)
        return [found.first, found.second]
      }
      #expect(owners() == [names[0], names[1]])
      let first = cards[names[0]]?.boot
      #expect(owners { $0.boot != first } == [names[1], names[2]])
      #expect(owners { $0.boot == first } == [names[0], nil] && owners { _ in false } == [nil, nil])
      cards[names[1]]?.weight = 0
      #expect(owners() == [names[0], names[2]])
      cards[names[1]]?.weight = 1
      cards[names[0]]?.pools.without = [UniqueID(high: 9, low: 9)]
      #expect(owners() == [names[1], names[2]])
      cards[names[0]]?.pools.without = []
    }
    #expect(UniqueID.listTask != .alertsTask)
  }

  private func memory(at: Timestamp = Timestamp(seconds: 1_800_000_000)) -> GroupMemory {
    GroupMemory(
      root: "/q/", name: "a", cluster: 7, view: view(["a": MemberBench.other(1), "b": MemberBench.other(2)]),
      at: at)
  }

  /// For a day, and an hour ahead of a clock that has lost its time; each reason in words.
  @Test(
    arguments: [
      (0, nil), (86_400_000_000, nil), (86_400_000_001, "it is older than a day"), (-3_600_000_000, nil),
      (-3_600_000_001, "it is of 2027-01-15T08:00:00.000Z, which is yet to come"),
    ] as [(Int64, String?)])
  func howLongAMemoryHolds(age: Int64, why: String?) {
    let memory = memory()
    let now = memory.at.advanced(by: .microseconds(age))
    #expect(memory.objection(root: "/q/", name: "a", now: now) == why)
    #expect(memory.objection(root: "/p/", name: "a", now: now) == "it is of another group, /q/")
    #expect(memory.objection(root: "/q/", name: "b", now: now) == "it is of another member, a")
  }

  /// All that placing needs is written, and nothing that a store says of a moment.
  @Test func whatAMemoryKeeps() throws {
    var card = MemberBench.other(1, applied: 9)
    (card.waits, card.clock, card.url) = (4, 5, "a.example")
    let whole = view(["a": card, "b": MemberBench.other(2, weight: 3)])
    let memory = GroupMemory(root: "/q/", name: "a", cluster: .max, view: whole, at: .epoch)
    let kept = try #require(memory.view.members[ByteText("a")])
    #expect(kept.revision == 0 && kept.ahead == nil && kept.card.url == "a.example")
    #expect([kept.card.applied, kept.card.waits, kept.card.clock] == [0, 0, 0])
    #expect(memory.view.members[ByteText("b")]?.card.weight == 3)
    #expect(memory.view.revision == 9 && memory.view.placed == 9)
    let text = String(decoding: memory.json, as: UTF8.self)
    let start = #"{"version":1,"root":"/q/","member":"a","cluster":"18446744073709551615","view":9,"at":"#
    #expect(text.hasPrefix(start) && text.contains(#""members":[{"name":"a","card":{"boot":"#))
    #expect(GroupMemory(json: memory.json) == memory)
    for (old, new) in [
      (#""version":1"#, #""version":2"#), (#""view":9"#, #""view":0"#),
      (#""cluster":"18"#, #""cluster":"-18"#),
      (#""name":"b""#, #""name":"""#), (#""name":"b""#, "\"name\":\"\(String(repeating: "b", count: 101))\""),
      (#""weight":3"#, #""weight":1001"#), (#""members":["#, #""member":["#),
    ] {
      let changed = text.replacing(old, with: new)
      #expect(changed != text && GroupMemory(json: Array(changed.utf8)) == nil, "\(new)")
    }
    let long = text.replacing(#""name":"b""#, with: "\"name\":\"\(String(repeating: "b", count: 100))\"")
    #expect(GroupMemory(json: Array(long.utf8))?.view.members.count == 2)
  }

  /// Only inside, with a store that answers, and with a card of this process that takes part.
  @Test func whenAMemoryIsKept() {
    var bench = MemberBench()
    func kept(_ bench: MemberBench) -> Bool { bench.member.remembered(root: "/q/", at: .epoch) != nil }
    #expect(!kept(bench))
    bench.join()
    #expect(kept(bench) && bench.member.remembered(root: "/q/", at: .epoch)?.cluster == 7)
    for stage in [GroupMember.Stage.leaving(until: bench.boot), .claiming, .left] {
      var other = bench
      other.member.stage = stage
      #expect(!kept(other))
    }
    var alone = bench
    alone.member.alone = .init(since: .epoch)
    var weightless = bench
    weightless.member.view?.members[ByteText("a")]?.card.weight = 0
    var restarted = bench
    restarted.member.view?.members[ByteText("a")]?.card.boot = UniqueID(high: 9, low: 9)
    #expect(!kept(alone) && !kept(weightless) && !kept(restarted))
  }

  /// SHA-256 over the group's length and name, the check's id and the slot's microseconds, by another program.
  @Test func idsOfSlots() {
    let first = SlotID.id(
      group: "london", check: UniqueID(high: 1, low: 2), slot: Timestamp(seconds: 1_767_492_000))
    #expect(first == UniqueID(high: 0x8ff1_e75b_9374_8588, low: 0xbb18_6f6e_e37f_b44f))
    let second = SlotID.id(
      group: "łódź", check: UniqueID(high: 0x0123_4567_89ab_7def, low: 0x8123_4567_89ab_cdef),
      slot: Timestamp(microseconds: -1))
    #expect(second == UniqueID(high: 0xa6ed_bf48_50b5_8389, low: 0x9d6a_0da2_6436_dfb0))
  }

  /// Of each check the revision since when; 0 takes it away.
  @Test func gains() {
    var table = GainTable(count: 3)
    for (position, revision) in [(0, 5), (1, 5), (2, 7)] as [(Int, Int64)] { table[position] = revision }
    #expect(table.indices.map { table[$0] } == [5, 5, 7])
    table[1] = 0
    table[0] = 9
    #expect(table.indices.map { table[$0] } == [9, 0, 7] && !table.isEmpty)
    for position in 0..<3 { table[position] = 0 }
    #expect(table.isEmpty && GainTable(count: 0).indices.isEmpty)
  }
}
