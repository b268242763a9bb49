// SPDX-License-Identifier: MIT

import Basics
import Foundation
import History
import Monitoring
import StatusServer
import StatusSupport
import TestSupport
import Testing
@testable import Status

/// Reports of a month over HTTP: of two hours of January 2026.
@Suite struct ReportPageTests {
  private func answers(_ source: FixedSource, _ targets: String...) async throws -> [RawResponse] {
    try await withServer(source) { address in
      var answers: [RawResponse] = []
      for target in targets { answers.append(try await get(address, target)) }
      return answers
    }
  }

  /// Shop front: 120 minutes with a verdict, four of them down in two outages; a check that is off has no line.
  @Test func figuresAsJSON() async throws {
    let answer = try await answers(try sampleSource(), "/api/v1/report?month=2026-01")[0]
    #expect(answer.status == 200 && answer.header("Content-Type") == "application/json")
    let document = try JSONValue.parse(answer.body.utf8)
    let data = try #require(document["data"])
    // Made on another thread, it still names its request.
    let request = try #require(answer.header("X-Request-Id"))
    #expect(document["meta"]?["request_id"]?.string == request)
    #expect(data["month"]?.string == "2026-01" && data["complete"]?.bool == false)
    #expect(data["from"]?.string == started.rfc3339 && data["until"]?.string == now.rfc3339)
    let checks = try #require(data["checks"]?.array)
    #expect(
      checks.map { $0["name"]?.string } == ["Shop front", "Mail <b>gateway</b>", "Search", "Never ran yet"])
    let shop = checks[0]
    #expect(shop["uptime"]?.double == 116 * 100 / 120.0 && shop["coverage"]?.double == 100)
    #expect(shop["seconds"]?["down"]?.double == 240 && shop["outages"]?.integer == 2)
    #expect(shop["longest_outage_s"]?.double == 180 && shop["outage_list"]?.array?.count == 2)
    #expect(shop["budget"]?["allowed_s"]?.double == 7.2 && shop["budget"]?["kept"]?.bool == false)
    #expect(shop["response_time"]?["count"]?.integer == 116)
    #expect(shop["months"]?.array?.count == 6 && shop["days"]?.array?.count == 1)
    #expect(checks[2]["seconds"]?["degraded"]?.double == 540 && checks[2]["uptime"]?.double == 100)
    #expect(checks[3]["uptime"]?.isNull == true && checks[3]["budget"]?.isNull == true)
  }

  /// One document without a script, in which names and messages are text, and each group begins a page of paper.
  @Test func oneDocumentForPaper() async throws {
    let source = try sampleSource()
    let answers = try await answers(
      source, "/api/v1/report.html?month=2026-01", "/report", "/report?tag=prod&objective=95")
    for answer in answers {
      #expect(answer.status == 200 && answer.header("Content-Type") == "text/html; charset=utf-8")
      #expect(!answer.body.contains("<script") && !answer.body.contains("<b>gateway"))
      #expect(!answer.body.contains("src=") && !answer.body.contains("http-equiv"))
      #expect(answer.body.contains("January 2026, so far</h1>") && answer.body.contains("&lt;script&gt;"))
      #expect(answer.body.contains(".group+.group{break-before:page}"))
      let nonce = try #require(
        answer.body.components(separatedBy: "<style nonce=\"").last?.prefix { $0 != "\"" })
      #expect(answer.header("Content-Security-Policy")?.contains("style-src 'nonce-\(nonce)'") == true)
    }
    func groups(_ body: String) -> [String] {
      body.components(separatedBy: "<section class=\"group\"><h2>").dropFirst().map {
        $0.components(separatedBy: "</h2>")[0].replacingOccurrences(of: "<bdi>", with: "")
          .replacingOccurrences(of: "</bdi>", with: "")
      }
    }
    #expect(groups(answers[0].body) == ["team:shop", "prod", "Without a tag"])
    #expect(groups(answers[2].body) == ["team:shop", "prod"])
    // A file leads nowhere, and has no icon to ask for; the page leads to the month before, and not to one that has not begun.
    #expect(answers[0].body.components(separatedBy: "href=").count == 2)
    #expect(answers[0].body.contains("<link rel=\"icon\" href=\"data:,\">"))
    #expect(
      answers[1].body.contains("href=\"/report?month=2025-12\"") && !answers[1].body.contains("2026-02"))
    #expect(answers[2].body.contains("href=\"/report?month=2025-12&amp;tag=prod&amp;objective=95.0\""))
    #expect(answers[2].body.contains("<td>95%</td>"))
    #expect(answers[1].body.contains("✕</span> exceeded: 3333.3%<small>4m of 7s</small>"))
    #expect(try await self.answers(source, "/")[0].body.contains("<a href=\"/report\">report</a>"))
  }

  @Test func textAndTable() async throws {
    let source = try sampleSource()
    let answers = try await answers(
      source, "/api/v1/report.txt?month=2026-01&width=60", "/api/v1/report.csv?month=2026-01&tag=prod")
    #expect(answers[0].body.hasPrefix("london-1 · January 2026 (UTC)\n4 checks, average uptime 98.88%"))
    #expect(answers[0].body.split(separator: "\n").allSatisfy { $0.columns <= 60 })
    #expect(answers[1].header("Content-Type")?.hasPrefix("text/csv") == true)
    let lines = answers[1].body.components(separatedBy: "\r\n")
    #expect(lines.count == 3 && lines[1].hasPrefix("2026-01,no,Shop front,"))
  }

  /// A month before the history has no data and says so, and so does one that has not begun; another text is refused.
  @Test func monthsWithoutData() async throws {
    let source = try sampleSource()
    let before = try await answers(source, "/api/v1/report?month=2025-11")[0]
    let data = try #require(try JSONValue.parse(before.body.utf8)["data"])
    #expect(data["complete"]?.bool == true && data["average_uptime"]?.isNull == true)
    #expect(
      data["remarks"]?.array?.map(\.string)
        == ["Nothing is known of this month: the history begins on 2026-01-01."])
    let future = try await answers(source, "/api/v1/report?month=9999-12")[0]
    let coming = try #require(try JSONValue.parse(future.body.utf8)["data"])
    #expect(coming["remarks"]?.array?.map(\.string) == ["The month has not begun."])
    let shop = coming["checks"]?.array?.first
    #expect(shop?["uptime"]?.isNull == true && shop?["outage_list"]?.array?.isEmpty == true)
    for (query, words) in [
      ("month=2026-13", "month must be a year and a month, such as 2026-01, or last"),
      ("month=January", "month must be a year and a month, such as 2026-01, or last"),
      ("objective=100", "objective must be a percentage of at least 50 and below 100, such as 99.9"),
      ("objective=", "objective must be a percentage of at least 50 and below 100, such as 99.9"),
      ("objective=nan", "objective must be a percentage of at least 50 and below 100, such as 99.9"),
      ("month=2026-01&month=2025-12", "month is given more than once"),
    ] {
      let answer = try await answers(source, "/api/v1/report?\(query)")[0]
      #expect(answer.status == 400)
      #expect(try JSONValue.parse(answer.body.utf8)["error"]?["message"]?.string == words)
    }
    let last = try await answers(source, "/api/v1/report?month=last")[0]
    #expect(try JSONValue.parse(last.body.utf8)["data"]?["month"]?.string == "2025-12")
    let page = try await answers(source, "/report?month=x")[0]
    #expect(page.status == 400 && page.body.contains("such as 2026-01"))
  }

  /// 1 January 2026 is in the first week, which began on 29 December. Checks by name, beside those with a tag.
  @Test func aWeekOfSomeChecks() async throws {
    let source = try sampleSource()
    let answers = try await answers(
      source, "/api/v1/report?week=2026-W01&check=Search&tag=prod", "/report?week=2026-W01&check=Search",
      "/api/v1/report.csv?week=2026-W01&check=Search", "/api/v1/report?week=last",
      "/api/v1/report?week=2026-W01&month=2026-01", "/api/v1/report?week=2026-01")
    let data = try #require(try JSONValue.parse(answers[0].body.utf8)["data"])
    #expect(data["week"]?.string == "2026-W01" && data["month"] == nil)
    #expect(data["from"]?.string == "2025-12-29T00:00:00.000Z")
    #expect(data["checks"]?.array?.map { $0["name"]?.string } == ["Shop front", "Search"])
    #expect(data["checks"]?[0]?["weeks"]?.array?.last?["week"]?.string == "2026-W01")
    #expect(
      data["headlines"]?[0]?.string?.hasPrefix("✕ Shop front: 96.66% of 99.9%, 2 outages, down 4m") == true)
    #expect(answers[1].body.contains("Week 1, 29 Dec to 4 Jan 2026, so far</h1>"))
    #expect(answers[1].body.contains("href=\"/report?week=2025-W52&amp;check=Search\""))
    #expect(answers[1].body.contains("Mean response time by week"))
    // Of the six weeks the first five have no figure: the history begins in the last one.
    let trend = answers[1].body.split(separator: "class=\"trend\"").last?.split(separator: "</thead>").first
    #expect(trend?.ranges(of: "<th scope=\"col\">").count == 2)
    let rows = answers[1].body.split(separator: "class=\"trend\"").last?.split(separator: "</table>").first
    #expect(rows?.ranges(of: "<th scope=\"row\">").count == 1 && rows?.ranges(of: "<td").count == 1)
    #expect(
      answers[2].body.hasPrefix("week,complete,check,") && answers[2].body.contains("\r\n2026-W01,no,Search,")
    )
    #expect(try JSONValue.parse(answers[3].body.utf8)["data"]?["week"]?.string == "2025-W52")
    for (answer, words) in [
      (answers[4], "month and week exclude each other"),
      (answers[5], "week must be a year and a week, such as 2026-W01, or last"),
    ] {
      #expect(answer.status == 400)
      #expect(try JSONValue.parse(answer.body.utf8)["error"]?["message"]?.string == words)
    }
  }

  /// The style of the document uses the palette alone.
  /// Each that is named, once, whether by one item or by several; of an incident's list a check is one.
  @Test func severalChecks() async throws {
    let source = try sampleSource()
    let answers = try await answers(
      source, "/api/v1/report?check=Search&week=&check=Shop%20front&check=&check=Search",
      "/api/v1/report?tag=prod&check=Search&tag=none&state=up&state=down", "/api/v1/incidents?check=a&check=b"
    )
    let data = try #require(try JSONValue.parse(answers[0].body.utf8)["data"])
    #expect(data["checks"]?.array?.map { $0["name"]?.string } == ["Shop front", "Search"])
    for (answer, name) in [(answers[1], "state"), (answers[2], "check")] {
      #expect(answer.status == 400)
      let words = try JSONValue.parse(answer.body.utf8)["error"]?["message"]?.string
      #expect(words == "\(name) is given more than once")
    }
  }

  @Test func theStyleKeepsToThePalette() {
    let style = Layout.reportStyle.html.replacing(Palette.light.html, with: "")
    #expect(style.firstMatch(of: /[: ,]#[0-9a-f]{3,6}\b/) == nil, "a colour of its own")
    for match in style.matches(of: /var\(--([a-z0-9]+)\)/) {
      #expect(Palette.colors.contains { $0.name == String(match.1) }, "--\(match.1) is not in the palette")
    }
  }
}
