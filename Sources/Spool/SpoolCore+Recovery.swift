// SPDX-License-Identifier: MIT

import Basics
import DequeModule
import Monitoring

extension SpoolCore {
  /// Takes over a directory: reads what is there, writes what waited in memory, and is durable when it returns.
  /// When it throws, nothing has changed but what was given up for room.
  mutating func adopt(_ files: any SpoolFileSystem, at time: SpoolTime) throws(FileFault) {
    let before = self
    owedGaps = []
    do throws(FileFault) {
      try adoptAll(files, at: time)
      unopened = nil
    } catch {
      log?.giveUp()
      quarantined?.giveUp()
      cursor?.close()
      let attempt = self
      self = before
      self.files = files
      giveUp(attempt)
      if before.log == nil, let found = attempt.log {
        unopened = found.detached()
        // Above everything in there, whatever the clock says.
        if nextSequence == 0 { nextSequence = max(attempt.nextSequence, firstSequence(time)) }
      }
      throw error
    }
  }

  /// Keeps the losses of an attempt to open that gave up results for room, also when it failed in the end.
  private mutating func giveUp(_ attempt: SpoolCore) {
    counters.dropped = attempt.counters.dropped
    (request, lostUnsettled) = (attempt.request, attempt.lostUnsettled)
    pendingGaps += attempt.owedGaps.filter { !pendingGaps.contains($0) }
    reopening.suspects.formUnion(attempt.reopening.suspects)
    if let log = attempt.log { reopening.suspects.formUnion(log.suspects) }
    if let log = attempt.quarantined { reopening.suspects.formUnion(log.suspects) }
    reopening.cursorIsSuspect =
      reopening.cursorIsSuspect || attempt.reopening.cursorIsSuspect || attempt.cursor?.isSuspect == true
    guard attempt.identity == identity else { return }
    progress = attempt.progress
    let last = attempt.owedGaps.map(\.lastSequence).max() ?? 0
    log?.forget(through: max(last, attempt.progress.settledThrough))
  }

  private mutating func adoptAll(_ files: any SpoolFileSystem, at time: SpoolTime) throws(FileFault) {
    let found = CursorFile.read(files)
    let (recovery, continues) = try recover(files, cursor: found.cursor)
    if let log { reopening.suspects.formUnion(log.suspects) }
    let gone = continues ? [] : loseStore(at: time)
    let store = recovery.identity ?? identity ?? newIdentity(time)
    let layout = SegmentLog.Layout(
      log: .results, segmentSize: settings.segmentSize, count: settings.segmentCount, identity: store,
      nonce: nonce)
    self.files = files
    let written = Set(recovery.segments.flatMap(\.gaps))
    pendingGaps.removeAll { written.contains($0) }
    identity = store
    cursor = CursorFile(
      files: files, after: found.cursor,
      isSuspect: found.isUnreadable || reopening.cursorIsSuspect || cursor?.isSuspect ?? false)
    log = SegmentLog(files: files, layout: layout, recovered: recovery, suspects: reopening.suspects)
    counters.cursorDamaged += found.damaged
    counters.setAside += recovery.setAside
    counters.unreadable += recovery.unknownRecords
    counters.notes = found.notes + files.notes
    if continues {
      reportDamage(recovery, at: time)
    } else {
      startNumbering(recovery, cursor: found.cursor, at: time)
    }
    note(recovery.blanks)
    finishDrops()
    try reserve()
    try startWriting(at: time)
    search = DeliverySearch()
    for loss in gone { took(loss) }
    mode = .durable
    reopening.failures = 0
    moveAside(recovery.unreadableFiles, files)
    saveCursor()
    openQuarantine(files, at: time)
    recycle()
  }

  /// `continues`: this run already wrote to this store, so what it remembers is newer than what the disk says.
  private func recover(
    _ files: any SpoolFileSystem, cursor: Cursor?
  ) throws(FileFault) -> (LogRecovery, continues: Bool) {
    if let identity {
      // What waits in memory was perhaps half written before the disk failed: it is written again, so the old copies
      // do not count.
      var reader = recoverer(
        files, .results, identity: identity, progress: progress,
        limit: held.entries.first?.sequence ?? RecordFrame.sequenceLimit)
      reader.knownGaps = Set((log?.segments ?? []).flatMap(\.gaps))
      let recovery = try reader.recover()
      // An empty folder says no other identity: the store was removed.
      let isGone = recovery.segments.isEmpty && !(log?.segments ?? []).isEmpty
      if recovery.identity == identity, !isGone { return (recovery, true) }
    }
    let reader = recoverer(
      files, .results, identity: cursor?.identity, progress: cursor.map(DeliveryProgress.init),
      limit: RecordFrame.sequenceLimit)
    return (try reader.recover(), false)
  }

  private func recoverer(
    _ files: any SpoolFileSystem, _ log: SegmentName.Log, identity: UniqueID?, progress: DeliveryProgress?,
    limit: UInt64
  ) -> LogRecoverer {
    LogRecoverer(
      files: files, log: log, segmentSize: log == .results ? settings.segmentSize : quarantineSegment,
      identity: identity, progress: progress, limit: limit,
      isTolerant: log == .results && reopening.failures >= Reopening.patience)
  }

  private func newIdentity(_ time: SpoolTime) -> UniqueID {
    var generator = SystemRandomNumberGenerator()
    return UniqueID.v7(at: time.wall, using: &generator)
  }

  /// Fixes the next sequence above everything ever used here, and numbers what waited in memory accordingly.
  private mutating func startNumbering(_ recovery: LogRecovery, cursor: Cursor?, at time: SpoolTime) {
    let trusted = recovery.progress == nil ? nil : cursor
    let highest = max(recovery.highest, trusted?.highest ?? 0)
    var next = highest + 1
    // Lost records behind an unreadable end may have had any number above the last one seen.
    if recovery.unreadableTail || highest == 0 { next = max(next + 1, firstSequence(time)) }
    if let first = held.entries.first?.sequence, first < next {
      held.renumber(from: next)
      nextSequence = next + UInt64(held.entries.count)
    }
    let start = held.entries.first?.sequence ?? max(nextSequence, next)
    nextSequence = max(nextSequence, start)
    progress = recovery.progress ?? DeliveryProgress(settledThrough: max(recovery.oldest ?? start, 1) - 1)
    reportDamage(recovery, at: time)
    guard highest > 0, start > highest + 1 else { return }
    let skipped = highest + 1...start - 1
    let isDamage = recovery.unreadableTail
    var gap = GapRecord(
      cause: isDamage ? .unreadableTail : .skipped, lost: isDamage ? 1 : 0, records: isDamage ? 1 : 0,
      sequences: skipped)
    gap.notedAt = time.wall
    pendingGaps.append(gap)
    if isDamage { counters.damaged += 1 }
  }

  /// Turns holes without an explanation into gap records; those of delivered results cost nothing and are left out.
  private mutating func reportDamage(_ recovery: LogRecovery, at time: SpoolTime) {
    var waiting = IntervalSet()
    for gap in pendingGaps { waiting.insert(gap.sequences) }
    for result in request.dropped { waiting.insert(result.sequence...result.sequence) }
    let parts = recovery.holes.flatMap { waiting.missing(from: $0) }.flatMap { progress.unsettled(in: $0) }
    var gaps: [GapRecord] = []
    for part in parts {
      let width = part.upperBound - part.lowerBound + 1
      // A width this store cannot hold is a lost explanation of skipped numbers, not that many results.
      let room = settings.size / RecordFrame.size(payload: 0)
      let lost = width > max(room, 1) ? 1 : width
      counters.damaged += lost
      if gaps.count < 64 {
        var gap = GapRecord(cause: .damage, lost: lost, records: lost, sequences: part)
        gap.notedAt = time.wall
        gaps.append(gap)
      } else {
        gaps[63].lost += lost
        gaps[63].records += lost
        gaps[63].lastSequence = part.upperBound
      }
    }
    pendingGaps += gaps
  }

  /// A stop between the gap record of a full ring and the removal it speaks of: the removal is done now, but for results
  /// of a request that was under way, which the record does not count. Empty segments go as well.
  private mutating func finishDrops() {
    guard let segments = log?.segments else { return }
    let gaps = segments.flatMap(\.gaps).filter { $0.cause == .ringFull }
    let dropped = gaps.map(\.lastSequence).max() ?? 0
    var told = IntervalSet()
    for gap in gaps { told.insert(gap.sequences) }
    var gone: Set<UInt32> = []
    for segment in segments {
      if segment.records == 0, segment.gaps.isEmpty { gone.insert(segment.name.generation) }
      guard let last = segment.last, last <= dropped, !keepUntold(segment, told) else { continue }
      request.drop(requested(of: segment))
      forget(through: segment)
      gone.insert(segment.name.generation)
    }
    log?.recycle(gone)
  }

  /// Whether results wait in a segment that no gap record counts: then they stay, and the others are settled.
  private mutating func keepUntold(_ segment: Segment, _ told: IntervalSet) -> Bool {
    guard segment.unsettled > 0, let last = segment.last else { return false }
    var counted = 0
    var untold: Set<UInt64> = []
    let start = LogPosition(generation: segment.name.generation, offset: SegmentHeader.size)
    _ = log?.walk(from: start) { record in
      guard record.position.generation == segment.name.generation else { return false }
      guard record.frame.isDeliverable, !progress.isSettled(record.frame.sequence) else { return true }
      if told.contains(record.frame.sequence) { counted += 1 } else { untold.insert(record.frame.sequence) }
      return true
    }
    guard !untold.isEmpty else { return false }
    progress.forget(through: last, except: untold.union(request.sequences))
    log?.settle(counted, generation: segment.name.generation)
    return true
  }

  private mutating func reserve() throws(FileFault) {
    log?.trim()
    do {
      try log?.replenish()
    } catch {
      let bytes = log?.reservedBytes ?? 0
      guard bytes >= SpoolSettings.leastSegments * settings.segmentSize else { throw error }
      fault(error)
      note("only \(bytes >> 20) of \(settings.size >> 20) MiB could be reserved: \(error)")
    }
  }

  /// The first segment of this run: the end of the log before it, then the gaps, then what waited in memory.
  private mutating func startWriting(at time: SpoolTime) throws(FileFault) {
    try makeRoom()
    let tail = log?.tailToRewrite() ?? RewrittenTail()
    let waiting = withGaps(Array(held.entries))
    var rest = (tail.entries + waiting)[...]
    let base = rest.first?.sequence ?? nextSequence
    let progress = progress
    if tail.generations.isEmpty {
      try rotate(&rest, at: time)
    } else {
      let count = try log?.start(base: base, with: rest, at: time.wall) { progress.isSettled($0) } ?? 0
      rest = rest.dropFirst(count)
      log?.recycle(tail.generations)
    }
    while !rest.isEmpty {
      let progress = progress
      rest = rest.dropFirst(try log?.append(rest) { progress.isSettled($0) } ?? 0)
      if !rest.isEmpty { try rotate(&rest, at: time) }
    }
    try log?.sync()
    held.removeAll()
    pendingGaps = []
  }

  /// The oldest segments go until one file is free and the ring is no longer than it should be: a spare may be missing
  /// on a full disk, or `spool.size` was made smaller. The cursor follows once their gaps are written.
  private mutating func makeRoom() throws(FileFault) {
    var isProven = false
    var given: [GapRecord] = []
    while let log, let victim = log.segments.first, log.segments.count > 1,
      log.spareCount == 0 || log.segments.count >= settings.segmentCount
    {
      if !isProven { try proveDisk() }
      isProven = true
      let loss = lostWith(victim)
      try self.log?.yieldFirst()
      took(loss)
      pendingGaps.removeAll { given.contains($0) }
      given = GapRecord.merged(given + leaving(victim, loss.gap))
      pendingGaps += given
      owedGaps = given
      forget(through: victim)
    }
  }

  private mutating func moveAside(_ names: [String], _ files: any SpoolFileSystem) {
    for name in names {
      try? files.rename(name, to: "aside-\(name)")
      counters.setAside += 1
      counters.lostSegments += 1
    }
  }

  /// A problem for as long as the store is open; the gap records of what is lost outlive it.
  private mutating func note(_ blanks: [Blank]) {
    guard !blanks.isEmpty else { return }
    counters.lostSegments += blanks.count
    let isLoss = blanks.contains { blank in
      blank.isTail || blank.missing.contains { !progress.unsettled(in: $0).isEmpty }
    }
    let what = "the content of \(blanks.map(\.file).andMore(after: 1)) is gone"
    counters.notes.insert(
      isLoss
        ? .critical(
          .store, "\(what): undelivered results are lost",
          hint: "quartz-agent spool ls shows which; check the disk and its file system")
        : .warning(
          .store, "\(what); no undelivered result is lost", hint: "check the disk and its file system"),
      at: 0)
  }

  var quarantineSegment: Int { settings.quarantineSize / 4 }

  /// The quarantine is a small log of the same form. Trouble with it never stops the store.
  private mutating func openQuarantine(_ files: any SpoolFileSystem, at time: SpoolTime) {
    guard let identity else { return }
    let layout = SegmentLog.Layout(
      log: .quarantine, segmentSize: quarantineSegment, count: 4, identity: identity, nonce: nonce)
    do {
      let reader = recoverer(
        files, .quarantine, identity: identity, progress: nil, limit: RecordFrame.sequenceLimit)
      let recovery = try reader.recover()
      moveAside(recovery.unreadableFiles, files)
      if let quarantined { reopening.suspects.formUnion(quarantined.suspects) }
      var opened = SegmentLog(files: files, layout: layout, recovered: recovery, suspects: reopening.suspects)
      opened.recycle(Set(opened.segments.filter { $0.records == 0 }.map(\.name.generation)))
      do throws(FileFault) {
        try opened.replenish()
      } catch {
        fault(error)
        note("the quarantine has less space than it should: \(error)")
      }
      counters.setAside += recovery.setAside
      counters.lostSegments += recovery.blanks.count
      if let blank = recovery.blanks.first {
        counters.notes.append(
          .warning(
            .store, "the content of \(blank.file) is gone: the refused results in it are lost",
            hint: "check the disk and its file system"))
      }
      refusals.next = max(refusals.next, recovery.highest + 1)
      quarantined = opened
      // Not less than before: what found no room in memory left no trace on the disk.
      let recycled = Int(clamping: max(opened.segments.first?.name.base ?? 1, 1) - 1)
      counters.quarantineDropped = max(counters.quarantineDropped, recycled)
      storeRefused(at: time)
    } catch {
      fault(error)
      note("the quarantine is kept in memory only: \(error)")
    }
  }
}
