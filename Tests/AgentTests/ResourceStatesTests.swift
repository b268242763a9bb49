// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Groups
import Logging
import Monitoring
import Synchronization
import TestSupport
import Testing

@testable import Agent

/// Findings of a member's checks in the group's store: on a change alone, and as long as there is such a check.
@Suite struct ResourceStatesTests {
  /// Entries in memory, each with the revision of its last change.
  private final class MemoryStates: IncidentStore {
    private let state = Mutex((revision: Int64(1), entries: [UniqueID: IncidentEntry](), writes: 0))

    var entries: [UniqueID: ResourceFinding] {
      state.withLock { $0.entries.compactMapValues { $0.value.flatMap { ResourceFinding(json: $0) } } }
    }
    var writes: Int { state.withLock { $0.writes } }

    func readIncidents() async -> Result<IncidentReading, StoreTrouble> {
      state.withLock { .success(.init(world: 7, revision: $0.revision, entries: Array($0.entries.values))) }
    }

    func write(_ changes: [IncidentChange]) async -> Result<Int64?, StoreTrouble> {
      state.withLock { state in
        state.writes += 1
        guard changes.allSatisfy({ state.entries[$0.check]?.changed ?? 0 == $0.replacing }) else {
          return .success(nil)
        }
        state.revision += 1
        for change in changes {
          let created = state.entries[change.check]?.created ?? state.revision
          state.entries[change.check] = change.value.map {
            IncidentEntry(change.check, $0, created: created, changed: state.revision)
          }
        }
        return .success(state.revision)
      }
    }

    func isIdle(_ position: StorePosition, _ mark: StoreMark) -> Bool { true }

    func watchIncidents(
      after revision: Int64, _ tell: @escaping @Sendable ([IncidentEntry]) -> Void
    ) async -> WatchEnd { .over }
  }

  private let clock = FakeClock()
  private let store = MemoryStates()

  private func check(_ name: String, hasResource: Bool = true) throws -> MonitoringCheck {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.host, definition.port) = (name, "tcp", "a.test", 80)
    definition.resource = hasResource ? UniqueID(high: 8, low: 8).description : nil
    return try MonitoringCheck(definition)
  }

  /// The desk of the only member of a group, by the view that it kept: what these checks are is its own.
  private func desk(of checks: [MonitoringCheck]) -> GroupDesk {
    var (group, settings) = (GroupSettings(), Settings())
    (group.name, group.share, settings.agent.name) = ("london", true, "a")
    var (view, card) = (GroupView(), MemberCard())
    view.placed = 7
    card.boot = UniqueID(high: 2, low: 2)
    card.pools.file = PoolDigest.of(checks)
    view.members[ByteText("a")] = GroupView.Member(card: card, revision: 1)
    let memory = GroupMemory(root: "/quartz/london/", name: "a", cluster: 1, view: view, at: clock.wall)
    let desk = GroupDesk(
      group, settings, home: .init(id: UniqueID(high: 1, low: 1), isOld: false), recalling: memory,
      store: NoStore(), log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, time: clock.time)
    clock.advance(by: .seconds(11))
    _ = desk.arrange(checks)
    return desk
  }

  /// The rest of a check that no member has goes after two minutes, and not with them; one that comes back meanwhile is
  /// no stray, and its time begins again.
  @Test func strays() async throws {
    let (kept, stray, back) = (try check("Kept"), try check("Stray"), try check("Back"))
    let catalog = CheckCatalog(file: [kept])
    let found = ResourceFinding(state: .down, at: clock.wall)
    let ids = [kept, stray, back].map(\.id)
    _ = await store.write(ids.map { IncidentChange($0, found.json, replacing: 0) })
    let states = ResourceStates(desk(of: [kept]), store: store, catalog: catalog, time: clock.time)
    _ = await states.read()
    func left(after wait: Duration) async -> Set<UniqueID> {
      clock.advance(by: wait)
      await states.write()
      return Set(store.entries.keys)
    }
    #expect(await left(after: .zero) == Set(ids))
    catalog.replace(file: [kept, back])
    #expect(await left(after: .seconds(60)) == Set(ids))
    catalog.replace(file: [kept])
    #expect(await left(after: .seconds(1)) == Set(ids))
    #expect(await left(after: .seconds(59)) == Set(ids), "two minutes, and no longer")
    #expect(store.writes == 1)
    #expect(await left(after: .milliseconds(1)) == [kept.id, back.id])
    #expect(await left(after: .seconds(60)) == [kept.id, back.id])
    #expect(await left(after: .seconds(2)) == [kept.id])
    #expect(await left(after: .seconds(600)) == [kept.id])
  }

  /// The owner's findings of checks with a resource, on a change of state alone: the time of the first of them stays.
  @Test func findings() async throws {
    let (shop, bare) = (try check("Shop"), try check("Bare", hasResource: false))
    let foreign = try check("Foreign")
    let states = ResourceStates(
      desk(of: [shop, bare]), store: store, catalog: CheckCatalog(file: [shop, bare, foreign]),
      time: clock.time)
    _ = await states.read()
    let begin = clock.wall
    func found(_ check: MonitoringCheck, _ state: CheckState, _ second: Int) async -> ResourceFinding? {
      states.found(check.id, state, at: begin.advanced(by: .seconds(second)))
      await states.write()
      return store.entries[check.id]
    }
    func finding(_ state: CheckState, _ second: Int) -> ResourceFinding {
      ResourceFinding(state: state, at: begin.advanced(by: .seconds(second)))
    }
    #expect(await found(shop, .up, 0) == finding(.up, 0))
    #expect(await found(shop, .up, 1) == finding(.up, 0) && store.writes == 1)
    #expect(await found(shop, .down, 2) == finding(.down, 2))
    #expect(await found(shop, .degraded, 3) == finding(.degraded, 3))
    #expect(await found(bare, .down, 4) == nil && store.writes == 3)
    #expect(await found(foreign, .down, 5) == nil && store.writes == 3, "it is not the group's")
    // What changed and changed back before it was written is no news.
    states.found(shop.id, .up, at: begin)
    #expect(await found(shop, .degraded, 6) == finding(.degraded, 3) && store.writes == 3)
  }

  /// Bytes of a finding, and what is none.
  @Test func json() {
    for state in [CheckState.up, .degraded, .down, .unknown] {
      let finding = ResourceFinding(state: state, at: FakeClock.start)
      #expect(ResourceFinding(json: finding.json) == finding)
    }
    let text = #"{"state":"down","at":"2026-01-04T02:00:00.000Z"}"#
    #expect(ResourceFinding(state: .down, at: FakeClock.start).json == Array(text.utf8))
    for (bytes, isOne) in [
      (text, true), (#"{"state":"gone","at":"2026-01-04T02:00:00Z"}"#, false), (#"{"state":"up"}"#, false),
      (#"{"state":"up","at":"today"}"#, false), (#"["up"]"#, false), ("", false),
      (text + String(repeating: " ", count: 1024 - text.utf8.count), true),
      (text + String(repeating: " ", count: 1025 - text.utf8.count), false),
    ] {
      #expect((ResourceFinding(json: Array(bytes.utf8)) != nil) == isOne, "\(bytes.prefix(60))")
    }
  }
}
