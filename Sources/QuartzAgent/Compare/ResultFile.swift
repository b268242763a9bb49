// SPDX-License-Identifier: MIT

import Basics
import Glibc

/// Results from a file, a pipe or, for `-`, standard input, a line each.
struct ResultFile: Sendable {
  let path: String

  var name: String { path == "-" ? "standard input" : path }

  /// Blocks for as long as there is something to come.
  ///
  /// - Throws: what is wrong, with its place.
  func read() throws(CompareProblem) -> MeasuredChecks {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw unreadable(errno) }
    defer { if path != "-" { close(descriptor) } }
    var lines = LineSplitter()
    var checks = MeasuredChecks()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw unreadable(errno) }
      guard count > 0 else { break }
      try lines.add(buffer[..<count]) { number, line throws(CompareProblem) in try take(line, number, &checks)
      }
    }
    try lines.end { number, line throws(CompareProblem) in try take(line, number, &checks) }
    return checks
  }

  private func unreadable(_ code: Int32) -> CompareProblem {
    CompareProblem("\(shown): \(String(cString: strerror(code)))", isUnreadable: true)
  }

  private var shown: String { name.printable(maxBytes: 500) }

  private func take(_ line: [UInt8], _ number: Int, _ checks: inout MeasuredChecks) throws(CompareProblem) {
    guard line.count <= MeasuredChecks.maxLine else {
      throw CompareProblem("\(shown):\(number): is longer than 1 MiB, which no result is")
    }
    // Blank lines, and the brackets of `--format json`, which has a result a line too.
    let content = line.trimmed { isBlank($0) || $0 == 0x0d }
    guard !content.isEmpty, !content.elementsEqual([UInt8(ascii: "[")]),
      !content.elementsEqual([UInt8(ascii: "]")])
    else { return }
    do throws(CompareProblem) {
      try checks.add(content.last == UInt8(ascii: ",") ? content.dropLast() : content)
    } catch {
      throw CompareProblem("\(shown):\(number): \(error.message)")
    }
  }
}

/// Lines out of pieces of any size; of one that is too long only so much is kept as shows it.
struct LineSplitter {
  private var line: [UInt8] = []
  private var number = 1

  typealias Take = (Int, [UInt8]) throws(CompareProblem) -> Void

  mutating func add(_ bytes: ArraySlice<UInt8>, _ take: Take) throws(CompareProblem) {
    var rest = bytes
    while let end = rest.firstIndex(of: 0x0a) {
      append(rest[..<end])
      try finish(take)
      rest = rest[(end + 1)...]
    }
    append(rest)
  }

  /// Reads the rest behind the last line end.
  mutating func end(_ take: Take) throws(CompareProblem) {
    if !line.isEmpty { try finish(take) }
  }

  private mutating func append(_ bytes: ArraySlice<UInt8>) {
    let room = MeasuredChecks.maxLine + 1 - line.count
    if room > 0 { line += bytes.prefix(room) }
  }

  private mutating func finish(_ take: Take) throws(CompareProblem) {
    try take(number, line)
    line.removeAll(keepingCapacity: true)
    number += 1
  }
}
