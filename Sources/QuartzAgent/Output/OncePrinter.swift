// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Synchronization

/// Prints the results of `once`: NDJSON as they come, everything else when all are there.
final class OncePrinter: Sendable {
  private let format: ResultFormat
  private let explain: Bool
  private let terminal: Terminal
  private let color: Bool
  private let rounds: Int
  private let checks: [MonitoringCheck]
  private let done = Mutex(Done())
  private let showsProgress: Bool

  private struct Done {
    var results: [CheckResult] = []
    /// Where there are several rounds on a terminal.
    var figures: [UniqueID: LiveFigures] = [:]
  }

  init(
    format: ResultFormat, explain: Bool, terminal: Terminal, color: Bool, rounds: Int,
    checks: [MonitoringCheck]
  ) {
    (self.format, self.explain, self.terminal, self.color) = (format, explain, terminal, color)
    (self.rounds, self.checks) = (rounds, checks)
    // Results that come one by one on the same terminal are progress enough.
    showsProgress =
      isatty(STDERR_FILENO) == 1 && Terminal.rewritesLines()
      && OncePrinter.needsProgress(format, terminal.isTerminal)
  }

  /// - Parameter isTerminal: results go to one.
  static func needsProgress(_ format: ResultFormat, _ isTerminal: Bool) -> Bool {
    format != .ndjson || !isTerminal
  }

  /// All so far, as they came.
  var results: [CheckResult] { done.withLock { $0.results } }

  func add(_ result: CheckResult) {
    // Under the lock, so that two long lines never mix, and an earlier count never overwrites a later one.
    done.withLock { done in
      if format == .ndjson { printOutput(renderNDJSON([result])) }
      done.results.append(result)
      if showsProgress { printProgress(progress(result, &done)) }
    }
  }

  private func progress(_ result: CheckResult, _ done: inout Done) -> String {
    guard rounds > 1 else {
      return "\(done.results.count) done, last: \(result.check.printable(maxBytes: 60))"
    }
    done.figures[result.checkID, default: LiveFigures()].add(result)
    return done.figures[result.checkID, default: LiveFigures()].line(
      result, done: done.results.count, of: checks.count * rounds,
      width: Terminal(STDERR_FILENO).width - 1)
  }

  /// - Parameters:
  ///   - unfinished: checks that should have a result and have none.
  ///   - isDelivered: false where the results were to be handed on and were not taken.
  func finish(_ results: [CheckResult], unfinished: [String] = [], isDelivered: Bool = true) {
    if showsProgress { printProgress("") }
    let document = document(results, unfinished)
    switch format {
    case .ndjson: for summary in document.summaries { printOutput(summary.json + "\n") }
    case .json: printOutput(document.json)
    case .junit: printOutput(document.junit)
    case .markdown: printOutput(document.markdown)
    case .github: printOutput(GitHubText.render(results, unfinished: unfinished))
    case .nagios:
      let checks = Dictionary(checks.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
      let text = NagiosText(checks: checks, isDelivered: isDelivered)
      printOutput(text.render(results, unfinished: unfinished))
    case .table: printTables(results)
    }
  }

  private func printTables(_ results: [CheckResult]) {
    if explain {
      for result in results {
        printOutput(ResultExplanation(color: color, width: terminal.width).render(result) + "\n")
      }
    } else {
      printOutput(ResultTable(width: terminal.width, color: color).render(results))
    }
    let compared = ResolverTable.render(results, checks, width: terminal.width)
    if !compared.isEmpty { printOutput("\n" + compared) }
    guard rounds > 1 else { return }
    let summaries = summaries(results)
    printOutput("\n" + LatencySummary.table(summaries, width: terminal.width))
    let drawn = LatencySummary.histograms(summaries, width: terminal.width, isASCII: !Terminal.isUTF8)
    if !drawn.isEmpty { printOutput("\n" + drawn) }
  }

  func document(_ results: [CheckResult], _ unfinished: [String]) -> ResultDocument {
    ResultDocument(
      results: results, unfinished: unfinished, summaries: rounds > 1 ? summaries(results) : [])
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
