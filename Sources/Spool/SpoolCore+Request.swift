// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Results in the request that is under way. Those that make room meanwhile count as lost only once it ended without a
/// confirmation: a result is delivered or lost, never both.
struct OpenRequest {
  /// Result whose copy in the store has made room.
  struct Dropped {
    var sequence: UInt64
    var cause: GapRecord.Cause
    var time: Timestamp?
  }

  /// Sequences of results that are still stored.
  var stored: Set<UInt64> = []
  var dropped: [Dropped] = []

  /// Neither settled nor lost, whether or not they are stored.
  var sequences: Set<UInt64> { stored.union(dropped.map(\.sequence)) }

  mutating func confirm(_ sequences: Set<UInt64>) {
    stored.subtract(sequences)
    dropped.removeAll { sequences.contains($0.sequence) }
  }

  /// The copies of these results are gone.
  mutating func drop(_ results: [Dropped]) {
    stored.subtract(results.map(\.sequence))
    dropped += results
  }
}

extension SpoolCore {
  /// A request with these results begins. Returns those that still wait: others were settled, or dropped and counted.
  mutating func beginDelivery(_ sequences: [UInt64], at time: SpoolTime) -> Set<UInt64> {
    endDelivery(at: time)
    request.stored = Set(
      sequences.filter { $0 < nextSequence && !progress.isSettled($0) && !lostUnsettled.contains($0) })
    return request.stored
  }

  /// The request ended: results that made room meanwhile and were not confirmed are lost.
  mutating func endDelivery(at time: SpoolTime) {
    let dropped = request.dropped.sorted { $0.sequence < $1.sequence }
    request = OpenRequest()
    lostUnsettled.remove(through: progress.settledThrough)
    guard !dropped.isEmpty else { return }
    wall = time.wall
    for cause in GapRecord.Cause.allCases {
      let results = dropped.filter { $0.cause == cause }
      guard let first = results.first else { continue }
      var gap = GapRecord(cause: cause, lost: 0, records: 0, sequences: first.sequence...first.sequence)
      for result in results {
        gap.add(sequence: result.sequence, deliverable: true, time: result.time)
        lostUnsettled.insert(result.sequence...result.sequence)
      }
      gap.notedAt = wall
      pendingGaps.append(gap)
      counters.dropped += gap.lost
    }
    if case .durable = mode { _ = write(withGaps([]), at: time) }
  }

  /// Results of the request that is under way which leave the store with a segment.
  func requested(of segment: Segment) -> [OpenRequest.Dropped] {
    guard let first = segment.first, let last = segment.last, first <= last else { return [] }
    return request.stored.filter { (first...last).contains($0) && !progress.isSettled($0) }.sorted()
      .map { OpenRequest.Dropped(sequence: $0, cause: .ringFull, time: nil) }
  }
}
