// SPDX-License-Identifier: MIT

import Glibc
import Synchronization

@testable import Spool

/// A disk in memory whose syncs wait until they are let go.
final class SlowDisk: SpoolFileSystem {
  let base = MemoryFileSystem()
  private struct State {
    var stalls = false
    var waits = false
  }
  private let state = Mutex(State())

  func stall() { state.withLock { $0.stalls = true } }

  func goOn() { state.withLock { $0.stalls = false } }

  /// Returns once a sync waits.
  func isStalled() async {
    while !state.withLock({ $0.waits }) { await Task.yield() }
  }

  func sync(_ file: SpoolFile) throws(FileFault) {
    while state.withLock({
      $0.waits = $0.stalls
      return $0.stalls
    }) {
      usleep(1000)
    }
    try base.sync(file)
  }

  var notes: [String] { base.notes }
  func list() throws(FileFault) -> [String: Int] { try base.list() }
  func open(_ name: String, create: Bool) throws(FileFault) -> SpoolFile {
    try base.open(name, create: create)
  }
  func close(_ file: SpoolFile) { base.close(file) }
  func read(_ file: SpoolFile, at offset: Int, count: Int) throws(FileFault) -> [UInt8] {
    try base.read(file, at: offset, count: count)
  }
  func write(_ file: SpoolFile, at offset: Int, _ bytes: [UInt8]) throws(FileFault) {
    try base.write(file, at: offset, bytes)
  }
  func reserve(_ file: SpoolFile, size: Int) throws(FileFault) { try base.reserve(file, size: size) }
  func rename(_ name: String, to target: String) throws(FileFault) { try base.rename(name, to: target) }
  func remove(_ name: String) throws(FileFault) { try base.remove(name) }
  func syncDirectory() throws(FileFault) { try base.syncDirectory() }
  func release() {}
  func reattached() throws(FileFault) -> any SpoolFileSystem { self }
}
