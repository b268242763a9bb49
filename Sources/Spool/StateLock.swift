// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Synchronization

/// One agent at a time on a state directory, its alerts, mutes and windows included: the store has a lock of its own, but not
/// where its folder cannot be used.
///
/// A directory that cannot be opened or locked, on a network file system for one, is used without a lock.
package final class StateLock: Sendable {
  private let path: String
  /// The directory that is locked; below 0 for none.
  private let held: Mutex<Int32>

  /// Blocks on the disk.
  ///
  /// - Throws: `SpoolError.locked` where another process has it.
  package init(_ path: String) throws(SpoolError) {
    self.path = path
    held = Mutex(try Self.take(path))
  }

  deinit { held.withLock { if $0 >= 0 { close($0) } } }

  /// Whether the directory that stands at the path now is another agent's: the one that was locked was removed or renamed, and
  /// another agent has made a new one. One that is free is taken. Blocks on the disk.
  package var isAnothers: Bool {
    held.withLock { held in
      var (here, ours) = (stat(), stat())
      guard stat(path, &here) == 0 else { return false }
      if held >= 0, fstat(held, &ours) == 0, (ours.st_dev, ours.st_ino) == (here.st_dev, here.st_ino) {
        return false
      }
      guard let taken = try? Self.take(path) else { return true }
      if held >= 0 { close(held) }
      held = taken
      return false
    }
  }

  /// A file of the directory, which is written only while that is not another agent's.
  package func guarding(_ file: any DurableBytes) -> any DurableBytes { GuardedBytes(file: file, lock: self) }

  fileprivate var refusal: StateFile.Failure {
    StateFile.Failure(description: SpoolError.locked(path: path).description)
  }

  private static func take(_ path: String) throws(SpoolError) -> Int32 {
    let directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { return -1 }
    do { try FolderLock.take(directory, path) } catch {
      guard case .locked = error else { return directory }
      close(directory)
      throw .locked(path: path)
    }
    return directory
  }
}

private struct GuardedBytes: DurableBytes {
  let file: any DurableBytes
  let lock: StateLock

  func read() async throws(StateFile.Failure) -> [UInt8]? { try await file.read() }

  func write(_ bytes: [UInt8]) async throws(StateFile.Failure) {
    if await onThread({ [lock] in lock.isAnothers }) { throw lock.refusal }
    try await file.write(bytes)
  }

  func understood() async { await file.understood() }

  func refusal(of bytes: [UInt8]) async -> String? { await file.refusal(of: bytes) }
}
