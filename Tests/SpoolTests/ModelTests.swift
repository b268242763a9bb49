// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import TestSupport
import Testing

@testable import Spool

/// Random histories against a plain array. The seed of a failing one is in the message.
@Suite("Model")
struct ModelTests {
  /// What a correct store would hold.
  private struct Model {
    /// Deliverable results in order, by number.
    var recorded: [Int] = []
    var settled: Set<Int> = []
    /// Results handed in while the disk was away: they may be lost by a crash.
    var unsafe: Set<Int> = []
    var next = 0
  }

  /// 500 histories; `SPOOL_SEQUENCES=10000` runs as many, `SPOOL_START=7` from that seed on, `SPOOL_SEED=31` only that one.
  @Test("nothing recorded is lost, altered, doubled or out of order")
  func histories() {
    if let seed = environment("SPOOL_SEED") {
      run(seed: UInt64(seed))
      return
    }
    let count = environment("SPOOL_SEQUENCES") ?? 500
    let start = environment("SPOOL_START") ?? 0
    let injected = (start..<start + count).reduce(0) { $0 + run(seed: UInt64($1)) }
    print(
      "model: \(count) random histories of up to 128 actions, with \(injected) injected errors of write, sync, rename"
        + " and open, compared with a plain array, seeds from \(start)")
  }

  /// Returns how many operations were made to fail.
  @discardableResult
  private func run(seed: UInt64) -> Int {
    var random = SeededGenerator(seed: seed)
    var disk = MemoryFileSystem()
    var settings = smallSettings(segments: 24)
    settings.segmentSize = 8 << 10
    settings.size = 24 * settings.segmentSize
    settings.quarantineSize = 16 << 10
    var store = TestStore(disk, settings)
    var model = Model()
    var clock: Int64 = 1
    for step in 0..<Int.random(in: 4...(seed % 8 == 0 ? 128 : 40), using: &random) {
      clock += Int64.random(in: 0...40, using: &random)
      let place = "seed \(seed) step \(step)"
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<45: append(store, &model, clock, &random)
      case 45..<65: deliver(store, &model, &random, place)
      case 65..<72: store.core.startLiveLane()
      case 72..<77: store.core.markSnapshotted(through: store.core.progress.settledThrough)
      case 77..<83:
        disk.fail(
          ["write", "sync", "rename"].randomElement(using: &random) ?? "sync", EIO,
          after: Int.random(in: 0...3, using: &random))
      case 83..<86:
        disk.fail(["write", "sync", "open"].randomElement(using: &random) ?? "sync", EIO, count: -1)
      case 86..<91:
        disk.heal()
        clock += 61
        store.core.tick(at: time(clock))
        if store.status.isDurable { model.unsafe = [] }
      default:
        disk = Bool.random(using: &random) ? disk.afterKill() : disk.afterPowerCut(using: &random)
        store = TestStore(disk, settings, at: clock)
        afterCrash(store, &model, place)
      }
      if disk.snapshot.failures.isEmpty {
        #expect(store.status.depth == count(store), "depth: \(place)")
      }
    }
    disk.heal()
    store.core.tick(at: time(clock + 1000))
    #expect(store.status.isDurable, "seed \(seed)")
    compare(store, model, "seed \(seed) end")
    #expect(disk.snapshot.syncsAfterFailure == 0, "seed \(seed): synced a file again after a failed sync")
    return disk.snapshot.injected
  }

  private func count(_ store: TestStore) -> Int {
    store.pending(.live).count + store.pending(.backlog).count
  }

  private func append(
    _ store: TestStore, _ model: inout Model, _ clock: Int64, _ random: inout SeededGenerator
  ) {
    let count = Int.random(in: 1...12, using: &random)
    let post = Int.random(in: 0..<4, using: &random) > 0
    let numbers = model.next..<model.next + count
    model.next += count
    let isRecorded = store.add(numbers, post: post, at: clock)
    guard post else { return }
    model.recorded += numbers
    if !isRecorded {
      model.unsafe.formUnion(numbers)
    } else {
      // Durable again: what waited in memory was written with it or before it.
      model.unsafe = []
    }
    if !store.status.isDurable {
      // What one failed group took along from the last sync is in memory as well.
      model.unsafe.formUnion(numbers)
    }
  }

  private func deliver(
    _ store: TestStore, _ model: inout Model, _ random: inout SeededGenerator, _ place: String
  ) {
    let lane = DeliveryLane.allCases.randomElement(using: &random) ?? .live
    let batch = store.pending(lane, limit: Int.random(in: 1...20, using: &random))
    for item in batch {
      let number = Int(item.record.id.low & ~(1 << 63))
      #expect(item.record == sampleRecord(number), "altered: \(place)")
    }
    let taken = taken(from: batch, using: &random)
    guard !taken.isEmpty else { return }
    store.core.acknowledge(lane, taken.map(\.sequence))
    model.settled.formUnion(taken.map { number($0.record) })
  }

  /// Settled results may come back (they are sent again, with the same id); recorded ones must.
  private func afterCrash(_ store: TestStore, _ model: inout Model, _ place: String) {
    let found = Set(store.waiting(.live) + store.waiting(.backlog))
    let lost = Set(model.recorded).subtracting(model.settled).subtracting(found)
    #expect(lost.subtracting(model.unsafe).isEmpty, "lost \(lost.sorted()): \(place)")
    model.recorded.removeAll { lost.contains($0) }
    model.settled.subtract(found)
    model.unsafe = []
    compare(store, model, place)
  }

  private func compare(_ store: TestStore, _ model: Model, _ place: String) {
    let live = store.waiting(.live)
    let backlog = store.waiting(.backlog)
    #expect(live == live.sorted() && backlog == backlog.sorted(), "order: \(place)")
    let expected = model.recorded.filter { !model.settled.contains($0) }
    #expect((backlog + live).sorted() == expected, "\(place)")
  }
}
