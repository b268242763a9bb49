// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Monitoring
import Synchronization

/// Notices that the files of the configuration hold something else than when they were last read.
///
/// Looks every few seconds: watching by inotify misses what happens behind a symbolic link and on network mounts, which
/// is where containers have their configuration.
final class ConfigWatch: Sendable {
  /// Between two looks.
  static let pause: Duration = .seconds(5)
  /// How long new content has to stay the same: a file that is still being written is not read.
  static let settling: Duration = .seconds(1)

  private struct State {
    var origin: ConfigOrigin
    /// State of the files when the configuration was last read, well or not.
    var known: ConfigFingerprint
  }

  private let state: Mutex<State>
  private let time: TimeSource

  /// Blocks for as long as the disk does.
  init(_ origin: ConfigOrigin, time: TimeSource) {
    self.time = time
    state = Mutex(State(origin: origin, known: ConfigFingerprint(of: origin)))
  }

  /// Calls `changed` once for every change that has settled, until the task is cancelled.
  func run(changed: @Sendable () -> Void) async {
    while (try? await time.sleep(for: Self.pause)) != nil {
      guard await isChanged() else { continue }
      guard await settled() else { return }
      if await isChanged() { changed() }
    }
  }

  private func isChanged() async -> Bool {
    let seen = await now()
    return !seen.isBlind && seen != state.withLock(\.known)
  }

  /// Remembers what is there, before it is read: what changes while it is read is a change.
  func beginReading() async {
    let seen = await now()
    if !seen.isBlind { state.withLock { $0.known = seen } }
  }

  /// The configuration that was read has these files.
  func finishReading(_ origin: ConfigOrigin) async {
    let isSame = state.withLock { state in
      defer { state.origin = origin }
      return state.origin == origin
    }
    if !isSame { await beginReading() }
  }

  /// False when the task was cancelled meanwhile.
  private func settled() async -> Bool {
    var last = await now()
    while (try? await time.sleep(for: Self.settling)) != nil {
      let current = await now()
      if current == last { return true }
      last = current
    }
    return false
  }

  private func now() async -> ConfigFingerprint {
    let origin = state.withLock(\.origin)
    // On a file system that does not answer this never returns, and a stop does not wait for it.
    let seen = await onThread(within: nil, whenCancelled: .zero, time) { ConfigFingerprint(of: origin) }
    return seen ?? state.withLock(\.known)
  }
}
