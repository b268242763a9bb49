// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization
import TestSupport
import Testing

@testable import Groups

/// What the agent is told of its group, by a member that remembers it, and what the store is asked and tells.
@Suite struct GroupRunnerTests {
  /// Answers at once, as the test says; notes what it was asked.
  private final class SaidStore: GroupStore {
    let root: String? = "/q/g/"
    let asked = Mutex<[StoreRequest]>([])
    let watched = Mutex<[Int64]>([])
    private let answer: @Sendable (StoreRequest) -> StoreAnswer
    private let changes: [StoreChange]

    init(_ changes: [StoreChange] = [], _ answer: @escaping @Sendable (StoreRequest) -> StoreAnswer) {
      (self.changes, self.answer) = (changes, answer)
    }

    func ask(_ request: StoreRequest) async throws(CancellationError) -> StoreAnswer {
      asked.withLock { $0.append(request) }
      return answer(request)
    }

    func watch(
      after revision: Int64, _ tell: @escaping @Sendable ([StoreChange]) -> Void
    ) async throws(CancellationError) -> WatchEnd {
      watched.withLock { $0.append(revision) }
      tell(changes)
      while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
      return .over
    }

    func readList(_ head: ListHead) async throws(CancellationError) -> Result<[[UInt8]], StoreTrouble> {
      .success([])
    }

    func publishList(_ head: ListHead, _ parts: [[UInt8]], replacing revision: Int64)
      async throws(CancellationError) -> Result<Bool, StoreTrouble>
    { .success(true) }
  }

  private let clock = FakeClock(boot: Instant(nanoseconds: 1_000_000_000_000))

  private static func card() -> MemberCard {
    var card = MemberCard()
    (card.boot, card.home) = (UniqueID(high: 1, low: 1), UniqueID(high: 2, low: 1))
    return card
  }

  private func memory() -> GroupMemory {
    var view = GroupView()
    view.placed = 6
    for (number, name) in ["a", "b", "c"].enumerated() {
      view.members[ByteText(name)] = .init(card: MemberBench.other(number), revision: 0)
    }
    return GroupMemory(root: "/q/g/", name: "a", cluster: 7, view: view, at: .epoch)
  }

  private func runner(_ memory: GroupMemory? = nil) -> GroupRunner {
    GroupRunner(
      group: "g", GroupMember.Settings(name: "a", ttl: .seconds(10)), card: Self.card(), recalling: memory,
      store: SaidStore { _ in MemberBench.late }, time: clock.time)
  }

  private func follow(_ runner: GroupRunner) { runner.follow(PlacementTests.checks(24), pools: .init()) }

  /// Before it is known who has what, nothing is run and nothing is said.
  @Test func atTheStart() {
    let runner = runner(memory())
    follow(runner)
    #expect(!runner.isPlaced && runner.placedRevision == 0 && runner.headRevision == 0 && runner.head == nil)
    #expect(runner.assignment.total == 24 && runner.assignment.revisions.isEmpty)
    #expect(runner.elsewhere(most: 9).shares.isEmpty && runner.elsewhere(most: 9).first.isEmpty)
    #expect(runner.placed.count == 24 && runner.placed.allSatisfy { $0.owner == nil && !$0.isHere })
    #expect(runner.remembered(root: "/q/g/") == nil && runner.name == "a" && runner.group == "g")
  }

  /// After a lease without the store it runs its own by its memory; who has the others, and how many each.
  @Test func byItsMemory() throws {
    let runner = runner(memory())
    follow(runner)
    clock.advance(by: .milliseconds(10_001))
    follow(runner)
    let placed = runner.placed
    let own = placed.filter { $0.owner == "a" }
    #expect(runner.isPlaced && runner.assignment.owned == own.count && (1..<24).contains(own.count))
    #expect(placed.map(\.id) == PlacementTests.checks(24).map(\.id) && runner.placedRevision == 0)
    #expect(placed.allSatisfy { $0.isHere == ($0.owner == "a") })
    #expect(placed.allSatisfy { $0.standby != nil && $0.standby != $0.owner })
    let others = placed.filter { !$0.isHere }
    let (shares, first) = runner.elsewhere(most: 3)
    #expect(first.map(\.id) == others.prefix(3).map(\.id))
    #expect(first.map(\.owner) == others.prefix(3).map(\.owner))
    #expect(
      shares.count == 2
        && shares.allSatisfy { share in
          share.owner != "a" && share.checks == others.count { $0.owner == share.owner }
        })
    #expect(runner.elsewhere(most: 99).first.count == others.count && runner.elsewhere(most: 0).first.isEmpty)
    let status = runner.status
    #expect(status.alone?.runsAll == false && status.remembered == .epoch && status.view == 6)
    #expect(status.group == "g" && status.members.map(\.owns).reduce(0, +) == 24)
    let arrangement = runner.takeArrangement()
    #expect(arrangement.taken == Set(own.map(\.id)) && arrangement.assignment == runner.assignment)
    #expect(arrangement.orphaned.isEmpty && runner.takeTaken().isEmpty)
  }

  /// Members with other checks by name; none where all have the same.
  @Test func membersThatDiffer() {
    func apart(_ memory: GroupMemory?) -> [String] {
      let runner = runner(memory)
      follow(runner)
      clock.advance(by: .seconds(11))
      follow(runner)
      return runner.apart.map(\.text).sorted()
    }
    #expect(apart(memory()).isEmpty && apart(nil).isEmpty)
    var memory = memory()
    memory.view.members[ByteText("b")]?.card.pools.file = "another"
    memory.view.members[ByteText("c")]?.card.pools.api = "others"
    #expect(apart(memory) == ["b", "c"])
    memory.view.members[ByteText("b")]?.card.alerts = false
    #expect(apart(memory) == ["c"], "it writes no alerts")
  }

  /// Half a lease later the checks that it is the standby of run here as well.
  @Test func asAStandby() {
    let runner = runner(memory())
    follow(runner)
    clock.advance(by: .milliseconds(15_001))
    follow(runner)
    #expect(runner.placed.allSatisfy { $0.isHere == ($0.owner == "a" || $0.standby == "a") })
    #expect(runner.journal.entries.map(\.what) == [.unreached])
  }

  @Test func whoIsLateLooksAtTheClock() {
    let runner = runner()
    let start = clock.instant
    func isLate(_ milliseconds: Int64) -> Bool {
      runner.look { member in member.isLate(at: start + .milliseconds(milliseconds)) }
    }
    let before = [10_000, 10_001].map(isLate)
    #expect(before == [false, true])
    clock.advance(by: .milliseconds(10_001))
    follow(runner)
    let after = isLate(10_001)
    #expect(!after, "it knows that it is alone")
  }

  private final class Said: Sendable {
    let arranged = Mutex(0)
    let heads = Mutex<[ListHead?]>([])
  }

  /// The whole way: a lease, the name, the group, the watch from there; what it tells; and the end of the
  /// lease.
  @Test(.timeLimit(.minutes(1))) func aLife() async throws {
    let head = ListHead(version: 5, parts: 1, sha256: "x", revision: 12)
    let store = SaidStore([.head(head, revision: 12)]) { request in
      switch request {
      case .grant: return .granted(lease: 4)
      case .claim: return .claimed(revision: 9)
      case .read:
        return .read(
          StoreReading(
            cluster: 7, revision: 10, members: [.init(name: "a", card: Self.card(), revision: 9)]))
      case .keepAlive: return .alive(StoreAudit(cluster: 7, revision: 10, members: 1, newest: 10))
      case .put: return .put(revision: 11)
      case .revoke: return .revoked
      }
    }
    let runner = GroupRunner(
      group: "g", GroupMember.Settings(name: "a", ttl: .seconds(10)), card: Self.card(), store: store,
      time: clock.time)
    follow(runner)
    let said = Said()
    let life = Task {
      await runner.run(
        .init(
          arrange: { said.arranged.withLock { $0 += 1 } },
          list: { head in
            said.heads.withLock { $0.append(head) }
          }))
    }
    try await until("the list is told of and arranged") {
      said.heads.withLock { $0.last } == head && said.arranged.withLock { $0 } > 0
    }
    #expect(runner.head == head && runner.headRevision == 12 && runner.placedRevision == 10)
    #expect(store.watched.withLock { $0.first } == 10 && runner.assignment.owned == 24)
    #expect(runner.remembered(root: "/q/g/")?.cluster == 7)
    life.cancel()
    try await until("the lease is given back") {
      clock.advance(by: .milliseconds(200))
      return store.asked.withLock { $0.contains(.revoke(lease: 4)) }
    }
    await life.value
    #expect(store.asked.withLock { $0.prefix(3).map(\.isGrant) } == [true, false, false])
    #expect(runner.look { $0.stage } == .left)
  }
}

extension StoreRequest {
  fileprivate var isGrant: Bool { if case .grant = self { true } else { false } }
}
