// SPDX-License-Identifier: MIT

import Basics

/// What happened to a group, and how late that lets a slot of it be run. Pure.
///
/// By the documents: nothing is lost where the interval is a lease and a second, twice a lease and two seconds where
/// leases began again; where a member dies while the store does not serve all, its standby waits three leases. Several
/// troubles at once add up.
struct Disturbances {
  enum Kind: Hashable {
    /// This process does nothing: killed, or stopped.
    case down(Int)
    /// It was told to end, and the others to take what it has.
    case leaving(Int)
    /// It has joined and cannot read who is there, so that it runs nothing of what is its own by then.
    case unread(Int)
    /// The store does not serve this member, or nobody: nil.
    case store(Int?)
    /// Leases began again.
    case leader
    /// A watch has died without a word.
    case deaf
    /// No process runs.
    case nobody
    /// Some member has no room for what it asks: its runs wait, for an interval at most.
    case crowded
    /// Another that moves checks, and keeps nobody from running them.
    case other
  }

  enum Allowance: Equatable {
    case within(Duration)
    case notCovered
  }

  private struct Entry {
    let kind: Kind
    let from: Instant
    var to: Instant?
  }

  let ttl: Duration
  private var entries: [Entry] = []
  private var firstKept = 0

  init(ttl: Duration) { self.ttl = ttl }

  /// Until all is as it was: what a lease, its renewal and the views of all take.
  var aftermath: Duration { ttl + .seconds(3) }
  /// Without anything that happened for so long a group is at peace.
  var calm: Duration { ttl * 6 + .seconds(10) }

  /// - Returns: its number, for `end`.
  mutating func begin(_ kind: Kind, at now: Instant) -> Int {
    entries.append(Entry(kind: kind, from: now))
    return firstKept + entries.count - 1
  }

  mutating func end(_ number: Int, at now: Instant) {
    guard number >= firstKept, entries[number - firstKept].to == nil else { return }
    entries[number - firstKept].to = now
  }

  mutating func note(_ kind: Kind, at now: Instant) { end(begin(kind, at: now), at: now) }

  /// Forgets what was over long before this instant.
  mutating func forget(before instant: Instant) {
    var count = 0
    while count < entries.count, let to = entries[count].to, to + calm * 2 < instant { count += 1 }
    entries.removeFirst(count)
    firstKept += count
  }

  /// Whether nothing has happened for long before this stretch, and nothing in it.
  func isCalm(from start: Instant, to end: Instant) -> Bool {
    entries.allSatisfy { $0.from > end || ($0.to.map { $0 + calm < start } ?? false) }
  }

  /// Whether a run may have waited for room in this stretch, or in one as long before it.
  func isCrowded(from start: Instant, to end: Instant) -> Bool {
    let early = start - start.duration(to: end)
    return entries.contains { $0.kind == .crowded && overlaps($0, early, end) }
  }

  /// How late a slot may be run that is due at the start of this stretch, which ends with its interval.
  func allowance(from start: Instant, to end: Instant) -> Allowance {
    let near = entries.filter { overlaps($0, start, end) }
    guard !near.contains(where: { $0.kind == .nobody }) else { return .notCovered }
    var allowed: Duration = .milliseconds(1500)
    for entry in near {
      switch entry.kind {
      case .down where entry.from + aftermath >= start: allowed += ttl + .seconds(1)
      case .leaving where entry.from + .seconds(8) >= start: allowed += .seconds(1)
      case .store(.some) where entry.from + aftermath >= start: allowed += ttl + .seconds(1)
      case .leader: allowed += ttl + .seconds(1)
      case .deaf: allowed += ttl / 3 + .seconds(3)
      case .down, .leaving, .unread, .store, .nobody, .crowded, .other: break
      }
    }
    // Whatever of the store's touches this stretch, with all that touched it.
    let troubles = near.filter { if case .store = $0.kind { true } else { false } }
    guard let from = troubles.map(\.from).min() else { return .within(allowed) }
    let to = troubles.map { $0.to ?? end }.max() ?? end
    let gone = Set(
      entries.filter { overlaps($0, from - aftermath, to + aftermath) && $0.from < end }.compactMap { entry in
        switch entry.kind {
        case .down(let seat), .leaving(let seat), .unread(let seat): seat
        default: nil
        }
      })
    if gone.count > 1 { return .notCovered }
    return .within(gone.isEmpty ? allowed : allowed + ttl * 3 + .seconds(2))
  }

  private func overlaps(_ entry: Entry, _ start: Instant, _ end: Instant) -> Bool {
    entry.from <= end && (entry.to.map { $0 + aftermath >= start } ?? true)
  }
}
