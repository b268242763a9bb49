// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Monitoring
import Testing

/// `alerts.reports`: what is read, printed again, and refused.
struct ReportSectionTests {
  private func file(_ reports: String, page: String = "\n  page_url: \"https://s.example/\"") -> String {
    """
    alerts:
      timezone: Europe/London\(page)
      channels:
        - {name: ops, exec: [/bin/true]}
        - {name: pd, webhook: "https://events.pagerduty.com/v2/enqueue", format: pagerduty, routing_key: k}
      reports:
        \(reports)
    checks:
      - {name: Shop, type: ping, host: 192.0.2.1, tags: [prod]}

    """
  }

  private func read(_ reports: String) throws -> [ReportSchedule] {
    try settings(file(reports)).alerts?.reports ?? []
  }

  @Test func theUsualValues() throws {
    let report = try #require(try read("- {name: monthly, channels: [ops]}").first)
    #expect(report.every == .month && report.day == 1 && report.at == 8 * 3600)
    #expect(report.zone.name == "Europe/London" && report.format == .html && report.objective == nil)
    #expect(report.selection.isEverything && report.channels == ["ops"])
  }

  @Test func everyKey() throws {
    let text =
      "- {name: w, every: week, weekday: fri, at: \"17:30\", timezone: Asia/Tokyo, channels: [ops], tags: [prod], "
      + "checks: [Shop], format: csv, objective: 99.5%}"
    let report = try #require(try read(text).first)
    #expect(report.every == .week && report.day == 4 && report.at == 17 * 3600 + 1800)
    #expect(report.zone.name == "Asia/Tokyo" && report.format == .csv && report.objective == 99.5)
    #expect(report.selection.checks == [ByteText("Shop")] && report.selection.tags == [ByteText("prod")])
  }

  /// Each with its key's place and a message.
  @Test(arguments: [
    ("- {name: m, channels: [opps]}", "channels names \"opps\", which is no channel"),
    ("- {name: m, channels: [pd]}", "channels names \"pd\", which opens incidents and takes no reports"),
    ("- {name: m}", "channels is missing"),
    ("- {name: m, channels: [ops], at: noon}", "at must be a time of day, found \"noon\""),
    ("- {name: m, channels: [ops], weekday: mon}", "weekday has no effect in a report of a month"),
    (
      "- {name: m, channels: [ops], every: week, day: 3}", "day has no effect in a report of a week"
    ),
    ("- {name: m, channels: [ops], timezone: Mars/Olympus}", "timezone is no time zone this system knows"),
    ("- {name: m, channels: [ops]}\n    - {name: m, channels: [ops]}", "two reports are called \"m\""),
  ])
  func whatIsRefused(reports: String, words: String) {
    let found = problems(file(reports))
    #expect(found.count == 1 && found.first?.contains(words) == true, "\(found)")
  }

  @Test func whatIsWarnedOf() throws {
    func told(_ text: String) throws -> [String] {
      try warnings(text).filter { $0.contains("reports") || $0.contains("tags[0]") }
    }
    #expect(try told(file("- {name: m, channels: [ops]}")) == [])
    #expect(try told(file("- {name: m, channels: [ops], tags: [prud]}")).count == 1)
    let bare = try told(file("- {name: m, channels: [ops]}", page: ""))
    #expect(bare.count == 1 && bare.first?.contains("alerts.page_url is not set") == true, "\(bare)")
  }
}
