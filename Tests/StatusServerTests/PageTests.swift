// SPDX-License-Identifier: MIT

import Basics
import Foundation
import History
import Monitoring
import Status
import StatusServer
import StatusSupport
import TestSupport
import Testing

/// What the page and the documents say.
@Suite struct PageTests {
  private func pages(_ source: FixedSource, _ targets: [String]) async throws -> [RawResponse] {
    try await withServer(source) { address in
      var responses: [RawResponse] = []
      for target in targets { responses.append(try await get(address, target)) }
      return responses
    }
  }

  @Test func dashboardShowsEveryCheckAndWhatIsWrong() async throws {
    let page = try await pages(try sampleSource(), ["/"])[0]
    #expect(page.status == 200)
    #expect(page.header("Content-Type") == "text/html; charset=utf-8")
    for text in [
      "Shop front", "Search", "Never ran yet", "Old site", "</span> 1 down</h1>", "london-1", "no data",
    ] {
      #expect(page.body.contains(text), "\(text)")
    }
    // A mark always comes with its word.
    for word in [
      "✕</i> <span>DOWN", "●</i> <span>UP", "▲</i> <span>DEGRADED", "◌</i> <span>PENDING", "–</i> <span>OFF",
    ] {
      #expect(page.body.contains(word), "\(word)")
    }
    #expect(page.body.contains("add the ingest route"))
  }

  /// Names and messages come from files, servers and targets: on the page they are text.
  @Test func nothingOnThePageIsInjected() async throws {
    let source = try sampleSource()
    let targets = ["/"] + source.status.checks.map { "/checks/\($0.id)" } + ["/?q=%3Cscript%3E%22%27"]
    for page in try await pages(source, targets) {
      #expect(page.status == 200)
      // The page's own one.
      #expect(page.body.components(separatedBy: "<script").count == 2)
      #expect(!page.body.contains("<b>gateway"))
      #expect(!page.body.contains("\" onload="))
    }
    #expect(try await pages(source, ["/"])[0].body.contains("Mail &lt;b&gt;gateway&lt;/b&gt;"))
  }

  /// Nothing is fetched from anywhere: no address but our own paths and the icon in the page.
  @Test func thePageIsSelfContained() async throws {
    let source = try sampleSource()
    let check = try #require(source.status.checks.first)
    for page in try await pages(source, ["/", "/checks/\(check.id)"]) {
      for attribute in [" href=\"", " src=\"", " action=\""] {
        for piece in page.body.components(separatedBy: attribute).dropFirst() {
          let value = piece.prefix { $0 != "\"" }
          #expect(["/", "#", "data:"].contains { value.hasPrefix($0) }, "\(value)")
        }
      }
      #expect(!page.body.contains("style=\""), "the content security policy would block it")
      let nonce = try #require(
        page.header("Content-Security-Policy")?.split(separator: "'nonce-").last?.prefix { $0 != "'" })
      #expect(page.body.contains("<style nonce=\"\(nonce)\">"))
      #expect(page.body.contains("<script nonce=\"\(nonce)\">"))
    }
  }

  /// A mute and an acknowledgement stand in the row, on the page of the check and in the document, of these checks alone.
  @Test func whatAPersonHasDoneIsShown() async throws {
    var source = try sampleSource()
    let ids = source.status.checks.prefix(2).map(\.id)
    let until = Timestamp(seconds: 1_767_571_200)
    var alerts = AlertsView()
    alerts.acknowledged = [ids[1]: "ada"]
    source.status.alerts = alerts
    source.status.markHandled(muted: [ids[0]: until])
    let targets = ["/"] + ids.map { "/checks/\($0)" } + ids.map { "/api/v1/checks/\($0)" }
    let pages = try await pages(source, targets)
    let rows = pages[0].body.components(separatedBy: "<li data-check=").dropFirst()
    for row in rows {
      #expect(row.contains(">muted</span>") == row.hasPrefix("\"\(ids[0])"))
      #expect(row.contains(">acknowledged</span>") == row.hasPrefix("\"\(ids[1])"))
    }
    #expect(pages[1].body.contains("<dt>muted</dt><dd class=\"num\">until "))
    #expect(!pages[1].body.contains("acknowledged by"))
    #expect(pages[2].body.contains("<dt>acknowledged by</dt><dd class=\"num\">ada</dd>"))
    #expect(pages[3].body.contains(#""muted_until":"2026-01-05T00:00:00.000Z""#))
    #expect(pages[4].body.contains(#""acknowledged_by":"ada""#) && !pages[4].body.contains("muted_until"))
  }

  /// The id of a request is in its header and its document, and another one each time.
  @Test func anAnswerNamesItsRequest() async throws {
    let source = try sampleSource()
    let targets = ["/api/v1/status", "/api/v1/status", "/api/v1/nothing", "/api/v1/checks?limit=x"]
    var ids: Set<String> = []
    for page in try await pages(source, targets) {
      let id = try #require(page.header("X-Request-Id"))
      #expect(UniqueID(id) != nil)
      #expect(page.body.contains("\"request_id\":\"\(id)\""), "\(page.body)")
      ids.insert(id)
    }
    #expect(ids.count == targets.count)
    let page = try await pages(source, ["/"])[0]
    #expect(page.header("X-Request-Id") == nil)
  }

  /// The script knows the same parts as the page.
  @Test func theScriptChangesEveryPart() async throws {
    let source = try sampleSource()
    let page = try await pages(source, ["/"])[0]
    let script = try #require(
      page.body.components(separatedBy: "const places=\"").last?.split(separator: "\"").first)
    let places = script.split(separator: " ").map(String.init)
    #expect(places.contains("incidents") && places.count == 7)
    for place in places { #expect(page.body.contains("<div id=\"\(place)\">"), "\(place)") }
  }

  /// A disabled check has no first run to come.
  @Test func aDisabledCheckPromisesNoRun() async throws {
    let source = try sampleSource()
    let check = try #require(source.status.checks.first { !$0.enabled })
    let page = try await pages(source, ["/checks/\(check.id)"])[0]
    #expect(!page.body.contains("first run") && !page.body.contains("waiting for the first result"))
    #expect(page.body.contains("disabled"))
  }

  @Test func checkPageShowsItsWindowsAndResults() async throws {
    let source = try sampleSource()
    let check = try #require(source.status.checks.first)
    let page = try await pages(source, ["/checks/\(check.id)"])[0]
    #expect(page.body.contains("http_status"))
    #expect(page.body.contains("&lt;script&gt;"))
    #expect(page.body.contains("96.66%"))
    #expect(page.body.contains("coverage 100%"))
    // Fifty results below their head.
    let results = try #require(page.body.components(separatedBy: "<h2>Recent results</h2>").last)
    #expect(results.components(separatedBy: "<tr>").count == 52)
  }

  @Test func pagesForNothing() async throws {
    let agent = AgentIdentity(name: "a", region: nil, version: "0", started: started)
    let empty = FixedSource(status: StatusSnapshot(agent: agent, now: now, checks: []))
    let answers = try await pages(
      empty, ["/", "/checks/00000000-0000-0000-0000-000000000000", "/checks/x", "/metrics"])
    #expect(answers[0].status == 200 && answers[0].body.contains("No checks yet"))
    #expect(answers[1].status == 404 && answers[1].body.contains("No such check"))
    #expect(answers[2].status == 404)
    #expect(answers[3].status == 200)
  }

  @Test func filterAndSearch() async throws {
    let answers = try await pages(
      try sampleSource(),
      ["/?state=down", "/?q=SEARCH", "/?q=nothing+at+all", "/api/v1/checks?state=up&limit=1"])
    #expect(answers[0].body.contains("<bdi>Shop front<") && !answers[0].body.contains("<bdi>Search<"))
    #expect(answers[1].body.contains("<bdi>Search<") && !answers[1].body.contains("<bdi>Shop front<"))
    #expect(answers[2].body.contains("No check matches"))
    let list = try JSONValue.parse(answers[3].body.utf8)
    #expect(list["data"]?.array?.count == 1)
    #expect(list["meta"]?["total"]?.integer == 1)
  }

  @Test func manyChecksComeInPages() async throws {
    var source = try sampleSource()
    let row = try #require(source.status.checks.dropFirst().first)
    source.status.checks = (0..<450).map { number in
      var check = row
      check.name = "check \(number)"
      return check
    }
    let answers = try await pages(source, ["/", "/?page=3", "/?page=99"])
    #expect(answers[0].body.contains("1 to 200 of 450"))
    #expect(answers[1].body.contains("401 to 450 of 450"))
    #expect(answers[2].body.contains("401 to 450 of 450"))
  }

  @Test func documents() async throws {
    let source = try sampleSource()
    let id = try #require(source.status.checks.first?.id)
    let targets = [
      "/api/v1/summary", "/api/v1/summary?full=true", "/api/v1/checks/\(id)",
      "/api/v1/checks/\(id)/results?limit=3",
      "/api/v1/checks/\(id)/uptime?period=30d", "/api/v1/checks/\(id)/uptime",
    ]
    let data = try await pages(source, targets).map { answer in
      #expect(answer.status == 200)
      #expect(answer.header("Content-Type") == "application/json")
      let document = try JSONValue.parse(answer.body.utf8)
      #expect(document["success"]?.bool == true)
      return try #require(document["data"])
    }
    #expect(data[0]["checks"]?["down"]?.integer == 1)
    #expect(data[0]["list"] == nil)
    #expect(data[1]["list"]?.array?.count == 5)
    #expect(data[2]["name"]?.string == "Shop front")
    #expect(data[3].array?.count == 3)
    #expect(data[3][0]?["reason"]?.string == "http_status")
    #expect(data[4]["period"]?.string == "30d")
    #expect(data[5].array?.count == 4)
    let wrong = try await pages(source, ["/api/v1/checks/\(id)/uptime?period=1y"])[0]
    #expect(wrong.status == 400 && wrong.body.contains("24h, 7d, 30d, 90d"))
  }

  @Test func textIsWhatTheCommandPrints() async throws {
    let source = try sampleSource()
    let answers = try await pages(
      source, ["/api/v1/status.txt?width=120", "/api/v1/status.txt?width=120&color=true"])
    #expect(answers[0].body == StatusText(width: 120).render(source.status))
    #expect(answers[1].body.contains("\u{1b}[31m"))
  }
}
