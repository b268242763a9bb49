// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Which results are settled (delivered, refused for good, or dropped and counted) and where the live lane starts.
///
/// In memory this is exact. The cursor on disk holds three numbers and the widest of the ranges beside them; what it
/// has no room for is sent again after a restart, which the results' own ids make harmless. Nothing it says is settled
/// was not.
struct DeliveryProgress: Hashable, Sendable {
  /// Everything up to and including this is settled.
  private(set) var settledThrough: UInt64
  /// The first sequence of the live lane. The backlog is what lies below it.
  private(set) var liveStart: UInt64
  /// Settled ranges above `settledThrough`: live lanes that were delivered before their backlog, and what was delivered
  /// behind results that wait.
  private(set) var settled = IntervalSet()

  init(settledThrough: UInt64) {
    self.settledThrough = settledThrough
    self.liveStart = settledThrough + 1
  }

  init(_ cursor: Cursor) {
    self.settledThrough = cursor.settledThrough
    self.liveStart = max(cursor.liveStart, 1)
    if cursor.liveThrough >= liveStart { settled.insert(liveStart...cursor.liveThrough) }
    for range in cursor.ranges { settled.insert(range) }
    absorb()
  }

  func isSettled(_ sequence: UInt64) -> Bool {
    sequence <= settledThrough || settled.contains(sequence)
  }

  /// The last settled sequence before one that is not; 0 when there is none.
  func lastSettled(below sequence: UInt64) -> UInt64 {
    max(settledThrough, settled.lastRange(from: sequence)?.upperBound ?? 0)
  }

  /// The sequences a lane may hold, settled ones not yet taken out. `nil` when it cannot hold any.
  func bounds(of lane: DeliveryLane) -> ClosedRange<UInt64>? {
    switch lane {
    case .live:
      let first = max(liveStart, settledThrough + 1)
      return first...max(first, RecordFrame.sequenceLimit)
    case .backlog:
      guard settledThrough + 1 < liveStart else { return nil }
      return settledThrough + 1...liveStart - 1
    }
  }

  /// Settles a part of the lane; never beyond the lane, never beyond `newest`, the last sequence in use.
  mutating func acknowledge(_ lane: DeliveryLane, _ part: ClosedRange<UInt64>, newest: UInt64) {
    guard let bounds = bounds(of: lane) else { return }
    let first = max(part.lowerBound, bounds.lowerBound)
    let last = min(part.upperBound, newest, bounds.upperBound)
    guard first <= last else { return }
    settled.insert(first...last)
    absorb()
  }

  /// The parts of a range that are not settled.
  func unsettled(in range: ClosedRange<UInt64>) -> [ClosedRange<UInt64>] {
    guard range.upperBound > settledThrough else { return [] }
    return settled.missing(from: max(range.lowerBound, settledThrough + 1)...range.upperBound)
  }

  /// Everything up to `sequence` left the store.
  ///
  /// - Parameter open: results whose fate is not known yet; they stay as they are.
  mutating func forget(through sequence: UInt64, except open: Set<UInt64> = []) {
    guard sequence > settledThrough else { return }
    var next = settledThrough + 1
    for kept in open.sorted() where kept >= next && kept <= sequence && !settled.contains(kept) {
      if kept > next { settled.insert(next...kept - 1) }
      next = kept + 1
    }
    if next == settledThrough + 1 {
      settledThrough = sequence
    } else if next <= sequence {
      settled.insert(next...sequence)
    }
    absorb()
  }

  /// All stored results become the backlog; `next` is the first sequence of the live lane.
  mutating func startLive(at next: UInt64) {
    guard next > liveStart else { return }
    liveStart = next
  }

  /// The three numbers, without generation and identity.
  var cursorNumbers: (settledThrough: UInt64, liveStart: UInt64, liveThrough: UInt64) {
    let live = settled.range(containing: liveStart)
    return (settledThrough, liveStart, live?.upperBound ?? liveStart - 1)
  }

  /// The ranges that the three numbers do not cover, rising: all of them, or the widest.
  func cursorRanges(atMost limit: Int) -> [ClosedRange<UInt64>] {
    let beside = settled.ranges.filter { $0.lowerBound != liveStart }
    guard beside.count > limit else { return beside }
    return beside.sorted { $0.upperBound - $0.lowerBound > $1.upperBound - $1.lowerBound }.prefix(limit)
      .sorted { $0.lowerBound < $1.lowerBound }
  }

  private mutating func absorb() {
    while let first = settled.ranges.first, first.lowerBound <= settledThrough + 1 {
      settledThrough = max(settledThrough, first.upperBound)
      settled.remove(through: settledThrough)
    }
  }
}
