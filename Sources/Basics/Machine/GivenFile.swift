// SPDX-License-Identifier: MIT

import Glibc

/// A file named in a configuration or on the command line, opened so that nothing waits: a pipe without a writer would
/// hold up a start for ever.
package enum GivenFile {
  package enum Objection: Error, Hashable {
    case failed(Int32)
    case isDirectory
    /// A socket, a device, or a pipe that was not handed over by descriptor, as the shell's `<(…)` does.
    case isNoFile
  }

  /// - Returns: the descriptor, the caller's to close; reads wait for as long as there is something to come.
  package static func open(_ path: String) throws(Objection) -> Int32 {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else { throw .failed(errno) }
    if let objection = objection(to: descriptor, path) {
      close(descriptor)
      throw objection
    }
    _ = fcntl(descriptor, F_SETFL, 0)
    return descriptor
  }

  private static func objection(to descriptor: Int32, _ path: String) -> Objection? {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return .failed(errno) }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return nil
    case S_IFDIR: return .isDirectory
    case S_IFIFO where ["/dev/fd/", "/proc/self/fd/", "/dev/stdin"].contains { path.hasPrefix($0) }:
      return nil
    default: return .isNoFile
    }
  }
}
