// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring
import Scheduler
import Status

/// The windows by their definition, from the results alone: each holds from its slot to the next one that is accounted
/// for, or to the slot that was to come next where that did not come.
///
/// Shares nothing with the history: no buckets, no running totals, no order of arrival, no files.
struct WindowRules {
  private struct Held {
    let start: Int64
    let standing: Int
    /// To the next slot as planned, microseconds.
    let interval: Int64
    let counts: Bool
  }

  let agent: String

  /// Compares what the history says with the results. `ledger` has them all.
  ///
  /// - Parameter counting: results that the store has lost, by their places, and that the windows have.
  func judge(
    _ check: MonitoringCheck, _ figures: CheckFigures, _ ledger: Ledger, counting: Set<Int> = [],
    now: Timestamp
  ) -> Violation.Found? {
    let held = held(check, ledger, counting)
    for period in [UptimePeriod.day, .week] {
      let window = figures.window(period)
      let from = Self.start(period, now: now)
      guard window.from == from else {
        return (.windows, "\(check.name) \(period.rawValue): begins at \(window.from), not \(from)")
      }
      let (time, counts) = sum(held, from: from.microseconds, to: now.microseconds)
      if let words = difference(window.time, time, "µs") ?? difference(window.counts, counts, "results") {
        return (.windows, "\(check.name), \(period.rawValue) at \(now): \(words)")
      }
    }
    return nil
  }

  /// Start of a window as documented: the edge so many whole buckets before the end of the unfinished one.
  private static func start(_ period: UptimePeriod, now: Timestamp) -> Timestamp {
    let (width, buckets): (Int64, Int64) = period == .day ? (300, 288) : (3600, 168)
    return Timestamp(seconds: (now.microseconds / 1_000_000 / width - buckets + 1) * width)
  }

  private func held(_ check: MonitoringCheck, _ ledger: Ledger, _ counting: Set<Int>) -> [Held] {
    var held: [Held] = []
    for place in ledger.ofCheck[check.id] ?? [] {
      let entry = ledger.entries[place]
      guard !entry.isLost || entry.isCounted || counting.contains(place) else { continue }
      let grid = Timeline(agent: agent, check: check.id, interval: entry.pace)
      held.append(
        Held(
          start: entry.slot.microseconds, standing: Int(entry.standing),
          interval: entry.slot.duration(to: grid.slot(after: entry.slot)).microseconds, counts: true))
      for slot in entry.spanned ?? SlotRange(first: .epoch, count: 0, interval: .zero) {
        held.append(
          Held(
            start: slot.microseconds, standing: Int(entry.standing),
            interval: entry.spanned?.interval.microseconds ?? 0,
            counts: true))
      }
    }
    for (slot, pace) in ledger.skipped[check.id] ?? [] {
      held.append(Held(start: slot.microseconds, standing: 4, interval: pace.microseconds, counts: false))
    }
    return held.sorted { $0.start < $1.start }
  }

  private func sum(_ held: [Held], from: Int64, to: Int64) -> (time: [Int64], counts: [Int64]) {
    var (time, counts) = ([Int64](repeating: 0, count: 5), [Int64](repeating: 0, count: 5))
    for (place, one) in held.enumerated() {
      if one.counts, one.start >= from, one.start <= to { counts[one.standing] += 1 }
      var end = one.start + one.interval
      if place + 1 < held.count {
        let gap = held[place + 1].start - one.start
        if 2 * gap < 3 * one.interval { end = held[place + 1].start }
      }
      time[one.standing] += max(0, min(end, to) - max(one.start, from))
    }
    return (time, counts)
  }

  /// In words; nil: they agree. Slots that a window left out are in no file, so a crash may take them away.
  private func difference(_ told: Tally, _ due: [Int64], _ unit: String) -> String? {
    for (place, standing) in Standing.allCases.enumerated() where told[standing] != due[place] {
      if standing == .maintenance, told[standing] <= due[place] { continue }
      return "\(standing) \(told[standing]) \(unit), and the results say \(due[place])"
    }
    return nil
  }
}
