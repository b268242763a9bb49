// SPDX-License-Identifier: MIT

import Glibc

/// The agent's own directory.
package enum StateFolder {
  /// Makes the folder and its parents where they are missing, mode 0700; off the cooperative pool, since a network
  /// file system may hang.
  ///
  /// - Returns: nil when it is there, else why not, in words.
  package static func prepare(_ path: String) async -> String? {
    await onThread { makeFolders(path) }
  }
}

private func makeFolders(_ path: String) -> String? {
  var made = path.hasPrefix("/") ? "/" : ""
  for part in path.split(separator: "/") {
    made += (made.isEmpty || made.hasSuffix("/") ? "" : "/") + part
    if mkdir(made, 0o700) != 0, errno != EEXIST {
      return "cannot create \(made): \(String(cString: strerror(errno)))"
    }
  }
  var facts = stat()
  guard stat(path, &facts) == 0 else { return "cannot read \(path): \(String(cString: strerror(errno)))" }
  guard facts.st_mode & S_IFMT == S_IFDIR else { return "\(path) is no directory" }
  // The store judges its own folder; a user who may write here could rename it away.
  if facts.st_mode & (S_IWGRP | S_IWOTH) != 0 {
    return "\(path) may be written by others: chmod go-w \(path)"
  }
  return nil
}
