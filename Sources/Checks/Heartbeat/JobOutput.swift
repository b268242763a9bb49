// SPDX-License-Identifier: MIT

import Basics

extension String {
  /// End of a program's output, where the reason of a failure is: whole lines, each of them printable. An ellipsis marks
  /// what was left out: on a line of its own, or before the end of a last line that is too long itself.
  ///
  /// Line ends and blanks at the end of the output are left out.
  init(endOf output: [UInt8], maxBytes: Int) {
    let end = output.lastIndex { $0 != 0x0a && $0 != 0x0d && $0 != 0x20 }.map { $0 + 1 } ?? 0
    let lines = output[..<end].split(separator: 0x0a, omittingEmptySubsequences: false)
    let whole = Self.last(lines, maxBytes: maxBytes)
    if whole.count == lines.count {
      self = whole.joined(separator: "\n")
      return
    }
    let kept = Self.last(lines, maxBytes: maxBytes - "…\n".utf8.count)
    self =
      kept.isEmpty
      ? "…" + Self.printable(lines[lines.count - 1]).end(maxBytes: maxBytes - "…".utf8.count)
      : (["…"] + kept).joined(separator: "\n")
  }

  private static func last(_ lines: [ArraySlice<UInt8>], maxBytes: Int) -> [String] {
    var kept: [String] = []
    var left = maxBytes
    for line in lines.reversed() {
      let text = printable(line)
      left -= text.utf8.count + (kept.isEmpty ? 0 : 1)
      if left < 0 { break }
      kept.append(text)
    }
    return kept.reversed()
  }

  private static func printable(_ line: ArraySlice<UInt8>) -> String {
    let isWindows = line.last == 0x0d
    return String(decoding: isWindows ? line.dropLast() : line, as: UTF8.self).printable(maxBytes: .max)
  }

  private func end(maxBytes: Int) -> String {
    var left = maxBytes
    let rest = reversed().prefix { character in
      left -= character.utf8.count
      return left >= 0
    }
    return String(rest.reversed())
  }
}
