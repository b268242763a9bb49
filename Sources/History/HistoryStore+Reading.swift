// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization

/// Data of single checks and of a scrape, which is in no snapshot.
extension HistoryStore {
  /// Oldest first, of at most 90 days; nil when the check is not configured.
  package func outages(_ checkID: UniqueID, now: Timestamp) -> [Outage]? {
    state.withLock { $0.histories[checkID]?.outages(now: now) }
  }

  /// The outage that began last, within 90 days.
  package func lastOutage(_ checkID: UniqueID, now: Timestamp) -> Outage? {
    state.withLock { state in
      state.histories.place(of: checkID).flatMap { state.histories[place: $0].lastOutage(now: now) }
    }
  }

  /// The window as a line of at most so many points, oldest first; nil when the check is not configured.
  package func series(_ checkID: UniqueID, _ period: UptimePeriod, now: Timestamp, points: Int)
    -> [SeriesPoint]?
  {
    // A copy of a value type: the lock is not held while the buckets are read.
    state.withLock { $0.histories[checkID] }?.series(period, now: now, points: points)
  }

  /// How long a check was down outside maintenance within the last so many, as far as that is known; nil when it is not
  /// configured. Up to 24 hours any span, beyond that 7, 30 and 90 days.
  package func down(_ checkID: UniqueID, last span: Duration, now: Timestamp) -> Duration? {
    state.withLock { state -> Duration? in
      guard let place = state.histories.place(of: checkID) else { return nil }
      if let period = UptimePeriod.allCases.first(where: { $0.duration == span }) {
        let windows = state.histories[place: place].windows(now: now)
        return windows?.first { $0.period == period }.map { .microseconds($0.time.down) }
      }
      return state.histories[place: place].down(last: span, now: now)
    }
  }

  /// How long a check takes as a rule: of the last day, or of a week where a day has too few results; nil when it is not
  /// configured, or has none.
  package func usual(_ checkID: UniqueID, now: Timestamp) -> TraceUsual? {
    state.withLock { state -> TraceUsual? in
      guard let place = state.histories.place(of: checkID),
        let windows = state.histories[place: place].windows(now: now)
      else { return nil }
      let known = windows.filter { [.day, .week].contains($0.period) }.compactMap(\.latency)
        .map { TraceUsual(count: $0.count, p99: $0.p99) }
      return known.first { $0.count >= TraceUsual.enough } ?? known.last
    }
  }

  /// How long scheduled runs took since the agent started.
  package var histograms: ResultHistograms { state.withLock(\.histograms) }

  /// The latest scheduled result that is kept of each configured check.
  package func latestScheduled<Each>(_ make: (CheckResult) -> Each) -> [UniqueID: Each] {
    // References only: results are unpacked without the lock.
    let latest: [(UniqueID, PackedResult)] = state.withLock { state in
      state.order.compactMap { id in
        guard let place = state.histories.place(of: id) else { return nil }
        return state.histories[place: place].kept.latestScheduled.map { (id, $0) }
      }
    }
    var found: [UniqueID: Each] = [:]
    found.reserveCapacity(latest.count)
    for (id, packed) in latest { found[id] = make(packed.result) }
    return found
  }
}
