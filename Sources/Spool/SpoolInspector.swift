// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Looks at a store without changing it: for `spool ls` and `spool export` when the agent is not running.
///
/// It takes the directory's lock while it reads, so it never sees a store half written; a running agent answers for
/// its own store.
package struct SpoolInspector: Sendable {
  private let files: any SpoolFileSystem
  /// Everything that is stored.
  package let reader: SpoolReader

  /// State of the store. Rates and the mode of a running agent are not known here.
  package let status: SpoolStatus

  /// Throws `.locked` while an agent runs on the directory, `.notDurable` when it cannot be read. Blocks on the disk.
  package init(path: String) throws(SpoolError) {
    do throws(FileFault) {
      try self.init(ReadOnlyFileSystem(try PosixFileSystem(path: path, isReserved: false)))
    } catch {
      if case .locked(let path) = error { throw .locked(path: path) }
      throw .notDurable(reason: error.description)
    }
  }

  /// Gives the directory up, so that a store can be opened on it. Nothing can be read through this object any more.
  package func release() { files.release() }

  /// The bytes that the ring of a store has on disk, in whole segments; nil when there is none.
  package static func reservedBytes(path: String) -> Int? {
    guard let files = try? PosixFileSystem(path: path, isReserved: false) else { return nil }
    defer { files.release() }
    let ring = ((try? files.list()) ?? [:]).filter { name, _ in
      SegmentName(name)?.log == .results || SegmentName.spareNumber(name, .results) != nil
    }
    let size = ring.values.reduce(0) { $0.bounded(plus: $1) }
    return size > 0 ? size : nil
  }

  init(_ files: any SpoolFileSystem) throws(FileFault) {
    self.files = files
    let found = CursorFile.read(files)
    var recoverer = LogRecoverer(
      files: files, log: .results, segmentSize: 4 << 20, identity: found.cursor?.identity,
      progress: found.cursor.map(DeliveryProgress.init), limit: RecordFrame.sequenceLimit)
    recoverer.isTolerant = true
    let recovery = try recoverer.recover()
    let identity = recovery.identity ?? UniqueID(high: 0, low: 0)
    let log = SpoolInspector.view(files, .results, recovery, identity)
    let refused = LogRecoverer(
      files: files, log: .quarantine, segmentSize: 256 << 10, identity: identity, progress: nil,
      limit: RecordFrame.sequenceLimit, isTolerant: true)
    let refusals = try? refused.recover()
    let quarantineLog = refusals.map { SpoolInspector.view(files, .quarantine, $0, identity) }
    var reader = SpoolReader(
      log: log, memory: [], quarantineLog: quarantineLog, progress: recovery.progress, isStopped: true)
    let logs = [recovery, refusals].compactMap(\.self)
    reader.blank = logs.flatMap(\.blanks).map(\.file)
    reader.unreadable = logs.flatMap(\.unreadableFiles)
    self.reader = reader

    var status = SpoolStatus(mode: .durable, durability: .always)
    status.depth = log.segments.reduce(0) { $0 + $1.unsettled }
    status.stored = log.segments.reduce(0) { $0 + $1.records }
    status.gaps = log.segments.flatMap(\.gaps).filter { $0.cause != .skipped }
    // What was delivered, or lies before all that is stored, is not lost: as the next start counts.
    let progress = recovery.progress ?? DeliveryProgress(settledThrough: max(recovery.oldest ?? 1, 1) - 1)
    status.damaged = recovery.holes.flatMap(progress.unsettled).reduce(0) {
      $0.bounded(plus: $1.upperBound - $1.lowerBound + 1)
    }
    status.quarantined = (quarantineLog?.segments ?? []).reduce(0) { $0 + $1.records }
    status.setAside = recovery.setAside
    status.lostSegments = reader.blank.count
    status.unreadable = recovery.unknownRecords
    status.cursorDamaged = found.damaged
    status.bytesUsed = log.usedBytes
    status.segments = log.segments.count
    status.recordedThrough = recovery.highest
    status.notes = found.notes + (found.loss.map { [$0] } ?? []) + files.notes
    self.status = status
  }

  private static func view(
    _ files: any SpoolFileSystem, _ log: SegmentName.Log, _ recovery: LogRecovery, _ identity: UniqueID
  ) -> SegmentLog {
    let layout = SegmentLog.Layout(log: log, segmentSize: 0, count: 0, identity: identity, nonce: 0)
    return SegmentLog(files: files, layout: layout, recovered: recovery)
  }
}

/// Passes reading through and lets every change go nowhere.
private struct ReadOnlyFileSystem: WrappingFileSystem {
  let base: any SpoolFileSystem

  init(_ base: any SpoolFileSystem) { self.base = base }

  func open(_ name: String, create: Bool) throws(FileFault) -> SpoolFile {
    try base.open(name, create: false)
  }
  func write(_ file: SpoolFile, at offset: Int, _ bytes: [UInt8]) throws(FileFault) {}
  func sync(_ file: SpoolFile) throws(FileFault) {}
  func reserve(_ file: SpoolFile, size: Int) throws(FileFault) {}
  func rename(_ name: String, to target: String) throws(FileFault) {}
  func remove(_ name: String) throws(FileFault) {}
  func syncDirectory() throws(FileFault) {}
  func reattached() throws(FileFault) -> any SpoolFileSystem { self }
}
