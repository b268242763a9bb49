// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Groups

/// The store's entries as they are known here, where readings, a watch and own writes cross.
@Suite struct IncidentMirrorTests {
  private func id(_ number: Int) -> UniqueID { UniqueID(high: 9, low: UInt64(number)) }

  private func entry(
    _ number: Int, _ changed: Int64, created: Int64 = 1, gone: Bool = false
  ) -> IncidentEntry {
    IncidentEntry(id(number), gone ? nil : [UInt8(changed)], created: created, changed: changed)
  }

  private func reading(_ revision: Int64, _ entries: [IncidentEntry], world: UInt64 = 1) -> IncidentReading {
    IncidentReading(world: world, revision: revision, entries: entries)
  }

  private func mirror() -> IncidentMirror {
    var mirror = IncidentMirror()
    mirror.take(reading(10, [entry(1, 4), entry(2, 5)]), asked: 0)
    return mirror
  }

  private func changed(_ mirror: IncidentMirror) -> [Int64] {
    (1...4).map { mirror.entries[id($0)]?.changed ?? 0 }
  }

  /// Only what is newer than what is known changes anything, one by one.
  @Test func changesInTheirOrder() {
    var mirror = mirror()
    #expect(mirror.world == 1 && mirror.revision == 10 && mirror.version == 1)
    mirror.take([entry(1, 4), entry(1, 3), entry(2, 5, gone: true)])
    #expect(changed(mirror) == [4, 5, 0, 0] && mirror.version == 1)
    mirror.take([entry(1, 11), entry(3, 12), entry(2, 13, gone: true)])
    #expect(changed(mirror) == [11, 0, 12, 0] && mirror.version == 4 && mirror.revision == 13)
    // Told late, of an entry that went.
    mirror.take([entry(2, 12), entry(2, 13)])
    #expect(changed(mirror) == [11, 0, 12, 0] && mirror.version == 4)
    mirror.take([entry(2, 14)])
    #expect(changed(mirror) == [11, 14, 12, 0] && mirror.version == 5)
    mirror.take([entry(2, 9)])
    #expect(mirror.revision == 14)
  }

  /// A reading takes the place of all, but for what was told of after it.
  @Test func readingsAndWhatIsNewer() {
    var mirror = mirror()
    mirror.take([entry(1, 12), entry(3, 14), entry(2, 13, gone: true)])
    mirror.take(reading(12, [entry(2, 5), entry(4, 8), entry(1, 4)]), asked: 10)
    #expect(changed(mirror) == [4, 0, 14, 8], "the first is no newer than the reading")
    #expect(mirror.revision == 14)
    mirror.take(reading(13, [entry(2, 5)]), asked: 13)
    #expect(changed(mirror) == [0, 5, 14, 0], "what went is in the reading")
    mirror.take(reading(20, []), asked: 14)
    #expect(changed(mirror) == [0, 0, 0, 0] && mirror.revision == 20)
  }

  /// Another store, or one that was set back, knows nothing of before.
  @Test(arguments: [(2, 10), (2, 30), (1, 9)] as [(UInt64, Int64)])
  func anotherWorld(world: UInt64, revision: Int64) {
    var mirror = mirror()
    mirror.take([entry(3, 40), entry(2, 41, gone: true)])
    mirror.take(reading(revision, [entry(2, 5)], world: world), asked: 10)
    #expect(changed(mirror) == [0, 5, 0, 0] && mirror.revision == revision && mirror.world == world)
  }

  /// Own writes are known at once, as made then or before.
  @Test func ownWrites() {
    var mirror = mirror()
    mirror.take([entry(3, 11, created: 6)])
    mirror.took(
      [
        IncidentChange(id(4), [7], replacing: 0), IncidentChange(id(3), [8], replacing: 11),
        IncidentChange(id(1), nil, replacing: 4),
      ], at: 20)
    #expect(mirror.entries[id(4)] == IncidentEntry(id(4), [7], created: 20, changed: 20))
    #expect(mirror.entries[id(3)] == IncidentEntry(id(3), [8], created: 6, changed: 20))
    #expect(changed(mirror) == [0, 5, 20, 20] && mirror.revision == 20)
    mirror.take([entry(1, 19)])
    #expect(changed(mirror) == [0, 5, 20, 20])
  }

  private struct NoStore: IncidentStore {
    private let trouble = StoreTrouble(.unreachable, "no")
    func readIncidents() async -> Result<IncidentReading, StoreTrouble> { .failure(trouble) }
    func write(_ changes: [IncidentChange]) async -> Result<Int64?, StoreTrouble> { .failure(trouble) }
    func isIdle(_ position: StorePosition, _ mark: StoreMark) -> Bool { position.isIdle(mark) }
    func watchIncidents(
      after revision: Int64, _ tell: @escaping @Sendable ([IncidentEntry]) -> Void
    ) async -> WatchEnd { .trouble(trouble) }
  }

  /// The member's look at the store says once that nothing was missed; own writes say nothing of what others wrote.
  @Test func whatTheMemberHasSeen() {
    var mirror = mirror()
    let store = NoStore()
    let first = Instant(nanoseconds: 5_000_000_000)
    func proof(_ revision: Int64, _ seconds: Int, cluster: UInt64 = 1) -> LeaseProof {
      LeaseProof(
        lease: 4, at: first + .seconds(100), store: StoreMark(cluster: cluster, revision: revision),
        seenAt: first + .seconds(seconds))
    }
    let found = [
      mirror.see(nil, in: store), mirror.see(LeaseProof(lease: 4, at: first), in: store),
      mirror.see(proof(10, 0), in: store), mirror.see(proof(10, 0), in: store),
      mirror.see(proof(11, 1), in: store), mirror.see(proof(10, 2, cluster: 2), in: store),
      mirror.see(proof(10, 3), in: store),
    ]
    #expect(found == [nil, nil, first, nil, nil, nil, first + .seconds(3)])
    mirror.took([IncidentChange(id(4), [7], replacing: 0)], at: 12)
    #expect(mirror.revision == 12 && mirror.position.told == 10)
    #expect(mirror.see(proof(12, 4), in: store) == nil)
    mirror.take([entry(4, 12)])
    #expect(mirror.position.told == 12 && mirror.see(proof(12, 5), in: store) == first + .seconds(5))
    mirror.lose()
    #expect(mirror.see(proof(12, 6), in: store) == nil && mirror.position.trust == .lost)
  }
}
