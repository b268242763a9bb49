// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Spool

/// Segments whose content is gone, as a power cut leaves them: their names still say what is missing.
@Suite("Blank segments")
struct BlankSegmentTests {
  private func segments(_ disk: MemoryFileSystem) throws -> [String] {
    try disk.list().keys.filter { SegmentName($0)?.log == .results }.sorted()
  }

  private func blank(_ name: String, _ disk: MemoryFileSystem, bytes: Int = .max) {
    disk.tamper(name) { content in for place in 0..<min(bytes, content.count) { content[place] = 0 } }
  }

  /// The whole file, its first page, and a file cut to nothing.
  @Test("the only segment is blank: the loss is counted, told and recorded", arguments: [Int.max, 4096, 0])
  func theOnlySegment(bytes: Int) throws {
    let disk = MemoryFileSystem()
    let store = TestStore(disk)
    store.add(0..<13)
    let last = store.core.nextSequence - 1
    let killed = disk.afterKill()
    let name = try #require(try segments(killed).first)
    if bytes == 0 { killed.tamper(name) { $0 = [] } } else { blank(name, killed, bytes: bytes) }

    let inspector = try SpoolInspector(killed.afterKill())
    let check = inspector.reader.check()
    #expect(!check.isSound && check.blank == [name] && check.unreadable == [] && check.segments == 0)
    #expect(inspector.status.lostSegments == 1 && inspector.status.damaged == 1)

    let after = TestStore(killed, at: 50)
    let status = after.status
    #expect(status.isDurable && status.depth == 0 && status.damaged > 0)
    #expect(status.setAside == 1 && status.lostSegments == 1)
    #expect(status.gaps.map(\.cause) == [.damage, .unreadableTail])
    #expect(
      status.problem?.what == "the content of \(name) is gone: undelivered results are lost"
        && status.problem?.isCritical == true)
    #expect(after.core.nextSequence > last, "no number is given out twice")
    #expect(after.add(100..<103) && after.waiting() == Array(100..<103))
    // Once: the next start finds a gap record.
    let again = TestStore(killed.afterKill(), at: 51)
    #expect(again.status.damaged == 0 && again.status.lostSegments == 0 && again.status.notes == [])
    #expect(again.status.gaps.map(\.cause) == [.damage, .unreadableTail])
  }

  /// A full segment of 97 results and one of 23.
  private func two() throws -> (disk: MemoryFileSystem, store: TestStore, names: [String]) {
    let disk = MemoryFileSystem()
    let store = TestStore(disk)
    store.add(0..<120)
    return (disk, store, try segments(disk))
  }

  @Test("an older segment is blank: its results are counted, once and exactly")
  func anOlderSegment() throws {
    let (disk, store, names) = try two()
    let killed = disk.afterKill()
    blank(names[0], killed)
    let first = store.core.nextSequence - 120
    #expect(try SpoolInspector(killed.afterKill()).status.damaged == 97)
    let after = TestStore(killed)
    #expect(after.waiting() == Array(97..<120))
    #expect(after.status.damaged == 97 && after.status.lostInGaps == 97)
    #expect(after.status.gaps.map(\.sequences) == [first...first + 96])
    #expect(after.status.problem?.isCritical == true)
  }

  @Test("a blank segment that was delivered is no loss of results")
  func deliveredOne() throws {
    let (disk, store, names) = try two()
    store.acknowledge(through: store.core.nextSequence - 24)
    store.core.saveCursor()
    let killed = disk.afterKill()
    blank(names[0], killed)
    let inspector = try SpoolInspector(killed.afterKill())
    #expect(inspector.status.damaged == 0 && !inspector.reader.check().isSound)
    let after = TestStore(killed)
    #expect(after.waiting() == Array(97..<120))
    #expect(after.status.damaged == 0 && after.status.gaps == [] && after.status.lostSegments == 1)
    #expect(
      after.status.problem
        == .warning(
          .store, "the content of \(names[0]) is gone; no undelivered result is lost",
          hint: "check the disk and its file system"))
  }

  @Test("segments of another store or format are set aside, and nothing of theirs is counted lost")
  func foreignOnes() throws {
    let (disk, _, names) = try two()
    let killed = disk.afterKill()
    let other = MemoryFileSystem()
    TestStore(other, at: 50).add(500..<510)
    let foreign = try #require(try segments(other).first)
    let place = try killed.open("results-0000000000000001-000000ff.seg", create: true)
    try killed.write(place, at: 0, other.contents(foreign) ?? [])
    let after = TestStore(killed)
    #expect(after.status.setAside == 1 && after.status.lostSegments == 0 && after.status.damaged == 0)
    #expect(after.status.notes == [] && after.waiting() == Array(0..<120))
    // A file with such a name and nothing in it, older than all that is stored.
    let (second, _, _) = try two()
    let empty = second.afterKill()
    _ = try empty.open("results-0000000000000001-000000ff.seg", create: true)
    let next = TestStore(empty)
    #expect(next.status.damaged == 0 && next.status.gaps == [] && next.status.lostSegments == 1)
    #expect(next.waiting() == Array(0..<120) && names.count == 2)
  }

  @Test("what two segments miss is missing once")
  func neighbours() throws {
    let (disk, store, names) = try two()
    let killed = disk.afterKill()
    for name in names { blank(name, killed) }
    let first = store.core.nextSequence - 120
    let recovery = try LogRecoverer(
      files: killed, log: .results, segmentSize: 16 << 10, identity: nil, progress: nil,
      limit: RecordFrame.sequenceLimit
    ).recover()
    #expect(recovery.blanks.map(\.file) == names && recovery.blanks.map(\.isTail) == [false, true])
    #expect(recovery.holes == [first...first + 96, first + 97...first + 97])
    #expect(recovery.highest == first + 97 && recovery.oldest == first && recovery.unreadableTail)
  }
}
