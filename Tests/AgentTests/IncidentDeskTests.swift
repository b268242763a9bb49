// SPDX-License-Identifier: MIT

import AgentConfig
import Alerts
import Basics
import Groups
import Logging
import Monitoring
import Synchronization
import TestSupport
import Testing

@testable import Agent

/// Writes to the incidents that a group shares, what is known of them, and what is said of the store.
@Suite struct IncidentDeskTests {
  private typealias Answer = Result<Int64?, StoreTrouble>

  /// Answers writes in turn, and with success after that.
  private final class ScriptedStore: IncidentStore {
    struct State {
      var answers: [Answer] = []
      var written: [[IncidentChange]] = []
      var readings: [Result<IncidentReading, StoreTrouble>] = []
      var (busy, most, reads) = (0, 0, 0)
    }
    let state = Mutex(State())

    func readIncidents() async -> Result<IncidentReading, StoreTrouble> {
      state.withLock { state in
        state.reads += 1
        return state.readings.isEmpty ? .failure(StoreTrouble(.refused, "no")) : state.readings.removeFirst()
      }
    }

    func write(_ changes: [IncidentChange]) async -> Answer {
      let answer = state.withLock { state -> Answer in
        state.written.append(changes)
        state.busy += 1
        state.most = max(state.most, state.busy)
        return state.answers.isEmpty ? .success(Int64(state.written.count)) : state.answers.removeFirst()
      }
      for _ in 0..<20 { await Task.yield() }
      state.withLock { $0.busy -= 1 }
      return answer
    }

    func isIdle(_ position: StorePosition, _ mark: StoreMark) -> Bool { true }
    func watchIncidents(
      after revision: Int64, _ tell: @escaping @Sendable ([IncidentEntry]) -> Void
    ) async -> WatchEnd { .over }
  }

  private let clock = FakeClock()
  private let store = ScriptedStore()
  private let shop: MonitoringCheck

  init() throws { shop = try tcpCheck("Shop") }

  private func desk() -> IncidentDesk { desks().incidents }

  private func desks(recalling memory: GroupMemory? = nil) -> (group: GroupDesk, incidents: IncidentDesk) {
    var (group, settings) = (GroupSettings(), Settings())
    (group.name, group.share, settings.agent.name) = ("london", true, "a")
    settings.alerts = AlertSettings()
    let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let desk = GroupDesk(
      group, settings, home: .init(id: UniqueID(high: 1, low: 1), isOld: false), recalling: memory,
      store: NoStore(), log: log, time: clock.time)
    _ = desk.arrange([shop])
    let incidents = IncidentDesk(
      desk, store: store, catalog: CheckCatalog(file: [shop]), ttl: .seconds(10), log: log, time: clock.time)
    return (desk, incidents)
  }

  private func write(_ numbers: UInt64...) -> ShareWrite {
    ShareWrite(numbers.map { .init(UniqueID(high: 4, low: $0), [UInt8($0 % 100)], replacing: Int64($0)) })
  }

  /// None notifies for the first minute after the members' lists became different.
  @Test func membersThatDiffer() {
    var (view, card) = (GroupView(), MemberCard())
    view.placed = 7
    for (number, digest) in [PoolDigest.of([shop]), "another"].enumerated() {
      (card.boot, card.pools.file) = (UniqueID(high: 2, low: UInt64(number)), digest)
      view.members[ByteText(["a", "b"][number])] = GroupView.Member(card: card, revision: 1)
    }
    let (group, desk) = desks(
      recalling: GroupMemory(root: "/quartz/london/", name: "a", cluster: 1, view: view, at: clock.wall))
    // By the view of before, as the store is not there.
    clock.advance(by: .seconds(11))
    _ = group.arrange([shop])
    var found: [ShareView] = [desk.look()]
    for wait in [59_999, 1] as [Int64] {
      clock.advance(by: .milliseconds(wait))
      found.append(desk.look())
    }
    #expect(
      found.map(\.isDivided) == [true, true, false] && found.allSatisfy { $0.apart == [ByteText("b")] })
    #expect(found.map(\.notifies) == [false, false, group.runner.notifies])
  }

  /// What waits is written also when the task has ended already.
  private func run(_ desk: IncidentDesk) async {
    let task = Task { await desk.run() }
    task.cancel()
    await task.value
  }

  private var written: [[UInt64]] { store.state.withLock { $0.written.map { $0.map(\.check.low) } } }

  /// A check whose write waits or is under way is not written twice, and no part of such a write either.
  @Test func oneWriteACheck() async {
    let desk = desk()
    desk.write([])
    desk.write([write(1), write(1), write(2, 3), write(3, 4), write(4)])
    await run(desk)
    #expect(written.sorted { $0[0] < $1[0] } == [[1], [2, 3], [4]])
    let change = store.state.withLock { $0.written.joined().first { $0.check.low == 2 } }
    #expect(change == IncidentChange(UniqueID(high: 4, low: 2), [2], replacing: 2))
    // When it is done, the next one is taken, also after one that failed.
    store.state.withLock { $0.answers = [.failure(StoreTrouble(.refused, "no")), .success(nil)] }
    desk.write([write(1)])
    await run(desk)
    desk.write([write(1)])
    await run(desk)
    desk.write([write(1), write(2)])
    await run(desk)
    #expect(written.count == 7)
  }

  /// Four at once, and 256 that wait: what does not fit is asked for again.
  @Test func manyWrites() async {
    let desk = desk()
    desk.write((1...300).map { write($0) })
    await run(desk)
    #expect(Set(written.joined()) == Set(1...256) && written.count == 256)
    #expect(store.state.withLock(\.most) <= 4)
    desk.write([write(299), write(1)])
    await run(desk)
    #expect(written.count == 258, "the checks that did not fit are not taken for busy")
  }

  /// One after the other, as far as all of them are written; what another was first with is read.
  @Test func commitments() async {
    let desk = desk()
    #expect(await desk.commit([]) == .written && written.isEmpty)
    #expect(await desk.commit([write(1), write(2)]) == .written && written == [[1], [2]])
    store.state.withLock { $0.answers = [.success(8), .success(nil), .success(9)] }
    #expect(await desk.commit([write(3), write(4), write(5)]) == .refused)
    #expect(written == [[1], [2], [3], [4]] && store.state.withLock(\.reads) == 1)
    store.state.withLock { $0.answers = [.failure(StoreTrouble(.denied, "not yours")), .success(9)] }
    #expect(await desk.commit([write(6), write(7)]) == .unreachable)
    #expect(written == [[1], [2], [3], [4], [6]] && store.state.withLock(\.reads) == 1)
  }

  /// What was written is known at once, and what another wrote with the reading.
  @Test func whatIsKnown() async {
    let desk = desk()
    #expect(desk.writer == "a" && desk.look().entries.isEmpty && desk.look().readAt == nil)
    store.state.withLock { $0.answers = [.success(8), .success(nil)] }
    _ = await desk.commit([write(3)])
    let first = desk.look()
    #expect(first.entries.mapValues(\.changed) == [UniqueID(high: 4, low: 3): 8] && first.revision == 8)
    store.state.withLock {
      $0.readings = [
        .success(
          .init(
            world: 7, revision: 12,
            entries: [.init(UniqueID(high: 4, low: 9), [1], created: 11, changed: 12)]))
      ]
    }
    clock.advance(by: .seconds(1))
    _ = await desk.commit([write(4)])
    let second = desk.look()
    #expect(second.entries.mapValues(\.changed) == [UniqueID(high: 4, low: 9): 12])
    #expect(second.world == 7 && second.revision == 12 && second.readAt == clock.instant)
    #expect(second.version > first.version)
  }

  /// Nothing is relied upon before it is known who has what; without the store it is away for so long.
  @Test func howFarItIsReliedUpon() {
    let (group, desk) = desks()
    func touch(after wait: Duration) -> ShareTouch {
      clock.advance(by: wait)
      _ = group.arrange([shop])
      return desk.look().touch
    }
    #expect(touch(after: .zero) == .settling && touch(after: .seconds(10)) == .settling)
    #expect(touch(after: .milliseconds(1)) == .away(.milliseconds(10_001)))
    #expect(touch(after: .seconds(5)) == .away(.milliseconds(15_001)))
  }

  /// A trouble of the store is told while the member is not alone, which is told elsewhere.
  @Test func troubles() async {
    let (group, desk) = desks()
    #expect(desk.notices.isEmpty)
    let trouble = StoreTrouble(.denied, "not yours")
    store.state.withLock { $0.answers = [.failure(trouble)] }
    _ = await desk.commit([write(1)])
    #expect(
      desk.notices == [
        .warning(.group, "the group's incidents are not shared: not yours", hint: trouble.hint)
      ])
    clock.advance(by: .seconds(15))
    _ = group.arrange([shop])
    #expect(desk.notices.isEmpty)
  }

  /// Keys that no agent writes, and an entry that is not understood, by the name of its check where it has one here.
  @Test func strangeAndGarbled() async {
    let desk = desk()
    func read(_ entries: [UniqueID], strange: [String]) async -> [Notice] {
      var reading = IncidentReading(
        world: 7, revision: 20, entries: entries.map { .init($0, [1], created: 11, changed: 12) })
      for name in strange { reading.strange.add(name) }
      store.state.withLock { $0.readings = [.success(reading)] }
      store.state.withLock { $0.answers = [.success(nil)] }
      _ = await desk.commit([write(1)])
      _ = desk.look()
      return desk.notices
    }
    let hint =
      "no agent writes it: look which other program writes below the group's prefix, and delete it"
    func strange(_ words: String) -> Notice {
      .warning(.group, "\(words) passed over, such as x", hint: hint)
    }
    func garbled(_ name: String, _ check: UniqueID) -> Notice {
      .warning(
        .group, "what the store says of the incident of \(name) is not understood",
        hint: "delete the key \(check) below london/open/ in etcd, unless a newer agent wrote it")
    }
    #expect(await read([], strange: ["x"]) == [strange("1 key of the group's incidents is")])
    #expect(await read([], strange: ["x", "y"]) == [strange("2 keys of the group's incidents are")])
    #expect(await read([shop.id], strange: []) == [garbled("Shop", shop.id)])
    #expect(await read([shop.id], strange: []) == [garbled("Shop", shop.id)], "it is still there")
    let other = UniqueID(high: 0, low: 1)
    #expect(
      await read([shop.id, other], strange: ["x"]) == [
        strange("1 key of the group's incidents is"), garbled("\(other)", other),
      ], "the first of them")
    #expect(await read([], strange: []).isEmpty)
  }

  /// A trouble is one until everything was read.
  @Test func aTroubleThatIsOver() async {
    let desk = desk()
    func words() -> [String] { desk.notices.map(\.what) }
    store.state.withLock {
      $0.answers = [.failure(StoreTrouble(.denied, "not yours"))]
      $0.readings = [
        .failure(StoreTrouble(.refused, "no")), .success(.init(world: 7, revision: 20, entries: [])),
      ]
    }
    _ = await desk.commit([write(1)])
    #expect(words() == ["the group's incidents are not shared: not yours"])
    #expect(await !desk.read())
    #expect(words() == ["the group's incidents are not shared: no"])
    #expect(await desk.read() && words() == [])
  }
}
