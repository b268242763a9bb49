// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Scheduler

/// Every result that was found, and what became of it. Pure: it is told, and asked.
struct Ledger {
  struct Entry {
    let id: UniqueID
    let check: UniqueID
    let slot: Timestamp
    let startedAt: Timestamp
    let state: CheckState
    let isMaintenance: Bool
    /// Of the check when it ran, by its verdict.
    let pace: Duration
    let spanned: SlotRange?
    let sequence: UInt64
    /// It is on the disk, as the store said.
    var isRecorded = false
    /// It was never said to be on the disk, and went with a crash.
    var isLost = false
    /// Lost, and in the windows all the same: see `justLost`.
    var isCounted = false

    /// Whether the receiver is to have it.
    var isDelivered: Bool { state != .unknown }
    var standing: UInt8 { Ledger.standing(state, isMaintenance) }
  }

  private(set) var entries: [Entry] = []
  private(set) var places: [UniqueID: Int] = [:]
  /// By check, in the order in which they were found.
  private(set) var ofCheck: [UniqueID: [Int]] = [:]
  /// Slots that a maintenance window left out, with the pace.
  private(set) var skipped: [UniqueID: [(slot: Timestamp, pace: Duration)]] = [:]
  /// Everything before is recorded or lost.
  private var settled = 0
  /// What the last start lost, by check, in the order in which it was found.
  private(set) var justLost: [UniqueID: [Int]] = [:]

  static func standing(_ state: CheckState, _ isMaintenance: Bool) -> UInt8 {
    if isMaintenance { return 4 }
    return switch state {
    case .up: 0
    case .degraded: 1
    case .down: 2
    case .unknown: 3
    }
  }

  mutating func add(_ entry: Entry) {
    places[entry.id] = entries.count
    ofCheck[entry.check, default: []].append(entries.count)
    entries.append(entry)
  }

  mutating func skip(_ check: UniqueID, _ slot: Timestamp, pace: Duration) {
    skipped[check, default: []].append((slot, pace))
  }

  subscript(id: UniqueID) -> Entry? { places[id].map { entries[$0] } }

  /// Of those that are neither recorded nor lost, the number before the first.
  var recordedThrough: UInt64 { settled == 0 ? 0 : entries[settled - 1].sequence }

  /// The store says that everything up to here is on the disk.
  mutating func record(through sequence: UInt64) {
    while settled < entries.count, entries[settled].sequence <= sequence {
      entries[settled].isRecorded = true
      settled += 1
    }
  }

  /// The process died. What the store had not confirmed is there after the start, or lost.
  ///
  /// - Parameter found: the numbers beyond `recordedThrough` that the next start found.
  mutating func restart(found: Set<UInt64>) {
    justLost = [:]
    for place in settled..<entries.count {
      if found.contains(entries[place].sequence) {
        entries[place].isRecorded = true
      } else {
        entries[place].isLost = true
        justLost[entries[place].check, default: []].append(place)
      }
    }
    settled = entries.count
  }

  /// The history's files have these.
  mutating func count(_ places: some Sequence<Int>) {
    for place in places { entries[place].isCounted = true }
  }

  /// Recorded results that the receiver ought to have and neither has nor refused.
  func missing(has: (UniqueID) -> Bool) -> [Entry] {
    entries.filter { $0.isRecorded && !$0.isLost && $0.isDelivered && !has($0.id) }
  }
}
