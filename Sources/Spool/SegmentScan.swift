// SPDX-License-Identifier: MIT

import Basics

/// Walks the records of a segment's bytes and steps over damage.
///
/// A damaged payload is stepped over exactly, by the length in its undamaged header. A damaged header starts a search
/// for the next header whose checksum and sequence both fit: above the last one seen, inside the segment's range.
struct SegmentScan {
  enum Step: Hashable {
    case record(RecordFrame, offset: Int)
    /// Bytes that are no record. The sequence is known when the header was whole.
    case damage(sequence: UInt64?, deliverable: Bool)
    /// The buffer ends before the record does; there may be more in the file.
    case needsMore
    /// Nothing but zeros follows, or the bytes end.
    case end
  }

  /// Where the next step looks. Set by the caller when it moves the window.
  var offset: Int
  /// The lowest sequence that may follow.
  private(set) var next: UInt64
  /// The first sequence that belongs to a later segment; a gap may bear it.
  let limit: UInt64

  init(offset: Int, from next: UInt64, below limit: UInt64 = RecordFrame.sequenceLimit) {
    self.offset = offset
    self.next = next
    self.limit = limit
  }

  /// `complete`: the buffer reaches to the end of the segment.
  mutating func step(_ bytes: UnsafeRawBufferPointer, complete: Bool) -> Step {
    if !complete, offset + RecordFrame.sizeLimit > bytes.count { return .needsMore }
    guard offset + RecordFrame.headerSize <= bytes.count else {
      let rest = offset
      offset = bytes.count
      return firstNonZero(bytes, from: rest) == nil ? .end : .damage(sequence: nil, deliverable: false)
    }
    if let frame = fitting(bytes, at: offset) { return take(frame, bytes) }
    return search(bytes, complete: complete)
  }

  private mutating func take(_ frame: RecordFrame, _ bytes: UnsafeRawBufferPointer) -> Step {
    let start = offset
    next = frame.isGap ? frame.sequence : frame.sequence + 1
    offset = min(start + frame.size, bytes.count)
    if frame.isIntact(bytes, at: start) { return .record(frame, offset: start) }
    return .damage(sequence: frame.isGap ? nil : frame.sequence, deliverable: frame.isDeliverable)
  }

  private func fitting(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> RecordFrame? {
    guard let frame = RecordFrame(bytes, at: offset), frame.sequence >= next else { return nil }
    // A gap at the end bears the number of the record after it, which may have begun the next segment.
    return frame.sequence < limit || frame.isGap && frame.sequence == limit ? frame : nil
  }

  /// The header at `offset` is no header: find the next one, or learn that only zeros remain.
  private mutating func search(_ bytes: UnsafeRawBufferPointer, complete: Bool) -> Step {
    guard let garbage = firstNonZero(bytes, from: offset) else {
      offset = bytes.count
      return complete ? .end : .needsMore
    }
    // Records start at multiples of 8, so the zeros before the garbage hold none.
    var candidate = max(garbage & ~7, offset)
    if candidate == offset { candidate += 8 }
    while candidate + RecordFrame.headerSize <= bytes.count, fitting(bytes, at: candidate) == nil {
      candidate += 8
    }
    let found = candidate + RecordFrame.headerSize <= bytes.count
    // Without the rest of the file this may be the middle of a long damaged area; the caller reads on from here.
    offset = found || !complete ? min(candidate, bytes.count) : bytes.count
    return .damage(sequence: nil, deliverable: false)
  }
}

/// Eight bytes a step; nil when all are zero.
func firstNonZero(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
  var index = start
  while index + 8 <= bytes.count {
    if bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) != 0 { break }
    index += 8
  }
  while index < bytes.count {
    if bytes[index] != 0 { return index }
    index += 1
  }
  return nil
}
