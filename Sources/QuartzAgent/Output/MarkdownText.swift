// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Results as a table in GitHub Flavored Markdown (GFM 4.10), for a comment, an issue or the summary of a workflow. Text
/// from outside stands in code spans: it is no markup and no mention.
struct MarkdownText {
  /// Of several rounds; empty for one.
  var summaries: [LatencySummary] = []

  func render(_ results: [CheckResult], unfinished: [String]) -> String {
    var text = "**\(Self.sentence(results, unfinished))**\n"
    let rows =
      results.map { result in
        [
          "\(result.state.mark) \(result.state.rawValue)", Self.code(result.check), result.type.rawValue,
          result.responseTime.map { latency($0.milliseconds) + " ms" } ?? "",
          Self.code(result.detail.printable(maxBytes: 400)),
        ]
      } + unfinished.map { ["", Self.code($0), "", "", "was not run to its end"] }
    if !rows.isEmpty {
      text += "\n" + Self.table(["State", "Check", "Type", "Time", "Detail"], rows, rightAligned: [3])
    }
    if !summaries.isEmpty { text += "\n" + figures }
    return text
  }

  private var figures: String {
    let rows = summaries.map { summary in
      [Self.code(summary.check), "\(summary.runs)", summary.lossText ?? ""]
        + [
          summary.minimum, summary.percentile(0.5), summary.percentile(0.95), summary.percentile(0.99),
          summary.maximum,
          summary.deviation, summary.jitter,
        ].map { $0.map(latency) ?? "" }
    }
    let head = ["Check (ms)", "Runs", "Loss", "Min", "p50", "p95", "p99", "Max", "Std dev", "Jitter"]
    return Self.table(head, rows, rightAligned: Set(1..<head.count))
  }

  /// `2 of 12 checks are not up: 1 down, 1 degraded`.
  static func sentence(_ results: [CheckResult], _ unfinished: [String]) -> String {
    let counts = [CheckState.down, .degraded, .unknown].map { state in
      (results.count { $0.state == state }, state.rawValue)
    }
    var parts = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    if !unfinished.isEmpty { parts.append("\(unfinished.count) not finished") }
    let all = results.count + unfinished.count
    guard all > 0 else { return "No check was run" }
    let bad = counts.reduce(0) { $0 + $1.0 } + unfinished.count
    guard bad > 0 else { return all == 1 ? "1 result, up" : "\(all) results, all up" }
    return "\(bad) of \(all) results not up: " + parts.joined(separator: ", ")
  }

  private static func table(_ head: [String], _ rows: [[String]], rightAligned: Set<Int>) -> String {
    let rule = head.indices.map { rightAligned.contains($0) ? "---:" : "---" }
    return ([head, rule] + rows).map { "| " + $0.joined(separator: " | ") + " |\n" }.joined()
  }

  /// A code span that a table's cell can hold: a backtick would end it, a bar the cell.
  private static func code(_ text: String) -> String {
    let text = text.printable(maxBytes: 1024).replacing("`", with: "'").replacing("|", with: "\\|")
    return text.isEmpty ? "" : "`\(text)`"
  }
}
