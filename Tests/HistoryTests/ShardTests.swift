// SPDX-License-Identifier: MIT

import Basics
import History
import HistorySupport
import Monitoring
import Testing

/// The snapshot files: 256 checks each, written when they are behind.
@Suite struct ShardTests {
  private func checks(_ count: Int) throws -> [MonitoringCheck] {
    try (0..<count).map { try makeCheck("check \($0)") }
  }

  /// Saves every file that is behind into the disk.
  private func save(_ store: HistoryStore, to disk: inout [Int: [UInt8]]) -> [Int] {
    var written: [Int] = []
    for number in 0..<store.shardCount {
      guard let snapshot = store.shard(number) else { continue }
      disk[number] = snapshot.bytes
      store.saved(snapshot)
      written.append(number)
    }
    return written
  }

  private func restore(_ disk: [Int: [UInt8]]) -> HistoryStore {
    HistoryStore(decoding: disk.map { StoredShard(number: $0.key, bytes: $0.value) })
  }

  @Test func onlyWhatIsBehindIsWritten() throws {
    let checks = try checks(600)
    let store = HistoryStore()
    store.apply(checks, now: midnight)
    #expect(store.shardCount == 3)
    var disk: [Int: [UInt8]] = [:]
    #expect(save(store, to: &disk) == [0, 1, 2])
    #expect(save(store, to: &disk).isEmpty)
    store.record(grid(1)[0].result(of: checks[300]), interval: .seconds(60), sequence: 1)
    #expect(save(store, to: &disk) == [1])
    store.missed(checks[599].id, count: 1)
    #expect(save(store, to: &disk) == [2])
    // The same list again is no change.
    store.apply(checks, now: midnight + .seconds(60))
    #expect(save(store, to: &disk).isEmpty)
    let restored = restore(disk)
    #expect(restored.damage == nil && restored.knows(checks))
    restored.apply(checks, now: midnight)
    #expect(save(restored, to: &disk).isEmpty)
  }

  /// What the files hold together never claims more than it has.
  @Test func savedThroughIsWhatTheFileFurthestBehindHolds() throws {
    let checks = try checks(512)
    let store = HistoryStore()
    store.apply(checks, now: midnight)
    var disk: [Int: [UInt8]] = [:]
    _ = save(store, to: &disk)
    func record(_ index: Int, _ sequence: UInt64) {
      let run = Run(slot: midnight + .seconds(60 * Int64(sequence)))
      store.record(run.result(of: checks[index]), interval: .seconds(60), sequence: sequence)
    }
    record(0, 1)
    record(0, 2)
    #expect(store.savedThrough == 0)
    _ = save(store, to: &disk)
    #expect(store.savedThrough == 2)
    record(300, 3)
    record(0, 4)
    #expect(store.savedThrough == 2)
    // A write that takes long: what came meanwhile is not in it.
    let early = try #require(store.shard(1))
    record(300, 5)
    store.saved(early)
    #expect(store.savedThrough == 3)
    if let first = store.shard(0) { store.saved(first) }
    #expect(store.savedThrough == 4)
    if let second = store.shard(1) { store.saved(second) }
    #expect(store.savedThrough == 5)
  }

  /// One file is lost or damaged: its checks are rebuilt from the records, the others are not counted twice.
  @Test(arguments: [true, false]) func aLostFileIsRebuilt(_ isDamaged: Bool) throws {
    let checks = try checks(512)
    let store = HistoryStore()
    store.apply(checks, now: midnight)
    var disk: [Int: [UInt8]] = [:]
    var records: [QueuedRecord] = []
    for minute in 0..<20 {
      for index in [0, 100, 300, 511] {
        let run = Run(slot: midnight + .seconds(60 * minute), state: minute % 5 == 0 ? .down : .up)
        let sequence = UInt64(records.count + 1)
        store.record(run.result(of: checks[index]), interval: .seconds(60), sequence: sequence)
        records.append(run.record(of: checks[index], sequence: sequence))
      }
      if minute == 12 { _ = save(store, to: &disk) }
    }
    if isDamaged { disk[1]?[40] ^= 1 } else { disk[1] = nil }
    let restored = restore(disk)
    #expect((restored.damage != nil) == isDamaged)
    #expect(!restored.knows(checks))
    restored.apply(checks, now: midnight)
    for record in records { restored.replay(record, interval: .seconds(60)) }
    let now = midnight + .seconds(1200)
    for index in [0, 100, 300, 511] {
      let before = try #require(store.figures(of: checks[index].id, now: now))
      let after = try #require(restored.figures(of: checks[index].id, now: now))
      #expect(after.windows == before.windows)
      #expect(after.failures == before.failures)
    }
    #expect(restored.appliedThrough == 80)
  }

  /// Checks come and go for a while: nobody is lost, no file grows beyond its size.
  @Test func checksThatComeAndGoKeepTheirFiles() throws {
    var dice = Dice(state: 11)
    let all = try checks(900)
    let store = HistoryStore()
    var disk: [Int: [UInt8]] = [:]
    var sequence: UInt64 = 0
    var now = midnight
    for _ in 0..<30 {
      let some = all.filter { _ in dice.chance(2) }
      store.apply(some, now: now)
      for check in some where dice.chance(3) {
        sequence += 1
        store.record(Run(slot: now).result(of: check), interval: .seconds(60), sequence: sequence)
      }
      _ = save(store, to: &disk)
      // Three days a round: what nobody names for a week is forgotten.
      now = now + .seconds(3 * 86_400)
    }
    let last = all.filter { _ in dice.chance(2) }
    store.apply(last, now: now)
    _ = save(store, to: &disk)
    let restored = restore(disk)
    #expect(restored.damage == nil && restored.knows(last))
    restored.apply(last, now: now)
    #expect(store.shardCount <= 5)
    let (before, after) = (store.checks(now: now), restored.checks(now: now))
    for (left, right) in zip(before, after) { #expect(left.windows == right.windows) }
  }
}
