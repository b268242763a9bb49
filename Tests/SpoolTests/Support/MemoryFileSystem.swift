// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Spool
import Synchronization

/// A disk that knows what is on the medium and what is only in the page cache, can fail at any operation,
/// and can lose its power.
final class MemoryFileSystem: SpoolFileSystem {
  typealias Watcher = @Sendable (MemoryDisk) -> Void

  private let state: Mutex<MemoryDisk>
  /// Sees the disk after every operation that could change it.
  private let watcher: Watcher?
  let notes: [Notice] = []

  init(_ disk: MemoryDisk = MemoryDisk(), watcher: Watcher? = nil) {
    self.state = Mutex(disk)
    self.watcher = watcher
  }

  var snapshot: MemoryDisk { state.withLock { $0 } }

  func change<T: Sendable>(_ body: (inout MemoryDisk) -> T) -> T { state.withLock { body(&$0) } }

  /// Fails `count` calls of an operation, for ever with -1, once `after` calls went well.
  func fail(_ operation: String, _ code: Int32, count: Int = 1, after: Int = 0) {
    change { $0.failures[operation] = MemoryDisk.Failure(code: code, count: count, after: after) }
  }

  func heal() {
    change {
      $0.failures = [:]
      $0.isReadOnly = false
    }
  }

  /// The same disk as a new process finds it after a kill: everything written is there.
  func afterKill(watcher: Watcher? = nil) -> MemoryFileSystem {
    var disk = snapshot
    disk.restart()
    return MemoryFileSystem(disk, watcher: watcher)
  }

  /// The same disk after a power cut, of any kind.
  func afterPowerCut(using random: inout some RandomNumberGenerator, watcher: Watcher? = nil)
    -> MemoryFileSystem
  {
    let disk = snapshot
    let cut: PowerCut =
      switch Int.random(in: 0..<6, using: &random) {
      case 0: .nothing
      case 1: .everything
      case 2: .prefix(Int.random(in: 0...disk.changes.count, using: &random), torn: 0)
      case 3: .units(4096)
      case 4: .names
      default: .units(512)
      }
    return MemoryFileSystem(disk.after(cut, using: &random), watcher: watcher)
  }

  func contents(_ name: String) -> [UInt8]? {
    state.withLock { disk in disk.names[name].flatMap { disk.files[$0]?.data } }
  }

  /// Changes a file behind the store's back.
  func tamper(_ name: String, _ body: (inout [UInt8]) -> Void) {
    change { disk in
      guard let id = disk.names[name] else { return }
      // In place: taken out first, so that nothing is copied.
      var data = disk.files[id]?.data ?? []
      disk.files[id]?.data = []
      body(&data)
      disk.files[id]?.data = data
      disk.files[id]?.durable = data
    }
  }

  func count(of operation: String) -> Int { state.withLock { $0.operations[operation] ?? 0 } }

  private func perform<T: Sendable>(
    _ operation: String, _ name: String, writes: Bool = true,
    _ body: (inout MemoryDisk) -> Result<T, FileFault>
  ) throws(FileFault) -> T {
    defer { if writes, let watcher { watcher(snapshot) } }
    return try state.withLock { disk -> Result<T, FileFault> in
      disk.operations[operation, default: 0] += 1
      if writes, disk.isReadOnly { return .failure(.failed(operation: operation, name: name, code: EROFS)) }
      if var failure = disk.failures[operation], failure.count != 0 {
        defer { disk.failures[operation] = failure }
        if failure.after > 0 {
          failure.after -= 1
          return body(&disk)
        }
        if failure.count > 0 { failure.count -= 1 }
        disk.injected += 1
        return .failure(.failed(operation: operation, name: name, code: failure.code))
      }
      return body(&disk)
    }.get()
  }

  /// The file behind a handle.
  private func file(
    _ operation: String, _ file: SpoolFile, _ disk: MemoryDisk, _ body: (Int32) -> Void
  ) -> Result<Void, FileFault> {
    guard let id = disk.handles[file.handle] else {
      return .failure(.failed(operation: operation, name: "", code: EBADF))
    }
    return .success(body(id))
  }

  func list() throws(FileFault) -> [String: Int] {
    try perform("list", "", writes: false) { disk -> Result<[String: Int], FileFault> in
      .success(disk.names.mapValues { disk.files[$0]?.data.count ?? 0 })
    }
  }

  func open(_ name: String, create: Bool) throws(FileFault) -> SpoolFile {
    try perform("open", name, writes: create) { disk -> Result<SpoolFile, FileFault> in
      if disk.names[name] == nil {
        guard create else { return .failure(.failed(operation: "open", name: name, code: ENOENT)) }
        guard disk.inodes > 0 else {
          return .failure(.failed(operation: "open", name: name, code: ENOSPC))
        }
        disk.inodes -= 1
        let id = disk.nextFile
        disk.setNames { $0[name] = id }
        disk.files[id] = MemoryDisk.File()
        disk.nextFile += 1
      }
      disk.handles[disk.nextHandle] = disk.names[name]
      disk.nextHandle += 1
      return .success(SpoolFile(handle: disk.nextHandle - 1))
    }
  }

  func close(_ file: SpoolFile) { change { $0.handles[file.handle] = nil } }

  func read(_ file: SpoolFile, at offset: Int, count: Int) throws(FileFault) -> [UInt8] {
    try perform("read", "", writes: false) { disk -> Result<[UInt8], FileFault> in
      guard let id = disk.handles[file.handle], let data = disk.files[id]?.data else {
        return .failure(.failed(operation: "read", name: "", code: EBADF))
      }
      guard offset < data.count else { return .success([]) }
      return .success(Array(data[offset..<min(data.count, offset + count)]))
    }
  }

  func write(_ file: SpoolFile, at offset: Int, _ bytes: [UInt8]) throws(FileFault) {
    do throws(FileFault) {
      try perform("write", "") { disk -> Result<Void, FileFault> in
        self.file("write", file, disk) { disk.write($0, at: offset, bytes) }
      }
    } catch {
      // A write that fails may have done a part of its work.
      change { disk in
        if case .failed(_, _, EIO) = error, let id = disk.handles[file.handle] {
          disk.write(id, at: offset, Array(bytes.prefix(bytes.count / 2)))
        }
      }
      throw error
    }
  }

  func sync(_ file: SpoolFile) throws(FileFault) {
    do throws(FileFault) {
      try perform("sync", "") { disk -> Result<Void, FileFault> in
        self.file("sync", file, disk) { disk.sync($0) }
      }
    } catch {
      // As Linux does it: the pages count as clean afterwards, and what was not written stays unwritten.
      change { disk in
        if let id = disk.handles[file.handle] { disk.files[id]?.hasFailedSync = true }
      }
      throw error
    }
  }

  func reserve(_ file: SpoolFile, size: Int) throws(FileFault) {
    try perform("reserve", "") { disk -> Result<Void, FileFault> in
      let more = disk.handles[file.handle].map { size - (disk.files[$0]?.data.count ?? 0) } ?? 0
      guard more <= disk.space else {
        return .failure(.failed(operation: "reserve", name: "", code: ENOSPC))
      }
      if disk.space != Int.max { disk.space -= max(0, more) }
      return self.file("reserve", file, disk) { disk.reserve($0, size: size) }
    }
  }

  func rename(_ name: String, to target: String) throws(FileFault) {
    try perform("rename", name) { disk -> Result<Void, FileFault> in
      guard let id = disk.names[name] else {
        return .failure(.failed(operation: "rename", name: name, code: ENOENT))
      }
      disk.setNames {
        $0[name] = nil
        $0[target] = id
      }
      return .success(())
    }
  }

  func remove(_ name: String) throws(FileFault) {
    try perform("remove", name) { disk -> Result<Void, FileFault> in
      guard let id = disk.names[name] else {
        return .failure(.failed(operation: "remove", name: name, code: ENOENT))
      }
      if disk.space != Int.max { disk.space += disk.files[id]?.data.count ?? 0 }
      disk.setNames { $0[name] = nil }
      return .success(())
    }
  }

  func syncDirectory() throws(FileFault) {
    try perform("syncDirectory", "") { disk -> Result<Void, FileFault> in
      .success(disk.syncDirectory())
    }
  }

  func release() {}

  func reattached() throws(FileFault) -> any SpoolFileSystem { self }
}
