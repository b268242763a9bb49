// SPDX-License-Identifier: MIT

import Glibc
import Spool
import Synchronization

/// A disk in memory whose syncs wait until they are let go.
final class SlowDisk: WrappingFileSystem {
  let disk = MemoryFileSystem()
  var base: any SpoolFileSystem { disk }
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

  func release() {}
  func reattached() throws(FileFault) -> any SpoolFileSystem { self }
}
