// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Limits for the history of checks that are no longer configured. They bound what changing check names can cost, in memory
/// and, since each history file holds the same data, on disk.
package struct GoneLimits: Hashable, Sendable {
  /// The longest list the API can send, so that a list that is missing for an hour loses nothing.
  package var checks: Int
  package var bytes: Int

  package init(checks: Int = 20_000, bytes: Int = 128 << 20) { (self.checks, self.bytes) = (checks, bytes) }
}

/// The history kept for removed checks, and how much of it was dropped before its retention ended.
package struct GoneFigures: Hashable, Sendable {
  package var checks = 0
  package var bytes = 0
  /// Since the start.
  package var forgotten = 0
  /// When the latest of them was dropped.
  package var forgottenAt: Timestamp?

  package init() {}

  /// How long a drop is reported.
  private static let news: Duration = .seconds(3600)

  /// `nil` when nothing was dropped within the last hour.
  package func notice(_ limits: GoneLimits, now: Timestamp) -> Notice? {
    guard let forgottenAt, forgottenAt.duration(to: now) < Self.news else { return nil }
    return .warning(
      .history,
      "the history of \(StatusFormat.grouped(forgotten)) removed checks was dropped before its 7 days were over: "
        + "the limit is \(StatusFormat.grouped(limits.checks)) checks and \(limits.bytes >> 20) MiB",
      hint:
        "check names that keep changing start a new history each time: see the names of discovered checks",
      since: forgottenAt)
  }
}

extension HistoryState {
  /// Drops removed checks, those with the oldest last result first, until the rest is within the limits.
  mutating func forgetExcess(now: Timestamp?) {
    var kept: [(last: Timestamp, bytes: Int, id: UniqueID)] = []
    for place in 0..<histories.count where !isConfigured(histories.keys[place]) {
      let history = histories[place: place]
      kept.append((history.lastSeen, history.footprint, histories.keys[place]))
    }
    // bounded: lists in memory
    var bytes = kept.reduce(0) { $0 + $1.bytes }
    if kept.count > goneLimits.checks || bytes > goneLimits.bytes {
      kept.sort { ($1.last, $0.id) < ($0.last, $1.id) }
      while let oldest = kept.last, kept.count > goneLimits.checks || bytes > goneLimits.bytes {
        kept.removeLast()
        bytes -= oldest.bytes
        forget(oldest.id)
        gone.forgotten += 1
        gone.forgottenAt = now ?? oldest.last
      }
    }
    (gone.checks, gone.bytes) = (kept.count, bytes)
  }

  /// Drops all data of a check and marks its file as changed.
  mutating func forget(_ id: UniqueID) {
    guard let place = histories.place(of: id) else { return }
    let shard = histories[place: place].shard
    if shard >= 0 { shards.leave(id, shard, applied: applied.through) }
    histories.remove(at: place)
  }
}
