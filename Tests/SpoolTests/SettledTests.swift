// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import TestSupport
import Testing

@testable import Spool

/// Which results are settled, and what is done with those that wait in memory.
@Suite("What is settled")
struct SettledTests {
  /// Ranges that hold these numbers and no others, and never touch.
  private func ranges(of numbers: Set<UInt64>) -> [ClosedRange<UInt64>] {
    numbers.sorted().reduce(into: []) { made, number in
      if let last = made.last, last.upperBound + 1 == number {
        made[made.count - 1] = last.lowerBound...number
      } else {
        made.append(number...number)
      }
    }
  }

  @Test("a set of ranges is a set of numbers", arguments: UInt64(1)...20)
  func setOfRanges(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    func pick(_ range: ClosedRange<UInt64>) -> UInt64 { UInt64.random(in: range, using: &random) }
    var set = IntervalSet()
    var numbers: Set<UInt64> = []
    for _ in 0..<60 {
      let first = pick(0...40)
      let range = first...(first + pick(0...4))
      set.insert(range)
      numbers.formUnion(range)
      if pick(0...7) == 0 {
        let last = pick(0...44)
        set.remove(through: last)
        numbers = numbers.filter { $0 > last }
      }
      let whole = ranges(of: numbers)
      #expect(set.ranges == whole && set.isEmpty == numbers.isEmpty)
      for value in UInt64(0)...46 {
        #expect(set.contains(value) == numbers.contains(value))
        #expect(set.lastRange(from: value) == whole.last(where: { $0.lowerBound <= value }))
      }
      let start = pick(0...40)
      let asked = start...(start + pick(0...8))
      #expect(set.missing(from: asked) == ranges(of: Set(asked).subtracting(numbers)))
    }
  }

  @Test("each lane has its own numbers, and what is settled in both is settled from the first on")
  func lanes() {
    var progress = DeliveryProgress(settledThrough: 10)
    let limit = RecordFrame.sequenceLimit
    #expect(progress.bounds(of: .backlog) == nil && progress.bounds(of: .live) == 11...limit)
    progress.startLive(at: 11)
    #expect(progress.bounds(of: .backlog) == nil)
    progress.startLive(at: 15)
    progress.startLive(at: 12)
    #expect(progress.bounds(of: .backlog) == 11...14 && progress.bounds(of: .live) == 15...limit)
    progress.acknowledge(.live, 1...16, newest: 20)
    #expect((10...17).filter { progress.isSettled($0) } == [10, 15, 16])
    #expect(progress.cursorNumbers.settledThrough == 10 && progress.cursorNumbers.liveStart == 15)
    #expect(progress.cursorNumbers.liveThrough == 16 && progress.cursorRanges(atMost: 9) == [])
    #expect([11, 14, 17, 99].map { progress.lastSettled(below: $0) } == [10, 10, 16, 16])
    #expect(progress.unsettled(in: 1...18) == [11...14, 17...18] && progress.unsettled(in: 1...10) == [])
    progress.acknowledge(.backlog, 1...20, newest: 20)
    #expect(progress.settledThrough == 16 && progress.settled.isEmpty)
    #expect(progress.bounds(of: .backlog) == nil && progress.bounds(of: .live) == 17...limit)
    progress.forget(through: 9)
    #expect(progress.settledThrough == 16)
    progress.forget(through: 30)
    #expect(progress.settledThrough == 30 && progress.cursorNumbers.liveThrough == 14)
  }

  @Test("what leaves the store is settled but for results whose fate is open")
  func open() {
    var progress = DeliveryProgress(settledThrough: 10)
    progress.acknowledge(.live, 14...15, newest: 100)
    progress.forget(through: 20, except: [9, 12, 15, 18, 25])
    #expect((9...22).filter { !progress.isSettled($0) } == [12, 18, 21, 22])
    #expect(progress.settledThrough == 11)
    progress.forget(through: 20, except: [18])
    #expect((9...22).filter { !progress.isSettled($0) } == [18, 21, 22] && progress.settledThrough == 17)
    progress.forget(through: 22)
    #expect(progress.settledThrough == 22 && progress.settled.isEmpty)
  }

  @Test("a cursor without room for all ranges has the widest, in their order")
  func widestRanges() {
    var progress = DeliveryProgress(settledThrough: 10)
    progress.startLive(at: 15)
    for part in [15...16, 20...22, 25...25, 30...34] as [ClosedRange<UInt64>] {
      progress.acknowledge(.live, part, newest: 100)
    }
    #expect(progress.cursorRanges(atMost: 3) == [20...22, 25...25, 30...34])
    #expect(progress.cursorRanges(atMost: 2) == [20...22, 30...34])
    #expect(progress.cursorRanges(atMost: 1) == [30...34])
    #expect(progress.cursorRanges(atMost: 0) == [])
  }

  private func held(_ sequence: UInt64, _ isDeliverable: Bool = true) -> SpoolEntry {
    SpoolEntry(
      sequence: sequence, kind: .result, deliverable: isDeliverable,
      payload: [UInt8](repeating: 1, count: Int(sequence)))
  }

  @Test("what is not to be delivered makes room first, oldest first, and its bytes with it")
  func room() {
    var queue = SpoolCore.MemoryQueue()
    for entry in [held(1), held(2, false), held(3), held(4, false), held(5)] { queue.append(entry) }
    var left = queue.entries.map(\.size).reduce(0, +)
    #expect(queue.bytes == left)
    queue.settle { $0 == 3 }
    for expected in [2, 3, 4, 1, 5] as [UInt64] {
      left -= held(expected).size
      let entry = queue.removeLeastMissed()
      #expect(entry?.sequence == expected && queue.bytes == left)
    }
    #expect(queue.removeLeastMissed() == nil)
    #expect(queue.bytes == 0 && queue.entries.isEmpty)
    for entry in [held(8), held(9)] { queue.append(entry) }
    queue.renumber(from: 20)
    #expect(queue.entries.map(\.sequence) == [20, 21])
  }

  @Test("in memory, too, each lane has its own results, and no more of them than were asked for")
  func lanesInMemory() {
    let disk = MemoryFileSystem()
    let store = TestStore(disk)
    disk.fail("sync", EIO, count: -1)
    store.add(0..<5)
    #expect(!store.status.isDurable)
    store.core.startLiveLane()
    store.add(5..<8)
    store.add(8..<10, post: false)
    #expect(store.waiting(.live) == [5, 6, 7] && store.waiting(.backlog) == [0, 1, 2, 3, 4])
    #expect(store.waiting(.live, limit: 2) == [5, 6] && store.waiting(.backlog, limit: 1) == [0])
    #expect(store.waiting(.live, limit: 0) == [])
    store.core.acknowledge(.live, store.pending(.live, limit: 2).map(\.sequence))
    #expect(store.waiting(.live) == [7] && store.waiting(.backlog) == [0, 1, 2, 3, 4])
  }

  @Test("the mount with the longest path over a directory counts, and of several the last")
  func mounts() {
    let mounts = """
      1 0 8:1 / / rw - ext4 /dev/sda1 rw
      2 1 0:40 / /var/lib rw shared:1 - nfs4 srv:/x rw
      3 1 0:41 / /var/lib/a\\040b rw - btrfs x rw
      4 1 0:42 / /var/lib rw - xfs x rw
      5 1 0:43 / /var/library rw - zfs x rw
      6 1 0:44 / /odd rw shared:1 ext3 x rw
      7 1 0:45 / /odd rw -
      short

      """
    for (path, type) in [
      ("/", "ext4"), ("/var", "ext4"), ("/var/lib", "xfs"), ("/var/lib/q", "xfs"), ("/var/lib/a b", "btrfs"),
      ("/var/lib/a b/c", "btrfs"), ("/var/lib/a", "xfs"), ("/var/library", "zfs"), ("/var/libr", "ext4"),
      ("/odd", "ext4"),
    ] {
      #expect(mountType(of: path, in: mounts) == type, "\(path)")
    }
    #expect(mountType(of: "/x", in: "") == nil)
  }

  @Test("network and copy-on-write file systems are known by their type, all others are ordinary")
  func kindsOfMounts() {
    let network = ["nfs", "nfs4", "cifs", "smb3", "smbfs", "ceph", "lustre", "afs", "gfs2", "ocfs2"]
    for type in network + ["fuse.sshfs", "fuse.glusterfs"] { #expect(MountKind(type: type) == .network) }
    for type in ["btrfs", "zfs", "bcachefs"] { #expect(MountKind(type: type) == .copyOnWrite) }
    for type in ["ext4", "xfs", "tmpfs", "overlay", "fuse", "NFS", ""] {
      #expect(MountKind(type: type) == .ordinary)
    }
  }

  @Test(
    "a fault says what, where, and what to do next",
    arguments: [
      (ENOSPC, "No space left on device (free space, or make spool.size smaller)"),
      (EDQUOT, "Disk quota exceeded (free space, or make spool.size smaller)"),
      (EROFS, "Read-only file system (the disk is mounted read-only)"),
      (EACCES, "Permission denied (the agent's user needs to write there)"),
      (EPERM, "Operation not permitted (the agent's user needs to write there)"),
      (ENOENT, "No such file or directory (create the directory, owned by the agent's user)"),
      (EIO, "Input/output error"),
    ])
  func faults(code: Int32, words: String) {
    #expect(
      FileFault.failed(operation: "write", name: "a", code: code).description == "cannot write a: \(words)")
  }
}
