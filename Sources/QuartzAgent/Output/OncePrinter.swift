// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Synchronization

/// Prints the results of `once`: NDJSON as they come, everything else when all are there.
final class OncePrinter: Sendable {
  private let format: ResultFormat
  private let explain: Bool
  private let width: Int
  private let color: Bool
  private let done = Mutex<[CheckResult]>([])
  private let showsProgress: Bool

  init(format: ResultFormat, explain: Bool, width: Int, color: Bool) {
    self.format = format
    self.explain = explain
    self.width = width
    self.color = color
    showsProgress = format != .ndjson && isatty(STDERR_FILENO) == 1
  }

  /// All so far, as they came.
  var results: [CheckResult] { done.withLock { $0 } }

  func add(_ result: CheckResult) {
    // Under the lock, so that two long lines never mix, and an earlier count never overwrites a later one.
    done.withLock { done in
      if format == .ndjson { printOutput(renderNDJSON([result])) }
      done.append(result)
      if showsProgress { printProgress("\(done.count) done, last: \(result.check.printable(maxBytes: 60))") }
    }
  }

  /// - Parameter unfinished: checks that should have a result and have none.
  func finish(_ results: [CheckResult], rounds: Int, unfinished: [String] = []) {
    if showsProgress { printProgress("") }
    switch format {
    case .ndjson: printSummaries(results, rounds: rounds)
    case .json: printOutput(renderJSON(results, rounds > 1 ? summaries(results) : []))
    case .junit: printOutput(renderJUnit(results, unfinished))
    case .table:
      if explain {
        for result in results {
          printOutput(ResultExplanation(color: color, width: width).render(result) + "\n")
        }
      } else {
        printOutput(ResultTable(width: width, color: color).render(results))
      }
      if rounds > 1 { printOutput("\n" + LatencySummary.table(summaries(results))) }
    }
  }

  private func printSummaries(_ results: [CheckResult], rounds: Int) {
    guard rounds > 1 else { return }
    for summary in summaries(results) { printOutput(summary.json + "\n") }
  }

  private func summaries(_ results: [CheckResult]) -> [LatencySummary] {
    var order: [UniqueID] = []
    var byCheck: [UniqueID: [CheckResult]] = [:]
    for result in results {
      if byCheck[result.checkID] == nil { order.append(result.checkID) }
      byCheck[result.checkID, default: []].append(result)
    }
    return order.map { LatencySummary(check: byCheck[$0]?.first?.check ?? "", results: byCheck[$0] ?? []) }
  }
}
