// SPDX-License-Identifier: MIT

import Basics
import DequeModule
import Monitoring

/// The store as a sequential machine: no thread, no clock, no lock of its own. Time comes in as an argument and the
/// disk through `SpoolFileSystem`, so a test can drive it through any history. Calls block on the disk.
struct SpoolCore {
  typealias Opener = @Sendable () throws(FileFault) -> any SpoolFileSystem

  let settings: SpoolSettings
  let open: Opener
  let nonce: UInt64

  /// The directory, kept in memory mode as well: it holds the lock, and reading may still work.
  var files: (any SpoolFileSystem)?
  var log: SegmentLog?
  /// Log of a directory that a start could read and not write: only for reading. `nil` once the store was opened.
  var unopened: SegmentLog?
  var quarantined: SegmentLog?
  var cursor: CursorFile?
  var identity: UniqueID?

  var mode: SpoolStatus.Mode
  var reopening = Reopening()
  var syncDueAt: Int64?
  static let retryInterval: Int64 = 60_000_000
  static let syncInterval: Int64 = 500_000

  var progress = DeliveryProgress(settledThrough: 0)
  /// The next sequence not yet written; 0 until the first is chosen.
  var nextSequence: UInt64 = 0
  var snapshottedThrough: UInt64 = 0
  var held = MemoryQueue()
  /// Gaps to be written before the next record.
  var pendingGaps: [GapRecord] = []
  /// As of the last group or tick.
  var wall: Timestamp
  /// Gaps of segments whose files are gone, until the disk has them: an attempt to open that fails must not forget them.
  var owedGaps: [GapRecord] = []
  /// Lost, and not yet settled: results dropped from memory, and those of a request that was not confirmed.
  var lostUnsettled = IntervalSet()
  var request = OpenRequest()
  var search = DeliverySearch()
  var refusals = Refusals()
  var counters: SpoolStatus
  var rate = RateEstimate()

  /// Never fails: what the disk refuses becomes memory mode.
  init(settings: SpoolSettings, nonce: UInt64, at time: SpoolTime, open: @escaping Opener) {
    self.settings = settings
    self.open = open
    self.nonce = nonce
    self.mode = .memory(.warning(.store, "not opened yet", since: time.wall))
    self.wall = time.wall
    self.counters = SpoolStatus(mode: .durable, durability: settings.durability)
  }

  /// Opens or, in memory mode, opens again. Returns the fault when it did not work; the mode then says so too.
  @discardableResult
  mutating func attach(at time: SpoolTime) -> FileFault? {
    wall = time.wall
    do throws(FileFault) {
      // Opening again while this object holds the lock would lock us out of our own directory.
      if let files { try adopt(try files.reattached(), at: time) } else { try adopt(try open(), at: time) }
      return nil
    } catch {
      reopening.failures += 1
      if nextSequence == 0 { nextSequence = firstSequence(time) }
      enterMemory(error, keeping: [], at: time)
      return error
    }
  }

  /// A store without a past starts at the clock's microseconds: above every number an earlier store in this place can
  /// have reached, also when nothing of it is left.
  func firstSequence(_ time: SpoolTime) -> UInt64 {
    UInt64(clamping: max(1, min(time.wall.microseconds, 1 << 60)))
  }

  /// Writes a group in order. Returns whether all of it is recorded: on disk, and with `always` synced.
  @discardableResult
  mutating func record(_ entries: [SpoolEntry], overflow: GapRecord?, at time: SpoolTime) -> Bool {
    wall = time.wall
    if let overflow {
      pendingGaps.append(overflow)
      pendingGaps[pendingGaps.count - 1].notedAt = wall
      counters.dropped += overflow.lost
    }
    var group = entries
    for index in group.indices {
      // Only after a clock stepped back under a store that began in memory is a number not above the last.
      group[index].sequence = max(group[index].sequence, nextSequence)
      nextSequence = group[index].sequence + 1
    }
    note(group, at: time)
    guard case .durable = mode else {
      keepInMemory(group)
      return false
    }
    return write(withGaps(group), at: time)
  }

  /// Work that is due now: the interval's sync, the next try of a disk that failed.
  mutating func tick(at time: SpoolTime) {
    wall = time.wall
    if let due = syncDueAt, time.monotonic >= due { flush(at: time) }
    if case .memory = mode, time.monotonic >= reopening.at { attach(at: time) }
  }

  /// When `tick` wants to be called next, in microseconds of the monotonic clock.
  var nextTick: Int64? {
    if case .memory = mode { return reopening.at }
    return syncDueAt
  }

  /// Syncs what is written. False when results are in memory only.
  @discardableResult
  mutating func flush(at time: SpoolTime) -> Bool {
    syncDueAt = nil
    guard case .durable = mode else { return false }
    return write([], sync: true, at: time)
  }

  /// The gaps take their place before the group, under the number of the record that follows them.
  func withGaps(_ group: [SpoolEntry]) -> [SpoolEntry] {
    let sequence = group.first?.sequence ?? nextSequence
    return pendingGaps.map { $0.entry(before: sequence) } + group
  }

  private mutating func note(_ group: [SpoolEntry], at time: SpoolTime) {
    guard !group.isEmpty else { return }
    rate.add(count: group.count, bytes: group.reduce(0) { $0 + $1.size }, at: time.monotonic)
    // The first to wait is the oldest; a later one never is.
    if case .some(nil) = search.oldest, let first = group.first(where: \.deliverable) {
      search.oldest = .some(first.payload.withUnsafeBytes { RecordPayload.scheduledAt($0) })
    }
  }

  mutating func close(at time: SpoolTime) {
    endDelivery(at: time)
    flush(at: time)
    log?.close()
    quarantined?.close()
    cursor?.close()
    files?.release()
    files = nil
    log = nil
    unopened = nil
    quarantined = nil
    cursor = nil
  }
}
