// SPDX-License-Identifier: MIT

import Basics
import DequeModule
import Monitoring

extension SpoolCore {
  /// The oldest results of a lane that wait for delivery. Reads from where the lane stands, not from the beginning.
  mutating func pending(_ lane: DeliveryLane, limit: Int) -> [QueuedRecord] {
    guard limit > 0, let bounds = progress.bounds(of: lane) else { return [] }
    var found: [QueuedRecord] = []
    var isWhole = true
    if let log {
      var first: LogPosition?
      let progress = progress
      let walk = log.walk(from: search.positions[lane] ?? log.locate(bounds.lowerBound)) { record in
        let sequence = record.frame.sequence
        guard sequence <= bounds.upperBound else { return false }
        guard record.frame.isDeliverable, sequence >= bounds.lowerBound, !progress.isSettled(sequence),
          record.frame.version == RecordFrame.version, let decoded = try? RecordPayload.decode(record.payload)
        else { return true }
        first = first ?? record.position
        guard found.count < limit else { return false }
        found.append(QueuedRecord(sequence: sequence, record: decoded))
        return true
      }
      // An unreadable segment before the first result stays the place to start from: it may come back.
      search.positions[lane] = min(first ?? walk.stopped, walk.stopped)
      isWhole = walk.unread.isEmpty
      search.unread[lane] = walk.unread
      for failure in walk.faults { fault(failure) }
    }
    for entry in held.entries
    where found.count < limit && entry.deliverable && bounds.contains(entry.sequence) {
      guard !progress.isSettled(entry.sequence), let decoded = try? RecordPayload.decode(entry.payload) else {
        continue
      }
      found.append(QueuedRecord(sequence: entry.sequence, record: decoded))
    }
    // Nothing of the backlog is left but records outside the lanes: the lanes are one again.
    if lane == .backlog, found.isEmpty, isWhole, bounds.lowerBound < nextSequence {
      settle(.backlog, bounds.lowerBound...min(bounds.upperBound, nextSequence - 1)) { _ in false }
    }
    return found
  }

  /// These results of the lane are settled, and no others. Durable when it returns, unless the disk is away.
  mutating func acknowledge(_ lane: DeliveryLane, _ sequences: [UInt64]) {
    request.confirm(Set(sequences))
    guard let bounds = progress.bounds(of: lane) else { return }
    let done = Set(
      sequences.filter { bounds.contains($0) && $0 < nextSequence && !progress.isSettled($0) })
    guard let first = done.min(), let last = done.max() else { return }
    // Numbers between here and what is settled before it are outside the lanes, or wait.
    let before = progress.lastSettled(below: first)
    settle(lane, max(bounds.lowerBound, before + 1)...last) { done.contains($0) }
    saveCursor()
    recycle()
  }

  /// Settles what is done in a part of the lane, and the numbers there that no result waits under.
  private mutating func settle(
    _ lane: DeliveryLane, _ part: ClosedRange<UInt64>, where isDone: (UInt64) -> Bool
  ) {
    var waiting = IntervalSet()
    if let log {
      var settled: [(generation: UInt32, sequence: UInt64)] = []
      let progress = progress
      let start = max(search.positions[lane] ?? log.locate(part.lowerBound), log.locate(part.lowerBound))
      let walk = log.walk(from: start) { record in
        let sequence = record.frame.sequence
        guard sequence <= part.upperBound else { return false }
        guard record.frame.isDeliverable, sequence >= part.lowerBound, !progress.isSettled(sequence) else {
          return true
        }
        if isDone(sequence) || !isReadable(record) {
          settled.append((record.position.generation, sequence))
        } else {
          waiting.insert(sequence...sequence)
        }
        return true
      }
      let isFirst = progress.bounds(of: lane)?.lowerBound == part.lowerBound
      if start == search.positions[lane], isFirst, waiting.isEmpty, walk.unread.isEmpty {
        search.positions[lane] = walk.stopped
      }
      // What cannot be read now was perhaps never seen, and stays.
      for range in walk.unread { waiting.insert(range) }
      for (generation, sequence) in settled where !waiting.contains(sequence) {
        self.log?.settle(1, generation: generation)
      }
    }
    for entry in held.entries
    where entry.deliverable && part.contains(entry.sequence) && !isDone(entry.sequence) {
      waiting.insert(entry.sequence...entry.sequence)
    }
    for result in request.dropped where part.contains(result.sequence) {
      waiting.insert(result.sequence...result.sequence)
    }
    for range in waiting.missing(from: part) {
      progress.acknowledge(lane, range, newest: nextSequence - 1)
    }
    let progress = progress
    held.settle(where: progress.isSettled)
    search.oldest = nil
  }

  /// Whether a lane can give the result: a record of another version, or one that makes no sense, is never waited for.
  private func isReadable(_ record: StoredRecord) -> Bool {
    record.frame.version == RecordFrame.version && (try? RecordPayload.decode(record.payload)) != nil
  }

  /// All stored results become the backlog.
  mutating func startLiveLane() {
    progress.startLive(at: max(nextSequence, 1))
    search.positions = [:]
    saveCursor()
  }

  /// Results at or below `sequence` are in a snapshot that survives a restart.
  mutating func markSnapshotted(through sequence: UInt64) {
    snapshottedThrough = max(snapshottedThrough, sequence)
    recycle()
  }

  /// The slot of the oldest result that waits.
  mutating func oldest() -> Timestamp? {
    if let oldest = search.oldest { return oldest }
    let firsts = DeliveryLane.allCases.compactMap { pending($0, limit: 1).first?.record.scheduledAt }
    search.oldest = .some(firsts.min())
    return firsts.min()
  }

  mutating func status(at time: SpoolTime) -> SpoolStatus {
    var status = counters
    status.mode = mode
    let segments = log?.segments ?? []
    status.depth =
      segments.reduce(0) { $0 + $1.unsettled } + held.entries.reduce(0) { $0 + ($1.deliverable ? 1 : 0) }
      + request.dropped.count
    status.stored = segments.reduce(0) { $0 + $1.records } + held.entries.count
    status.oldest = status.depth == 0 ? nil : oldest()
    let unread = search.unread.values.joined()
    status.unread = segments.reduce(0) { sum, segment in
      let isUnread = unread.contains { segment.last.map($0.contains) == true }
      return sum + (isUnread ? segment.unsettled : 0)
    }
    // One that is being carried from segment to segment stands in both for a while.
    var seen: Set<GapRecord> = []
    status.gaps = (segments.flatMap(\.gaps) + pendingGaps).filter {
      $0.cause != .skipped && $0.lost > 0 && seen.insert($0).inserted
    }
    status.quarantined = (quarantined?.segments ?? []).reduce(0) { $0 + $1.records } + refusals.waiting.count
    status.bytesUsed = log?.usedBytes ?? 0
    status.bytesReserved = log?.reservedBytes ?? 0
    status.segments = segments.count
    status.recordedThrough = nextSequence == 0 ? 0 : nextSequence - 1
    status.bytesPerResult = rate.bytesPerResult
    if let hourly = rate.perHour(at: time.monotonic) {
      status.resultsPerHour = hourly.results
      status.hoursCovered = hoursCovered(status, hourly)
    }
    return status
  }

  /// How long what comes in now would find room, on the disk or in the buffer that stands in for it.
  private func hoursCovered(_ status: SpoolStatus, _ hourly: (results: Double, bytes: Double)) -> Double? {
    guard hourly.bytes > 0, hourly.results > 0 else { return nil }
    guard status.isDurable else {
      return max(
        0,
        min(
          Double(settings.queueLimit - held.entries.count) / hourly.results,
          Double(settings.queueBytes - held.bytes) / hourly.bytes))
    }
    let waiting = Double(status.depth) * (rate.bytesPerResult ?? 0)
    // The segment being written and the spare for the change hold nothing for long.
    return max(0, Double(status.bytesReserved - 2 * settings.segmentSize) - waiting) / hourly.bytes
  }
}
