// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Figures of the rounds of one check so far, cheap enough to be shown after each.
struct LiveFigures {
  private(set) var runs = 0
  private(set) var successes = 0
  /// Runs with a verdict: all but those that are unknown.
  private var judged = 0
  /// Response times of the successes in milliseconds, ascending.
  private(set) var sorted: [Double] = []
  private var last: Double?
  /// Mean and sum of squared differences from it, kept by Welford's method: no large squares are subtracted.
  private var spread = (mean: 0.0, squares: 0.0)
  private var steps = (sum: 0.0, count: 0)

  mutating func add(_ result: CheckResult) {
    runs += 1
    if result.state != .unknown { judged += 1 }
    guard result.status == .success else { return }
    successes += 1
    guard let time = result.responseTime?.milliseconds else { return }
    if let last { steps = (steps.sum + abs(time - last), steps.count + 1) }
    last = time
    let difference = time - spread.mean
    spread.mean += difference / Double(sorted.count + 1)
    spread.squares += difference * (time - spread.mean)
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] <= time { low = middle + 1 } else { high = middle }
    }
    sorted.insert(time, at: low)
  }

  /// Mean of the absolute differences between consecutive successes; nil with fewer than two. To a microsecond.
  var jitter: Double? {
    steps.count == 0 ? nil : (steps.sum / Double(steps.count) * 1000).rounded() / 1000
  }

  /// Standard deviation of a sample (n - 1), to a microsecond; nil with fewer than two successes.
  var deviation: Double? {
    guard sorted.count > 1 else { return nil }
    return ((spread.squares / Double(sorted.count - 1)).squareRoot() * 1000).rounded() / 1000
  }

  /// Successes further from the quartiles than three times the distance between these (Tukey's outer fences); nil with fewer
  /// than eight, of which quartiles say little.
  var outliers: Int? {
    guard sorted.count >= 8, let low = percentile(0.25), let high = percentile(0.75) else { return nil }
    let reach = 3 * (high - low)
    return sorted.count { $0 < low - reach || $0 > high + reach }
  }

  /// Share of the runs with a verdict that had no success, in percent; `nil` without a verdict.
  var loss: Double? { judged == 0 ? nil : Double(judged - successes) * 100 / Double(judged) }

  /// The smallest value that at least `share` of the successes do not exceed (nearest rank).
  func percentile(_ share: Double) -> Double? { sorted.nearestRank(share) }

  /// Of the run that has just ended and those of its check before it: `12/30  Shop 42.1 ms  p50 40.2  …`.
  ///
  /// - Parameters:
  ///   - done: runs of all checks.
  ///   - width: what it must fit; the name of the check gives way, down to a few letters.
  func line(_ result: CheckResult, done: Int, of all: Int, width: Int) -> String {
    let took = result.status == .success ? result.responseTime.map { latency($0.milliseconds) + " ms" } : nil
    let last = took ?? result.reason.rawValue
    let figures = [("p50", 0.5), ("p95", 0.95), ("p99", 0.99)].compactMap { name, share in
      percentile(share).map { "\(name) \(latency($0))" }
    }
    let rest =
      [last, figures.joined(separator: " "), "loss " + (loss.map { decimal($0) + "%" } ?? "-")]
      + (jitter.map { ["jitter \(latency($0))"] } ?? [])
    let (head, tail) = ("\(done)/\(all)", rest.filter { !$0.isEmpty }.joined(separator: "  "))
    let room = max(8, width - head.columns - tail.columns - 3)
    return "\(head)  \(result.check.printable(maxBytes: 200).cut(columns: room)) \(tail)".cut(columns: width)
  }
}

/// Milliseconds of a figure: three decimals below one, as a port nearby answers in much less.
func latency(_ milliseconds: Double) -> String {
  guard milliseconds >= 0, milliseconds < 0.9995 else { return decimal(milliseconds) }
  return "0." + padded(Int64(whole((milliseconds * 1000).rounded(), in: 0...999)), 3)
}

extension [Double] {
  /// The smallest of these ascending values that at least `share` of them do not exceed. `nil` without any.
  func nearestRank(_ share: Double) -> Double? {
    guard !isEmpty else { return nil }
    let rank = Int((share * Double(count)).rounded(.up))
    return self[Swift.max(0, Swift.min(count - 1, rank - 1))]
  }
}
