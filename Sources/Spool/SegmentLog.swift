// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring

/// A ring of preallocated segments: the last one is written, the others are sealed, spares wait.
///
/// Decides nothing about what may go: its owner says when the oldest segment makes room.
struct SegmentLog {
  struct Layout: Hashable, Sendable {
    var log: SegmentName.Log
    var segmentSize: Int
    /// Files in all, spares included.
    var count: Int
    var identity: UniqueID
    /// Differs from run to run: tells a segment of this run from one of an earlier.
    var nonce: UInt64
  }

  let files: any SpoolFileSystem
  let layout: Layout
  /// Oldest first. The last one is being written while `active` is not nil.
  private(set) var segments: [Segment]
  private(set) var active: SpoolFile?
  /// The active segment as of its last sync: what remains of it when a write fails.
  private var synced: Segment?
  /// Written, not yet synced.
  private(set) var unsynced: [SpoolEntry] = []
  private var spares: [Spare] = []
  private var generation: UInt32
  private var spareNumber: UInt32
  /// Files whose sync failed, or may have: never synced again, and no spares.
  private(set) var suspects: Set<String> = []

  struct Spare: Hashable, Sendable {
    var file: String
    /// Reads as zeros throughout.
    var isClean: Bool
  }

  init(
    files: any SpoolFileSystem, layout: Layout, recovered: LogRecovery, suspects: Set<String> = []
  ) {
    self.files = files
    self.layout = layout
    self.segments = recovered.segments
    self.suspects = suspects
    for index in segments.indices { segments[index].suspect = suspects.contains(segments[index].file) }
    for spare in recovered.spares {
      if suspects.contains(spare.file) { try? files.remove(spare.file) } else { spares.append(spare) }
    }
    self.generation = recovered.generation
    self.spareNumber = recovered.spareNumber
  }

  var isWritable: Bool { active != nil }
  var spareCount: Int { spares.count }
  /// The sealed segments' number.
  var sealedCount: Int { segments.count - (active == nil ? 0 : 1) }
  var reservedBytes: Int { (segments.count + spares.count) * layout.segmentSize }
  var usedBytes: Int { segments.reduce(0) { $0 + $1.end } }

  /// Reserves what is missing of the ring. Throws at the first file there is no room for.
  mutating func replenish() throws(FileFault) {
    var made = false
    defer { if made { try? files.syncDirectory() } }
    while segments.count + spares.count < layout.count {
      spareNumber += 1
      let name = SegmentName.spare(layout.log, spareNumber)
      let file = try files.open(name, create: true)
      do {
        defer { files.close(file) }
        try files.reserve(file, size: layout.segmentSize)
        // Or a power cut takes the space back, and others may have it by then.
        try files.sync(file)
      } catch {
        discard(name)
        throw error
      }
      spares.append(Spare(file: name, isClean: true))
      made = true
    }
  }

  /// Gives back what is more than the ring, spares only.
  mutating func trim() {
    while segments.count + spares.count > layout.count, spares.count > 1 {
      try? files.remove(spares.removeLast().file)
    }
  }

  /// Writes as many entries as fit the active segment and returns their number. They are not synced yet.
  mutating func append(_ entries: ArraySlice<SpoolEntry>, isSettled: (UInt64) -> Bool) throws(FileFault)
    -> Int
  {
    guard let active, var segment = segments.last else { return 0 }
    var bytes: [UInt8] = []
    let start = segment.end
    var count = 0
    for entry in entries {
      guard segment.end + entry.size <= layout.segmentSize else { break }
      RecordFrame.encode(entry, into: &bytes)
      segment.note(entry, isSettled: isSettled(entry.sequence))
      count += 1
    }
    guard count > 0 else { return 0 }
    try files.write(active, at: start, bytes)
    segments[segments.count - 1] = segment
    unsynced.append(contentsOf: entries.prefix(count))
    return count
  }

  mutating func sync() throws(FileFault) {
    guard let active, !unsynced.isEmpty else { return }
    try files.sync(active)
    unsynced.removeAll(keepingCapacity: true)
    synced = segments.last
  }

  /// Syncs and seals the active segment, if any.
  mutating func seal() throws(FileFault) {
    try sync()
    if let active { files.close(active) }
    active = nil
  }

  /// Gives the active segment up after a failed write or sync and returns what it may not hold.
  ///
  /// It is closed and never synced again: after a failed sync the kernel may have dropped the pages, and a second
  /// sync would report success for data that is not there.
  mutating func abandon(isSettled: (UInt64) -> Bool) -> [SpoolEntry] {
    guard let active else { return [] }
    files.close(active)
    self.active = nil
    let lost = unsynced
    unsynced = []
    guard var last = synced, let written = segments.last else { return lost }
    let waiting = lost.reduce(0) { $0 + ($1.deliverable && !isSettled($1.sequence) ? 1 : 0) }
    last.unsettled = max(0, written.unsettled - waiting)
    last.suspect = true
    suspects.insert(last.file)
    last.limit = min(last.limit, lost.first?.sequence ?? last.limit)
    segments[segments.count - 1] = last
    if last.records == 0, last.gaps.isEmpty { removeSegment(at: segments.count - 1) }
    return lost
  }

  /// Starts a segment whose first sequence is `base`, with as many of `entries` as fit, and returns their number.
  ///
  /// Header and entries are on the medium before the file gets its name, so a segment that exists by name is whole.
  mutating func start(
    base: UInt64, with entries: ArraySlice<SpoolEntry>, at time: Timestamp, isSettled: (UInt64) -> Bool
  ) throws(FileFault) -> Int {
    guard let spare = spares.popLast() else {
      throw .failed(operation: "start segment", name: "spare", code: ENOSPC)
    }
    generation += 1
    let name = SegmentName(log: layout.log, base: base, generation: generation)
    var segment = Segment(file: name.text, name: name)
    let header = SegmentHeader(
      log: layout.log, identity: layout.identity, nonce: layout.nonce, base: base, generation: generation,
      segmentSize: UInt32(layout.segmentSize), createdAt: time)
    var bytes = header.bytes
    var count = 0
    for entry in entries {
      guard segment.end + entry.size <= layout.segmentSize else { break }
      RecordFrame.encode(entry, into: &bytes)
      segment.note(entry, isSettled: isSettled(entry.sequence))
      count += 1
    }
    active = try put(bytes, into: spare, as: name.text)
    segments.append(segment)
    synced = segment
    return count
  }

  private mutating func put(_ bytes: [UInt8], into spare: Spare, as name: String) throws(FileFault)
    -> SpoolFile
  {
    let file: SpoolFile
    do {
      file = try files.open(spare.file, create: false)
    } catch {
      discard(spare.file)
      throw error
    }
    do {
      if !spare.isClean {
        // Its earlier name must be gone from the medium before its content goes: after a power cut the new records,
        // half written, would stand under the old name and hide the whole ones they are a copy of.
        try files.syncDirectory()
        try files.reserve(file, size: layout.segmentSize)
      }
      try files.write(file, at: 0, bytes)
      try files.sync(file)
      try files.rename(spare.file, to: name)
      try files.syncDirectory()
      return file
    } catch {
      files.close(file)
      discard(spare.file)
      discard(name)
      throw error
    }
  }

  /// A file that is not to be used any more. Where it cannot be removed it is known by its name.
  private mutating func discard(_ name: String) {
    do { try files.remove(name) } catch { suspects.insert(name) }
  }

  /// The oldest segment leaves the log; its space becomes a spare.
  mutating func recycleFirst() {
    guard sealedCount > 0 else { return }
    removeSegment(at: 0)
  }

  /// The same where the room is needed: when it throws, the segment and all it holds are still there.
  mutating func yieldFirst() throws(FileFault) {
    guard sealedCount > 0 else { return }
    let segment = segments.removeFirst()
    do {
      try release(segment)
    } catch {
      segments.insert(segment, at: 0)
      throw error
    }
  }

  /// Leaves out the segments that end there or earlier; their files are not touched.
  mutating func forget(through sequence: UInt64) {
    segments.removeAll { $0.last.map { $0 <= sequence } == true }
  }

  /// Removes segments that hold nothing, and those whose records another segment holds now.
  mutating func recycle(_ generations: Set<UInt32>) {
    for index in (0..<sealedCount).reversed() where generations.contains(segments[index].name.generation) {
      removeSegment(at: index)
    }
  }

  private mutating func removeSegment(at index: Int) {
    // Where that fails the file stays under its name; a later start finds it below the cursor and recycles it then.
    try? release(segments.remove(at: index))
  }

  /// The file of a segment that left the log becomes a spare, or goes where there are enough.
  private mutating func release(_ segment: Segment) throws(FileFault) {
    // The last spare is kept also where the ring became smaller: without one nothing can be written.
    guard !segment.suspect, spares.isEmpty || segments.count + spares.count < layout.count else {
      return try files.remove(segment.file)
    }
    spareNumber += 1
    let name = SegmentName.spare(layout.log, spareNumber)
    try files.rename(segment.file, to: name)
    spares.append(Spare(file: name, isClean: false))
  }

  mutating func settle(_ count: Int, generation: UInt32) {
    guard let index = segments.firstIndex(where: { $0.name.generation == generation }) else { return }
    segments[index].unsettled = max(0, segments[index].unsettled - count)
  }

  mutating func close() {
    if let active { files.close(active) }
    active = nil
  }

  /// Ends an attempt to open that failed. The segment it was writing may be the one whose sync did.
  mutating func giveUp() {
    if active != nil, let last = segments.last { suspects.insert(last.file) }
    close()
  }

  /// A copy for reading elsewhere: the writer's descriptor may be closed and its number used again.
  func detached() -> SegmentLog {
    var copy = self
    copy.active = nil
    return copy
  }
}
