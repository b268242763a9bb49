// SPDX-License-Identifier: MIT

import Basics
import Glibc

/// The content of a configuration's files at one moment, in a form to compare with another moment of this process.
/// Symbolic links are followed, so that swapping one is a change, and writing the same text again is none. Another mode or
/// owner is a change as well.
package struct ConfigFingerprint: Hashable, Sendable {
  /// By path; a file that cannot be read has none.
  private let contents: [String: Int?]
  /// This process had no descriptor or memory left to look at them: it says nothing of the files.
  package let isBlind: Bool

  /// Blocks for as long as the disk does.
  package init(of origin: ConfigOrigin) {
    var contents: [String: Int?] = [:]
    let included = origin.patterns.flatMap(ConfigFiles.disk.expand)
    var isBlind = false
    for path in Set(origin.files + included) { contents[path] = .some(digest(of: path, &isBlind)) }
    (self.contents, self.isBlind) = (contents, isBlind)
  }
}

/// Of the first 16 MiB and a little more: the most that a file of a configuration may have, and enough to see that it has
/// more.
private func digest(of path: String, _ isBlind: inout Bool) -> Int? {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
  guard descriptor >= 0 else {
    isBlind = isBlind || [EMFILE, ENFILE, ENOMEM].contains(errno)
    return nil
  }
  defer { close(descriptor) }
  var hasher = Hasher()
  // A secret that others may write, or that has another owner, is refused: so is a reload.
  var status = stat()
  guard fstat(descriptor, &status) == 0 else { return nil }
  hasher.combine(status.st_mode)
  hasher.combine(status.st_uid)
  var total = 0
  while total <= ConfigText.maxSize {
    let (chunk, failure) = readChunk(descriptor)
    if failure != nil { return nil }
    if chunk.isEmpty { break }
    hasher.combine(chunk)
    total += chunk.count
  }
  return hasher.finalize()
}
