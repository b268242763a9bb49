// SPDX-License-Identifier: MIT

import ArgumentParser
import Basics
import Monitoring

/// How results are printed.
enum ResultFormat: String, CaseIterable, ExpressibleByArgument {
  case table, json, ndjson, junit, nagios
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

/// JUnit XML, as CI servers read it: down is a failure, unknown an error, degraded passes with its words in
/// `system-out`.
func renderJUnit(_ results: [CheckResult], _ unfinished: [String] = []) -> String {
  let failures = results.count { $0.state == .down }
  let errors = results.count { $0.state == .unknown } + unfinished.count
  var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
  text +=
    "<testsuite name=\"quartz-agent\" tests=\"\(results.count + unfinished.count)\" failures=\"\(failures)\""
  let total = results.reduce(Duration.zero) { $0 + ($1.responseTime ?? .zero) }
  text += " errors=\"\(errors)\" time=\"\(decimalSeconds(total))\">\n"
  for result in results { text += junitCase(result) }
  for name in unfinished {
    text +=
      "  <testcase name=\"\(escapeXML(name))\"><error type=\"stopped\" message=\"was not run to its end\"/></testcase>\n"
  }
  return text + "</testsuite>\n"
}

private func junitCase(_ result: CheckResult) -> String {
  let time = decimalSeconds(result.responseTime ?? .zero)
  let opening =
    "  <testcase classname=\"\(result.type.rawValue)\" name=\"\(escapeXML(result.check))\" time=\"\(time)\""
  let words = escapeXML([result.reason.rawValue, result.message].compactMap(\.self).joined(separator: ": "))
  switch result.state {
  case .up: return opening + "/>\n"
  case .degraded: return opening + "><system-out>\(words)</system-out></testcase>\n"
  case .down:
    return opening + "><failure type=\"\(result.reason.rawValue)\" message=\"\(words)\"/></testcase>\n"
  case .unknown:
    return opening + "><error type=\"\(result.reason.rawValue)\" message=\"\(words)\"/></testcase>\n"
  }
}

/// Six decimals, never an exponent: `xs:decimal` has none.
private func decimalSeconds(_ duration: Duration) -> String {
  let microseconds = duration.microseconds
  let fraction = String(microseconds % 1_000_000)
  return "\(microseconds / 1_000_000)." + String(repeating: "0", count: 6 - fraction.count) + fraction
}

/// Control characters are no XML 1.0 at all, not even escaped, so they go through `printable` first.
private func escapeXML(_ text: String) -> String {
  text.printable(maxBytes: 1024).reduce(into: "") { escaped, character in
    switch character {
    case "&": escaped += "&amp;"
    case "<": escaped += "&lt;"
    case ">": escaped += "&gt;"
    case "\"": escaped += "&quot;"
    default: escaped.append(character)
    }
  }
}
