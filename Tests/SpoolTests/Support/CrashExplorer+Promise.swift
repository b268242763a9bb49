// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Spool

extension CrashExplorer {
  func explore(_ instant: MemoryDisk, _ duty: Duty) {
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
    #expect(
      second.status.damaged == 0, "\(what): damage counted twice\(describe(after))\n then\(describe(second))")
    for instant in inner.take() {
      for cut in cuts(of: instant) {
        tally.states += 1
        tally.nested += 1
        let third = open(MemoryFileSystem(instant.after(cut, using: &random)))
        var grown = duty
        grown.handed.insert(added)
        compare(third, grown, "\(what), then \(cut) while it started", alsoDropped: after.status.dropped)
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
  ///
  /// - Parameter alsoDropped: by a start in between.
  private func compare(_ after: TestStore, _ duty: Duty, _ what: String, alsoDropped: UInt64 = 0) {
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
    #expect(gone.isEmpty, "\(what): lost \(gone.sorted()) without a gap record in\(describe(after))")
    #expect(after.status.depth == found.count, "\(what): depth \(after.status.depth) of \(found.count)")
    let remembered = after.status.gaps.filter { $0.cause == .ringFull }.reduce(0) { $0 + $1.lost }
    let dropped = dropsSoFar + alsoDropped + after.status.dropped
    #expect(remembered <= dropped, "\(what): gap records count \(remembered) of \(dropped)")
    let refused = Set(after.core.quarantinedRecords().map { number($0.record) })
    #expect(duty.refused.isSubset(of: refused), "\(what): lost from the quarantine")
  }

  /// What a start found, for the message of a failure.
  private func describe(_ store: TestStore) -> String {
    let segments = (store.core.log?.segments ?? []).map { segment in
      "\n  \(segment.file) \(segment.first ?? 0)...\(segment.last ?? 0), gaps \(segment.gaps.map(\.sequences))"
    }
    let files = (try? store.core.files?.list()) ?? [:]
    return segments.joined() + "\n  " + files.keys.sorted().joined(separator: " ")
      + "\n  \(store.core.progress)"
  }
}
