// SPDX-License-Identifier: MIT

import Glibc

/// One small file of the state directory, read and replaced as a whole, never touched on the cooperative pool: each
/// call runs on a thread of its own, so that a hanging disk holds up nothing but its caller.
///
/// Replacing is by a temporary file beside it, synced and renamed, mode 0600; a reader sees the old bytes or the
/// new ones. Symbolic links are not followed, and what is no regular file of the agent's own, under one name, is refused
/// (`OwnFile`).
package struct StateFile: Hashable, Sendable {
  package let path: String
  /// A longer file is refused.
  package let maxBytes: Int

  package static let usualLimit = 64 << 20

  package init(path: String, maxBytes: Int = StateFile.usualLimit) {
    self.path = path
    self.maxBytes = maxBytes
  }

  /// The operation that failed, the system's reason, and the file.
  package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
    /// Number of the system's error. `nil` for a refusal of our own.
    package let code: Int32?

    package init(description: String, code: Int32? = nil) {
      (self.description, self.code) = (description, code)
    }

    /// The words say it all.
    package static func == (left: Failure, right: Failure) -> Bool { left.description == right.description }
    package func hash(into hasher: inout Hasher) { hasher.combine(description) }
  }

  /// `nil` when there is no such file.
  package func read() async throws(Failure) -> [UInt8]? {
    try await onThread { Result { () throws(Failure) in try readBlocking() } }.get()
  }

  package func write(_ bytes: [UInt8]) async throws(Failure) {
    try await write(bytes) { fsync($0) }
  }

  /// - Parameter sync: puts an open file, or the folder, on the medium; 0, or -1 with `errno`. Tests look at what is
  ///   there by then.
  package func write(
    _ bytes: [UInt8], sync: @escaping @Sendable (Int32) -> Int32
  ) async throws(Failure) {
    try await onThread { Result { () throws(Failure) in try writeBlocking(bytes, sync) } }.get()
  }

  /// There is no such file when it returns.
  package func remove() async throws(Failure) {
    try await onThread {
      Result { () throws(Failure) in
        guard unlink(path) == 0 || errno == ENOENT else { throw failure("remove", errno) }
      }
    }.get()
  }

  private func failure(_ verb: String, _ code: Int32) -> Failure {
    Failure(description: "cannot \(verb) \(path): \(String(cString: strerror(code)))", code: code)
  }

  private func readBlocking() throws(Failure) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    if descriptor < 0 {
      if errno == ENOENT { return nil }
      if errno == ELOOP { throw Failure(description: "\(path) is a symbolic link: move it away") }
      throw failure("open", errno)
    }
    defer { close(descriptor) }
    if let why = OwnFile.objection(to: descriptor) { throw Failure(description: "\(path) \(why)") }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      if count < 0 { throw failure("read", errno) }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
      if bytes.count > maxBytes { throw failure("read", EFBIG) }
    }
  }

  private func writeBlocking(_ bytes: [UInt8], _ sync: (Int32) -> Int32) throws(Failure) {
    let temporary = path + ".new"
    // A leftover of a crash is ours to replace; O_EXCL keeps anybody else's file from being written through.
    unlink(temporary)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw failure("create", errno) }
    let problem = fill(descriptor, bytes, sync)
    close(descriptor)
    guard problem == 0, rename(temporary, path) == 0 else {
      let code = problem == 0 ? errno : problem
      unlink(temporary)
      throw failure("write", code)
    }
    syncFolder(sync)
  }

  /// The error code, or 0 once every byte is on the disk.
  private func fill(_ descriptor: Int32, _ bytes: [UInt8], _ sync: (Int32) -> Int32) -> Int32 {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress?.advanced(by: written), bytes.count - written)
      }
      if count < 0, errno == EINTR { continue }
      if count < 0 { return errno }
      written += count
    }
    return sync(descriptor) == 0 ? 0 : errno
  }

  /// The rename is durable once its folder is; a file system that cannot sync folders has done what it can.
  private func syncFolder(_ sync: (Int32) -> Int32) {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    let descriptor = open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    _ = sync(descriptor)
    close(descriptor)
  }
}
