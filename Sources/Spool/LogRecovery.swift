// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// State of one log at a start: the segments in order, and their faults.
struct LogRecovery {
  var segments: [Segment] = []
  var spares: [SegmentLog.Spare] = []
  var generation: UInt32 = 0
  var spareNumber: UInt32 = 0
  /// The store's identity; nil when neither the cursor nor a segment says one.
  var identity: UniqueID?
  /// The cursor's, if it belongs to this store.
  var progress: DeliveryProgress?
  /// The highest sequence that was ever used, as far as can be seen; 0 without any trace.
  var highest: UInt64 = 0
  /// The first sequence of the oldest segment that holds records or cannot be read.
  var oldest: UInt64?
  /// Sequences that should be there and are not, less those a gap record explains.
  var holes: [ClosedRange<UInt64>] = []
  /// The last segment ends in bytes that are no record, or is shorter than it was made.
  var unreadableTail = false
  /// Files of another store, of a newer format, doubled, or blank: renamed, not destroyed.
  var setAside = 0
  /// Segments that neither header nor record identifies, oldest first: only their names are left. They are set aside.
  var blanks: [Blank] = []
  /// Segments the disk does not give back. They are left alone until the store is durable again, then set aside.
  var unreadableFiles: [String] = []
  /// Intact records of a kind or version this program does not know.
  var unknownRecords = 0
}

/// Segment whose content is gone, such as one that a power cut left as zeros.
struct Blank: Hashable, Sendable {
  var file: String
  /// Sequences from the base in its name up to the next segment that no other segment holds and no gap record explains.
  var missing: [ClosedRange<UInt64>]
  /// It was being written: how many results it held cannot be known.
  var isTail: Bool
}

/// Reads a log's directory. Nothing is written but the names of files that are set aside.
struct LogRecoverer {
  let files: any SpoolFileSystem
  let log: SegmentName.Log
  let segmentSize: Int
  /// The identity the cursor names.
  let identity: UniqueID?
  let progress: DeliveryProgress?
  /// Records at or above this are about to be written again.
  let limit: UInt64
  /// Gaps at `limit` that were synced before the disk failed; others there are about to be written again.
  var knownGaps: Set<GapRecord> = []
  /// Go on without a segment that cannot be read. Not at the first try: the fault may pass, the results would not
  /// come back.
  var isTolerant = false

  private struct Found {
    var file: String
    var name: SegmentName
    var size: Int
    var header: SegmentHeader?
    /// It is reported as lost and moved away, whole and unread.
    var isPoison = false
  }

  func recover() throws(FileFault) -> LogRecovery {
    var recovery = LogRecovery()
    let listing = try files.list()
    let found = try identify(listing, &recovery)
    recovery.identity = chosenIdentity(found)
    if identity == nil || identity == recovery.identity { recovery.progress = progress }
    var tail = true
    var limit = limit
    var blanks: [Found] = []
    for item in found.sorted(by: { $0.name.generation > $1.name.generation }) {
      recovery.generation = max(recovery.generation, item.name.generation)
      if let header = item.header, header.identity != recovery.identity {
        setAside(item.file, &recovery)
        continue
      }
      let read: Read
      do throws(FileFault) {
        if item.isPoison { throw .refused("two starts of the agent died over \(item.file)") }
        files.begins(item.file)
        defer { files.ended(item.file) }
        read = try scan(item, below: limit, &recovery)
      } catch {
        guard isTolerant || item.isPoison else { throw error }
        recovery.unreadableFiles.append(item.file)
        recovery.highest = max(recovery.highest, item.name.base)
        recovery.oldest = item.name.base
        recovery.unreadableTail = recovery.unreadableTail || tail
        tail = false
        recovery.holes.insert(contentsOf: hole(of: item, below: limit), at: 0)
        limit = min(limit, item.name.base)
        continue
      }
      if item.header == nil, read.isEmpty {
        // Only its name says that it is one of ours, and nothing is in it: it must not hide what others hold.
        setAside(item.file, &recovery)
        blanks.append(item)
        continue
      }
      recovery.unreadableTail = recovery.unreadableTail || tail && read.unreadableEnd
      recovery.highest = max(recovery.highest, read.highest, item.name.base > 0 ? item.name.base - 1 : 0)
      tail = false
      limit = min(limit, item.name.base)
      if read.segment.records > 0 { recovery.oldest = item.name.base }
      recovery.segments.insert(read.segment, at: 0)
      recovery.holes.insert(contentsOf: read.holes, at: 0)
    }
    note(blanks, of: found, &recovery)
    recovery.holes = explained(recovery)
    collectSpares(listing, &recovery)
    return recovery
  }

  /// Reads the headers. A valid header counts more than a name; a damaged one leaves the name.
  private func identify(
    _ listing: [String: Int], _ recovery: inout LogRecovery
  ) throws(FileFault) -> [Found] {
    var found: [UInt32: Found] = [:]
    for (file, size) in listing.sorted(by: { $0.key < $1.key }) {
      guard let name = SegmentName(file), name.log == log else { continue }
      var item = Found(file: file, name: name, size: size)
      item.isPoison = files.isPoison(file)
      if !item.isPoison {
        do throws(FileFault) { item.header = try header(of: file) } catch { if !isTolerant { throw error } }
      }
      if let header = item.header {
        guard header.version == SegmentHeader.version, header.log == log,
          header.base < RecordFrame.sequenceLimit, header.generation <= SegmentName.generationLimit
        else {
          setAside(file, &recovery)
          continue
        }
        item.name = SegmentName(log: log, base: header.base, generation: header.generation)
      }
      guard let other = found[item.name.generation] else {
        found[item.name.generation] = item
        continue
      }
      // Two files claim one place: the one with a header has it, or the one whose name agrees with its header.
      let isOther = item.header == nil || other.header != nil && other.file == other.name.text
      let kept = isOther ? other : item
      setAside(kept.file == item.file ? other.file : item.file, &recovery)
      found[kept.name.generation] = kept
    }
    return Array(found.values)
  }

  private func header(of file: String) throws(FileFault) -> SegmentHeader? {
    let handle = try files.open(file, create: false)
    defer { files.close(handle) }
    let bytes = try files.read(handle, at: 0, count: SegmentHeader.size)
    return bytes.withUnsafeBytes { SegmentHeader($0) }
  }

  /// Sequences of a segment that cannot be read at all: up to the next one's base.
  private func hole(of item: Found, below limit: UInt64) -> [ClosedRange<UInt64>] {
    guard item.name.base < limit else { return [] }
    return [item.name.base...(limit < RecordFrame.sequenceLimit ? limit - 1 : item.name.base)]
  }

  /// Adds what segments without content may have held, by their names alone.
  private func note(_ blanks: [Found], of found: [Found], _ recovery: inout LogRecovery) {
    var known = IntervalSet()
    for segment in recovery.segments {
      for gap in segment.gaps { known.insert(gap.sequences) }
      if let first = segment.first, let last = segment.last { known.insert(first...last) }
    }
    let newest = recovery.segments.map(\.name.base).max() ?? 0
    for item in blanks {
      let base = item.name.base
      let later = found.filter { $0.name.generation > item.name.generation && $0.name.base > base }
      let next = later.min { $0.name.generation < $1.name.generation }?.name.base ?? limit
      let isTail =
        item.name.generation == recovery.generation && base >= max(newest, 1) && base < limit
      if isTail {
        recovery.unreadableTail = true
        // Numbers beyond any clock are of no store of ours, and would leave none to count on from.
        if base <= Self.plausibleBase { recovery.highest = max(recovery.highest, base) }
      }
      if recovery.oldest ?? .max > base { recovery.oldest = base }
      let missing = hole(of: item, below: max(next, base)).flatMap { known.missing(from: $0) }
      recovery.blanks.insert(Blank(file: item.file, missing: missing, isTail: isTail), at: 0)
      recovery.holes += missing
    }
    if !blanks.isEmpty { recovery.holes.sort { $0.lowerBound < $1.lowerBound } }
  }

  /// Highest number at which a store begins: the clock's microseconds, as `SpoolCore.firstSequence` limits them.
  private static let plausibleBase: UInt64 = 1 << 60

  /// The cursor's, when a segment bears it or none bears any; else what most segments say.
  private func chosenIdentity(_ found: [Found]) -> UniqueID? {
    var votes: [UniqueID: Int] = [:]
    for item in found { if let header = item.header { votes[header.identity, default: 0] += 1 } }
    if let identity, votes.isEmpty || votes[identity] != nil { return identity }
    return votes.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
  }

  private func setAside(_ file: String, _ recovery: inout LogRecovery) {
    try? files.rename(file, to: "aside-\(file)")
    recovery.setAside += 1
  }

  private struct Read {
    var segment: Segment
    var highest: UInt64 = 0
    var holes: [ClosedRange<UInt64>] = []
    var unreadableEnd = false

    var isEmpty: Bool { segment.records == 0 && segment.gaps.isEmpty && highest == 0 }
  }

  private func scan(_ item: Found, below limit: UInt64, _ recovery: inout LogRecovery) throws(FileFault)
    -> Read
  {
    var read = Read(segment: Segment(file: item.file, name: item.name, limit: limit))
    // Header and name may both lie about the size; nothing larger than the largest segment is read.
    let size = min(item.size, SpoolSettings.largestSegment)
    var expected = item.name.base
    var unknown = 0
    let later = Set(recovery.segments.flatMap(\.gaps))
    if size > SegmentHeader.size {
      let file = try files.open(item.file, create: false)
      defer { files.close(file) }
      let reader = SegmentReader(files: files, file: file, segment: read.segment, window: 4 << 20, end: size)
      _ = try reader.walk(from: SegmentHeader.size) { visit in
        switch visit {
        case .damage(let sequence, _):
          read.unreadableEnd = true
          if let sequence { read.highest = max(read.highest, sequence) }
        case .record(let record):
          read.unreadableEnd = false
          if !note(record, &read, &expected, recovery.progress, later) { unknown += 1 }
        }
        return true
      }
    }
    recovery.unknownRecords += unknown
    // A file shorter than it was made may have been cut between two records.
    if size < Int(item.header?.segmentSize ?? UInt32(clamping: segmentSize)) { read.unreadableEnd = true }
    if item.name.base < limit, limit < RecordFrame.sequenceLimit, expected < limit {
      read.holes.append(expected...limit - 1)
    } else if read.highest >= expected {
      read.holes.append(expected...read.highest)
    }
    return read
  }

  /// False when the record is intact but not for this version.
  private func note(
    _ record: StoredRecord, _ read: inout Read, _ expected: inout UInt64, _ progress: DeliveryProgress?,
    _ later: Set<GapRecord>
  ) -> Bool {
    let frame = record.frame
    if frame.isGap {
      guard let gap = GapRecord(payload: record.payload) else {
        read.segment.end = record.position.offset + frame.size
        return false
      }
      // At the limit stands a gap of its own, or one that was written again in the next segment.
      let isOwn = read.segment.limit == limit ? knownGaps.contains(gap) : !later.contains(gap)
      guard frame.sequence < read.segment.limit || isOwn else { return true }
      read.segment.end = record.position.offset + frame.size
      read.segment.gaps.append(gap)
      // The gap's own number is that of the record after it; numbers it passes over are never used again.
      read.highest = max(read.highest, gap.lastSequence, max(frame.sequence, 1) - 1)
      return true
    }
    read.segment.end = record.position.offset + frame.size
    if frame.sequence > expected { read.holes.append(expected...frame.sequence - 1) }
    expected = frame.sequence + 1
    read.highest = max(read.highest, frame.sequence)
    read.segment.records += 1
    if read.segment.first == nil { read.segment.first = frame.sequence }
    read.segment.last = frame.sequence
    if frame.isDeliverable, progress?.isSettled(frame.sequence) != true { read.segment.unsettled += 1 }
    return frame.version == RecordFrame.version && RecordKind(rawValue: frame.kind) != nil
  }

  /// Takes out of the holes what gap records account for, and what is missing before the first segment adds to them.
  private func explained(_ recovery: LogRecovery) -> [ClosedRange<UInt64>] {
    var known = IntervalSet()
    for segment in recovery.segments { for gap in segment.gaps { known.insert(gap.sequences) } }
    var holes = recovery.holes
    if let progress = recovery.progress, let first = recovery.segments.first?.name.base,
      first > progress.settledThrough + 1
    {
      holes.insert(progress.settledThrough + 1...first - 1, at: 0)
    }
    return holes.flatMap { hole in
      let parts = known.missing(from: hole)
      // What two of them miss is missing once.
      known.insert(hole)
      return parts
    }
  }

  private func collectSpares(_ listing: [String: Int], _ recovery: inout LogRecovery) {
    for (file, size) in listing.sorted(by: { $0.key < $1.key }) {
      guard let number = SegmentName.spareNumber(file, log) else { continue }
      let isCounted = SegmentName.isCounted(number)
      if isCounted { recovery.spareNumber = max(recovery.spareNumber, number) }
      // A file of another size is no reserve; its space comes back with the next reservation.
      if size == segmentSize, isCounted {
        recovery.spares.append(SegmentLog.Spare(file: file, isClean: false))
      } else {
        try? files.remove(file)
      }
    }
  }
}
