// SPDX-License-Identifier: MIT

import Glibc

/// A directory of its own under the system's temporary directory, removed at the end.
final class ScratchDirectory: Sendable {
  struct Failure: Error { var code: Int32 }

  let path: String

  init() throws {
    var template = Array("/tmp/spool-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failure(code: errno) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { remove(path) }

  private func remove(_ path: String) {
    for name in entries(path) {
      let child = path + "/" + name
      if unlink(child) != 0 { remove(child) }
    }
    rmdir(path)
  }

  private func entries(_ path: String) -> [String] {
    guard let stream = opendir(path) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  func list(_ name: String) -> [String] { entries(path + "/" + name).sorted() }

  func make(_ name: String) throws {
    guard mkdir(path + "/" + name, 0o700) == 0 else { throw Failure(code: errno) }
  }

  func mode(_ name: String) -> UInt32 {
    var info = stat()
    return lstat(path + "/" + name, &info) == 0 ? info.st_mode & 0o777 : 0
  }

  /// Bytes the disk really holds for the files of a directory.
  func blocks(_ name: String) -> Int {
    list(name).reduce(0) { sum, file in
      var info = stat()
      return lstat(path + "/" + name + "/" + file, &info) == 0 ? sum + Int(info.st_blocks) * 512 : sum
    }
  }

  /// Copies the files as they are at this moment, as a backup of a running system would.
  func copy(_ name: String, to target: String) throws -> String {
    try make(target)
    for file in list(name) {
      let from = open("\(path)/\(name)/\(file)", O_RDONLY)
      let into = open("\(path)/\(target)/\(file)", O_WRONLY | O_CREAT, 0o600)
      defer {
        close(from)
        close(into)
      }
      var buffer = [UInt8](repeating: 0, count: 64 << 10)
      while true {
        let count = read(from, &buffer, buffer.count)
        guard count > 0 else { break }
        guard write(into, buffer, count) == count else { throw Failure(code: errno) }
      }
    }
    return path + "/" + target
  }
}
