// SPDX-License-Identifier: MIT

import Glibc

/// Runs a blocking call on a thread made for it, so that the cooperative pool never waits for a file.
///
/// Nil when no thread could be made (task limit). For rare calls only: each costs a thread's start.
func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value? {
  await withCheckedContinuation { continuation in
    let work = ThreadWork { continuation.resume(returning: $0 ? body() : nil) }
    let handover = Unmanaged.passRetained(work)
    var thread = pthread_t()
    if pthread_create(&thread, nil, runThreadWork, handover.toOpaque()) == 0 {
      pthread_detach(thread)
    } else {
      handover.takeRetainedValue().run(false)
    }
  }
}

private final class ThreadWork: Sendable {
  /// Told whether it runs on a thread of its own.
  let run: @Sendable (Bool) -> Void
  init(_ run: @escaping @Sendable (Bool) -> Void) { self.run = run }
}

private func runThreadWork(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let argument else { return nil }
  Unmanaged<ThreadWork>.fromOpaque(argument).takeRetainedValue().run(true)
  return nil
}

/// A small file's bytes, at most `limit`; nil when it cannot be read.
func readFile(_ path: String, limit: Int) -> [UInt8]? {
  guard let file = Descriptor(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) else { return nil }
  var bytes = [UInt8](repeating: 0, count: limit)
  var filled = 0
  while filled < limit {
    let count = bytes.withUnsafeMutableBytes { buffer in
      Glibc.read(file.number, buffer.baseAddress?.advanced(by: filled), limit - filled)
    }
    if count < 0 { return nil }
    if count == 0 { break }
    filled += count
  }
  return Array(bytes[..<filled])
}

/// Enough of a file's state to see that it was changed or replaced; nil when there is none.
struct FileStamp: Hashable, Sendable {
  private let device: UInt64
  private let inode: UInt64
  private let size: Int64
  private let seconds: Int64
  private let nanoseconds: Int64

  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int64(status.st_size)
    seconds = Int64(status.st_mtim.tv_sec)
    nanoseconds = Int64(status.st_mtim.tv_nsec)
  }
}
