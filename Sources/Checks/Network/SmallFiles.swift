// SPDX-License-Identifier: MIT

import Basics
import Glibc

/// A small file's bytes, at most `limit`; nil when it cannot be read.
package func readFile(_ path: String, limit: Int) -> [UInt8]? {
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
