// SPDX-License-Identifier: MIT

import Basics
import Glibc

/// A file that cannot be read or written, in words for a person.
struct UnreadableFile: Error {
  var words: String

  init(_ path: String, _ why: String) { words = "\(path.printable(maxBytes: 500)): \(why)" }
}

/// A file, or standard input for `-`, at most `limit` bytes. Blocks for as long as there is something to come.
func readWhole(_ path: String, limit: Int) throws(UnreadableFile) -> [UInt8] {
  let descriptor = path == "-" ? STDIN_FILENO : try opened(path)
  defer { if path != "-" { close(descriptor) } }
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
    if count < 0, errno == EINTR { continue }
    guard count >= 0 else { throw UnreadableFile(path, String(cString: strerror(errno))) }
    guard count > 0 else { return bytes }
    guard bytes.count + count <= limit else {
      throw UnreadableFile(path, "is larger than \(limit >> 20) MiB")
    }
    bytes += buffer[..<count]
  }
}

private func opened(_ path: String) throws(UnreadableFile) -> Int32 {
  do throws(GivenFile.Objection) {
    return try GivenFile.open(path)
  } catch {
    switch error {
    case .failed(let code): throw UnreadableFile(path, String(cString: strerror(code)))
    case .isDirectory: throw UnreadableFile(path, String(cString: strerror(EISDIR)))
    case .isNoFile: throw UnreadableFile(path, "this is no regular file")
    }
  }
}

/// A file that only its owner may read, written beside its place and then moved there: it is never seen half written. An
/// existing path that is no regular file, such as a pipe or a terminal, is written to in place.
func writeWhole(_ path: String, _ bytes: [UInt8]) throws(UnreadableFile) {
  var status = stat()
  if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw UnreadableFile(path, String(cString: strerror(errno))) }
    let code = writeAll(bytes, to: descriptor)
    close(descriptor)
    if code != 0 { throw UnreadableFile(path, String(cString: strerror(code))) }
    return
  }
  let draft = "\(path).\(getpid()).tmp"
  let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
  guard descriptor >= 0 else { throw UnreadableFile(path, String(cString: strerror(errno))) }
  var code = writeAll(bytes, to: descriptor)
  if code == 0, fsync(descriptor) != 0 { code = errno }
  close(descriptor)
  if code == 0, rename(draft, path) != 0 { code = errno }
  guard code == 0 else {
    unlink(draft)
    throw UnreadableFile(path, String(cString: strerror(code)))
  }
}
