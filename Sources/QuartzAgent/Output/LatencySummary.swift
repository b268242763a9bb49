// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// What `once --count` found over all rounds of one check.
struct LatencySummary: Equatable {
  let check: String
  let runs: Int
  /// Runs that ended up or degraded.
  let successes: Int
  /// Response times of the successes, ascending, in milliseconds.
  private let sorted: [Double]
  /// Mean of the absolute differences between consecutive successes; nil with fewer than two.
  let jitter: Double?

  /// - Parameter results: of one check, in the order they were taken.
  init(check: String, results: [CheckResult]) {
    self.check = check
    runs = results.count
    let good = results.filter { $0.status == .success }
    successes = good.count
    let times = good.compactMap { $0.responseTime?.milliseconds }
    sorted = times.sorted()
    let steps = zip(times, times.dropFirst()).map { abs($0 - $1) }
    let mean = steps.reduce(0, +) / Double(max(1, steps.count))
    jitter = steps.isEmpty ? nil : (mean * 1000).rounded() / 1000
  }

  var minimum: Double? { sorted.first }
  var maximum: Double? { sorted.last }

  /// Share of runs without success, in percent.
  var loss: Double { runs == 0 ? 0 : Double(runs - successes) * 100 / Double(runs) }

  /// The smallest value that at least `share` of the successes do not exceed (nearest rank).
  func percentile(_ share: Double) -> Double? {
    guard !sorted.isEmpty else { return nil }
    let rank = Int((share * Double(sorted.count)).rounded(.up))
    return sorted[max(0, min(sorted.count - 1, rank - 1))]
  }

  static func table(_ summaries: [LatencySummary]) -> String {
    let width = min(32, max(5, summaries.map(\.check.count).max() ?? 0))
    let titles = ["RUNS", "LOSS", "MIN", "P50", "P95", "P99", "MAX", "JITTER"]
    var text = pad("CHECK", width) + titles.map { padLeft($0, 9) }.joined() + "   (ms)\n"
    for summary in summaries {
      let figures = [
        summary.minimum, summary.percentile(0.5), summary.percentile(0.95), summary.percentile(0.99),
        summary.maximum, summary.jitter,
      ]
      text += pad(summary.check.printable(maxBytes: 200), width) + padLeft("\(summary.runs)", 9)
      text += padLeft(decimal(summary.loss) + " %", 9)
      text += figures.map { padLeft($0.map(decimal) ?? "-", 9) }.joined() + "\n"
    }
    return text
  }

  /// As one line.
  var json: String {
    var json = JSONWriter()
    write(to: &json)
    return json.text
  }

  private func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("summary", check)
      json.field("runs", runs)
      json.field("successes", successes)
      json.field("loss", loss)
      json.fieldIfPresent("min_ms", minimum)
      json.fieldIfPresent("p50_ms", percentile(0.5))
      json.fieldIfPresent("p95_ms", percentile(0.95))
      json.fieldIfPresent("p99_ms", percentile(0.99))
      json.fieldIfPresent("max_ms", maximum)
      json.fieldIfPresent("jitter_ms", jitter)
    }
  }
}
