// SPDX-License-Identifier: MIT

import Basics
import History
import HistorySupport
import Monitoring

/// The windows by the definition, the slow way: every cell of time is painted, then cells are counted.
///
/// Shares nothing with the product: no buckets, no running totals, no order of arrival.
struct Recomputation {
  /// Microseconds of one cell; every slot and interval must be a multiple.
  let cell: Int64
  let origin: Timestamp
  private var layers: [[UInt8]] = [[]]
  private var verdicts: [Run] = []
  private let interval: Duration

  init(cell: Duration, origin: Timestamp, interval: Duration) {
    self.cell = cell.microseconds
    self.origin = origin
    self.interval = interval
  }

  private func index(_ instant: Timestamp) -> Int {
    Int(origin.duration(to: instant).microseconds / cell)
  }

  /// Paints one life of the clock: verdicts in any order, each until its successor or for one interval.
  mutating func paint(_ runs: [Run]) {
    let runs = runs.filter { $0.trigger == .schedule }.sorted { $0.slot < $1.slot }
    var cells: [UInt8] = []
    for (position, run) in runs.enumerated() {
      var end = run.slot.advanced(by: interval)
      if position + 1 < runs.count {
        let gap = run.slot.duration(to: runs[position + 1].slot)
        if gap < interval * 3 / 2 { end = runs[position + 1].slot }
      }
      let last = index(end)
      if cells.count < last { cells += [UInt8](repeating: 0, count: last - cells.count) }
      let standing = Standing(run.state, maintenance: run.maintenance)
      for place in index(run.slot)..<last { cells[place] = standing.rawValue + 1 }
    }
    layers.append(cells)
    verdicts += runs
  }

  /// Start of a window as documented: the edge so many whole buckets before the end of the unfinished one.
  static func start(_ period: UptimePeriod, now: Timestamp) -> Timestamp {
    let (width, buckets): (Int64, Int64) =
      switch period {
      case .day: (300, 288)
      case .week: (3600, 168)
      case .month: (21_600, 120)
      case .quarter: (86_400, 90)
      }
    let second = now.microseconds / 1_000_000
    return Timestamp(seconds: (second / width - buckets + 1) * width)
  }

  func time(_ period: UptimePeriod, now: Timestamp) -> Tally {
    var tally = Tally()
    let first = max(0, index(Self.start(period, now: now)))
    for cells in layers {
      let last = min(index(now), cells.count)
      guard first < last else { continue }
      for value in cells[first..<last] where value > 0 {
        if let standing = Standing(rawValue: value - 1) { tally[standing] += cell }
      }
    }
    return tally
  }

  private func inside(_ period: UptimePeriod, now: Timestamp) -> [Run] {
    let start = Self.start(period, now: now)
    return verdicts.filter { $0.slot >= start && $0.slot <= now }
  }

  func counts(_ period: UptimePeriod, now: Timestamp) -> Tally {
    inside(period, now: now).reduce(into: Tally()) {
      $0[Standing($1.state, maintenance: $1.maintenance)] += 1
    }
  }

  /// Microseconds, ascending.
  func latencies(_ period: UptimePeriod, now: Timestamp) -> [Int64] {
    inside(period, now: now).filter { !$0.maintenance && ($0.state == .up || $0.state == .degraded) }
      .compactMap { $0.latency?.microseconds }.sorted()
  }
}
