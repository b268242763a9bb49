// SPDX-License-Identifier: MIT

import Basics
import TestSupport
import Testing

@testable import Groups

/// What a member writes down of the store's coming and going.
@Suite struct GroupJournalTests {
  private func story(_ agent: SimWorld.Agent) -> [GroupJournal.What] {
    agent.member.journal.entries.map(\.what).filter { [.alone, .unreached, .back, .newWorld].contains($0) }
  }

  /// A store that was away and comes back is written down once each, and is no other store.
  @Test func aStoreThatComesBack() {
    var world = SimWorld(seed: 4, agents: 3, checks: 24)
    world.advance(20_000)
    #expect(world.agents.map(story) == [[], [], []])
    world.isStoreAway = true
    world.advance(30_000)
    #expect(world.agents.map(story) == [[.alone], [.alone], [.alone]])
    world.isStoreAway = false
    world.advance(30_000)
    let whole: [GroupJournal.What] = [.alone, .back]
    #expect(world.agents.map(story) == [whole, whole, whole])
  }

  /// Members that start while the store is away say so, and find the store that they remember, or another one.
  @Test(arguments: [false, true]) func aStoreAfterAPowerCut(isWiped: Bool) {
    var world = SimWorld(seed: 5, agents: 3, checks: 24)
    world.advance(20_000)
    world.isStoreAway = true
    for index in world.agents.indices { world.agents[index].isDead = true }
    world.advance(1000)
    for index in world.agents.indices {
      let agent = world.agents[index]
      world.start(agent.name, home: agent.home, recalling: agent.memory)
    }
    world.advance(30_000)
    #expect(world.agents.map(story) == [[.unreached], [.unreached], [.unreached]])
    if isWiped { world.store.wipe() }
    world.isStoreAway = false
    world.advance(30_000)
    for agent in world.agents {
      let story = story(agent)
      #expect(story.first == .unreached && story.count { $0 == .back } == 1)
      #expect(story.contains(.newWorld) == isWiped)
    }
  }

  /// Each event in words.
  @Test(
    arguments: [
      (.joined("a\u{7}"), "a\\u{7} joined"), (.leaving("a"), "a is leaving"),
      (.gone("a"), "a is gone: its lease ended"), (.left("a"), "a has left"),
      (.moved(gained: 1, given: 0, because: nil), "1 check came here"),
      (.moved(gained: 2, given: 0, because: "a joined"), "2 checks came here, for a joined"),
      (.moved(gained: 0, given: 1, because: nil), "1 check went to others"),
      (.moved(gained: 0, given: 2, because: nil), "2 checks went to others"),
      (.moved(gained: 1, given: 2, because: nil), "1 check came here and 2 went to others"),
      (.alone, "the store was lost: going on alone"),
      (.unreached, "the store has not been reached: going on alone"), (.back, "the store is back"),
      (.newWorld, "the store is another one or was set back: everything was read again"),
      (.nameTaken, "another agent is in the group under this name: waiting until it is free"),
    ] as [(GroupJournal.What, String)])
  func words(what: GroupJournal.What, words: String) { #expect(what.words == words) }

  /// The last 64 events are kept, and all are counted; a move names what came right before it, and no other move.
  @Test func events() {
    var journal = GroupJournal()
    let (first, second) = (Timestamp(seconds: 1), Timestamp(seconds: 2))
    journal.note(first, 1, .joined("a"))
    journal.moved(gained: 1, given: 0, revision: 1, at: first)
    journal.moved(gained: 2, given: 0, revision: 1, at: first)
    journal.note(first, 1, .back)
    journal.moved(gained: 3, given: 0, revision: 1, at: second)
    #expect(
      journal.entries.map(\.what.words) == [
        "a joined", "1 check came here, for a joined", "2 checks came here", "the store is back",
        "3 checks came here",
      ])
    for number in 6...70 { journal.note(second, Int64(number), .back) }
    #expect(journal.total == 70 && journal.entries.map(\.revision) == Array(7...70))
  }

  /// A trouble lasts since it began, whatever its words; another kind begins again, and the name's next holder too.
  @Test func troubles() {
    var journal = GroupJournal()
    func at(_ seconds: Int64) -> Timestamp { Timestamp(seconds: seconds) }
    journal.trouble(StoreTrouble(.unreachable, "a"), at: at(1))
    journal.trouble(StoreTrouble(.unreachable, "b"), at: at(2))
    #expect(journal.trouble?.what.words == "b" && journal.trouble?.since == at(1))
    journal.trouble(StoreTrouble(.denied, "c"), at: at(3))
    #expect(journal.trouble?.what.words == "c" && journal.trouble?.since == at(3))
    journal.clearTrouble()
    #expect(journal.trouble == nil)
    var card = MemberCard()
    card.boot = UniqueID(high: 0, low: 1)
    #expect([journal.taken(by: card, at: at(4)), journal.taken(by: card, at: at(5))] == [true, false])
    #expect(journal.rival?.since == at(4))
    card.boot = UniqueID(high: 0, low: 2)
    #expect([journal.taken(by: card, at: at(6))] == [true])
    #expect(journal.rival?.since == at(6) && journal.entries.map(\.what) == [.nameTaken, .nameTaken])
    journal.clearTaken()
    #expect(journal.rival == nil)
  }
}
