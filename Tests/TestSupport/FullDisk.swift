// SPDX-License-Identifier: MIT

import Basics
import Synchronization

/// A disk for state files that takes nothing while it is full, and remembers what was tried.
package final class FullDisk: Sendable {
  private struct State {
    var isFull = false
    /// Of what may not be written even where there is room.
    var broken: Set<String> = []
    var tried: [String] = []
  }

  private let state = Mutex(State())

  package init() {}

  package var isFull: Bool {
    get { state.withLock(\.isFull) }
    set { state.withLock { $0.isFull = newValue } }
  }

  package var broken: Set<String> {
    get { state.withLock(\.broken) }
    set { state.withLock { $0.broken = newValue } }
  }

  /// Names of files, each time one was to be written.
  package var tried: [String] { state.withLock(\.tried) }

  /// What a `StateDisk` writes to.
  package func medium(_ file: StateFile) -> any DurableBytes { Medium(file: file, disk: self) }

  private func mayWrite(_ path: String) -> Bool {
    state.withLock { state in
      let name = String(path.split(separator: "/").last ?? "")
      state.tried.append(name)
      return !state.isFull && !state.broken.contains(name)
    }
  }

  private struct Medium: DurableBytes {
    let file: StateFile
    let disk: FullDisk

    func read() async throws(StateFile.Failure) -> [UInt8]? { try await file.read() }

    func write(_ bytes: [UInt8]) async throws(StateFile.Failure) {
      guard disk.mayWrite(file.path) else {
        throw StateFile.Failure(description: "cannot write \(file.path): No space left on device")
      }
      try await file.write(bytes)
    }
  }
}
