// SPDX-License-Identifier: MIT

import Basics

/// Statuses that several conditions let pass together.
struct StatusSet {
  private(set) var codes: Set<Int>

  init(_ range: ClosedRange<Int> = 100...599) { codes = Set(range) }

  /// Keeps those of both; false, and nothing changed, where none would be left.
  mutating func keep(_ isKept: (Int) -> Bool) -> Bool {
    let kept = codes.filter(isKept)
    guard !kept.isEmpty else { return false }
    codes = kept
    return true
  }

  /// As `expect.status` lists them.
  var value: AgentValue {
    guard codes.count < 500 else { return .plain("any") }
    var ranges: [ClosedRange<Int>] = []
    for code in codes.sorted() {
      if let last = ranges.last, last.upperBound == code - 1 {
        ranges[ranges.count - 1] = last.lowerBound...code
      } else {
        ranges.append(code...code)
      }
    }
    return .list(
      ranges.map { .plain($0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)") })
  }
}
