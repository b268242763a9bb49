// SPDX-License-Identifier: MIT

import Basics

/// Sequence numbers as sorted, disjoint ranges that never touch.
struct IntervalSet: Hashable, Sendable {
  private(set) var ranges: [ClosedRange<UInt64>] = []

  var isEmpty: Bool { ranges.isEmpty }

  mutating func insert(_ range: ClosedRange<UInt64>) {
    // Most come in order.
    guard let last = ranges.last,
      range.lowerBound <= last.upperBound || last.upperBound + 1 == range.lowerBound
    else { return ranges.append(range) }
    if range.lowerBound >= last.lowerBound {
      ranges[ranges.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      return
    }
    var merged = range
    var kept: [ClosedRange<UInt64>] = []
    for existing in ranges {
      let apart =
        existing.upperBound < merged.lowerBound && existing.upperBound + 1 < merged.lowerBound
        || merged.upperBound < existing.lowerBound && merged.upperBound + 1 < existing.lowerBound
      if apart {
        kept.append(existing)
      } else {
        merged = min(existing.lowerBound, merged.lowerBound)...max(existing.upperBound, merged.upperBound)
      }
    }
    let place = kept.firstIndex { $0.lowerBound > merged.lowerBound } ?? kept.count
    kept.insert(merged, at: place)
    ranges = kept
  }

  func contains(_ value: UInt64) -> Bool { range(containing: value) != nil }

  func range(containing value: UInt64) -> ClosedRange<UInt64>? {
    lastRange(from: value).flatMap { $0.contains(value) ? $0 : nil }
  }

  /// The last range that begins at or below `value`.
  func lastRange(from value: UInt64) -> ClosedRange<UInt64>? {
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].lowerBound <= value { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? ranges[low - 1] : nil
  }

  /// The parts of `range` that are not in the set.
  func missing(from range: ClosedRange<UInt64>) -> [ClosedRange<UInt64>] {
    var parts: [ClosedRange<UInt64>] = []
    var next = range.lowerBound
    for existing in ranges where existing.upperBound >= range.lowerBound {
      guard existing.lowerBound <= range.upperBound else { break }
      if existing.lowerBound > next { parts.append(next...existing.lowerBound - 1) }
      guard existing.upperBound < range.upperBound else { return parts }
      next = max(next, existing.upperBound + 1)
    }
    parts.append(next...range.upperBound)
    return parts
  }

  /// Forgets everything up to and including `value`.
  mutating func remove(through value: UInt64) {
    ranges = ranges.compactMap { range in
      guard range.upperBound > value else { return nil }
      return max(range.lowerBound, value + 1)...range.upperBound
    }
  }
}
