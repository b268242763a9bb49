// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Spool

/// A store as the first release left it, byte for byte. These bytes never change.
@Suite("Format of the store, version 1")
struct FormatTests {
  /// 3 files of 4 MiB: one segment and two spares, the cursor beside them.
  private func disk(cursor: Bool = true) throws -> MemoryFileSystem {
    let disk = MemoryFileSystem()
    try write(
      Fixture.header + Fixture.first + Fixture.gap + Fixture.second, to: Fixture.name, size: 4 << 20, disk)
    if cursor { try write(Fixture.cursor, to: Cursor.fileName, at: 4096, size: 8192, disk) }
    return disk.afterKill()
  }

  private func write(
    _ hexadecimal: String, to name: String, at offset: Int = 0, size: Int, _ disk: MemoryFileSystem
  ) throws {
    let digits = Array(hexadecimal)
    let bytes = try stride(from: 0, to: digits.count, by: 2).map { index in
      try #require(UInt8(String(digits[index...index + 1]), radix: 16))
    }
    let file = try disk.open(name, create: true)
    try disk.reserve(file, size: size)
    try disk.write(file, at: offset, bytes)
    disk.close(file)
  }

  private var settings: SpoolSettings { SpoolSettings(path: "/nowhere", size: 12 << 20) }

  @Test("K12: a store of version 1 is read, whole, from where its cursor stands")
  func reads() throws {
    let store = TestStore(try disk(), settings)
    let status = store.status
    #expect(status.isDurable && status.damaged == 0 && status.setAside == 0 && status.cursorDamaged == 0)
    let waiting = store.pending()
    #expect(waiting.map(\.sequence) == [1001, 1002])
    let ids = (1...2).map { UniqueID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000 + $0) }
    #expect(waiting.map(\.record.id) == ids)
    #expect(
      waiting.allSatisfy { $0.record.agent == "a" && $0.record.statusCode == 200 && $0.record.state == .up })
    let gap = try #require(status.gaps.first)
    #expect(status.gaps.count == 1 && gap.cause == .ringFull && gap.lost == 5 && gap.records == 7)
    #expect(gap.firstSequence == 900 && gap.lastSequence == 950 && gap.notedAt == nil)
    #expect(
      gap.firstTime == Timestamp(seconds: 1_690_000_000) && gap.lastTime == Timestamp(seconds: 1_690_000_060))
    #expect(store.core.nextSequence == 1003)
    store.acknowledge(through: 1001)
    #expect(store.pending().map(\.sequence) == [1002])
  }

  @Test("K12: without its cursor all of it is sent again")
  func withoutCursor() throws {
    let store = TestStore(try disk(cursor: false), settings)
    #expect(store.pending().map(\.sequence) == [1001, 1002])
    #expect(store.status.damaged == 0 && store.status.depth == 2)
  }

  @Test(
    "K12: a segment and a cursor of a later version are told, and left as they are",
    arguments: [2, 9, 0xffff])
  func later(_ version: UInt16) throws {
    let disk = try disk()
    for (name, start, length) in [(Fixture.name, 0, 60), (Cursor.fileName, 4096, 56)] {
      disk.tamper(name) { bytes in
        bytes.overwrite(version, at: start + 4)
        bytes.overwrite(CRC32C.checksum(Array(bytes[start..<start + length])), at: start + length)
      }
    }
    let before = disk.contents(Fixture.name)
    let store = TestStore(disk, settings)
    #expect(store.status.isDurable && store.status.setAside == 1 && store.status.cursorDamaged == 1)
    #expect(disk.contents("aside-\(Fixture.name)") == before, "not a byte of it changed")
    #expect(store.pending().isEmpty)
    #expect(store.add(0..<5))
    // Not even a ring that goes round takes it.
    for start in stride(from: 0, to: 60_000, by: 1000) { store.add(start..<start + 1000) }
    #expect(disk.contents("aside-\(Fixture.name)") == before)
  }
}

private enum Fixture {
  static let name = "results-00000000000003e9-00000007.seg"
  static let header =
    "5153454701000000000000000000000100000000000000020300000000000000e9030000000000000700000000004000"
    + "00401e18240a06000000000040193759"
  static let first =
    "5152454301010100600000002cd9f3a6e903000000000000011001900000000070008000000000000001021000000000"
    + "000000010000000000000002030161040700401e18240a060507b84b1e18240a0606087363686564756c650707737563"
    + "636573730802757009026f6b1501010b02c8000c03404b4cfbb878b800000000"
  /// Without the time it was noted at: that field came later.
  static let gap =
    "51524543010200002b0000006dc77438ea03000000000000010972696e675f66756c6c020105030107040284030502b6"
    + "03060700a0abc90b0106070700273fcd0b0106a9905aef00"
  static let second =
    "515245430101010060000000455eb77dea03000000000000011001900000000070008000000000000002021000000000"
    + "000000010000000000000002030161040700401e18240a060507b84b1e18240a0606087363686564756c650707737563"
    + "636573730802757009026f6b1501010b02c8000c03404b4c8046bf7400000000"
  static let cursor =
    "51435552010000000900000000000000e803000000000000e903000000000000e8030000000000000000000000000001"
    + "00000000000000020a45811400000000"
}
