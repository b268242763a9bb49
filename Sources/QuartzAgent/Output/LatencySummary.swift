// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Results of `once --count` over all rounds of one check.
struct LatencySummary {
  let check: String
  private let figures: LiveFigures

  /// - Parameter results: of one check, in the order they were taken.
  init(check: String, results: [CheckResult]) {
    self.check = check
    var figures = LiveFigures()
    for result in results { figures.add(result) }
    self.figures = figures
  }

  var runs: Int { figures.runs }
  /// Runs that ended up or degraded.
  var successes: Int { figures.successes }
  /// Mean of the absolute differences between consecutive successes; nil with fewer than two.
  var jitter: Double? { figures.jitter }
  /// Standard deviation of the response times of successes, in milliseconds; nil with fewer than two.
  var deviation: Double? { figures.deviation }
  /// Successes far from the others; nil with fewer than eight.
  var outliers: Int? { figures.outliers }
  var minimum: Double? { figures.sorted.first }
  var maximum: Double? { figures.sorted.last }
  /// Share of the runs with a verdict that had no success, in percent; `nil` without a verdict.
  var loss: Double? { figures.loss }
  var lossText: String? { loss.map { decimal($0) + " %" } }
  var histogram: TimeHistogram { TimeHistogram(sorted: figures.sorted) }

  /// The smallest value that at least `share` of the successes do not exceed (nearest rank).
  func percentile(_ share: Double) -> Double? { figures.percentile(share) }

  /// One line a check, milliseconds.
  static func table(_ summaries: [LatencySummary], width: Int) -> String {
    let columns: [TextTable.Column] =
      [.names("CHECK (ms)", least: 10, most: 32), figure("RUNS", 2), figure("LOSS", 7)]
      + [
        figure("MIN", 1), figure("P50"), figure("P95", 6), figure("P99", 4), figure("MAX", 3),
        figure("STDDEV", 2), figure("JITTER", 5),
      ]
    let rows = summaries.map { summary -> [TextTable.Cell] in
      let figures = [
        summary.minimum, summary.percentile(0.5), summary.percentile(0.95), summary.percentile(0.99),
        summary.maximum, summary.deviation, summary.jitter,
      ]
      return [.init(summary.check), .init("\(summary.runs)"), .init(summary.lossText ?? "-")]
        + figures.map { .init($0.map(latency) ?? "-") }
    }
    return TextTable(columns: columns, rows: rows, width: width).text
  }

  private static func figure(_ title: String, _ worth: Int? = nil) -> TextTable.Column {
    .flexible(title, least: 6, right: true, worth: worth)
  }

  /// How the response times of each check are spread.
  static func histograms(_ summaries: [LatencySummary], width: Int, isASCII: Bool) -> String {
    let shown = summaries.filter { $0.minimum != nil }
    let ends = shown.map { summary in
      ": \(counted(summary.successes, "response time")), on a logarithmic scale"
    }
    let room = max(10, width - (ends.map(\.columns).max() ?? 0))
    let names = distinctCuts(shown.map { $0.check.printable(maxBytes: 4096) }, columns: room)
    return zip(shown, zip(names, ends)).map { summary, title in
      let title = (title.0 + title.1).cut(columns: width)
      return ([title] + summary.histogram.lines(width: width, isASCII: isASCII)).map { $0 + "\n" }.joined()
    }.joined(separator: "\n")
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
      json.key("loss")
      if let loss { json.number(loss) } else { json.null() }
      json.fieldIfPresent("min_ms", minimum)
      json.fieldIfPresent("p50_ms", percentile(0.5))
      json.fieldIfPresent("p95_ms", percentile(0.95))
      json.fieldIfPresent("p99_ms", percentile(0.99))
      json.fieldIfPresent("max_ms", maximum)
      json.fieldIfPresent("stddev_ms", deviation)
      json.fieldIfPresent("jitter_ms", jitter)
      json.fieldIfPresent("outliers", outliers)
      if minimum != nil {
        json.key("histogram")
        histogram.write(to: &json)
      }
    }
  }
}
