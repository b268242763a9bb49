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
