// SPDX-License-Identifier: MIT

import Basics

/// A segment on disk, as it is known in memory.
struct Segment: Hashable, Sendable {
  /// The file's name; it may differ from what `name` says when someone renamed it.
  var file: String
  var name: SegmentName
  /// Records at or above this are held by a later segment.
  var limit = RecordFrame.sequenceLimit
  /// Sequences of the first and last record that is not a gap.
  var first: UInt64?
  var last: UInt64?
  var records = 0
  /// Results that are still to be delivered.
  var unsettled = 0
  var gaps: [GapRecord] = []
  /// The offset behind the last record.
  var end = SegmentHeader.size
  /// A write or sync failed: never written or synced again, and not used again as a spare.
  var suspect = false

  mutating func note(_ entry: SpoolEntry, isSettled: Bool) {
    end += entry.size
    if entry.kind == .gap {
      if let gap = GapRecord(entry: entry) { gaps.append(gap) }
      return
    }
    records += 1
    if first == nil { first = entry.sequence }
    last = entry.sequence
    if entry.deliverable, !isSettled { unsettled += 1 }
  }
}

/// A place in the log. Generations rise along the log, so places compare.
struct LogPosition: Hashable, Comparable, Sendable {
  var generation: UInt32
  var offset: Int

  static func < (left: LogPosition, right: LogPosition) -> Bool {
    (left.generation, left.offset) < (right.generation, right.offset)
  }
}

/// A record as read, its payload valid during the visit only.
struct StoredRecord {
  var frame: RecordFrame
  var payload: UnsafeRawBufferPointer
  var position: LogPosition

  var entry: SpoolEntry? {
    RecordKind(rawValue: frame.kind).map {
      SpoolEntry(
        sequence: frame.sequence, kind: $0, deliverable: frame.isDeliverable, payload: Array(payload))
    }
  }
}
