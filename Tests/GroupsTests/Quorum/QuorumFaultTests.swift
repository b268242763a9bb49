// SPDX-License-Identifier: MIT

import Basics
import Groups
import Monitoring
import Synchronization
import TestSupport
import Testing

/// Places whose checks move, whose store is slow or silent, and whose agents come and go.
@Suite struct QuorumFaultTests {
  private static let down = QuorumWorld.down
  private static let everywhere: [String: QuorumFinding] = [
    "london": .found(down), "paris": .found(down), "ny": .found(down),
  ]

  /// Who told of it runs the check no more: the next outage is told of by another.
  @Test(.timeLimit(.minutes(1))) func anIncidentIsGivenBackWithItsCheck() async throws {
    let two = try QuorumWorld.makeCheck("Two")
    try await quorumStory(QuorumWorld()) { world in
      world.scene.finds.withLock { $0 = Self.everywhere }
      #expect(try await world.settle("london", Self.down).isOurs)
      #expect(world.store.keys.contains(.incident(check: world.check.id)))
      world.desks["london"]?.apply([two])
      try await world.pause()
      #expect(!world.store.keys.contains(.incident(check: world.check.id)))
      let paris = try await world.settle("paris", Self.down), ny = try await world.settle("ny", Self.down)
      #expect(paris.isOurs && !ny.isOurs)
    }
  }

  /// So it is where the answer to the deletion was lost.
  @Test(.timeLimit(.minutes(1))) func anIncidentThatCouldNotBeDeletedIsDeletedLater() async throws {
    try await quorumStory(QuorumWorld()) { world in
      world.scene.finds.withLock { $0 = Self.everywhere }
      #expect(try await world.settle("london", Self.down).isOurs)
      world.store.rule("london") { $0.fails = [.delete] }
      for place in ["paris", "ny", "london"] { _ = try await world.settle(place, .ok) }
      try await world.pause()
      _ = try await world.settle("london", .ok)
      try await world.pause(.seconds(3))
      #expect(world.store.keys.contains(.incident(check: world.check.id)))
      world.store.rule("london") { $0.fails = [] }
      try await world.pause(.seconds(5))
      #expect(!world.store.keys.contains(.incident(check: world.check.id)))
      #expect(!world.store.paths.contains { $0.contains("/ask/") })
    }
  }

  /// A key that no living agent holds mutes nobody.
  @Test(.timeLimit(.minutes(1))) func anIncidentWithoutALeaseIsNobodys() async throws {
    try await quorumStory(QuorumWorld()) { world in
      world.store.plant(.incident(check: world.check.id), Array("{}".utf8))
      world.store.plant(.vote(check: world.check.id, place: "paris"), Vote(.down, .httpStatus).json)
      try await world.pause()
      #expect(world.desks["london"]?.problems.isEmpty == false)
      // Paris has put what it says in its place.
      #expect(world.store.vote(world.check.id, "paris")?.state == .up)
      #expect(world.store.value(.vote(check: world.check.id, place: "paris"))?.lease != 0)
      world.scene.finds.withLock { $0 = Self.everywhere }
      #expect(try await world.settle("london", Self.down).isOurs)
      #expect(try await !world.settle("ny", Self.down).isOurs)
    }
  }

  /// A place that does not run the check any more has no say in it.
  @Test(.timeLimit(.minutes(1))) func aVoteGoesWithItsCheck() async throws {
    let two = try QuorumWorld.makeCheck("Two")
    try await quorumStory(QuorumWorld()) { world in
      _ = try await world.settle("london", Self.down)
      try await world.pause()
      world.desks["london"]?.apply([two])
      try await world.pause()
      #expect(world.store.vote(world.check.id, "london") == nil)
      let paris = try await world.settle("paris", Self.down)
      #expect(paris.result.message == "down in 1 of 3 places; london gone, paris connect_refused, ny up")
    }
  }

  /// What the others have said of a check is known when it comes here.
  @Test(.timeLimit(.minutes(1))) func aCheckThatComesFindsTheOthers() async throws {
    let two = try QuorumWorld.makeCheck("Two")
    try await quorumStory(QuorumWorld()) { world in
      let (desk, run) = world.desk("london", through: "x", [two])
      try await world.pause(.seconds(5))
      desk.apply([two, world.check])
      #expect(desk.verdicts(of: world.check.id).map(\.state) == [.up, .up, .up])
      let settled = await world.settle(desk, world.check, Self.down)
      #expect(settled.result.state == .degraded, "\(settled.result.message ?? "")")
      run.cancel()
      await run.value
    }
  }

  /// An agent that has just begun finds the others before it calls a failure unconfirmed.
  @Test(.timeLimit(.minutes(1))) func theFirstResultWaitsForTheStore() async throws {
    try await quorumStory(QuorumWorld()) { world in
      world.store.rule("x") { $0.wait = .milliseconds(400) }
      let (desk, run) = world.desk("london", through: "x", [world.check])
      try await world.pause(.milliseconds(50))
      let settled = await world.settle(desk, world.check, Self.down)
      #expect(settled.result.state == .degraded, "\(settled.result.message ?? "")")
      run.cancel()
      await run.value
    }
  }

  /// A check moves within its place: what the place said is said on, by whoever has it now.
  @Test(.timeLimit(.minutes(1))) func aVoteMovesWithItsCheck() async throws {
    let two = try QuorumWorld.makeCheck("Two")
    try await quorumStory(QuorumWorld()) { world in
      let (desk, run) = world.desk("london", through: "x", [two])
      try await world.pause(.seconds(2))
      let key = QuorumKey.vote(check: world.check.id, place: "london")
      let before = try #require(world.store.value(key))
      desk.apply([two, world.check])
      try await world.pause()
      world.desks["london"]?.apply([two])
      try await world.pause()
      let after = try #require(world.store.value(key))
      #expect(after.lease != before.lease && world.store.vote(world.check.id, "london")?.state == .up)
      run.cancel()
      await run.value
    }
  }

  /// Two agents of a place run the same check: when one goes, with its lease, the other speaks for the place.
  @Test(.timeLimit(.minutes(1))) func whoIsLeftSpeaksForThePlace() async throws {
    try await quorumStory(QuorumWorld()) { world in
      let (second, run) = world.desk("london", through: "x", [world.check])
      try await world.pause(.seconds(2))
      _ = await world.settle(second, world.check, Self.down)
      _ = await world.settle(second, world.check, .ok)
      try await world.pause()
      world.store.cut("x")
      try await world.pause(.seconds(20))
      #expect(world.store.vote(world.check.id, "london")?.state == .up)
      run.cancel()
      await run.value
    }
  }

  /// A question that was not put was not asked.
  @Test(.timeLimit(.minutes(1))) func aQuestionThatFailedIsAskedAgain() async throws {
    try await quorumStory(QuorumWorld()) { world in
      world.scene.finds.withLock { $0 = ["paris": .found(Self.down), "ny": .found(Self.down)] }
      world.store.rule("london") { $0.fails = [.question] }
      #expect(try await world.settle("london", Self.down).result.state == .degraded)
      world.store.rule("london") { $0.fails = [] }
      try await world.pause(.seconds(2))
      let settled = try await world.settle("london", Self.down)
      #expect(settled.result.state == .down && world.probes == ["paris": 1, "ny": 1])
    }
  }

  /// What cannot be read any more is not believed for ever, and is told.
  @Test(.timeLimit(.minutes(2)), arguments: [true, false])
  func votesThatCannotBeReadGrowOld(watchEnds: Bool) async throws {
    try await quorumStory(QuorumWorld()) { world in
      world.store.rule("london") { ($0.fails, $0.isDeaf) = ([.read, .audit], true) }
      if watchEnds { world.store.endWatches(of: "london") }
      for place in ["paris", "ny"] { world.store.cut(place) }
      try await world.pause(.seconds(60))
      let london = try #require(world.desks["london"])
      #expect(london.trouble != nil)
      #expect(london.verdicts(of: world.check.id).map(\.isHeard) == [true, false, false])
      let settled = try await world.settle("london", Self.down)
      #expect(settled.result.message == "refused; unconfirmed: the store of the places is out of reach")
      world.store.rule("london") { ($0.fails, $0.isDeaf) = ([], false) }
      for place in ["paris", "ny"] { world.store.cut(place, false) }
      try await world.pause(.seconds(40))
      #expect(london.trouble == nil && london.verdicts(of: world.check.id).map(\.state) == [.down, .up, .up])
    }
  }

  /// A watch that tells nothing and does not end is found by what it has not told.
  @Test(.timeLimit(.minutes(1))) func aDeafWatchIsFound() async throws {
    try await quorumStory(QuorumWorld()) { world in
      world.store.rule("london") { $0.isDeaf = true }
      _ = try await world.settle("paris", Self.down)
      world.store.cut("ny")
      try await world.pause(.seconds(15))
      world.store.rule("london") { $0.isDeaf = false }
      try await world.pause(.seconds(10))
      let texts = world.desks["london"]?.verdicts(of: world.check.id).map(\.text)
      #expect(texts == ["london up", "paris connect_refused", "ny gone"])
    }
  }

  /// Nothing is read again while the watch tells what there is.
  @Test(.timeLimit(.minutes(1))) func aReadingIsRare() async throws {
    try await quorumStory(QuorumWorld()) { world in
      let readings = world.store.readings
      try await world.pause(.seconds(100))
      #expect(world.store.readings == readings)
    }
  }

  /// The lease is kept while votes are written, however many and however slow the store.
  @Test(.timeLimit(.minutes(2))) func manyVotesAtASlowStore() async throws {
    let checks = try (0..<200).map { try QuorumWorld.makeCheck("Check \($0)") }
    let ids = Set(checks.map(\.id))
    try await quorumStory(QuorumWorld()) { world in
      world.store.rule("x") { $0.wait = .milliseconds(150) }
      let (desk, run) = world.desk("london", through: "x", checks)
      try await world.pause(.seconds(2))
      for check in checks { desk.take(world.result(.ok, of: check), of: check) { _ in } }
      try await world.pause(.seconds(3))
      #expect(world.store.keys.count { ids.contains($0.check) } == 200)
      world.store.cut("x")
      try await world.pause(.seconds(15))
      #expect(world.store.keys.count { ids.contains($0.check) } == 0)
      world.store.cut("x", false)
      try await world.pause(.seconds(8))
      for _ in 0..<10 {
        #expect(world.store.keys.count { ids.contains($0.check) } == 200)
        try await world.pause(.seconds(3))
      }
      world.store.rule("x") { $0.wait = .zero }
      desk.apply([checks[0]])
      try await world.pause(.seconds(2))
      #expect(world.store.keys.count { ids.contains($0.check) } == 1)
      run.cancel()
      await run.value
    }
  }

  /// A store that is slow with everything and does nothing holds results up by no more than it takes to know.
  @Test(.timeLimit(.minutes(2))) func resultsDoNotPileUp() async throws {
    let check = try QuorumWorld.makeCheck("Slow")
    try await quorumStory(QuorumWorld()) { world in
      let (desk, run) = world.desk("london", through: "x", [check])
      try await world.pause(.seconds(20))
      world.store.rule("x") { $0 = .init(wait: .seconds(6), fails: [.keepAlive, .put, .question, .claim]) }
      var most = 0
      for _ in 0..<24 {
        desk.take(world.result(Self.down, of: check), of: check) { _ in }
        try await world.pause(.seconds(5))
        most = max(most, desk.waiting)
      }
      #expect(most <= 6 && desk.waiting <= 1, "\(most) \(desk.waiting)")
      // So it is where the lease is kept, and nothing else is done.
      world.store.rule("x") { $0 = .init(wait: .seconds(2), fails: [.put, .question, .claim]) }
      try await world.pause(.seconds(20))
      for _ in 0..<40 {
        desk.take(world.result(Self.down, of: check), of: check) { _ in }
        try await world.pause(.seconds(1))
      }
      #expect(desk.waiting <= 8, "\(desk.waiting)")
      #expect(desk.problems.contains { if case .untold = $0 { true } else { false } })
      world.store.rule("x") { $0 = .init() }
      run.cancel()
      await run.value
    }
  }

  /// A question that was withdrawn is not looked at.
  @Test(.timeLimit(.minutes(2))) func withdrawnQuestionsAreDropped() async throws {
    let checks = try (0..<200).map { try QuorumWorld.makeCheck("Check \($0)") }
    let probes = QuorumCount()
    try await quorumStory(QuorumWorld()) { world in
      let time = world.clock.time
      let (_, run) = world.desk("paris", through: "x", checks) {
        probes.add()
        try? await time.sleep(for: .seconds(10))
        return Self.down
      }
      try await world.pause(.seconds(2))
      let door = world.store.seen(from: "y")
      let lease = try await door.grant(seconds: 3000).get()
      for check in checks {
        _ = await door.put([(.question(check: check.id, place: "london"), [])], lease: lease)
      }
      try await world.pause(.seconds(15))
      world.store.revokeLeases(of: "y")
      try await world.pause()
      let begun = probes.value
      try await world.pause(.seconds(60))
      #expect(begun <= 48 && probes.value == begun, "\(begun) \(probes.value)")
      run.cancel()
      await run.value
    }
  }
}
