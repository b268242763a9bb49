// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Answers of several servers to one question, side by side. One that is not the answer of most servers is marked.
struct ResolverTable {
  private struct Row {
    var server: String
    /// Records in any order, or why there are none.
    var answer: [String]
    /// Seconds, the shortest of its records; `nil` without records.
    var ttl: UInt32?
    var time: Duration?
  }

  /// Questions that more than one server was asked, in the order of the checks, each with the last result of each server. Empty
  /// without such a question.
  static func render(_ results: [CheckResult], _ checks: [MonitoringCheck], width: Int) -> String {
    var last: [UniqueID: CheckResult] = [:]
    for result in results { last[result.checkID] = result }
    var order: [ByteText] = []
    var byQuestion: [ByteText: [Row]] = [:]
    for check in checks {
      guard case .dns(let dns) = check.kind, let result = last[check.id] else { continue }
      let question = ByteText("\(dns.name.lowercased()) \(dns.recordType)")
      if byQuestion[question] == nil { order.append(question) }
      byQuestion[question, default: []].append(row(dns, result))
    }
    return order.compactMap { question -> String? in
      guard let rows = byQuestion[question], rows.count > 1 else { return nil }
      return table(question.text, rows, width: width)
    }.joined(separator: "\n")
  }

  private static func row(_ dns: DNSSettings, _ result: CheckResult) -> Row {
    var row = Row(server: dns.server?.description ?? "system", answer: [], time: result.responseTime)
    guard let facts = result.facts.dns else {
      row.answer = [result.reason.rawValue]
      return row
    }
    // Aliases lead to the records; alone they are the answer.
    let asked = facts.answers.filter { $0.type == dns.recordType }
    let records = asked.isEmpty ? facts.answers : asked
    row.answer = records.map(\.data).sorted()
    row.ttl = records.map(\.ttl).min()
    if records.isEmpty { row.answer = [facts.rcode == "NOERROR" ? "no data" : facts.rcode] }
    return row
  }

  private static func table(_ question: String, _ rows: [Row], width: Int) -> String {
    var counts: [[ByteText]: Int] = [:]
    for row in rows { counts[row.answer.map { ByteText($0) }, default: 0] += 1 }  // bounded: by the rows
    // The first one of equally frequent answers.
    let most = counts.values.max() ?? 0
    let common = rows.first { counts[$0.answer.map { ByteText($0) }] == most }?.answer ?? []
    let words =
      most == rows.count
      ? "\(rows.count) servers give the same answer"
      : most > 1
        ? "\(most) of \(rows.count) servers give the same answer"
        : "\(rows.count) servers, \(rows.count) answers"
    let columns: [TextTable.Column] = [
      .names("SERVER", least: 12, most: 40), .flexible("", least: 1), .flexible("ANSWER", least: 12),
      .flexible("TTL", least: 3, right: true, worth: 1), .flexible("MS", least: 4, right: true, worth: 2),
    ]
    let cells = rows.map { row -> [TextTable.Cell] in
      [
        .init(row.server), .init(row.answer == common && most > 1 ? "" : "≠"),
        .init(row.answer.joined(separator: ", ").printable(maxBytes: 400)),
        .init(row.ttl.map { "\($0)" } ?? "-"),
        .init(row.time.map { latency($0.milliseconds) } ?? "-"),
      ]
    }
    return "\(question.printable(maxBytes: 300)): \(words)\n"
      + TextTable(columns: columns, rows: cells, width: width).text
  }
}
