// SPDX-License-Identifier: MIT

import Glibc

/// Requirements on a file or folder of the state directory before anything is read from it or written to it. Another
/// user who can replace it could have the agent read or overwrite a foreign file.
package enum OwnFile {
  /// Why an open file is not one of the agent's own, in words that follow its path; `nil` when it is.
  ///
  /// A second name (a hard link) would be another's way to a file of ours, or ours to another's.
  package static func objection(to descriptor: Int32) -> String? {
    var facts = stat()
    guard fstat(descriptor, &facts) == 0 else {
      return "cannot be examined: \(String(cString: strerror(errno)))"
    }
    guard facts.st_mode & S_IFMT == S_IFREG else { return "is not a regular file: move it away" }
    guard facts.st_uid == geteuid() else {
      return "belongs to user \(facts.st_uid), not to the agent's user \(geteuid()): move it away"
    }
    guard facts.st_nlink <= 1 else { return "has \(facts.st_nlink) names (hard links): move it away" }
    return nil
  }

  /// Time of the last change in seconds since 1970; `nil` when there is no such file.
  package static func changed(_ path: String) -> Int? {
    var facts = stat()
    return lstat(path, &facts) == 0 ? facts.st_mtim.tv_sec : nil
  }

  /// Why a folder below the state directory is not the agent's own, in words that follow its path; nil: it is, or it is
  /// not there. The state directory itself may be a link: systemd makes it one.
  package static func objection(toFolder path: String) -> String? {
    var facts = stat()
    guard lstat(path, &facts) == 0 else {
      return errno == ENOENT ? nil : "cannot be examined: \(String(cString: strerror(errno)))"
    }
    if facts.st_mode & S_IFMT == S_IFLNK { return "is a symbolic link: move it away" }
    guard facts.st_mode & S_IFMT == S_IFDIR else { return "is no directory: move it away" }
    guard facts.st_uid == geteuid() else {
      return "belongs to user \(facts.st_uid), not to the agent's user \(geteuid()): move it away"
    }
    return facts.st_mode & (S_IWGRP | S_IWOTH) == 0 ? nil : "may be written by others: chmod go-w \(path)"
  }
}
