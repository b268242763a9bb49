// SPDX-License-Identifier: MIT

import Glibc
import Synchronization

@testable import Spool

/// A disk in memory that knows what is on the medium and what is only in the page cache, can fail at any operation,
/// and can lose its power.
final class MemoryFileSystem: SpoolFileSystem {
  struct File {
    /// What a process sees.
    var data: [UInt8] = []
    /// What a power cut leaves for certain.
    var durable: [UInt8] = []
    var hasFailedSync = false
  }

  struct State {
    var files: [Int32: File] = [:]
    var names: [String: Int32] = [:]
    /// Names as of the last directory sync, and the changes since, in order.
    var durableNames: [String: Int32] = [:]
    var nameChanges: [[String: Int32]] = []
    var handles: [Int32: Int32] = [:]
    var nextHandle: Int32 = 1
    var nextFile: Int32 = 1
    /// Bytes that may still be reserved.
    var space = Int.max
    /// Operations by name that fail, and how often still; -1 for ever.
    var failures: [String: (code: Int32, count: Int)] = [:]
    var operations: [String: Int] = [:]
    var syncsAfterFailure = 0
    var isReadOnly = false
  }

  private let state: Mutex<State>
  let notes: [String] = []

  init(_ state: State = State()) { self.state = Mutex(state) }

  var snapshot: State { state.withLock { $0 } }

  func change<T: Sendable>(_ body: (inout State) -> T) -> T { state.withLock { body(&$0) } }

  /// Fails the next `count` calls of an operation; for ever with -1.
  func fail(_ operation: String, _ code: Int32, count: Int = 1) {
    change { $0.failures[operation] = (code, count) }
  }

  func heal() {
    change {
      $0.failures = [:]
      $0.isReadOnly = false
    }
  }

  /// The same disk as a new process finds it after a kill: everything written is there.
  func afterKill() -> MemoryFileSystem {
    var state = snapshot
    state.handles = [:]
    state.failures = [:]
    for id in state.files.keys { state.files[id]?.hasFailedSync = false }
    return MemoryFileSystem(state)
  }

  /// The same disk after a power cut: any subset of the sectors not yet synced, any prefix of the name changes.
  func afterPowerCut(using random: inout some RandomNumberGenerator) -> MemoryFileSystem {
    var state = snapshot
    for (id, file) in state.files.sorted(by: { $0.key < $1.key }) {
      var data = file.durable
      let keep = UInt64.random(in: 0...2, using: &random)
      if file.data.count > data.count { data += [UInt8](repeating: 0, count: file.data.count - data.count) }
      for sector in stride(from: 0, to: min(data.count, file.data.count), by: 512) {
        let end = min(sector + 512, file.data.count)
        let takes = keep == 1 ? true : keep == 0 ? false : Bool.random(using: &random)
        if takes { data.replaceSubrange(sector..<end, with: file.data[sector..<end]) }
      }
      state.files[id] = File(data: data, durable: data)
    }
    let kept = Int.random(in: 0...state.nameChanges.count, using: &random)
    state.names = kept == 0 ? state.durableNames : state.nameChanges[kept - 1]
    state.durableNames = state.names
    state.nameChanges = []
    state.handles = [:]
    state.failures = [:]
    state.isReadOnly = false
    return MemoryFileSystem(state)
  }

  func contents(_ name: String) -> [UInt8]? {
    state.withLock { state in state.names[name].flatMap { state.files[$0]?.data } }
  }

  /// Changes a file behind the store's back.
  func tamper(_ name: String, _ body: (inout [UInt8]) -> Void) {
    change { state in
      guard let id = state.names[name], var file = state.files[id] else { return }
      body(&file.data)
      file.durable = file.data
      state.files[id] = file
    }
  }

  func count(of operation: String) -> Int { state.withLock { $0.operations[operation] ?? 0 } }

  private func perform<T: Sendable>(
    _ operation: String, _ name: String, writes: Bool = true,
    _ body: (inout State) -> Result<T, FileFault>
  ) throws(FileFault) -> T {
    try state.withLock { state -> Result<T, FileFault> in
      state.operations[operation, default: 0] += 1
      if writes, state.isReadOnly { return .failure(.failed(operation: operation, name: name, code: EROFS)) }
      if let failure = state.failures[operation], failure.count != 0 {
        if failure.count > 0 { state.failures[operation] = (failure.code, failure.count - 1) }
        return .failure(.failed(operation: operation, name: name, code: failure.code))
      }
      return body(&state)
    }.get()
  }

  func list() throws(FileFault) -> [String: Int] {
    try perform("list", "", writes: false) { state -> Result<[String: Int], FileFault> in
      .success(state.names.mapValues { state.files[$0]?.data.count ?? 0 })
    }
  }

  func open(_ name: String, create: Bool) throws(FileFault) -> SpoolFile {
    try perform("open", name, writes: create) { state -> Result<SpoolFile, FileFault> in
      if state.names[name] == nil {
        guard create else { return .failure(.failed(operation: "open", name: name, code: ENOENT)) }
        state.names[name] = state.nextFile
        state.files[state.nextFile] = File()
        state.nextFile += 1
        state.nameChanges.append(state.names)
      }
      state.handles[state.nextHandle] = state.names[name]
      state.nextHandle += 1
      return .success(SpoolFile(handle: state.nextHandle - 1))
    }
  }

  func close(_ file: SpoolFile) { change { $0.handles[file.handle] = nil } }

  func read(_ file: SpoolFile, at offset: Int, count: Int) throws(FileFault) -> [UInt8] {
    try perform("read", "", writes: false) { state -> Result<[UInt8], FileFault> in
      guard let id = state.handles[file.handle], let data = state.files[id]?.data else {
        return .failure(.failed(operation: "read", name: "", code: EBADF))
      }
      guard offset < data.count else { return .success([]) }
      return .success(Array(data[offset..<min(data.count, offset + count)]))
    }
  }

  func write(_ file: SpoolFile, at offset: Int, _ bytes: [UInt8]) throws(FileFault) {
    try perform("write", "") { state -> Result<Void, FileFault> in
      guard let id = state.handles[file.handle] else {
        return .failure(.failed(operation: "write", name: "", code: EBADF))
      }
      let end = offset + bytes.count
      let size = state.files[id]?.data.count ?? 0
      if size < end { state.files[id]?.data += [UInt8](repeating: 0, count: end - size) }
      state.files[id]?.data.replaceSubrange(offset..<end, with: bytes)
      return .success(())
    }
  }

  func sync(_ file: SpoolFile) throws(FileFault) {
    do throws(FileFault) {
      try perform("sync", "") { state -> Result<Void, FileFault> in
        guard let id = state.handles[file.handle], let data = state.files[id]?.data else {
          return .failure(.failed(operation: "sync", name: "", code: EBADF))
        }
        if state.files[id]?.hasFailedSync == true { state.syncsAfterFailure += 1 }
        state.files[id]?.durable = data
        return .success(())
      }
    } catch {
      // As Linux does it: the pages count as clean afterwards, and what was not written stays unwritten.
      change { state in
        if let id = state.handles[file.handle] { state.files[id]?.hasFailedSync = true }
      }
      throw error
    }
  }

  func reserve(_ file: SpoolFile, size: Int) throws(FileFault) {
    try perform("reserve", "") { state -> Result<Void, FileFault> in
      guard let id = state.handles[file.handle] else {
        return .failure(.failed(operation: "reserve", name: "", code: EBADF))
      }
      let more = size - (state.files[id]?.data.count ?? 0)
      guard more <= state.space else {
        return .failure(.failed(operation: "reserve", name: "", code: ENOSPC))
      }
      state.space -= max(0, more)
      state.files[id]?.data = [UInt8](repeating: 0, count: size)
      return .success(())
    }
  }

  func rename(_ name: String, to target: String) throws(FileFault) {
    try perform("rename", name) { state -> Result<Void, FileFault> in
      guard let id = state.names.removeValue(forKey: name) else {
        return .failure(.failed(operation: "rename", name: name, code: ENOENT))
      }
      state.names[target] = id
      state.nameChanges.append(state.names)
      return .success(())
    }
  }

  func remove(_ name: String) throws(FileFault) {
    try perform("remove", name) { state -> Result<Void, FileFault> in
      guard let id = state.names.removeValue(forKey: name) else {
        return .failure(.failed(operation: "remove", name: name, code: ENOENT))
      }
      if state.space != Int.max { state.space += state.files[id]?.data.count ?? 0 }
      state.nameChanges.append(state.names)
      return .success(())
    }
  }

  func syncDirectory() throws(FileFault) {
    try perform("syncDirectory", "") { state -> Result<Void, FileFault> in
      state.durableNames = state.names
      state.nameChanges = []
      return .success(())
    }
  }

  func release() {}

  func reattached() throws(FileFault) -> any SpoolFileSystem { self }
}
