// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A report by schedule as it is sent: a few lines for people, a document for programs, and a file for a mail.
package struct ReportContent: Hashable, Sendable {
  package struct File: Hashable, Sendable {
    package var name: String
    package var type: String
    package var bytes: [UInt8]

    package init(name: String, type: String, bytes: [UInt8]) {
      (self.name, self.type, self.bytes) = (name, type, bytes)
    }
  }

  /// Of the schedule.
  package var name: String
  package var period: CalendarPeriod
  /// In one line: checks, average uptime, objectives, outages.
  package var summary: String
  package var headlines: [String]
  /// As `/api/v1/report` answers it in `data`, without days; `nil` where it is larger than `mostBytes`.
  package var document: String?
  /// `nil` where it is larger than `mostBytes`.
  package var file: File?
  /// There is a file, and it is too large to be sent.
  package var isFileTooLarge: Bool
  /// Query of `/report` that shows the same.
  package var query: String

  /// A message that is longer is refused by many receivers.
  package static let mostBytes = 4 << 20

  package init(
    _ schedule: ReportSchedule, _ period: CalendarPeriod, summary: String, headlines: [String],
    document: String? = nil, file: [UInt8]? = nil
  ) {
    (name, self.period) = (schedule.name, period)
    (self.summary, self.headlines) = (summary, headlines)
    self.document = document.flatMap { $0.utf8.count <= Self.mostBytes ? $0 : nil }
    query = schedule.query(of: period)
    isFileTooLarge = file.map { $0.count > Self.mostBytes } ?? false
    guard let file, !isFileTooLarge else { return }
    let type = schedule.format == .html ? "text/html" : "text/csv"
    self.file = File(name: "report-\(period).\(schedule.format.rawValue)", type: type, bytes: file)
  }

  /// `monthly, October 2026: 12 checks, average uptime 99.95%`
  var title: String { "\(name), \(period.words): \(summary)" }

  func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("name", name)
      json.field("every", period.unit.rawValue)
      json.field("period", period.text)
      json.field("summary", summary)
      json.key("headlines")
      json.array { json in for line in headlines { json.string(line) } }
      guard let document else { return }
      json.key("document")
      json.raw(document)
    }
  }
}

extension MessageWriter {
  /// The message of a report.
  ///
  /// - Parameter content: `nil` while it is being made: the message has the period alone.
  package func report(
    _ schedule: ReportSchedule, _ period: CalendarPeriod, id: UniqueID, now: Timestamp,
    content: ReportContent? = nil
  ) -> AlertMessage {
    let content = content ?? ReportContent(schedule, period, summary: "", headlines: [])
    var message = AlertMessage(
      id: id, incident: id, kind: .report, severity: .low, title: "", at: now, begin: min(period.start, now),
      agent: agent)
    (message.region, message.pageURL) = (region, pageURL)
    return message.with(content)
  }
}

extension AlertMessage {
  /// The same with the report.
  package func with(_ content: ReportContent) -> AlertMessage {
    var message = self
    (message.report, message.title) = (content, content.title.printable(maxBytes: 512))
    return message
  }
}

extension ReportContent {
  /// Lines below the title.
  var lines: [String] {
    [summary] + headlines + (isFileTooLarge ? ["The report is too large to be sent as a file."] : [])
  }
}
