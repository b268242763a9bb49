// SPDX-License-Identifier: MIT

import ArgumentParser
import Basics
import Monitoring

/// How results are printed.
enum ResultFormat: String, CaseIterable, ExpressibleByArgument {
  case table, json, ndjson, junit, markdown, github, nagios
}

/// How the answer of a command is printed.
enum TableFormat: String, CaseIterable, ExpressibleByArgument {
  case table, json
}

/// Results as one JSON array, one document a line; behind them, as in NDJSON, what several rounds came to.
func renderJSON(_ results: [CheckResult], _ summaries: [LatencySummary] = []) -> String {
  let lines = (results.map(\.json) + summaries.map(\.json)).map { "  " + $0 }
  return lines.isEmpty ? "[]\n" : "[\n" + lines.joined(separator: ",\n") + "\n]\n"
}

/// One result, one line.
func renderNDJSON(_ results: [CheckResult]) -> String {
  results.map { $0.json + "\n" }.joined()
}
