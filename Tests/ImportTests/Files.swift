// SPDX-License-Identifier: MIT

import Glibc

/// A file of the tests, whole.
func readAll(_ path: String) throws -> [UInt8] {
  guard let file = fopen(path, "r") else { throw NoSuchFile(path: path) }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 65_536)
  while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
  return bytes
}

struct NoSuchFile: Error { var path: String }
