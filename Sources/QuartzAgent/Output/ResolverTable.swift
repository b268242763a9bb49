// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Answers of several servers to one question, side by side. One that is not the answer of most servers is marked. A server that did
/// not answer is in no comparison; its row has the reason.
struct ResolverTable {
  private struct Row {
    var server: String
    /// Sorted records, the response code where there are none, or the reason of a server that did not answer.
    var answer: [String]
    /// False of a timeout, a refused connection and what is no message of DNS; a response code is an answer.
    var hasAnswered = true
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
      (row.answer, row.hasAnswered) = ([result.reason.rawValue], false)
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
    let comparison = Comparison(rows)
    let columns: [TextTable.Column] = [
      .names("SERVER", least: 12, most: 40), .flexible("", least: 1), .flexible("ANSWER", least: 12),
      .flexible("TTL", least: 3, right: true, worth: 1), .flexible("MS", least: 4, right: true, worth: 2),
    ]
    let cells = rows.map { row -> [TextTable.Cell] in
      [
        .init(row.server), .init(comparison.isOdd(row) ? "≠" : ""),
        .init(row.answer.joined(separator: ", ").printable(maxBytes: 400)),
        .init(row.ttl.map { "\($0)" } ?? "-"),
        .init(row.time.map { latency($0.milliseconds) } ?? "-"),
      ]
    }
    return "\(question.printable(maxBytes: 300)): \(comparison.words)\n"
      + TextTable(columns: columns, rows: cells, width: width).text
  }

  /// How far the servers that answered agree.
  private struct Comparison {
    private let asked: Int
    private let answered: Int
    /// Servers that give the most frequent answer.
    private let most: Int
    /// The first one of equally frequent answers.
    private let common: [String]

    init(_ rows: [Row]) {
      let answers = rows.filter(\.hasAnswered).map(\.answer)
      var counts: [[ByteText]: Int] = [:]
      for answer in answers { counts[answer.map { ByteText($0) }, default: 0] += 1 }  // bounded: by the rows
      let most = counts.values.max() ?? 0
      (asked, answered, self.most) = (rows.count, answers.count, most)
      common = answers.first { counts[$0.map { ByteText($0) }] == most } ?? []
    }

    func isOdd(_ row: Row) -> Bool {
      row.hasAnswered && answered > 1 && (most < 2 || row.answer != common)
    }

    var words: String {
      if answered == 0 { return "none of \(asked) servers answered" }
      guard answered < asked else {
        if most == asked { return "\(asked) servers give the same answer" }
        return most > 1
          ? "\(most) of \(asked) servers give the same answer" : "\(asked) servers, \(asked) answers"
      }
      let start = "\(answered) of \(asked) servers answered"
      if answered == 1 { return start }
      if most == answered { return "\(start), all with the same answer" }
      return start + (most > 1 ? ", \(most) of them with the same answer" : ", with \(answered) answers")
    }
  }
}
