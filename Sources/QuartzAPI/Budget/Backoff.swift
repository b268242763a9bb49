// SPDX-License-Identifier: MIT

import Basics

/// Exponential backoff with full jitter: the n-th wait is evenly spread over (0, min(cap, first · 2ⁿ)], so that a
/// thousand agents that lost the same server do not come back together.
package struct Backoff: Hashable, Sendable {
  package var first: Duration
  package var cap: Duration
  /// Failures in a row so far.
  package private(set) var failures = 0

  package init(first: Duration = .seconds(1), cap: Duration = .seconds(300)) {
    self.first = first
    self.cap = cap
  }

  /// The longest the next wait can be.
  package var ceiling: Duration {
    // 2^20 seconds is past any cap; a larger shift would only overflow.
    min(cap, first * (1 << min(failures, 20)))
  }

  /// Counts one more failure and says how long to wait; at least 1 ms.
  package mutating func next(using generator: inout some RandomNumberGenerator) -> Duration {
    let longest = max(1, ceiling.microseconds / 1000)
    failures += 1
    return .milliseconds(Int64.random(in: 1...longest, using: &generator))
  }

  package mutating func reset() { failures = 0 }
}
