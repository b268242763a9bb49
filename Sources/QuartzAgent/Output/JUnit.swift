// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// One line of a report for CI servers.
struct JUnitCase {
  enum Outcome {
    /// With words for `system-out`.
    case passed(String? = nil)
    /// A type in one word, and a message.
    case failure(String, String)
    case error(String, String)
  }

  var group: String?
  var name: String
  var time: Duration?
  var place: (file: String, line: Int)?
  var outcome: Outcome

  fileprivate var text: String {
    var opening = "  <testcase"
    if let group { opening += " classname=\"\(escapeXML(group))\"" }
    opening += " name=\"\(escapeXML(name))\""
    if let place { opening += " file=\"\(escapeXML(place.file))\" line=\"\(place.line)\"" }
    if let time { opening += " time=\"\(decimalSeconds(time))\"" }
    func element(_ name: String, _ type: String, _ message: String) -> String {
      "><\(name) type=\"\(type)\" message=\"\(escapeXML(message))\"/></testcase>\n"
    }
    switch outcome {
    case .passed(nil): return opening + "/>\n"
    case .passed(let words?): return opening + "><system-out>\(escapeXML(words))</system-out></testcase>\n"
    case .failure(let type, let message): return opening + element("failure", type, message)
    case .error(let type, let message): return opening + element("error", type, message)
    }
  }
}

/// JUnit XML, as CI servers read it.
func renderJUnit(_ cases: [JUnitCase]) -> String {
  let failures = cases.count { if case .failure = $0.outcome { true } else { false } }
  let errors = cases.count { if case .error = $0.outcome { true } else { false } }
  let total = cases.reduce(Duration.zero) { $0 + ($1.time ?? .zero) }
  var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
  text += "<testsuite name=\"quartz-agent\" tests=\"\(cases.count)\" failures=\"\(failures)\""
  text += " errors=\"\(errors)\" time=\"\(decimalSeconds(total))\">\n"
  return text + cases.map(\.text).joined() + "</testsuite>\n"
}

/// Down is a failure, unknown an error, degraded passes with its words in `system-out`.
func renderJUnit(_ results: [CheckResult], _ unfinished: [String] = []) -> String {
  renderJUnit(
    results.map(JUnitCase.init)
      + unfinished.map { JUnitCase(name: $0, outcome: .error("stopped", "was not run to its end")) })
}

extension JUnitCase {
  fileprivate init(_ result: CheckResult) {
    let words = [result.reason.rawValue, result.message].compactMap(\.self).joined(separator: ": ")
    let outcome: Outcome =
      switch result.state {
      case .up: .passed()
      case .degraded: .passed(words)
      case .down: .failure(result.reason.rawValue, words)
      case .unknown: .error(result.reason.rawValue, words)
      }
    self.init(
      group: result.type.rawValue, name: result.check, time: result.responseTime ?? .zero, outcome: outcome)
  }
}

/// Six decimals, never an exponent: `xs:decimal` has none.
private func decimalSeconds(_ duration: Duration) -> String {
  let microseconds = duration.microseconds
  return "\(microseconds / 1_000_000)." + padded(microseconds % 1_000_000, 6)
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
