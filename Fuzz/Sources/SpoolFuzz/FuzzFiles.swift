// SPDX-License-Identifier: MIT

import Glibc
import Synchronization

@testable import Basics
@testable import Monitoring
@testable import Spool

/// Files in memory, as plain as they can be: for `SpoolFuzz`, which starts a store on hostile bytes.
final class FuzzFiles: SpoolFileSystem {
  private struct State {
    var names: [String: Int32] = [:]
    var files: [Int32: [UInt8]] = [:]
    var next: Int32 = 1
  }

  private let state = Mutex(State())
  let notes: [Notice] = []

  init(_ contents: [String: [UInt8]]) {
    state.withLock { state in
      for (name, bytes) in contents {
        state.names[name] = state.next
        state.files[state.next] = bytes
        state.next += 1
      }
    }
  }

  func list() throws(FileFault) -> [String: Int] {
    state.withLock { state in state.names.mapValues { state.files[$0]?.count ?? 0 } }
  }

  func open(_ name: String, create: Bool) throws(FileFault) -> SpoolFile {
    let handle: Int32? = state.withLock { state in
      if state.names[name] == nil, create {
        state.names[name] = state.next
        state.files[state.next] = []
        state.next += 1
      }
      return state.names[name]
    }
    guard let handle else { throw .failed(operation: "open", name: name, code: ENOENT) }
    return SpoolFile(handle: handle)
  }

  func close(_ file: SpoolFile) {}

  func read(_ file: SpoolFile, at offset: Int, count: Int) throws(FileFault) -> [UInt8] {
    state.withLock { state in
      let bytes = state.files[file.handle] ?? []
      guard offset < bytes.count else { return [] }
      return Array(bytes[offset..<min(bytes.count, offset + count)])
    }
  }

  func write(_ file: SpoolFile, at offset: Int, _ bytes: [UInt8]) throws(FileFault) {
    state.withLock { state in
      var content = state.files[file.handle] ?? []
      let end = offset + bytes.count
      if content.count < end { content += [UInt8](repeating: 0, count: end - content.count) }
      content.replaceSubrange(offset..<end, with: bytes)
      state.files[file.handle] = content
    }
  }

  func sync(_ file: SpoolFile) throws(FileFault) {}

  func reserve(_ file: SpoolFile, size: Int) throws(FileFault) {
    state.withLock { $0.files[file.handle] = [UInt8](repeating: 0, count: size) }
  }

  func rename(_ name: String, to target: String) throws(FileFault) {
    let found = state.withLock { state in
      guard let handle = state.names.removeValue(forKey: name) else { return false }
      state.names[target] = handle
      return true
    }
    if !found { throw .failed(operation: "rename", name: name, code: ENOENT) }
  }

  func remove(_ name: String) throws(FileFault) {
    let found = state.withLock { $0.names.removeValue(forKey: name) != nil }
    if !found { throw .failed(operation: "remove", name: name, code: ENOENT) }
  }

  func syncDirectory() throws(FileFault) {}
  func release() {}
  func reattached() throws(FileFault) -> any SpoolFileSystem { self }
}
