// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import TestSupport
import Testing

@testable import Spool

/// Whatever happens to the bytes: the store starts, delivers nothing that was altered, loses what was touched, says so.
@Suite("Damage")
struct DamageTests {
  /// Two runs, 130 results: a full segment of 97 and one of 33, and two spares. 64 KiB.
  private func store() -> (disk: MemoryFileSystem, names: [String]) {
    let disk = MemoryFileSystem()
    let first = TestStore(disk)
    first.add(0..<120)
    let disk2 = disk.afterKill()
    let second = TestStore(disk2)
    second.add(120..<130)
    let names = disk2.snapshot.names.keys.filter { $0.hasPrefix("results-0") }.sorted()
    return (disk2.afterKill(), names)
  }

  /// Every file of the ring, spares included.
  private func ring(_ disk: MemoryFileSystem) -> [String] {
    disk.snapshot.names.keys.filter { $0.hasPrefix("results-") }.sorted()
  }

  /// Every how many bits or lengths one is tried; `SPOOL_DAMAGE_STEP=1` tries them all.
  private func step(_ usual: Int) -> Int { environment("SPOOL_DAMAGE_STEP") ?? usual }

  private func check(_ disk: MemoryFileSystem, mayLose: ClosedRange<Int>, again: Bool = true, _ what: String)
  {
    let store = TestStore(disk)
    let kept = store.pending()
    let numbers = kept.map { number($0.record) }
    let altered = zip(kept, numbers).contains { $0.record != sampleRecord($1) }
    #expect(!altered, "altered: \(what)")
    #expect(numbers == numbers.sorted(), "order: \(what)")
    let lost = 130 - Set(numbers).count
    #expect(mayLose.contains(lost), "\(lost) lost: \(what)")
    #expect(numbers.count == Set(numbers).count, "doubled: \(what)")
    let status = store.status
    if lost > 0 { #expect(status.damaged > 0 && !status.gaps.isEmpty, "not reported: \(what)") }
    if lost == 0 { #expect(status.depth == 130, "depth: \(what)") }
    #expect(status.isDurable, "not durable: \(what)")
    guard again else { return }
    // What was found once is not found again.
    let second = TestStore(disk.afterKill())
    #expect(second.status.damaged == 0, "counted twice: \(what)")
    #expect(second.pending() == kept, "changed: \(what)")
  }

  @Test("K7: one flipped bit costs at most the record it hits")
  func bitFlips() {
    let (disk, _) = store()
    let names = ring(disk)
    var count = 0
    for bit in stride(from: 0, to: names.count * (16 << 10) * 8, by: step(997)) {
      let name = names[bit / (16 << 13)]
      let place = bit % (16 << 13)
      let copy = disk.afterKill()
      copy.tamper(name) { $0[place / 8] ^= 1 << (place % 8) }
      check(copy, mayLose: 0...1, again: count % 8 == 0, "bit \(place) of \(name)")
      count += 1
    }
    print("damage: \(count) of 524288 bits of a store of 64 KiB flipped, one at a time")
  }

  @Test("K7: a file cut at any length keeps what lies before the cut")
  func truncations() {
    let (disk, _) = store()
    let names = ring(disk)
    var count = 0
    for index in stride(from: 0, to: names.count * (16 << 10), by: step(211)) {
      let name = names[index / (16 << 10)]
      let length = index % (16 << 10)
      let copy = disk.afterKill()
      copy.tamper(name) { $0.removeLast($0.count - length) }
      check(copy, mayLose: 0...97, again: count % 8 == 0, "\(name) cut to \(length)")
      count += 1
    }
    print("damage: \(count) of 65536 truncations of a store of 64 KiB")
  }

  @Test("garbage over a stretch of records costs those records only")
  func overwritten() {
    let (disk, names) = store()
    var random = SeededGenerator(seed: 3)
    for _ in 0..<40 {
      let copy = disk.afterKill()
      let start = Int.random(in: 64..<8000, using: &random)
      let length = Int.random(in: 1..<2000, using: &random)
      copy.tamper(names[0]) { bytes in
        for index in start..<start + length { bytes[index] = UInt8.random(in: 0...255, using: &random) }
      }
      check(copy, mayLose: 0...length / entry(1, sampleRecord(1)).size + 2, "\(length) bytes at \(start)")
    }
  }

  @Test(
    "K9: with a damaged cursor slot the other one counts; without both, results are sent again, never skipped"
  )
  func cursor() {
    let disk = MemoryFileSystem()
    let store = TestStore(disk)
    store.add(0..<30)
    store.acknowledge(through: store.pending(limit: 10)[9].sequence)
    store.acknowledge(through: store.pending(limit: 10)[9].sequence)
    for slots in [[0], [1], [0, 1]] {
      for bit in [0, 100, 200, 300, 400, 450] {
        let copy = disk.afterKill()
        copy.tamper(Cursor.fileName) { bytes in
          for slot in slots { bytes[slot * Cursor.slotDistance + bit / 8] ^= 1 << (bit % 8) }
        }
        let after = TestStore(copy)
        let first = after.waiting().first ?? 30
        #expect(slots.count == 2 ? first == 0 : first <= 20)
        #expect(after.waiting() == Array(first..<30))
        #expect(after.status.cursorDamaged == slots.count)
        let loss =
          "what was delivered is not known, as the cursor is damaged: stored results are sent again, with the same ids"
        #expect(after.status.notes.map(\.what) == (slots.count == 2 ? [loss] : []))
      }
    }
  }

  @Test("K9: a cursor from the future of an older copy skips nothing that is recorded from now on")
  func cursorAhead() {
    let disk = MemoryFileSystem()
    let store = TestStore(disk)
    store.add(0..<10)
    let old = disk.afterKill()
    store.add(10..<20)
    store.acknowledge()
    if let cursor = disk.contents(Cursor.fileName) { old.tamper(Cursor.fileName) { $0 = cursor } }
    let after = TestStore(old)
    after.add(100..<105)
    #expect(after.waiting() == Array(100..<105))
  }

  @Test("K8: a missing segment is counted, a renamed one is read, a doubled or foreign one is set aside")
  func segmentFiles() throws {
    let (disk, names) = store()
    let missing = disk.afterKill()
    try missing.remove(names[0])
    check(missing, mayLose: 97...97, "missing segment")

    let renamed = disk.afterKill()
    try renamed.rename(names[0], to: "results-0000000000000001-0000000f.seg")
    check(renamed, mayLose: 0...0, "renamed segment")

    let doubled = disk.afterKill()
    let copy = try doubled.open("results-0000000000000001-0000000f.seg", create: true)
    try doubled.write(copy, at: 0, doubled.contents(names[0]) ?? [])
    check(doubled, mayLose: 0...0, "doubled segment")

    let other = MemoryFileSystem()
    let stranger = TestStore(other, at: 50)
    stranger.add(500..<510)
    let foreignName = try #require(other.snapshot.names.keys.first { $0.hasPrefix("results-0") })
    let mixed = disk.afterKill()
    let file = try mixed.open("results-0000000000000001-000000ff.seg", create: true)
    try mixed.write(file, at: 0, other.contents(foreignName) ?? [])
    let after = TestStore(mixed)
    #expect(after.waiting() == Array(0..<130))
    #expect(after.status.setAside == 1)
  }

  @Test("K12: a segment of a newer format is set aside, not destroyed")
  func newerFormat() throws {
    let (disk, names) = store()
    let original = try #require(disk.contents(names[1]))
    disk.tamper(names[1]) { bytes in
      bytes[4] = 9
      bytes.overwrite(CRC32C.checksum(Array(bytes[..<60])), at: 60)
    }
    let store = TestStore(disk)
    #expect(store.status.setAside == 1)
    #expect(disk.contents("aside-\(names[1])")?[64...] == original[64...])
  }

  @Test("K8: zero bytes, a sparse terabyte in name only, a text file: the store starts")
  func oddFiles() throws {
    let (disk, _) = store()
    let names = [
      "results-0000000000000001-00000001.seg", "results-spare-000000aa.seg", "results-x.seg", "notes.txt",
    ]
    for (index, name) in names.enumerated() {
      let file = try disk.open(name, create: true)
      try disk.write(file, at: 0, [UInt8](repeating: 0x41, count: index * 1000))
    }
    let store = TestStore(disk)
    #expect(store.status.isDurable)
    #expect(store.waiting().suffix(10) == Array(120..<130)[...])
  }
}
