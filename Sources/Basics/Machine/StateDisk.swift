// SPDX-License-Identifier: MIT

import Synchronization

/// The state directory: which of its files could not be written, so that a full disk is one problem and not one for each
/// file, and the retries.
///
/// Every file that must survive a restart is a `KeptFile` of it. Writers of another kind report their failures here.
package final class StateDisk: Sendable {
  /// Writes a file again.
  package typealias Again = @Sendable () async -> Void

  package struct Trouble: Hashable, Sendable {
    /// File names, relative to the state directory and sorted.
    package var files: [String]
    /// Error of the latest failed write.
    package var why: String
    /// Number of the system's error. `nil` for a refusal of the agent's own.
    package var code: Int32?
    /// Start of the first failure.
    package var since: Timestamp
  }

  private struct State {
    var again: [String: Again] = [:]  // own text: files of the state directory
    var why = ""
    var code: Int32?
    var since = Timestamp.epoch
    /// The file retried last.
    var tried = ""
  }

  package let folder: String
  private let time: TimeSource
  private let state = Mutex(State())
  private let medium: @Sendable (StateFile) -> any DurableBytes

  /// - Parameter medium: where a file is written; tests pass a full disk.
  package init(
    folder: String, time: TimeSource, medium: @escaping @Sendable (StateFile) -> any DurableBytes = { $0 }
  ) {
    (self.folder, self.time, self.medium) = (folder, time, medium)
  }

  /// A file of the state directory.
  ///
  /// - Parameter around: wraps the file.
  package func file(
    _ name: String, maxBytes: Int = StateFile.usualLimit,
    around: (any DurableBytes) -> any DurableBytes = { $0 }
  ) -> KeptFile {
    KeptFile(around(bytes(name, maxBytes: maxBytes)), name: name, of: self)
  }

  /// A file whose writer reports failures itself.
  package func bytes(_ name: String, maxBytes: Int) -> any DurableBytes {
    medium(StateFile(path: "\(folder)/\(name)", maxBytes: maxBytes))
  }

  /// `nil` when every file is saved.
  package var trouble: Trouble? {
    state.withLock { state in
      state.again.isEmpty
        ? nil
        : Trouble(
          files: state.again.keys.sorted(), why: state.why, code: state.code, since: state.since)
    }
  }

  package func failed(_ name: String, _ failure: StateFile.Failure, again: @escaping Again) {
    let now = time.wall()
    state.withLock { state in
      if state.again.isEmpty { state.since = now }
      state.again[name] = again
      (state.why, state.code) = (failure.description, failure.code)
    }
  }

  /// The file is saved, or no longer needed.
  package func settled(_ name: String) { state.withLock { $0.again[name] = nil } }

  /// Retries the failed files one after another and stops at the first that fails again. The next call starts with another
  /// file, so that one with a problem of its own does not block the rest.
  package func retry() async {
    guard let names = trouble?.files else { return }
    let last = state.withLock(\.tried)
    let split = names.firstIndex { $0 > last } ?? 0
    for name in names[split...] + names[..<split] {
      guard let again = state.withLock({ $0.again[name] }) else { continue }
      state.withLock { $0.tried = name }
      await again()
      if state.withLock({ $0.again[name] }) != nil { return }
    }
  }
}
