// SPDX-License-Identifier: MIT

import Basics
import Glibc

/// One agent at a time on a state directory.
enum FolderLock {
  /// Not by fcntl, whose locks vanish when any descriptor of the file is closed; this one ends with the process as well (flock(2)).
  ///
  /// - Throws: `FileFault.locked` where another process has it.
  static func take(_ directory: Int32, _ path: String) throws(FileFault) {
    guard flock(directory, LOCK_EX | LOCK_NB) == 0 else {
      throw errno == EWOULDBLOCK ? .locked(path) : lastFault("lock", path)
    }
  }

  static func release(_ directory: Int32) { flock(directory, LOCK_UN) }
}
