// SPDX-License-Identifier: MIT

import Basics

/// Reads a segment file in windows and hands out its records in order.
struct SegmentReader {
  enum Visit {
    case record(StoredRecord)
    case damage(sequence: UInt64?, deliverable: Bool)
  }

  let files: any SpoolFileSystem
  let file: SpoolFile
  let segment: Segment
  /// Bytes read at once. A window holds several records of the largest size.
  var window = 128 << 10
  /// Nothing at or behind this offset is read.
  var end: Int

  /// Visits until the visitor says false. Returns the offset of the record it stopped at, or of the end.
  func walk(from start: Int, _ visit: (Visit) -> Bool) throws(FileFault) -> Int {
    var scan = SegmentScan(offset: 0, from: segment.name.base, below: segment.limit)
    var base = max(start, SegmentHeader.size)
    while base < end {
      let bytes = try files.read(file, at: base, count: min(window, end - base))
      guard !bytes.isEmpty else { return base }
      // A file shorter than it should be ends where it ends.
      let complete = base + bytes.count >= end || bytes.count < min(window, end - base)
      scan.offset = 0
      let outcome = visitAll(bytes, &scan, base: base, complete: complete, visit)
      base += outcome.offset
      if outcome.isFinal { return base }
    }
    return base
  }

  private func visitAll(
    _ bytes: [UInt8], _ scan: inout SegmentScan, base: Int, complete: Bool, _ visit: (Visit) -> Bool
  ) -> (offset: Int, isFinal: Bool) {
    bytes.withUnsafeBytes { bytes in
      while true {
        let before = scan.offset
        switch scan.step(bytes, complete: complete) {
        case .needsMore: return (scan.offset, false)
        case .end: return (before, true)
        case .damage(let sequence, let deliverable):
          guard visit(.damage(sequence: sequence, deliverable: deliverable)) else { return (before, true) }
        case .record(let frame, let offset):
          let start = offset + RecordFrame.headerSize
          let record = StoredRecord(
            frame: frame,
            payload: UnsafeRawBufferPointer(rebasing: bytes[start..<start + frame.payloadLength]),
            position: LogPosition(generation: segment.name.generation, offset: base + offset))
          guard visit(.record(record)) else { return (offset, true) }
        }
      }
    }
  }
}
