// SPDX-License-Identifier: MIT

import Agent
import Basics
import Glibc
import History
import QuartzAPI
import Spool

/// The disk of the store: what is on the medium and what is only in the page cache, over all lives of the process.
///
/// No lock: the simulator has one thread.
final class MachineDisk: @unchecked Sendable {
  private(set) var files = MemoryFileSystem()

  /// The process was killed: what was written is there.
  func kill() { replace { $0.restart() } }

  /// The power was cut: what was not synced is there in part, in any order, or not at all.
  func cut(using dice: inout Dice) {
    files = files.afterPowerCut(using: &dice)
    replace { _ in }
  }

  private func replace(_ body: (inout MemoryDisk) -> Void) {
    var disk = files.snapshot
    body(&disk)
    // What the dead process does still is done to another disk.
    files = MemoryFileSystem(disk)
    tidy()
  }

  /// Bytes of all files that have a name.
  var bytes: Int {
    files.change { disk in disk.names.values.reduce(0) { $0 + (disk.files[$1]?.data.count ?? 0) } }
  }

  /// Lets go of files that no name leads to and nobody has open.
  func tidy() {
    files.change { disk in
      var kept = Set(disk.names.values).union(disk.durableNames.values).union(disk.handles.values)
      for case .names(let names) in disk.changes { kept.formUnion(names.values) }
      disk.files = disk.files.filter { kept.contains($0.key) }
      disk.changes.removeAll { change in change.file.map { !kept.contains($0) } ?? false }
    }
  }

  /// Changes that nobody has synced yet.
  var unsynced: Int { files.snapshot.changes.count }
}

/// The disk as one life of the process has it: of no effect once that is over, which may be in the middle of anything.
struct LifeDisk: WrappingFileSystem {
  let files: MemoryFileSystem
  let life: Life
  var base: any SpoolFileSystem { files }

  private func pass(_ operation: String) throws(FileFault) {
    if life.isAlive, let fuse = life.fuse {
      life.fuse = fuse - 1
      if fuse <= 0 { life.burn() }
    }
    guard life.isAlive else { throw .failed(operation: operation, name: "", code: EIO) }
  }

  func list() throws(FileFault) -> [String: Int] {
    try pass("list")
    return try files.list()
  }

  func open(_ name: String, create: Bool) throws(FileFault) -> SpoolFile {
    try pass("open")
    return try files.open(name, create: create)
  }

  func read(_ file: SpoolFile, at offset: Int, count: Int) throws(FileFault) -> [UInt8] {
    guard life.isAlive else { throw .failed(operation: "read", name: "", code: EIO) }
    return try files.read(file, at: offset, count: count)
  }

  func write(_ file: SpoolFile, at offset: Int, _ bytes: [UInt8]) throws(FileFault) {
    try pass("write")
    try files.write(file, at: offset, bytes)
  }

  func sync(_ file: SpoolFile) throws(FileFault) {
    try pass("sync")
    try files.sync(file)
  }

  func reserve(_ file: SpoolFile, size: Int) throws(FileFault) {
    try pass("reserve")
    try files.reserve(file, size: size)
  }

  func rename(_ name: String, to target: String) throws(FileFault) {
    try pass("rename")
    try files.rename(name, to: target)
  }

  func remove(_ name: String) throws(FileFault) {
    try pass("remove")
    try files.remove(name)
  }

  func syncDirectory() throws(FileFault) {
    try pass("syncDirectory")
    try files.syncDirectory()
  }

  func close(_ file: SpoolFile) { if life.isAlive { files.close(file) } }
  func release() {}
  func reattached() throws(FileFault) -> any SpoolFileSystem { self }
}

extension Life {
  /// Dies here and now, in the middle of what it does; its end is told a moment later.
  fileprivate func burn() {
    fuse = nil
    let end = atFuse
    die()
    clock.after(.zero) { end() }
  }
}

/// A state file of one life.
struct LifeFile: DurableBytes {
  let name: String
  let life: Life

  func read() async throws(StateFile.Failure) -> [UInt8]? { life.machine.files[name] }

  func write(_ bytes: [UInt8]) async throws(StateFile.Failure) {
    // A sync or two.
    try? await life.time.sleep(for: .microseconds(700 + 13 * (life.clock.now.microseconds % 97)))
    guard life.isAlive, life.clock.now >= life.machine.filesFailUntil else {
      throw StateFile.Failure(description: "\(name): Input/output error")
    }
    life.machine.files[name] = bytes
  }
}

/// The history's files of one life.
struct LifeHistory: HistoryFiles {
  let life: Life
  let path = "history"

  func name(_ number: Int) -> String { "history/\(number)" }

  func read() async -> (reading: HistoryReading, problems: [String]) {
    var reading = HistoryReading()
    for number in 0..<64 {
      guard let bytes = life.machine.files["history/\(number)"] else { continue }
      reading.add(StoredShard(number: number, bytes: bytes))
    }
    return (reading, [])
  }

  func write(_ number: Int, _ bytes: [UInt8]) async throws(StateFile.Failure) {
    try await LifeFile(name: name(number), life: life).write(bytes)
  }

  func remove(_ number: Int) async throws(StateFile.Failure) {
    guard life.isAlive, life.clock.now >= life.machine.filesFailUntil else {
      throw StateFile.Failure(description: "\(name(number)): Input/output error")
    }
    life.machine.files[name(number)] = nil
  }
}
