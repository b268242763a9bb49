// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring

/// A directory of the real disk, opened once, locked for as long as this object lives.
package final class PosixFileSystem: SpoolFileSystem {
  private let path: String
  private let directory: Int32
  private let isReserved: Bool
  package let notes: [Notice]

  /// Makes the directory (mode 0700) when its parent exists, checks that it is ours alone, and locks it.
  ///
  /// Everything later goes through the descriptor, so the directory cannot be swapped under the store.
  ///
  /// - Parameter isReserved: whether space is set aside in advance.
  package init(path: String, isReserved: Bool = true) throws(FileFault) {
    (self.path, self.isReserved) = (path, isReserved)
    self.directory = try openDirectory(path)
    switch MountKind(of: directory) {
    case .ordinary: self.notes = []
    case .copyOnWrite:
      self.notes = [.warning(.store, "copy-on-write file system: reserved space is not guaranteed")]
    case .network: throw .refused("\(path) is on a network file system: set state_dir to a local disk")
    }
    try FolderLock.take(directory, path)
    if isReserved { fillHoles() }
  }

  /// Allocates the space of sparse segments from a time without reservation. Writing reports a full disk later. A file that is
  /// longer than a segment can be is no such one: its space would be all that the disk has.
  private func fillHoles() {
    for (name, size) in (try? list()) ?? [:]
    where name.hasSuffix(".seg") && size <= SpoolSettings.largestSegment {
      guard let file = try? open(name, create: false) else { continue }
      defer { close(file) }
      var info = stat()
      guard fstat(file.handle, &info) == 0, info.st_blocks * 512 < size else { continue }
      _ = posix_fallocate(file.handle, 0, off_t(size))
    }
  }

  deinit { Glibc.close(directory) }

  package func list() throws(FileFault) -> [String: Int] {
    // A descriptor of its own: fdopendir takes it over, and the read position is shared otherwise.
    let copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0 else { throw lastFault("list", path) }
    guard let stream = fdopendir(copy) else {
      let fault = lastFault("list", path)
      Glibc.close(copy)
      throw fault
    }
    defer { closedir(stream) }
    var files: [String: Int] = [:]
    errno = 0
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      var info = stat()
      if fstatat(directory, name, &info, AT_SYMLINK_NOFOLLOW) == 0, info.st_mode & S_IFMT == S_IFREG {
        files[name] = Int(info.st_size)
      }
      errno = 0
    }
    guard errno == 0 else { throw lastFault("list", path) }
    return files
  }

  package func open(_ name: String, create: Bool) throws(FileFault) -> SpoolFile {
    let flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | (create ? O_CREAT : 0)
    var handle = openat(directory, name, flags, 0o600)
    // A read-only disk still gives back what it holds.
    if handle < 0, !create, errno == EROFS || errno == EACCES {
      handle = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    }
    guard handle >= 0 else {
      if errno == ELOOP { throw .refused("\(path)/\(name) is a symbolic link: move it away") }
      throw lastFault("open", name)
    }
    if let why = OwnFile.objection(to: handle) {
      Glibc.close(handle)
      throw .refused("\(path)/\(name) \(why)")
    }
    return SpoolFile(handle: handle)
  }

  package func close(_ file: SpoolFile) { Glibc.close(file.handle) }

  package func read(_ file: SpoolFile, at offset: Int, count: Int) throws(FileFault) -> [UInt8] {
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let got = pread(
          file.handle, buffer.baseAddress.map { $0 + filled }, count - filled, off_t(offset + filled))
        if got > 0 {
          filled += got
        } else if got == 0 {
          return
        } else if errno != EINTR {
          failure = errno
          return
        }
      }
    }
    guard failure == 0 else { throw .failed(operation: "read", name: path, code: failure) }
    return bytes
  }

  package func write(_ file: SpoolFile, at offset: Int, _ bytes: [UInt8]) throws(FileFault) {
    let failure = bytes.withUnsafeBytes { buffer -> Int32 in
      var done = 0
      while done < buffer.count {
        let part = UnsafeRawBufferPointer(rebasing: buffer[done...])
        let put = pwrite(file.handle, part.baseAddress, part.count, off_t(offset + done))
        if put >= 0 {
          done += put
        } else if errno != EINTR {
          return errno
        }
      }
      return 0
    }
    guard failure == 0 else { throw .failed(operation: "write", name: path, code: readOnly(failure, file)) }
  }

  package func sync(_ file: SpoolFile) throws(FileFault) {
    guard fdatasync(file.handle) == 0 else { throw lastFault("sync", path) }
    // Files that were removed, or moved away with their directory, take data that no later start will find.
    var info = stat()
    guard fstat(file.handle, &info) == 0, info.st_nlink > 0, isInPlace else {
      throw .failed(operation: "find", name: path, code: ENOENT)
    }
  }

  /// The directory we hold is the one at its path.
  private var isInPlace: Bool {
    var held = stat()
    var there = stat()
    return fstat(directory, &held) == 0 && lstat(path, &there) == 0 && held.st_dev == there.st_dev
      && held.st_ino == there.st_ino
  }

  package func reserve(_ file: SpoolFile, size: Int) throws(FileFault) {
    var info = stat()
    guard fstat(file.handle, &info) == 0 else { throw lastFault("reserve", path) }
    if info.st_size > size { try truncate(file, to: size) }
    guard isReserved else {
      try empty(file, info, size)
      return
    }
    if info.st_size < size {
      // Where the disk has no such operation the C library writes into every block instead.
      let code = posix_fallocate(file.handle, 0, off_t(size))
      guard code == 0 else { throw .failed(operation: "reserve", name: path, code: readOnly(code, file)) }
    }
    guard info.st_size > 0 else { return }
    // What an earlier life left behind is overwritten. The blocks stay ours, and a later sync of data written over
    // them has no allocation to commit.
    let chunk = [UInt8](repeating: 0, count: min(size, 1 << 20))
    var offset = 0
    while offset < size {
      let part = min(chunk.count, size - offset)
      try write(file, at: offset, part == chunk.count ? chunk : Array(chunk[..<part]))
      offset += part
    }
  }

  /// Zeros that take no space.
  private func empty(_ file: SpoolFile, _ info: stat, _ size: Int) throws(FileFault) {
    if info.st_size > 0 { try truncate(file, to: 0) }
    try truncate(file, to: size)
  }

  private func truncate(_ file: SpoolFile, to size: Int) throws(FileFault) {
    guard ftruncate(file.handle, off_t(size)) != 0 else { return }
    throw .failed(operation: "reserve", name: path, code: readOnly(errno, file))
  }

  package func rename(_ name: String, to target: String) throws(FileFault) {
    guard renameat(directory, name, directory, target) == 0 else { throw lastFault("rename", name) }
  }

  package func remove(_ name: String) throws(FileFault) {
    guard unlinkat(directory, name, 0) == 0 else { throw lastFault("remove", name) }
  }

  package func syncDirectory() throws(FileFault) {
    guard fsync(directory) == 0 else { throw lastFault("sync", path) }
  }

  /// Explicit, because copies of the store's state may keep this object alive a moment longer than the store.
  package func release() { FolderLock.release(directory) }

  package func reattached() throws(FileFault) -> any SpoolFileSystem {
    if isInPlace {
      try checkSafety(directory, path)
      return self
    }
    return try PosixFileSystem(path: path, isReserved: isReserved)
  }
}

/// A file of a read-only disk is open for reading only, and the system then blames the descriptor or the call.
private func readOnly(_ code: Int32, _ file: SpoolFile) -> Int32 {
  guard [EBADF, EINVAL].contains(code), fcntl(file.handle, F_GETFL) & O_ACCMODE == O_RDONLY else {
    return code
  }
  return EROFS
}

func lastFault(_ operation: String, _ name: String) -> FileFault {
  .failed(operation: operation, name: name, code: errno)
}

private func openDirectory(_ path: String) throws(FileFault) -> Int32 {
  if mkdir(path, 0o700) != 0, errno != EEXIST, errno != EROFS, errno != EACCES {
    throw lastFault("make directory", path)
  }
  let directory = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
  guard directory >= 0 else {
    if errno == ELOOP || errno == ENOTDIR { throw .refused("\(path) is a symbolic link or not a directory") }
    throw lastFault("open directory", path)
  }
  do throws(FileFault) {
    try checkSafety(directory, path)
  } catch {
    Glibc.close(directory)
    throw error
  }
  return directory
}

/// Checks that the directory is ours and that no other user may write to it; readable bits of an older installation are
/// removed.
private func checkSafety(_ directory: Int32, _ path: String) throws(FileFault) {
  var info = stat()
  guard fstat(directory, &info) == 0 else { throw lastFault("open directory", path) }
  guard info.st_uid == geteuid() else {
    throw .refused("\(path) belongs to user \(info.st_uid), not to the agent's user \(geteuid())")
  }
  guard info.st_mode & 0o022 == 0 else {
    throw .refused("\(path) is writable by others: run `chmod 0700 \(path)`")
  }
  // On a read-only disk this fails and changes nothing that matters.
  if info.st_mode & 0o077 != 0 { fchmod(directory, 0o700) }
}
