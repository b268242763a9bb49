// SPDX-License-Identifier: MIT

import Basics

/// Records to be written again, and the segments that hold nothing else.
struct RewrittenTail {
  var entries: [SpoolEntry] = []
  var generations: Set<UInt32> = []
}

/// How a walk over the log went.
struct LogWalk {
  /// Where to go on: the record the visitor stopped at, the end, or the first segment that could not be read.
  var stopped: LogPosition
  /// Sequences that may lie in segments that could not be read.
  var unread: [ClosedRange<UInt64>]
  var faults: [FileFault]
}

extension SegmentLog {
  /// Visits the records from `position` on, in order, until the visitor says false.
  func walk(from position: LogPosition?, _ visit: (StoredRecord) -> Bool) -> LogWalk {
    var reached = position ?? LogPosition(generation: 0, offset: SegmentHeader.size)
    var unread: LogPosition?
    var failures: [FileFault] = []
    var ranges: [ClosedRange<UInt64>] = []
    for (index, segment) in segments.enumerated() where segment.name.generation >= reached.generation {
      let isActive = active != nil && index == segments.count - 1
      let offset = segment.name.generation == reached.generation ? reached.offset : SegmentHeader.size
      var goesOn = true
      let start = LogPosition(generation: segment.name.generation, offset: offset)
      do throws(FileFault) {
        let stopped = try read(segment, isActive: isActive, from: offset) { record in
          goesOn = visit(record)
          return goesOn
        }
        reached = LogPosition(generation: segment.name.generation, offset: stopped)
      } catch {
        unread = unread ?? start
        failures.append(error)
        if let last = segment.last { ranges.append(min(segment.name.base, last)...last) }
        reached = start
      }
      if !goesOn { return LogWalk(stopped: unread ?? reached, unread: ranges, faults: failures) }
    }
    return LogWalk(stopped: unread ?? reached, unread: ranges, faults: failures)
  }

  private func read(
    _ segment: Segment, isActive: Bool, from offset: Int, _ visit: (StoredRecord) -> Bool
  ) throws(FileFault) -> Int {
    let file: SpoolFile
    if isActive, let active { file = active } else { file = try files.open(segment.file, create: false) }
    defer { if !isActive { files.close(file) } }
    files.begins(segment.file)
    defer { files.ended(segment.file) }
    let reader = SegmentReader(files: files, file: file, segment: segment, end: segment.end)
    return try reader.walk(from: offset) { visited in
      guard case .record(let record) = visited else { return true }
      return visit(record)
    }
  }

  /// Where a record of this sequence would be: the start of its segment.
  func locate(_ sequence: UInt64) -> LogPosition {
    let segment = segments.first { ($0.last ?? 0) >= sequence } ?? segments.last
    return LogPosition(generation: segment?.name.generation ?? 0, offset: SegmentHeader.size)
  }

  /// The records at the end of the log that a start writes again: those of the last segment, and of small ones before.
  ///
  /// Data that a killed process wrote and did not sync reads well from the page cache and may still never reach the
  /// medium, so it counts only once it was written and synced again. And since a writer never appends to a segment it
  /// did not create, a few dozen starts would otherwise use up the ring.
  func tailToRewrite() -> RewrittenTail {
    var tail = RewrittenTail()
    var size = SegmentHeader.size
    for segment in segments.reversed() {
      guard var part = whole(segment) else { break }
      // A gap of the end that the next segment holds as well.
      part.removeAll { entry in entry.kind == .gap && tail.entries.contains { $0.payload == entry.payload } }
      size += part.reduce(0) { $0 + $1.size }
      guard size <= (tail.generations.isEmpty ? layout.segmentSize : layout.segmentSize / 2) else { break }
      tail.entries = part + tail.entries
      tail.generations.insert(segment.name.generation)
    }
    return tail
  }

  /// All records of a segment; nil when some cannot be read or are not for this version.
  private func whole(_ segment: Segment) -> [SpoolEntry]? {
    var entries: [SpoolEntry] = []
    var isWhole = true
    let visited = try? read(segment, isActive: false, from: SegmentHeader.size) { record in
      guard record.frame.version == RecordFrame.version, let entry = record.entry else {
        isWhole = false
        return false
      }
      entries.append(entry)
      return true
    }
    return visited != nil && isWhole ? entries : nil
  }
}
