// SPDX-License-Identifier: MIT

import Monitoring

/// A view of the store at one moment that can be read on another thread while the writer goes on.
///
/// It opens files by name. A segment that is recycled meanwhile reads as its end: what is in a snapshot and delivered
/// is not missed.
struct SpoolReader: Sendable {
  let log: SegmentLog?
  let memory: [SpoolEntry]

  /// Results above `sequence`, in order.
  func visit(after sequence: UInt64, _ body: (QueuedRecord) -> Void) {
    _ = log?.walk(from: log?.locate(sequence + 1)) { record in
      guard record.frame.kind == RecordKind.result.rawValue, record.frame.version == RecordFrame.version,
        record.frame.sequence > sequence, let decoded = try? RecordPayload.decode(record.payload)
      else { return true }
      body(QueuedRecord(sequence: record.frame.sequence, record: decoded))
      return true
    }
    for entry in memory where entry.sequence > sequence {
      guard let decoded = try? RecordPayload.decode(entry.payload) else { continue }
      body(QueuedRecord(sequence: entry.sequence, record: decoded))
    }
  }
}

extension SpoolCore {
  func reader() -> SpoolReader { SpoolReader(log: log?.detached(), memory: Array(memory)) }
}
