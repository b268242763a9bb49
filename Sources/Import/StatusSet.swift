// SPDX-License-Identifier: MIT

import Basics

/// Statuses that several conditions let pass together.
struct StatusSet {
  private static let all = 100...599
  /// By their distance from 100.
  private var isKept: [Bool]

  init(_ range: ClosedRange<Int> = 100...599) { isKept = Self.all.map { range.contains($0) } }

  /// Keeps those of both; false, and nothing changed, where none would be left.
  mutating func keep(_ isWanted: (Int) -> Bool) -> Bool {
    let both = Self.all.map { isKept[$0 - 100] && isWanted($0) }
    guard both.contains(true) else { return false }
    isKept = both
    return true
  }

  /// As `expect.status` lists them.
  var value: AgentValue {
    guard isKept.contains(false) else { return .plain("any") }
    var ranges: [ClosedRange<Int>] = []
    for code in Self.all where isKept[code - 100] {
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
