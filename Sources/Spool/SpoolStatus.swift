// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The store's health as it was after the last group of results. Counters run since the store was opened, but for
/// those that say otherwise.
package struct SpoolStatus: Hashable, Sendable {
  package enum Mode: Hashable, Sendable {
    case durable
    /// Results are kept in a bounded buffer and lost with the process: why, and since when. Tried again every 60 s.
    case memory(Notice)
  }

  package var mode: Mode
  package var durability: SpoolSettings.Durability
  /// Results still to be delivered.
  package var depth = 0
  /// Of these, results in files that the disk does not give back now.
  package var unread = 0
  /// Records in the store, delivered ones and those outside the lanes included.
  package var stored = 0
  /// Slot of the oldest result still to be delivered.
  package var oldest: Timestamp?
  /// Results dropped undelivered: the ring was full, or the queue in memory.
  package var dropped: UInt64 = 0
  /// Results lost to damage found at a start. At least this many: what cannot be read cannot always be counted.
  package var damaged: UInt64 = 0
  /// Gap records in the store, each standing for lost results; survives restarts for as long as they are stored.
  package var gaps: [GapRecord] = []
  /// Refused results in the quarantine, over all runs.
  package var quarantined = 0
  /// Refused results that made room for newer ones in the quarantine.
  package var quarantineDropped = 0
  /// Files that were renamed at a start: of another store or a newer format, and those of `lostSegments`.
  package var setAside = 0
  /// Segments of this store in which nothing can be read any more.
  package var lostSegments = 0
  /// Intact records this version cannot read.
  package var unreadable = 0
  /// Slots of the cursor that were damaged at the start; the other slot was used, or results
  /// are sent again.
  package var cursorDamaged = 0
  /// Failed operations on the disk.
  package var faults = 0
  package var lastFault: String?
  package var bytesUsed = 0
  /// Bytes on disk that are reserved: segments and spares.
  package var bytesReserved = 0
  package var segments = 0
  package var recordedThrough: UInt64 = 0
  /// Mean size on disk of a result, framing included; nil before the first.
  package var bytesPerResult: Double?
  /// Results recorded an hour, from the last hour; nil until a minute has passed.
  package var resultsPerHour: Double?
  /// Hours until undelivered results are dropped if delivery stopped now, at the present rate.
  package var hoursCovered: Double?
  /// For the operator: space not reserved in full, a file system without guarantees.
  package var notes: [Notice] = []

  /// The results all gap records stand for.
  package var lostInGaps: Int { Int(clamping: gaps.reduce(0) { $0 + min($1.lost, 1 << 40) }) }

  package var isDurable: Bool { mode == .durable }

  /// Why results are kept in memory; `nil` when they are on the disk.
  package var trouble: Notice? {
    if case .memory(let notice) = mode { notice } else { nil }
  }

  /// The worst of what is wrong, if anything is.
  package var problem: Notice? {
    guard var notice = trouble else { return notes.first }
    notice.what = "results are kept in memory only: \(notice.what)"
    return notice
  }

  package init(mode: Mode, durability: SpoolSettings.Durability) {
    self.mode = mode
    self.durability = durability
  }
}

/// A result the receiver refused for good.
package struct QuarantinedRecord: Hashable, Sendable {
  /// Its sequence in the store when it was refused.
  package var sequence: UInt64
  /// The receiver's code.
  package var code: String
  package var record: DeliveryRecord
}

/// Bytes that came in during the last hour, by the minute.
struct RateEstimate: Hashable, Sendable {
  private var minutes: [(minute: Int64, count: Int, bytes: Int)] = []
  private var start: Int64?
  private(set) var total = 0
  private(set) var totalBytes = 0

  mutating func add(count: Int, bytes: Int, at monotonic: Int64) {
    let minute = monotonic / 60_000_000
    if start == nil { start = monotonic }
    total += count
    totalBytes += bytes
    if minutes.last?.minute == minute {
      minutes[minutes.count - 1].count += count
      minutes[minutes.count - 1].bytes += bytes
    } else {
      minutes.append((minute, count, bytes))
    }
    minutes.removeAll { $0.minute <= minute - 60 }
  }

  var bytesPerResult: Double? { total == 0 ? nil : Double(totalBytes) / Double(total) }

  /// `nil` in the first minute.
  func perHour(at monotonic: Int64) -> (results: Double, bytes: Double)? {
    guard let start, monotonic - start >= 60_000_000 else { return nil }
    let minute = monotonic / 60_000_000
    let kept = minutes.filter { $0.minute > minute - 60 }
    let span = Double(min(monotonic - start, 3_600_000_000)) / 3_600_000_000
    return (Double(kept.reduce(0) { $0 + $1.count }) / span, Double(kept.reduce(0) { $0 + $1.bytes }) / span)
  }

  static func == (left: RateEstimate, right: RateEstimate) -> Bool {
    left.total == right.total && left.totalBytes == right.totalBytes && left.start == right.start
  }

  func hash(into hasher: inout Hasher) { hasher.combine(total) }
}

/// Both clocks of one moment: the wall for people, the other for deadlines and rates.
struct SpoolTime: Hashable, Sendable {
  var wall: Timestamp
  /// Microseconds of CLOCK_MONOTONIC.
  var monotonic: Int64

  static var now: SpoolTime {
    SpoolTime(wall: .now(), monotonic: SystemClock.monotonic.microseconds)
  }
}
