// SPDX-License-Identifier: MIT

import Basics
import DequeModule
import Monitoring

extension SpoolCore {
  /// Writes the entries, in a new segment if the disk fails once, into memory if it fails twice.
  mutating func write(_ entries: [SpoolEntry], sync: Bool = false, at time: SpoolTime) -> Bool {
    let syncs = sync || settings.durability == .always
    var rest = entries[...]
    do {
      try put(&rest, syncs: syncs, at: time)
      written(entries, syncs: syncs, at: time)
      return true
    } catch {
      fault(error)
    }
    // What is not known to be on the medium is still in memory and goes to another file. The failed one is never
    // synced again.
    let progress = progress
    var again = ((log?.abandon { progress.isSettled($0) } ?? []) + rest)[...]
    do {
      if again.isEmpty { try rotate(&again, at: time) }
      try put(&again, syncs: true, at: time)
      written(entries, syncs: true, at: time)
      return true
    } catch {
      fault(error)
      let lost = log?.abandon { progress.isSettled($0) } ?? []
      enterMemory(error, keeping: lost + again, at: time)
      return false
    }
  }

  private mutating func put(
    _ rest: inout ArraySlice<SpoolEntry>, syncs: Bool, at time: SpoolTime
  ) throws(FileFault) {
    let progress = progress
    while !rest.isEmpty {
      let count = try log?.append(rest) { progress.isSettled($0) } ?? 0
      rest = rest.dropFirst(count)
      if !rest.isEmpty { try rotate(&rest, at: time) }
    }
    if syncs { try log?.sync() }
  }

  private mutating func written(_ entries: [SpoolEntry], syncs: Bool, at time: SpoolTime) {
    let gaps = Set(entries.compactMap { $0.kind == .gap ? GapRecord(entry: $0) : nil })
    if !gaps.isEmpty { pendingGaps.removeAll { gaps.contains($0) } }
    if syncs {
      syncDueAt = nil
    } else if syncDueAt == nil, !entries.isEmpty {
      syncDueAt = time.monotonic + SpoolCore.syncInterval
    }
  }

  /// Starts the next segment with the first of the entries. When the ring is used up the oldest segment makes room,
  /// and the first record of the new segment says what went with it: it is on the medium before the old file is gone.
  mutating func rotate(_ rest: inout ArraySlice<SpoolEntry>, at time: SpoolTime) throws(FileFault) {
    try log?.seal()
    recycle()
    try? log?.replenish()
    let needsRoom = (log?.spareCount ?? 0) <= 1 && (log?.sealedCount ?? 0) > 0
    let victim = needsRoom ? log?.segments.first : nil
    let loss = victim.map { lostWith($0) } ?? Loss()
    let gaps = victim.map { leaving($0, loss.gap) } ?? []
    let base = rest.first?.sequence ?? nextSequence
    let entries = (gaps.map { $0.entry(before: base) } + rest)[...]
    // Without a spare the victim's file is the only room there is. Its gap then stays with the entries until it is
    // written, and the cursor goes on only after that: a crash in between finds a hole and reports it.
    let goesFirst = log?.spareCount == 0 && victim != nil
    if goesFirst {
      try proveDisk()
      try log?.yieldFirst()
      rest = entries
      took(loss)
      owe(gaps)
    }
    let progress = progress
    let count = try log?.start(base: base, with: entries, at: time.wall) { progress.isSettled($0) } ?? 0
    pendingGaps.removeAll { gaps.contains($0) }
    rest = rest.dropFirst(count - (goesFirst ? 0 : gaps.count))
    guard let victim else { return }
    if !goesFirst {
      took(loss)
      owe(gaps)
    }
    forget(through: victim)
    saveCursor()
    if !goesFirst, log?.segments.first?.name == victim.name { log?.recycleFirst() }
    search.oldest = nil
  }

  mutating func took(_ loss: Loss) {
    counters.dropped += loss.gap?.lost ?? 0
    request.drop(loss.requested)
    if let gap = loss.gap { lostUnsettled.insert(gap.sequences) }
  }

  /// While the store is being opened: should that fail, the next attempt writes these gap records again.
  private mutating func owe(_ gaps: [GapRecord]) { if case .memory = mode { owedGaps += gaps } }

  /// The gap records that must outlive a segment: what is lost with it, and what it still remembers and no later
  /// segment repeats.
  func leaving(_ segment: Segment, _ gap: GapRecord?) -> [GapRecord] {
    guard !segment.gaps.isEmpty else { return gap.map { [$0] } ?? [] }
    let generation = segment.name.generation
    let repeated = Set((log?.segments ?? []).lazy.filter { $0.name.generation > generation }.flatMap(\.gaps))
    let remembered = segment.gaps.filter { $0.isRemembered(at: wall) && !repeated.contains($0) }
    guard let gap else { return remembered }
    // One range over all would hide the results of an open request, should it never end.
    guard request.sequences.isEmpty else { return GapRecord.merged(remembered) + [gap] }
    return GapRecord.merged(remembered + [gap])
  }

  /// Before results are given up for room: a disk that takes nothing must not cost what it holds.
  mutating func proveDisk() throws(FileFault) {
    guard let identity else { return }
    try cursor?.prove(progress, identity: identity)
  }

  /// Results that leave the store with a segment.
  struct Loss {
    /// `nil` when no result is lost.
    var gap: GapRecord?
    /// Results that the receiver may still confirm.
    var requested: [OpenRequest.Dropped] = []
  }

  /// The results that are lost with a segment, without those of the request that is under way.
  func lostWith(_ segment: Segment) -> Loss {
    guard segment.unsettled > 0, let first = segment.first, let last = segment.last, let log else {
      return Loss()
    }
    var loss = Loss(requested: requested(of: segment))
    let count = UInt64(max(0, segment.unsettled - loss.requested.count))
    let start = LogPosition(generation: segment.name.generation, offset: SegmentHeader.size)
    _ = log.walk(from: start) { record in
      guard record.position.generation == segment.name.generation else { return false }
      guard record.frame.isDeliverable, !progress.isSettled(record.frame.sequence) else { return true }
      let sequence = record.frame.sequence
      let time = RecordPayload.scheduledAt(record.payload)
      if request.stored.contains(sequence),
        let index = loss.requested.firstIndex(where: { $0.sequence == sequence })
      {
        loss.requested[index].time = time
        return true
      }
      var grown = loss.gap ?? GapRecord(cause: .ringFull, lost: 0, records: 0, sequences: sequence...sequence)
      grown.add(sequence: sequence, deliverable: true, time: time)
      loss.gap = grown
      return true
    }
    guard count > 0 || loss.gap != nil else { return loss }
    // Read errors hide records; the count in memory does not.
    var gap = loss.gap ?? GapRecord(cause: .ringFull, lost: 0, records: 0, sequences: first...last)
    gap.lost = max(gap.lost, count)
    gap.records = UInt64(segment.records)
    gap.lastSequence = max(gap.lastSequence, last)
    gap.notedAt = wall
    loss.gap = gap
    return loss
  }

  /// Gives back the oldest segments that are delivered and in a snapshot.
  mutating func recycle() {
    guard case .durable = mode, let log else { return }
    var count = 0
    var isFree = true
    for segment in log.segments.prefix(log.sealedCount) {
      guard segment.unsettled == 0, segment.last ?? segment.name.base <= snapshottedThrough else { break }
      isFree = carry(segment) && isFree
      guard isFree else { continue }
      forget(through: segment)
      count += 1
    }
    guard count > 0 else { return }
    saveCursor()
    for _ in 0..<count { self.log?.recycleFirst() }
  }

  /// A segment left, or is about to. Numbers between its last record and the next segment go with it: numbers passed
  /// over are explained by a gap record that may stand at its end.
  mutating func forget(through segment: Segment) {
    let later = log?.segments.lazy.filter { $0.name.generation > segment.name.generation }
    let next = min(later?.map(\.name.base).min() ?? 1, held.entries.first?.sequence ?? .max)
    progress.forget(through: max(segment.last ?? 0, max(next, 1) - 1), except: request.sequences)
  }

  /// Losses are remembered for longer than segments are: before one goes, the next group repeats its gap records. False
  /// until that is written.
  private mutating func carry(_ segment: Segment) -> Bool {
    let gaps = leaving(segment, nil)
    guard !gaps.isEmpty else { return true }
    pendingGaps += gaps.filter { !pendingGaps.contains($0) }
    return false
  }

  /// A cursor that cannot be written costs resends after a crash, nothing else.
  mutating func saveCursor() {
    guard case .durable = mode, let identity else { return }
    do {
      try cursor?.write(progress, identity: identity)
    } catch {
      fault(error)
    }
  }

  mutating func fault(_ fault: FileFault) {
    counters.faults += 1
    counters.lastFault = fault.description
  }

  mutating func note(_ what: String) { counters.notes.append(.warning(.store, what)) }

  mutating func enterMemory(_ fault: FileFault, keeping entries: [SpoolEntry], at time: SpoolTime) {
    reopening.at = time.monotonic + SpoolCore.retryInterval
    syncDueAt = nil
    search.oldest = nil
    var since = time.wall
    if case .memory(let notice) = mode, let began = notice.since { since = began }
    mode = .memory(fault.notice(since: since))
    for case let gap? in entries.map({ $0.kind == .gap ? GapRecord(entry: $0) : nil })
    where !pendingGaps.contains(gap) {
      pendingGaps.append(gap)
    }
    keepInMemory(entries.filter { $0.kind == .result })
  }

  /// Bounded: the oldest go first, delivered ones before all, and what is dropped undelivered is counted.
  mutating func keepInMemory(_ entries: [SpoolEntry]) {
    for entry in entries { held.append(entry) }
    while held.entries.count > settings.queueLimit || held.bytes > settings.queueBytes,
      let oldest = held.removeLeastMissed()
    {
      let sequence = oldest.sequence
      search.oldest = nil
      if request.stored.contains(sequence) {
        let slot = oldest.payload.withUnsafeBytes { RecordPayload.scheduledAt($0) }
        request.drop([.init(sequence: sequence, cause: .memoryOverflow, time: slot)])
        continue
      }
      lostUnsettled.insert(sequence...sequence)
      if pendingGaps.last?.cause != .memoryOverflow {
        pendingGaps.append(
          GapRecord(cause: .memoryOverflow, lost: 0, records: 0, sequences: sequence...sequence))
      }
      let waited = oldest.deliverable && !progress.isSettled(sequence)
      let slot = oldest.payload.withUnsafeBytes { RecordPayload.scheduledAt($0) }
      pendingGaps[pendingGaps.count - 1].add(sequence: sequence, deliverable: waited, time: slot)
      pendingGaps[pendingGaps.count - 1].notedAt = wall
      if waited { counters.dropped += 1 }
    }
  }
}
