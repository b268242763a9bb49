// SPDX-License-Identifier: MIT

import Basics
import Glibc

/// A file that cannot be read or written, in words for a person.
package struct UnreadableFile: Error {
  package var words: String

  package init(_ path: String, _ why: String) { words = "\(path.printable(maxBytes: 500)): \(why)" }
}

/// A file, or standard input for `-`, at most `limit` bytes. Blocks for as long as there is something to come.
package func readWhole(_ path: String, limit: Int) throws(UnreadableFile) -> [UInt8] {
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
