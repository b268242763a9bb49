// SPDX-License-Identifier: MIT

import Agent
import Basics
import Glibc

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
  let draft = draftPath(path)
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

private func draftPath(_ path: String) -> String { "\(path).\(getpid()).tmp" }

/// Whether `writeWhole` could begin now. Nothing is left at the path, and nothing that is there is changed.
func requireWritable(_ path: String) throws(UnreadableFile) {
  var status = stat()
  if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
    let code = status.st_mode & S_IFMT == S_IFDIR ? EISDIR : access(path, W_OK) == 0 ? 0 : errno
    if code != 0 { throw UnreadableFile(path, String(cString: strerror(code))) }
    return
  }
  let draft = draftPath(path)
  let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
  guard descriptor >= 0 else { throw UnreadableFile(path, String(cString: strerror(errno))) }
  close(descriptor)
  unlink(draft)
}
