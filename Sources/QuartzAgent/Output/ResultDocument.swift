// SPDX-License-Identifier: MIT

import Agent
import Basics
import Monitoring

/// All results of one `once`, in each form that is made when all are there.
struct ResultDocument {
  let results: [CheckResult]
  /// Names of checks that should have a result and have none.
  let unfinished: [String]
  /// Of several rounds; empty for one.
  let summaries: [LatencySummary]

  var json: String { renderJSON(results, summaries) }
  var ndjson: String { renderNDJSON(results) + summaries.map { $0.json + "\n" }.joined() }
  var junit: String { renderJUnit(results, unfinished) }
  var markdown: String { MarkdownText(summaries: summaries).render(results, unfinished: unfinished) }

  /// RFC 4180, one line a result, times in milliseconds, under the names of the JSON documents.
  var csv: String {
    let head = [
      "check", "type", "target", "started_at", "state", "reason", "status_code", "response_time_ms", "dns_ms",
      "connect_ms", "starttls_ms", "tls_ms", "first_byte_ms", "transfer_ms", "message",
    ]
    let rows = results.map { result in
      let (took, timings) = (result.responseTime, result.timings)
      let spans = [
        took, timings.dns, timings.connect, timings.startTLS, timings.tls, timings.firstByte,
        timings.transfer,
      ]
      return [
        result.check, result.type.rawValue, result.target, result.startedAt.rfc3339, result.state.rawValue,
        result.reason.rawValue, result.statusCode.map { "\($0)" } ?? "",
      ] + spans.map { $0.map(Self.milliseconds) ?? "" } + [result.message ?? ""]
    }
    return ([head] + rows).map { $0.map(Self.field).joined(separator: ",") + "\r\n" }.joined()
  }

  private static func milliseconds(_ span: Duration) -> String {
    String(precise(span).dropLast(3))
  }

  /// A spreadsheet takes a field that begins so for a formula: servers write some of the texts.
  private static func field(_ text: String) -> String {
    let isFormula = text.first.map { "=+-@\t\r".contains($0) } ?? false
    let plain = isFormula ? "'" + text : text
    guard plain.contains(where: { ",\"\r\n\r\n".contains($0) }) else { return plain }
    return "\"" + plain.replacing("\"", with: "\"\"") + "\""
  }
}

/// A file for the results, beside what is printed. Its end says the form.
struct ResultExport {
  let path: String
  private let render: @Sendable (ResultDocument) -> String

  static let forms =
    [
      "json": { @Sendable in $0.json }, "ndjson": { $0.ndjson }, "csv": { $0.csv }, "md": { $0.markdown },
      "xml": { $0.junit },
    ] as [String: @Sendable (ResultDocument) -> String]  // own text

  /// `nil` for another end.
  init?(_ path: String) {
    guard let end = path.split(separator: ".").last, path.contains("."),
      let render = Self.forms[end.lowercased()]
    else { return nil }
    (self.path, self.render) = (path, render)
  }

  /// Before the first round: the results of an hour must not end in no file.
  func requireWritable() throws {
    try attempt { () throws(UnreadableFile) in try QuartzAgent.requireWritable(path) }
  }

  func write(_ document: ResultDocument) throws {
    try attempt { () throws(UnreadableFile) in try writeWhole(path, Array(render(document).utf8)) }
  }

  private func attempt(_ body: () throws(UnreadableFile) -> Void) throws {
    do throws(UnreadableFile) {
      try body()
    } catch {
      throw failure("cannot write the results: \(error.words)", status: ExitStatus.cannotCreate)
    }
  }
}
