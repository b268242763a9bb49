// SPDX-License-Identifier: MIT

import Basics

/// When a group's store did not serve somebody, or took nothing: what lets people be told twice. Pure.
struct StoreOutages {
  private struct Outage {
    /// Nil: all.
    let seat: Int?
    let from: Instant
    var to: Instant?
  }

  private var outages: [Outage] = []
  /// Until who was cut off has read everything again.
  let aftermath: Duration

  init(ttl: Duration) { aftermath = ttl + .seconds(3) }

  /// - Returns: its number, for `end`.
  mutating func begin(_ seat: Int?, at now: Instant) -> Int {
    outages.append(Outage(seat: seat, from: now))
    return outages.count - 1
  }

  mutating func end(_ number: Int, at now: Instant) { outages[number].to = now }

  /// Whether there was one for this seat in this stretch, or so shortly before that it did not know better yet.
  func touch(_ seat: Int, from start: Instant, to end: Instant) -> Bool {
    outages.contains { outage in
      (outage.seat ?? seat) == seat && outage.from <= end
        && (outage.to.map { $0 + aftermath >= start } ?? true)
    }
  }

  /// The same for anybody.
  func touchAny(from start: Instant, to end: Instant) -> Bool {
    outages.contains { $0.from <= end && ($0.to.map { $0 + aftermath >= start } ?? true) }
  }
}
