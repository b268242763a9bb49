// SPDX-License-Identifier: MIT

import Glibc
import Monitoring
import Synchronization
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

    static func += (left: inout Tally, right: Tally) {
      left.histories += right.histories
      left.boundaries += right.boundaries
      left.states += right.states
      left.nested += right.nested
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
  private(set) var tally = Tally()
  private var random: SeededGenerator
  private var store: TestStore
  private var disk: MemoryFileSystem
  private let settings: SpoolSettings
  private let seen = Instants()
  private var duty = Duty()
  /// Recorded by the model: handed in, to be delivered, not settled, not dropped.
  private var waiting: Set<Int> = []
  /// In the quarantine when the action ends.
  private var refused: Set<Int> = []
  private var next = 0
  private var clock: Int64 = 1
  private var place = ""

  init(seed: UInt64) {
    self.seed = seed
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
      settleAccounts()
      explore()
      if !store.status.isDurable, Int.random(in: 0..<3, using: &random) == 0 { repair() }
    }
    #expect(disk.snapshot.syncsAfterFailure == 0, "seed \(seed): synced a file again after a failed sync")
  }

  private func act() {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<52: append()
    case 52..<68: deliver()
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
    default: crash(everything: Bool.random(using: &random))
    }
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
    let taken = batch.prefix(Int.random(in: 0...batch.count, using: &random))
    guard let last = taken.last else { return }
    let numbers = taken.map { number($0.record) }
    // From here on the store may forget them, and need not have.
    duty.recorded.subtract(numbers)
    waiting.subtract(numbers)
    store.acknowledge(lane, through: last.sequence)
  }

  private func refuse() {
    guard refused.count < 6, let first = store.pending(.live, limit: 1).first else { return }
    store.core.quarantine([first], code: "23503", at: time(clock))
    if store.core.refused.isEmpty { refused.insert(number(first.record)) }
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
    disk =
      everything
      ? disk.afterKill { seen.add($0) }
      : MemoryFileSystem(snapshot.after(.units(512), using: &random)) { seen.add($0) }
    store = TestStore(disk, settings, at: clock)
    let found = Set(store.waiting(.live) + store.waiting(.backlog))
    // What was in memory only is gone, what was settled may be back.
    waiting = found
  }

  /// The running store against the model: what waits, and what it says it dropped.
  private func settleAccounts() {
    guard disk.snapshot.failures.isEmpty else {
      disk.heal()
      return settleAccounts()
    }
    let found = Set(store.waiting(.live) + store.waiting(.backlog))
    #expect(found.isSubset(of: waiting), "\(place): not handed in \(found.subtracting(waiting).sorted())")
    let gone = waiting.subtracting(found)
    let counted = store.status.dropped - (droppedBefore ?? 0)
    #expect(UInt64(gone.count) == counted, "\(place): \(gone.sorted()) gone, \(counted) counted")
    droppedBefore = store.status.dropped
    #expect(store.status.depth == found.count, "\(place): depth \(store.status.depth) of \(found.count)")
    waiting = found
  }

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
      duty.recorded = waiting
      duty.lastSequence = max(duty.lastSequence, store.core.nextSequence - 1)
    } else {
      duty.recorded.formIntersection(waiting)
    }
    for item in store.pending(.live) + store.pending(.backlog) {
      duty.sequences[number(item.record)] = item.sequence
    }
    duty.refused = refused
    explore(disk.snapshot, duty)
  }

  private func explore(_ instant: MemoryDisk, _ duty: Duty) {
    tally.boundaries += 1
    var known: Set<Int> = []
    for cut in cuts(of: instant) {
      let state = instant.after(cut, using: &random)
      guard known.insert(state.fingerprint).inserted else { continue }
      check(state, duty, "\(place), \(cut)")
    }
  }

  private func cuts(of instant: MemoryDisk) -> [PowerCut] {
    let count = instant.changes.count
    guard count > 0 else { return [.nothing] }
    var cuts: [PowerCut] = [.nothing, .everything, .names, .data]
    let some = Int.random(in: 0..<count, using: &random)
    for prefix in Set((max(0, count - 4)..<count) + [some]).sorted() {
      cuts.append(.prefix(prefix, torn: 0))
      cuts.append(.prefix(prefix, torn: 512))
    }
    cuts.append(.prefix(count - 1, torn: Int.random(in: 1...1200, using: &random)))
    cuts += [.units(4096), .units(4096), .units(512), .units(512), .units(512)]
    return cuts
  }

  private func check(_ state: MemoryDisk, _ duty: Duty, _ what: String) {
    tally.states += 1
    let inner = Instants()
    // A crash of the start itself is tried in one of 150.
    let watches = Int.random(in: 0..<150, using: &random) == 0
    let disk = MemoryFileSystem(state, watcher: watches ? { @Sendable in inner.add($0) } : nil)
    let after = open(disk)
    compare(after, duty, what)
    // What this start found must outlive the next power cut as well, and what is recorded from now on too.
    let added = next + 1_000_000
    let first = after.core.nextSequence
    #expect(first > duty.lastSequence, "\(what): number \(first) was given out before")
    let isRecorded = after.core.record(
      [entry(first, variedRecord(added))], overflow: nil, at: time(clock + 2))
    #expect(isRecorded, "\(what): not recorded after the start")
    let kept = Set(after.waiting(.live) + after.waiting(.backlog))
    let second = open(MemoryFileSystem(disk.snapshot.after(.nothing, using: &random)))
    let again = Set(second.waiting(.live) + second.waiting(.backlog))
    #expect(again == kept, "\(what), then once more: \(kept.symmetricDifference(again).sorted())")
    #expect(second.status.damaged == 0, "\(what): damage counted twice")
    for instant in inner.take() {
      for cut in cuts(of: instant) {
        tally.states += 1
        tally.nested += 1
        let third = open(MemoryFileSystem(instant.after(cut, using: &random)))
        var grown = duty
        grown.handed.insert(added)
        compare(third, grown, "\(what), then \(cut) while it started")
      }
    }
  }

  /// A start. Where the disk was full before the ring was reserved, there is room again a minute later.
  private func open(_ disk: MemoryFileSystem) -> TestStore {
    let store = TestStore(disk, settings, at: clock + 1)
    if !store.status.isDurable, disk.snapshot.space == 0 {
      disk.change { $0.space = .max }
      store.core.tick(at: time(clock + 62))
    }
    return store
  }

  /// The promise itself.
  private func compare(_ after: TestStore, _ duty: Duty, _ what: String) {
    #expect(after.status.isDurable, "\(what): not durable")
    let live = after.pending(.live)
    let backlog = after.pending(.backlog)
    for item in live + backlog {
      #expect(item.record == variedRecord(number(item.record)), "\(what): altered")
    }
    let numbers = (backlog + live).map { number($0.record) }
    let found = Set(numbers)
    #expect(found.count == numbers.count, "\(what): doubled")
    #expect(live.map(\.sequence) == live.map(\.sequence).sorted(), "\(what): order of the live lane")
    #expect(backlog.map(\.sequence) == backlog.map(\.sequence).sorted(), "\(what): order of the backlog")
    #expect(found.isSubset(of: duty.handed), "\(what): never handed in")
    // The oldest may go when the ring is full. Where not even a spare was left their file went before their gap was
    // written, and the start that found the hole called it damage.
    let oldest = (live + backlog).map(\.sequence).min() ?? .max
    let told = after.status.gaps.filter { $0.cause == .ringFull || $0.lastSequence < oldest }
    let gone = duty.recorded.subtracting(found).filter { number in
      guard let sequence = duty.sequences[number] else { return true }
      return !told.contains { $0.sequences.contains(sequence) }
    }
    #expect(gone.isEmpty, "\(what): lost \(gone.sorted()) without a gap record")
    #expect(after.status.depth == found.count, "\(what): depth \(after.status.depth) of \(found.count)")
    let refused = Set(after.core.quarantinedRecords().map { number($0.record) })
    #expect(duty.refused.isSubset(of: refused), "\(what): lost from the quarantine")
  }
}

/// Disks as they were after each operation.
private final class Instants: Sendable {
  private let disks = Mutex<[MemoryDisk]>([])

  func add(_ disk: MemoryDisk) { disks.withLock { $0.append(disk) } }

  func take() -> [MemoryDisk] {
    disks.withLock { disks in
      defer { disks = [] }
      return disks
    }
  }
}
