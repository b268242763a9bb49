// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Outcome of reading every byte of a store again.
package struct SpoolCheck: Hashable, Sendable {
  package var segments = 0
  package var bytes = 0
  package var results = 0
  /// Of these, still to be delivered.
  package var waiting = 0
  package var gaps = 0
  package var quarantined = 0
  /// Stretches of bytes that are no record any more.
  package var damaged = 0
  /// Intact records of another version.
  package var unknown = 0
  /// Segments whose header is damaged; their records are whole all the same.
  package var headers = 0
  /// Segments the disk does not give back.
  package var unreadable: [String] = []
  /// Segments that hold neither a header nor a record.
  package var blank: [String] = []

  /// Copies of the cursor that are damaged.
  package var cursors = 0
  /// No copy of the cursor can be read. One alone may be what a power cut left, and costs nothing.
  package var isCursorLost = false

  package var isSound: Bool {
    damaged == 0 && headers == 0 && unreadable.isEmpty && blank.isEmpty && !isCursorLost
  }
}

extension SpoolReader {
  /// Reads everything and judges every checksum. Changes nothing.
  package func check() -> SpoolCheck {
    var check = SpoolCheck()
    (check.unreadable, check.blank) = (unreadable, blank)
    (check.cursors, check.isCursorLost) = (cursors, isCursorLost)
    if let log { self.check(log, &check) }
    if let quarantineLog { self.check(quarantineLog, &check) }
    for entry in memory {
      check.results += 1
      if entry.deliverable, progress?.isSettled(entry.sequence) != true { check.waiting += 1 }
    }
    check.quarantined += refused.count
    return check
  }

  private func check(_ log: SegmentLog, _ check: inout SpoolCheck) {
    let sizes = (try? log.files.list()) ?? [:]
    for segment in log.segments {
      do throws(FileFault) {
        try read(segment, of: log, end: isStopped ? sizes[segment.file] ?? segment.end : segment.end, &check)
        check.segments += 1
      } catch {
        check.unreadable.append(segment.file)
      }
    }
  }

  private func read(
    _ segment: Segment, of log: SegmentLog, end: Int, _ check: inout SpoolCheck
  ) throws(FileFault) {
    let file = try log.files.open(segment.file, create: false)
    defer { log.files.close(file) }
    let header = try log.files.read(file, at: 0, count: SegmentHeader.size)
    if header.withUnsafeBytes({ SegmentHeader($0) }) == nil { check.headers += 1 }
    let reader = SegmentReader(files: log.files, file: file, segment: segment, end: end)
    check.bytes += try reader.walk(from: SegmentHeader.size) { visit in
      switch visit {
      case .damage: check.damaged += 1
      case .record(let record): count(record, &check)
      }
      return true
    }
  }

  private func count(_ record: StoredRecord, _ check: inout SpoolCheck) {
    guard record.frame.version == RecordFrame.version else { return check.unknown += 1 }
    switch RecordKind(rawValue: record.frame.kind) {
    case .gap: check.gaps += 1
    case .refused: check.quarantined += 1
    case .result:
      check.results += 1
      if (try? RecordPayload.decode(record.payload)) == nil { check.unknown += 1 }
      if record.frame.isDeliverable, progress?.isSettled(record.frame.sequence) != true { check.waiting += 1 }
    case nil: check.unknown += 1
    }
  }
}
