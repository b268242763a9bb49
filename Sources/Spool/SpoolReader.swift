// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A view of the store at one moment that can be read on another thread while the writer goes on.
///
/// It opens files by name. A segment that is recycled meanwhile reads as its end: what is in a snapshot and delivered
/// is not missed. Everything blocks on the disk.
package struct SpoolReader: Sendable {
  let log: SegmentLog?
  let memory: [SpoolEntry]
  var quarantineLog: SegmentLog?
  var refused: [SpoolEntry] = []
  var progress: DeliveryProgress?
  /// The store is stopped: segments are read to the end of their files.
  var isStopped = false
  /// Files of segments that hold neither header nor record, and of those that the disk does not give back. A running
  /// store has set them aside.
  var blank: [String] = []
  var unreadable: [String] = []
  /// Copies of the cursor that are damaged, and whether no other is left. A running store has replaced them.
  var cursors = 0
  var isCursorLost = false

  /// Results above `sequence`, in order, each once: those that went back from the quarantine were there before.
  func visit(after sequence: UInt64, _ body: (QueuedRecord) -> Void) {
    results(after: sequence) { record, _ in
      if !record.record.flags.contains(.resubmitted) { body(record) }
      return true
    }
  }

  /// Results above `sequence`, in order, until the visitor says false; `isSettled` says whether a result was delivered
  /// or need not be.
  package func results(
    after sequence: UInt64 = 0, _ body: (_ record: QueuedRecord, _ isSettled: Bool) -> Bool
  ) {
    var goesOn = true
    _ = log?.walk(from: log?.locate(sequence + 1)) { record in
      guard record.frame.kind == RecordKind.result.rawValue, record.frame.version == RecordFrame.version,
        record.frame.sequence > sequence, let decoded = try? RecordPayload.decode(record.payload)
      else { return true }
      goesOn = body(
        QueuedRecord(sequence: record.frame.sequence, record: decoded),
        !record.frame.isDeliverable || progress?.isSettled(record.frame.sequence) == true)
      return goesOn
    }
    for entry in memory where goesOn && entry.sequence > sequence {
      guard let decoded = try? RecordPayload.decode(entry.payload) else { continue }
      goesOn = body(
        QueuedRecord(sequence: entry.sequence, record: decoded),
        !entry.deliverable || progress?.isSettled(entry.sequence) == true)
    }
  }

  /// Results that the receiver refused, oldest first.
  package func quarantined() -> [QuarantinedRecord] {
    var found: [QuarantinedRecord] = []
    _ = quarantineLog?.walk(from: nil) { record in
      if let refused = RefusedPayload.decode(record.payload) { found.append(refused) }
      return true
    }
    return found + refused.compactMap { entry in entry.payload.withUnsafeBytes { RefusedPayload.decode($0) } }
  }
}

extension SpoolCore {
  func reader() -> SpoolReader {
    SpoolReader(
      log: (log ?? unopened)?.detached(), memory: Array(held.entries), quarantineLog: quarantined?.detached(),
      refused: refusals.waiting,
      progress: progress)
  }
}
