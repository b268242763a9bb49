// SPDX-License-Identifier: MIT

import CPCRE2

@testable import Basics
@testable import Checks
@testable import Monitoring

/// A pattern, and a text behind its first line: compiling and matching end within their budget, and what they find
/// lies inside the text.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let line = bytes.prefix { $0 != 0x0a }
  // As long as a configuration may have them.
  guard line.count <= CheckLimits.conditionBytes else { return -1 }
  let source = String(decoding: line, as: UTF8.self)
  do throws(Pattern.Invalid) {
    let pattern = try Pattern(source)
    let text = Array(bytes[line.endIndex...].dropFirst())
    let outcome = pattern.firstMatch(in: text)
    check(outcome, text.count)
    // The same on the same bytes, wherever they stand.
    precondition(pattern.firstMatch(in: ([0x7a] + text)[1...]) == outcome)
  } catch {
    precondition((0...source.utf8.count).contains(error.offset))
    precondition(!error.message.isEmpty)
  }
  return 0
}

private func check(_ outcome: Pattern.Outcome, _ count: Int) {
  guard case .match(let range, let groups, let names) = outcome else { return }
  precondition(0 <= range.lowerBound && range.upperBound <= count)
  precondition(groups.first == range)
  for group in groups.compactMap(\.self) { precondition(0 <= group.lowerBound && group.upperBound <= count) }
  precondition(names.values.allSatisfy { groups.indices.contains($0) })
}
