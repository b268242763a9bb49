// SPDX-License-Identifier: MIT

import Monitoring

/// Which results are settled (delivered, refused for good, or dropped and counted) and where the live lane starts.
///
/// In memory this is exact. The cursor on disk holds three numbers of it; what they cannot say is sent again after a
/// crash, which the results' own ids make harmless. Nothing it says is settled was not.
struct DeliveryProgress: Hashable, Sendable {
  /// Everything up to and including this is settled.
  private(set) var settledThrough: UInt64
  /// The first sequence of the live lane. The backlog is what lies below it.
  private(set) var liveStart: UInt64
  /// Settled ranges above `settledThrough`: live lanes that were delivered before their backlog.
  private(set) var settled = IntervalSet()

  init(settledThrough: UInt64) {
    self.settledThrough = settledThrough
    self.liveStart = settledThrough + 1
  }

  init(_ cursor: Cursor) {
    self.settledThrough = cursor.settledThrough
    self.liveStart = max(cursor.liveStart, 1)
    if cursor.liveThrough >= liveStart { settled.insert(liveStart...cursor.liveThrough) }
    absorb()
  }

  func isSettled(_ sequence: UInt64) -> Bool {
    sequence <= settledThrough || settled.contains(sequence)
  }

  /// The sequences a lane may hold, settled ones not yet taken out. Nil when it cannot hold any.
  func bounds(of lane: DeliveryLane) -> ClosedRange<UInt64>? {
    switch lane {
    case .live: return max(liveStart, settledThrough + 1)...RecordFrame.sequenceLimit
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
  mutating func forget(through sequence: UInt64) {
    guard sequence > settledThrough else { return }
    settledThrough = sequence
    absorb()
  }

  /// What exists now becomes the backlog; `next` is the first sequence of the live lane.
  mutating func startLive(at next: UInt64) {
    guard next > liveStart else { return }
    liveStart = next
  }

  /// The three numbers, without generation and identity.
  var cursorNumbers: (settledThrough: UInt64, liveStart: UInt64, liveThrough: UInt64) {
    let live = settled.range(containing: liveStart)
    return (settledThrough, liveStart, live?.upperBound ?? liveStart - 1)
  }

  private mutating func absorb() {
    while let first = settled.ranges.first, first.lowerBound <= settledThrough + 1 {
      settledThrough = max(settledThrough, first.upperBound)
      settled.remove(through: settledThrough)
    }
  }
}
