// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Marks where results were lost: no accepted result disappears without such a record.
package struct GapRecord: Hashable, Sendable {
  package enum Cause: String, Hashable, Sendable, CaseIterable {
    /// The store was full and its oldest segment made room.
    case ringFull = "ring_full"
    /// The queue in memory was full: the disk was too slow, or away.
    case memoryOverflow = "memory_overflow"
    /// Records that were there failed their checksum or are missing.
    case damage
    /// The end of the last segment is unreadable: a record that was being written, or damage.
    case unreadableTail = "unreadable_tail"
    /// The store was removed or replaced while the agent ran.
    case storeGone = "store_gone"
    /// Nothing is lost: these numbers were passed over, so that none is ever used twice.
    case skipped
  }

  package var cause: Cause
  /// Results that will never be delivered.
  package var lost: UInt64
  /// All records of the range that are gone, those outside the delivery lanes and those delivered included.
  package var records: UInt64
  package var firstSequence: UInt64
  package var lastSequence: UInt64
  /// Slots of the first and the last result lost, as far as they could be read.
  package var firstTime: Timestamp?
  package var lastTime: Timestamp?
  /// When the loss happened or was found.
  package var notedAt: Timestamp?

  package init(cause: Cause, lost: UInt64, records: UInt64, sequences: ClosedRange<UInt64>) {
    self.cause = cause
    self.lost = lost
    self.records = records
    self.firstSequence = sequences.lowerBound
    self.lastSequence = sequences.upperBound
  }

  var sequences: ClosedRange<UInt64> { firstSequence...max(firstSequence, lastSequence) }

  private enum Tag {
    static let cause: UInt64 = 1
    static let lost: UInt64 = 2
    static let records: UInt64 = 3
    static let firstSequence: UInt64 = 4
    static let lastSequence: UInt64 = 5
    static let firstTime: UInt64 = 6
    static let lastTime: UInt64 = 7
    static let notedAt: UInt64 = 8
  }

  var payload: [UInt8] {
    var fields = FieldWriter()
    fields.put(Tag.cause, cause.rawValue)
    fields.put(Tag.lost, integer: Int64(clamping: lost))
    fields.put(Tag.records, integer: Int64(clamping: records))
    fields.put(Tag.firstSequence, integer: Int64(clamping: firstSequence))
    fields.put(Tag.lastSequence, integer: Int64(clamping: lastSequence))
    if let firstTime { fields.put(Tag.firstTime, integer: firstTime.microseconds) }
    if let lastTime { fields.put(Tag.lastTime, integer: lastTime.microseconds) }
    if let notedAt { fields.put(Tag.notedAt, integer: notedAt.microseconds) }
    return fields.bytes
  }

  init?(payload: UnsafeRawBufferPointer) {
    var reader = FieldReader(payload)
    var numbers: [UInt64: Int64] = [:]
    var cause: Cause?
    while let field = try? reader.next() {
      if field.tag == Tag.cause { cause = field.value.text.flatMap(Cause.init(rawValue:)) }
      if field.tag != Tag.cause { numbers[field.tag] = field.value.integer }
    }
    guard let cause, let first = numbers[Tag.firstSequence], let last = numbers[Tag.lastSequence],
      // bounded: not negative, or a constant
      first >= 0, last >= first, last < Int64(RecordFrame.sequenceLimit)
    else { return nil }
    self.init(
      cause: cause, lost: UInt64(clamping: numbers[Tag.lost] ?? 0),
      // bounded: both are above 0, as was asked before
      records: UInt64(clamping: numbers[Tag.records] ?? 0), sequences: UInt64(first)...UInt64(last))
    self.firstTime = numbers[Tag.firstTime].map(Timestamp.init(microseconds:))
    self.lastTime = numbers[Tag.lastTime].map(Timestamp.init(microseconds:))
    self.notedAt = numbers[Tag.notedAt].map(Timestamp.init(microseconds:))
  }

  /// How long a loss is remembered once its segment has gone.
  // bounded: not negative, or a constant
  static let memory = Duration.seconds(30 * 86400)

  /// Whether the record goes along when its segment goes.
  func isRemembered(at now: Timestamp) -> Bool {
    guard cause != .skipped, lost > 0 else { return false }
    guard let time = notedAt ?? lastTime else { return true }
    return time.duration(to: now) < GapRecord.memory
  }

  /// One record for all of a cause: a ring that goes round must not fill up with what it says about itself.
  static func merged(_ gaps: [GapRecord]) -> [GapRecord] {
    var merged: [GapRecord] = []
    for gap in gaps {
      if let index = merged.firstIndex(where: { $0.cause == gap.cause }) {
        merged[index].add(gap)
      } else {
        merged.append(gap)
      }
    }
    return merged
  }

  private mutating func add(_ other: GapRecord) {
    lost = lost.bounded(plus: other.lost)
    records = records.bounded(plus: other.records)
    firstSequence = min(firstSequence, other.firstSequence)
    lastSequence = max(lastSequence, other.lastSequence)
    firstTime = [firstTime, other.firstTime].compactMap { $0 }.min()
    lastTime = [lastTime, other.lastTime].compactMap { $0 }.max()
    notedAt = [notedAt, other.notedAt].compactMap { $0 }.max()
  }

  /// As it is stored, under the number of the record that follows it.
  func entry(before sequence: UInt64) -> SpoolEntry {
    SpoolEntry(sequence: sequence, kind: .gap, deliverable: false, payload: payload)
  }

  init?(entry: SpoolEntry) {
    guard let gap = entry.payload.withUnsafeBytes({ GapRecord(payload: $0) }) else { return nil }
    self = gap
  }

  /// Widens the gap by one lost record.
  mutating func add(_ entry: SpoolEntry) {
    let time = entry.payload.withUnsafeBytes { RecordPayload.scheduledAt($0) }
    add(sequence: entry.sequence, deliverable: entry.deliverable, time: time)
  }

  mutating func add(sequence: UInt64, deliverable: Bool, time: Timestamp?) {
    records = records.bounded(plus: 1)
    // Of those that are lost, where any is.
    if deliverable, lost == 0 { (firstTime, lastTime) = (nil, nil) }
    if deliverable { lost = lost.bounded(plus: 1) }
    firstSequence = min(firstSequence, sequence)
    lastSequence = max(lastSequence, sequence)
    guard let time, deliverable || lost == 0 else { return }
    firstTime = min(firstTime ?? time, time)
    lastTime = max(lastTime ?? time, time)
  }
}
