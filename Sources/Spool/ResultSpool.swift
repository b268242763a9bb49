// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Synchronization

/// The durable store of results that wait for delivery, and of what the windows are rebuilt from after a restart.
///
/// A result is recorded when `append` returns true: it is in the store and, with `durability: always`, the disk has
/// confirmed it. docs/durability.md says what that is worth. All disk work happens on one thread of the store's own;
/// no method blocks its caller.
package final class ResultSpool: DeliveryQueue {
  private let mailbox: SpoolMailbox

  /// Opens the store, or starts in memory with the reason in `status().mode`.
  ///
  /// Throws `.locked` when another process holds the directory, `.notDurable` only if the settings ask for it.
  package static func open(_ settings: SpoolSettings) async throws(SpoolError) -> ResultSpool {
    try await open(settings) { () throws(FileFault) in
      try PosixFileSystem(path: settings.path, isReserved: settings.isReserved)
    }
  }

  /// With a file system of the caller's.
  package static func open(
    _ settings: SpoolSettings, on files: @escaping @Sendable () throws(FileFault) -> any SpoolFileSystem
  ) async throws(SpoolError) -> ResultSpool {
    if let problem = settings.problem() { throw .invalidSettings(problem) }
    let outcome: Result<ResultSpool, SpoolError> = await withCheckedContinuation { continuation in
      let hasThread = startThread { serve(settings, files, opened: continuation) }
      if !hasThread {
        continuation.resume(
          returning: .failure(.notDurable(reason: "the system gives no thread for the store")))
      }
    }
    return try outcome.get()
  }

  init(_ mailbox: SpoolMailbox) { self.mailbox = mailbox }

  deinit { mailbox.close() }

  /// Waits until the result is recorded. False: it is in memory only, or was dropped because memory is full.
  package func append(_ record: DeliveryRecord) async -> Bool { await self.record(record) != nil }

  /// The same, with the result's sequence; nil when it is not recorded.
  package func record(_ record: DeliveryRecord) async -> UInt64? {
    let payload = RecordPayload.encode(record)
    var sequence: UInt64 = 0
    let isRecorded = await withCheckedContinuation { waiter in
      sequence = mailbox.add(payload, deliverable: record.isDeliverable, waiter: waiter)
    }
    return isRecorded ? sequence : nil
  }

  /// Hands a result in without waiting, and returns its sequence; 0 once the store is closed. The probe path's way.
  @discardableResult
  package func enqueue(_ record: DeliveryRecord) -> UInt64 {
    mailbox.add(RecordPayload.encode(record), deliverable: record.isDeliverable, waiter: nil)
  }

  package func pending(_ lane: DeliveryLane, limit: Int) async -> [QueuedRecord] {
    await perform(orElse: []) { core, _ in core.pending(lane, limit: limit) }
  }

  package func acknowledge(_ lane: DeliveryLane, _ sequences: [UInt64]) async {
    await perform(orElse: ()) { core, _ in core.acknowledge(lane, sequences) }
  }

  package func beginDelivery(_ sequences: [UInt64]) async -> Set<UInt64> {
    await perform(orElse: []) { core, time in core.beginDelivery(sequences, at: time) }
  }

  package func endDelivery() async {
    await perform(orElse: ()) { core, time in core.endDelivery(at: time) }
  }

  package func quarantine(_ records: [QueuedRecord], code: String) async {
    await perform(orElse: ()) { core, time in core.quarantine(records, code: code, at: time) }
  }

  package func startLiveLane() async {
    await perform(orElse: ()) { core, _ in core.startLiveLane() }
  }

  /// Results that the receiver refused, oldest first.
  package func quarantined() async -> [QuarantinedRecord] {
    await perform(orElse: []) { core, _ in core.quarantinedRecords() }
  }

  /// Puts what the receiver refused back into the live lane, with the ids it has, and empties the quarantine. Returns
  /// the number of results; nil when the disk is away.
  ///
  /// A crash in between leaves some in both places: they are sent again, and their ids say so.
  package func resubmit() async -> Int? {
    let (records, last) = await perform(orElse: ([], 0)) { core, _ in
      (core.quarantinedRecords(), core.refusals.next - 1)
    }
    guard status().isDurable else { return nil }
    // In parts, so that the queue has room for what is probed meanwhile.
    for start in stride(from: 0, to: records.count, by: 500) {
      for refused in records[start..<min(start + 500, records.count)] {
        var record = refused.record
        record.flags.insert(.resubmitted)
        enqueue(record)
      }
      guard await flush() else { return nil }
    }
    await perform(orElse: ()) { core, _ in core.clearQuarantine(through: last) }
    return records.count
  }

  /// Reads the store as it is now, on a thread of its own; nil once the store is closed.
  package func read<T: Sendable>(_ body: @escaping @Sendable (SpoolReader) -> T) async -> T? {
    guard let reader = await perform(orElse: nil, { core, _ in core.reader() }) else { return nil }
    return await withCheckedContinuation { continuation in
      let hasThread = startThread { continuation.resume(returning: body(reader)) }
      if !hasThread { continuation.resume(returning: nil) }
    }
  }

  /// Results up to and including `sequence` are in a snapshot that survives a restart: their segments may go once
  /// they are delivered as well. Call `flush` before writing such a snapshot, so it never knows more than the store.
  package func markSnapshotted(through sequence: UInt64) async {
    await perform(orElse: ()) { core, _ in core.markSnapshotted(through: sequence) }
  }

  /// As of the last group; never waits.
  package func status() -> SpoolStatus { mailbox.status }

  /// Visits every stored result above `sequence` in order, delivered or not, on a thread of its own.
  package func replay(
    after sequence: UInt64, _ body: @escaping @Sendable (QueuedRecord) -> Void
  ) async {
    _ = await read { $0.visit(after: sequence, body) }
  }

  /// How long its thread has been at the present turn, a write to the disk for instance; zero while it waits.
  package func turnAge() -> Duration { mailbox.turn.age }

  /// As `flush`, for callers that cannot wait: `done` is called on the store's thread.
  package func requestFlush(_ done: @escaping @Sendable () -> Void) {
    let job = SpoolMailbox.Job(
      work: { core, time in
        core.flush(at: time)
        done()
      }, isBarrier: true)
    if !mailbox.add(job) { done() }
  }

  /// Everything handed in before is on the medium when it returns; false when it is in memory only.
  @discardableResult
  package func flush() async -> Bool {
    await perform(orElse: false, isBarrier: true) { core, time in core.flush(at: time) }
  }

  /// Takes nothing more, writes and syncs what there is, releases the directory.
  package func close() async {
    mailbox.close()
    await mailbox.released.wait()
  }

  /// Runs `work` on the store's thread between two groups.
  private func perform<T: Sendable>(
    orElse fallback: T, isBarrier: Bool = false,
    _ work: @escaping @Sendable (inout SpoolCore, SpoolTime) -> T
  ) async -> T {
    await withCheckedContinuation { continuation in
      let job = SpoolMailbox.Job(
        work: { core, time in continuation.resume(returning: work(&core, time)) }, isBarrier: isBarrier)
      if !mailbox.add(job) { continuation.resume(returning: fallback) }
    }
  }

  /// The thread's whole life: open, tell how that went, serve until closed.
  private static func serve(
    _ settings: SpoolSettings, _ files: @escaping SpoolCore.Opener,
    opened: CheckedContinuation<Result<ResultSpool, SpoolError>, Never>
  ) {
    let time = SpoolTime.now
    var core = SpoolCore(settings: settings, nonce: .random(in: 0 ... .max), at: time, open: files)
    let fault = core.attach(at: time)
    if case .locked(let path) = fault { return opened.resume(returning: .failure(.locked(path: path))) }
    if let fault, settings.requireDurable {
      return opened.resume(returning: .failure(.notDurable(reason: fault.description)))
    }
    let mailbox = SpoolMailbox(settings: settings, next: core.nextSequence, status: core.status(at: time))
    let spool = ResultSpool(mailbox)
    opened.resume(returning: .success(spool))
    runSpool(core, mailbox)
  }
}
