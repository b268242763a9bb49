// SPDX-License-Identifier: MIT

import Basics
import Groups
import Monitoring
import Synchronization
import TestSupport
import Testing

/// Three places and one store: what each does when a check fails somewhere.
@Suite struct QuorumDeskTests {
  private static let down = QuorumWorld.down

  @Test(.timeLimit(.minutes(1))) func twoPlacesConfirm() async throws {
    try await quorumStory(QuorumWorld()) { world in
      world.scene.finds.withLock { $0 = ["paris": .found(Self.down), "ny": .found(.ok)] }
      let began = world.clock.instant
      let settled = try await world.settle("london", Self.down)
      #expect(settled.result.state == .down && settled.result.reason == .connectRefused)
      #expect(settled.result.message == "refused; confirmed 2/3; ny up")
      #expect(settled.isOurs)
      // They answered at once; nobody was waited for.
      #expect(began.duration(to: world.clock.instant) < .seconds(3))
      #expect(world.probes == ["paris": 1, "ny": 1])
      // Paris comes to the same by its own schedule, and does not tell people of it again.
      world.scene.finds.withLock { $0["london"] = .found(Self.down) }
      let paris = try await world.settle("paris", Self.down)
      #expect(paris.result.state == .down && !paris.isOurs)
      try await world.pause()
      // So does New York, where it works.
      let ny = try await world.settle("ny", .ok)
      #expect(ny.result.state == .down && ny.result.reason == .regional && !ny.isOurs)
    }
  }

  @Test(.timeLimit(.minutes(1))) func oneAloneIsRegional() async throws {
    try await quorumStory(QuorumWorld()) { world in
      let settled = try await world.settle("london", Self.down)
      #expect(settled.result.state == .degraded && settled.result.reason == .regional)
      #expect(settled.result.ownVerdict.reason == .connectRefused)
      #expect(settled.result.message == "down in 1 of 3 places; london connect_refused, paris up, ny up")
      // It stays so without asking again.
      _ = try await world.settle("london", Self.down)
      #expect(world.probes == ["paris": 1, "ny": 1])
      // Then another place finds the same by its own schedule, and asks whether it is so here.
      world.scene.finds.withLock { $0["london"] = .found(Self.down) }
      let paris = try await world.settle("paris", Self.down)
      #expect(paris.result.state == .down)
      let again = try await world.settle("london", Self.down)
      #expect(again.result.state == .down && again.result.reason == .connectRefused)
      // And back: the same rule, nobody is asked.
      let probes = world.probes
      _ = try await world.settle("paris", .ok)
      try await world.pause()
      #expect(try await world.settle("london", Self.down).result.state == .degraded)
      #expect(try await world.settle("london", .ok).result.state == .up)
      #expect(world.probes == probes)
    }
  }

  /// A place that hangs is waited for as long as was said, and no longer.
  @Test(.timeLimit(.minutes(1))) func silenceIsWaitedForAsLongAsWasSaid() async throws {
    try await quorumStory(QuorumWorld()) { world in
      world.scene.finds.withLock { $0 = ["paris": .hangs] }
      let began = world.clock.instant
      let settled = try await world.settle("london", Self.down)
      let took = began.duration(to: world.clock.instant)
      #expect(took >= .seconds(20) && took <= .seconds(21), "\(took)")
      #expect(settled.result.state == .degraded)
      #expect(settled.result.message?.contains("paris up (silent)") == true)
    }
  }

  /// Places whose leases have ended have no say, and nobody waits for them.
  @Test(.timeLimit(.minutes(1))) func theDeadHaveNoSay() async throws {
    try await quorumStory(QuorumWorld()) { world in
      for place in ["paris", "ny"] { world.store.cut(place) }
      try await world.clock.time.sleep(for: .seconds(12))
      let began = world.clock.instant
      let settled = try await world.settle("london", Self.down)
      #expect(began.duration(to: world.clock.instant) < .seconds(1))
      #expect(settled.result.state == .down && settled.isOurs)
      #expect(settled.result.confirmation?.outcome == .unconfirmed)
      #expect(settled.result.message == "refused; unconfirmed: 1 of 3 places alive; paris gone, ny gone")
      // They come back.
      for place in ["paris", "ny"] { world.store.cut(place, false) }
      try await world.clock.time.sleep(for: .seconds(10))
      let again = try await world.settle("london", Self.down)
      #expect(again.result.state == .degraded && again.result.reason == .regional)
    }
  }

  /// Without a store a place goes on by itself: told twice is better than not at all.
  @Test(.timeLimit(.minutes(1))) func withoutTheStoreItsOwnWordHolds() async throws {
    try await quorumStory(QuorumWorld()) { world in
      world.store.cut("london")
      try await world.clock.time.sleep(for: .seconds(11))
      let settled = try await world.settle("london", Self.down)
      #expect(settled.result.state == .down && settled.isOurs)
      #expect(settled.result.confirmation?.outcome == .unconfirmed)
      // Whether the others are there is not known, and is not said.
      #expect(settled.result.message == "refused; unconfirmed: the store of the places is out of reach")
      #expect(
        world.desks["london"]?.verdicts(of: world.check.id).map(\.text) == [
          "london connect_refused", "paris not heard", "ny not heard",
        ])
      #expect(world.desks["london"]?.trouble != nil && world.desks["paris"]?.trouble == nil)
    }
  }

  /// All three find it at once: every one asks, and one tells people.
  @Test(.timeLimit(.minutes(1))) func oneTellsPeople() async throws {
    try await quorumStory(QuorumWorld()) { world in
      world.scene.finds.withLock {
        $0 = ["london": .found(Self.down), "paris": .found(Self.down), "ny": .found(Self.down)]
      }
      let settled = try await withThrowingTaskGroup(of: QuorumDesk.Settled.self) { group in
        for place in ["london", "paris", "ny"] { group.addTask { try await world.settle(place, Self.down) } }
        var all: [QuorumDesk.Settled] = []
        for try await one in group { all.append(one) }
        return all
      }
      #expect(settled.allSatisfy { $0.result.state == .down && $0.result.confirmation?.down == 3 })
      #expect(settled.count { $0.isOurs } == 1)
      // It is over, and the next one is news again, whoever is first.
      world.scene.finds.withLock { $0 = [:] }
      for _ in 0..<2 {
        for place in ["london", "paris", "ny"] { _ = try await world.settle(place, .ok) }
        try await world.pause()
      }
      #expect(!world.store.keys.contains(.incident(check: world.check.id)))
    }
  }

  /// Nothing is written while nothing changes, and nothing is asked.
  @Test(.timeLimit(.minutes(1))) func whatDoesNotChangeIsNotWritten() async throws {
    try await quorumStory(QuorumWorld()) { world in
      try await world.pause()
      let puts = world.store.puts
      for _ in 0..<20 {
        for place in ["london", "paris", "ny"] { _ = try await world.settle(place, .ok) }
      }
      #expect(world.store.puts == puts && world.probes.isEmpty)
    }
  }

  /// A store that asks without end has a check looked at once a second.
  @Test(.timeLimit(.minutes(1))) func aStoreThatAsksWithoutEnd() async throws {
    try await quorumStory(QuorumWorld()) { world in
      let door = world.store.seen(from: "tokyo")
      guard case .success(let lease) = await door.grant(seconds: 60) else { throw StoreTrouble(.refused, "") }
      let began = world.clock.instant
      for _ in 0..<200 {
        _ = await door.put([(.question(check: world.check.id, place: "paris"), [])], lease: lease)
        let other = QuorumKey.question(check: UniqueID(high: 7, low: 7), place: "paris")
        _ = await door.put([(other, [])], lease: lease)
        try await world.clock.time.sleep(for: .milliseconds(10))
      }
      let seconds = Int(began.duration(to: world.clock.instant).seconds)
      #expect(world.probes["london"] ?? 0 <= seconds + 2)
      #expect(world.probes["london"] ?? 0 >= 1)
    }
  }

  @Test func keysAreReadAsTheyAreWritten() {
    let id = UniqueID(high: 1, low: 2)
    for key: QuorumKey in [
      .vote(check: id, place: "a.b"), .question(check: id, place: "ny"), .incident(check: id),
    ] {
      #expect(QuorumKey(path: key.path) == key)
    }
    for path in [
      "", "/", "x/v/a", "\(id)", "\(id)/v", "\(id)/v/", "\(id)/v/a/b", "\(id)/x/a", "\(id)/i/a",
      "\(id)/v/a b",
    ] {
      #expect(QuorumKey(path: path) == nil, "\(path)")
    }
  }

  /// What a store holds is a stranger's.
  @Test func votesThatAreNone() {
    let vote = Vote(.down, .connectTimeout, answers: 12)
    #expect(Vote(json: vote.json) == vote)
    for text in [
      "", "{}", "[]", "{\"state\":\"up\"", "{\"state\":1}", "{\"state\":\"UP\"}", "null",
      "{\"state\":\"up\",\"x\":\"" + String(repeating: "a", count: 2000) + "\"}",
      String(repeating: "[", count: 500),
    ] {
      #expect(Vote(json: Array(text.utf8)) == nil, "\(text.prefix(40))")
    }
    // Of another version: what it says of the state is known, why is not.
    #expect(
      Vote(json: Array("{\"state\":\"down\",\"reason\":\"new\",\"answers\":-4}".utf8))
        == Vote(.down, .localFault))
  }
}
