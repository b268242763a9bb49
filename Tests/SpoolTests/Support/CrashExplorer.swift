// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import TestSupport
import Testing

@testable import Spool

/// Drives a store through a random history and looks, after every single operation on the disk, at what a crash at
/// that instant can leave behind.
final class CrashExplorer {
  struct Tally {
    var histories = 0
    /// Operations on the disk after which a crash was tried.
    var boundaries = 0
    /// Different disks, each opened by a new store and compared with the promise.
    var states = 0
    /// Crashes of the start that follows a crash, among the states.
    var nested = 0
    /// Operations of the histories that were made to fail.
    var injected = 0

    static func += (left: inout Tally, right: Tally) {
      left.histories += right.histories
      left.boundaries += right.boundaries
      left.states += right.states
      left.nested += right.nested
      left.injected += right.injected
    }
  }

  /// What the promise demands of a disk.
  struct Duty {
    /// Recorded and not acknowledged: must be there.
    var recorded: Set<Int> = []
    /// Handed in at some time: nothing else may be there.
    var handed: Set<Int> = []
    /// The sequence of each result that waited before the action, for what a full ring may take.
    var sequences: [Int: UInt64] = [:]
    var refused: Set<Int> = []
    /// The last sequence anybody was told of.
    var lastSequence: UInt64 = 0
  }

  let seed: UInt64
  /// Without it the history alone is looked at: what waits, what was dropped, what was counted.
  let cutsPower: Bool
  var tally = Tally()
  var random: SeededGenerator
  private var store: TestStore
  private var disk: MemoryFileSystem
  let settings: SpoolSettings
  private let seen = Instants()
  private var duty = Duty()
  /// Recorded by the model: handed in, to be delivered, not settled, not dropped.
  private var waiting: Set<Int> = []
  /// Delivered at some time: where the disk did not give the cursor back they come again, and are gone once it does.
  private var acknowledged: Set<Int> = []
  /// In the quarantine when the action ends.
  private var refused: Set<Int> = []
  var next = 0
  var clock: Int64 = 1
  var place = ""

  init(seed: UInt64, cutsPower: Bool = true) {
    self.seed = seed
    self.cutsPower = cutsPower
    random = SeededGenerator(seed: seed)
    var settings = smallSettings(segments: Int(seed % 3) + 4)
    settings.segmentSize = 4 << 10
    settings.size = (Int(seed % 3) + 4) * settings.segmentSize
    settings.quarantineSize = 16 << 10
    self.settings = settings
    disk = MemoryFileSystem()
    store = TestStore(disk, settings)
    tally.histories = 1
  }

  func run(actions: Int) {
    crash(everything: true)
    for step in 0..<actions {
      place = "seed \(seed) step \(step)"
      clock += Int64.random(in: 0...3, using: &random)
      act()
      if environment("SPOOL_SEED") != nil { trace() }
      settleAccounts()
      explore()
      if !store.status.isDurable, Int.random(in: 0..<3, using: &random) == 0 { repair() }
    }
    tally.injected = disk.snapshot.injected
    #expect(disk.snapshot.syncsAfterFailure == 0, "seed \(seed): synced a file again after a failed sync")
  }

  private func act() {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<52: append()
    case 52..<62: deliver()
    case 62..<68: send()
    case 68..<72: store.core.startLiveLane()
    case 72..<77: store.core.markSnapshotted(through: store.core.progress.settledThrough)
    case 77..<80: refuse()
    case 80..<87:
      disk.fail(
        ["write", "sync", "rename", "reserve", "syncDirectory"].randomElement(using: &random) ?? "sync", EIO)
      append()
    case 87..<89:
      disk.fail(["write", "sync"].randomElement(using: &random) ?? "sync", EIO, count: -1)
      append()
    case 89..<91: disk.change { $0.space = 0 }
    case 91..<93: stumble()
    default: crash(everything: Bool.random(using: &random))
    }
  }

  /// What the running store is after an action; for a history that is run alone.
  private func trace() {
    let names = disk.snapshot.names.keys.filter { $0.hasPrefix("results") }.sorted().joined(separator: " ")
    print(
      place, store.status.mode, "next \(next) \(store.core.nextSequence)", store.status.lastFault ?? "", names
    )
  }

  private func append() {
    let count = Int.random(in: 1...9, using: &random)
    let post = Int.random(in: 0..<5, using: &random) > 0
    let numbers = next..<next + count
    next += count
    let first = store.core.nextSequence
    let entries = numbers.enumerated().map {
      entry(first + UInt64($0.offset), variedRecord($0.element, post: post))
    }
    duty.handed.formUnion(numbers)
    _ = store.core.record(entries, overflow: nil, at: time(clock))
    if post { waiting.formUnion(numbers) }
  }

  private func deliver() {
    let lane = DeliveryLane.allCases.randomElement(using: &random) ?? .live
    let batch = store.pending(lane, limit: Int.random(in: 1...25, using: &random))
    confirm(taken(from: batch, using: &random), lane)
  }

  /// A request, and results that come in meanwhile: those that make room are delivered or lost, never both.
  private func send() {
    let lane = DeliveryLane.allCases.randomElement(using: &random) ?? .live
    let batch = store.pending(lane, limit: Int.random(in: 1...25, using: &random))
    let sent = store.core.beginDelivery(batch.map(\.sequence), at: time(clock))
    #expect(sent == Set(batch.map(\.sequence)), "\(place): waits and cannot be sent")
    for _ in 0..<Int.random(in: 0...8, using: &random) { append() }
    if Bool.random(using: &random) { confirm(taken(from: batch, using: &random), lane) }
    store.core.endDelivery(at: time(clock))
  }

  private func confirm(_ taken: [QueuedRecord], _ lane: DeliveryLane) {
    let numbers = taken.map { number($0.record) }
    // From here on the store may forget them, and need not have.
    duty.recorded.subtract(numbers)
    waiting.subtract(numbers)
    acknowledged.formUnion(numbers)
    store.core.acknowledge(lane, taken.map(\.sequence))
  }

  /// A disk that fails, fails once more in the middle of being opened again, and then is well.
  private func stumble() {
    disk.fail("sync", EIO, count: -1)
    append()
    disk.heal()
    failLater()
    clock += 61
    store.core.tick(at: time(clock))
    disk.heal()
    clock += 61
    store.core.tick(at: time(clock))
  }

  private func failLater() {
    let operations = ["write", "sync", "rename", "open", "reserve", "syncDirectory"]
    disk.fail(
      operations.randomElement(using: &random) ?? "sync", EIO, count: Int.random(in: 1...2, using: &random),
      after: Int.random(in: 0...6, using: &random))
  }

  private func refuse() {
    guard refused.count < 6, let first = store.pending(.live, limit: 1).first else { return }
    store.core.quarantine([first], code: "23503", at: time(clock))
    if store.core.refusals.waiting.isEmpty { refused.insert(number(first.record)) }
  }

  private func repair() {
    disk.heal()
    disk.change { $0.space = .max }
    clock += 61
    store.core.tick(at: time(clock))
    #expect(store.status.isDurable, "\(place): not durable on a disk that is well")
    settleAccounts()
    explore()
  }

  /// A kill or a power cut; the start that follows is an action like any other.
  private func crash(everything: Bool) {
    let snapshot = disk.snapshot
    let seen = seen
    let watcher: MemoryFileSystem.Watcher? = cutsPower ? { @Sendable in seen.add($0) } : nil
    disk =
      everything
      ? disk.afterKill(watcher: watcher)
      : MemoryFileSystem(snapshot.after(.units(512), using: &random), watcher: watcher)
    // The start may fail half-way; the store then begins in memory and tries again.
    if Int.random(in: 0..<4, using: &random) == 0 { failLater() }
    store = TestStore(disk, settings, at: clock)
    if !store.status.isDurable {
      disk.heal()
      disk.change { $0.space = .max }
      clock += 61
      store.core.tick(at: time(clock))
    }
    disk.heal()
    #expect(store.status.isDurable, "\(place): not durable after a start")
    let found = Set(store.waiting(.live) + store.waiting(.backlog))
    countDrops(found)
    // What was in memory only is gone, what was settled may be back.
    waiting = found
    droppedBefore = store.status.dropped
    droppedEver += store.status.dropped
  }

  /// A start may have to give results up for room. It counts those that were recorded; beside them may be some that
  /// were acknowledged, or never recorded, and stood on the disk all the same.
  private func countDrops(_ found: Set<Int>) {
    let told = store.status.gaps.filter { $0.cause == .ringFull }
    let given = duty.handed.subtracting(found).filter { number in
      duty.sequences[number].map { sequence in told.contains { $0.sequences.contains(sequence) } } ?? false
    }
    let dropped = Int(store.status.dropped)
    #expect(dropped <= given.count, "\(place): \(dropped) counted, \(given.sorted()) can have gone")
    let gone = duty.recorded.subtracting(found)
    #expect(
      dropped + Int(store.status.damaged) >= gone.count, "\(place): \(gone.sorted()) gone, \(dropped) counted"
    )
  }

  /// The running store against the model: what waits, and what it says it dropped.
  private func settleAccounts() {
    guard disk.snapshot.failures.isEmpty else {
      disk.heal()
      return settleAccounts()
    }
    // After a failed attempt to open again some of what is stored cannot be seen until the next.
    guard store.status.isDurable || store.core.reopening.failures == 0 else { return }
    let found = Set(store.waiting(.live) + store.waiting(.backlog))
    #expect(found.isSubset(of: waiting), "\(place): not handed in \(found.subtracting(waiting).sorted())")
    let gone = waiting.subtracting(found)
    let counted = store.status.dropped - (droppedBefore ?? 0)
    #expect(UInt64(gone.count) == counted, "\(place): \(gone.sorted()) gone, \(counted) counted")
    droppedBefore = store.status.dropped
    droppedEver += counted
    let remembered = store.status.gaps.filter { $0.cause == .ringFull }.reduce(0) { $0 + $1.lost }
    #expect(
      remembered <= droppedEver, "\(place): gap records count \(remembered), \(droppedEver) were dropped")
    let told = store.status.gaps.filter { $0.cause == .ringFull }
    let back = (store.pending(.live) + store.pending(.backlog)).filter { item in
      told.contains { $0.sequences.contains(item.sequence) }
    }
    #expect(back.isEmpty, "\(place): counted as dropped and still there: \(back.map { number($0.record) })")
    #expect(store.status.depth == found.count, "\(place): depth \(store.status.depth) of \(found.count)")
    waiting = found
  }

  /// By all processes of this history, as far as settled.
  private var droppedEver: UInt64 = 0
  /// To the end of the action that is being looked at.
  var dropsSoFar: UInt64 { droppedEver + store.status.dropped - (droppedBefore ?? 0) }
  private var droppedBefore: UInt64? {
    get { droppedOf === store ? dropped : nil }
    set {
      droppedOf = store
      dropped = newValue ?? 0
    }
  }
  private var droppedOf: TestStore?
  private var dropped: UInt64 = 0

  /// Every instant of the action that just ended, then its end, from where on more is promised.
  private func explore() {
    for instant in seen.take() { explore(instant, duty) }
    if store.status.isDurable {
      duty.recorded = waiting.subtracting(acknowledged)
      duty.lastSequence = max(duty.lastSequence, store.core.nextSequence - 1)
    } else {
      duty.recorded.formIntersection(waiting)
    }
    for item in store.pending(.live) + store.pending(.backlog) {
      duty.sequences[number(item.record)] = item.sequence
    }
    duty.refused = refused
    if cutsPower { explore(disk.snapshot, duty) }
  }
}
