// SPDX-License-Identifier: MIT

import Basics
import Foundation
import History
import Monitoring
import StatusSupport
import Testing
@testable import Status

/// The start page's list: chips, tags, parts, and what needs attention; and drawings at their bounds.
@Suite struct DashboardListTests {
  private func snapshot(_ count: Int, _ change: (Int, inout CheckStatus) -> Void = { _, _ in }) throws
    -> StatusSnapshot
  {
    var status = try sampleStatus().status
    let base = try #require(status.checks.first { $0.name == "Mail <b>gateway</b>" })
    status.checks = (0..<count).map { number in
      var check = base
      (check.id, check.name, check.tags) = (UniqueID(high: 5, low: UInt64(number)), "c\(number)", [])
      change(number, &check)
      return check
    }
    return status
  }

  private func html(_ status: StatusSnapshot, _ change: (inout DashboardPage.List) -> Void = { _ in })
    -> String
  {
    var list = DashboardPage.List()
    change(&list)
    return DashboardPage(snapshot: status, list: list).checks().html
  }

  private func names(_ html: String) -> [String] {
    html.matches(of: /<span class="name"><bdi>([^<]*)</).map { String($0.1) }
  }

  private func chips(_ html: String, _ id: String) -> [String] {
    let part = html.components(separatedBy: "id=\"\(id)\"").dropFirst().first?.components(
      separatedBy: "</nav>"
    ).first
    return (part ?? "").matches(
      of:
        /<a href="[^"]*"( aria-current="true")?>(?:<span class="mark [a-z]*"[^>]*>[^<]*<\/span>)?([^<]*) <span class="num">([0-9]+)/
    ).map { "\($0.2) \($0.3)\($0.1 == nil ? "" : " *")" }
  }

  /// Four states are always offered, the others where a check is in them, or where they are chosen.
  @Test func chipsOfStates() throws {
    let usual = try snapshot(2)
    let few = ["All 2 *", "Up 2", "Down 0", "Degraded 0", "Unknown 0"]
    #expect(chips(html(usual), "chips") == few)
    #expect(
      chips(html(usual) { $0.filter.states = [.off, .up] }, "chips")
        == ["All 2", "Up 2 *", "Down 0", "Degraded 0", "Unknown 0", "Off 0 *"])
    let all = try snapshot(9) { number, check in
      switch number {
      case 0: (check.state, check.last) = (.unknown, nil)
      case 1: check.stale = true
      case 2: check.maintenance = CheckMaintenance(name: "n", until: now, skip: false)
      case 3, 4: check.enabled = false
      case 5: check.state = .down
      case 6: check.state = .degraded
      default: break
      }
    }
    #expect(
      chips(html(all), "chips") == [
        "All 9 *", "Up 3", "Down 1", "Degraded 1", "Unknown 1", "Pending 1", "Stale 1", "Maintenance 1",
        "Off 2",
      ])
    // Worst first, then what is worked on, then what is off.
    #expect(names(html(all)) == ["c5", "c6", "c0", "c1", "c7", "c8", "c2", "c3", "c4"])
  }

  /// Twenty-four tags, the most used first, those used as often by name; a chosen one always.
  @Test func chipsOfTags() throws {
    #expect(!html(try snapshot(1)).contains("id=\"tags\""))
    let status = try snapshot(26) { number, check in
      check.tags = ["t\(10 + number)"] + (number < 2 ? ["z"] : number < 4 ? ["y"] : [])
    }
    let page = html(status)
    #expect(chips(page, "tags") == ["y 2", "z 2"] + (0..<22).map { "t\(10 + $0) 1" })
    #expect(page.contains(">Group by tag</a>") && !page.contains("aria-current=\"true\">Group"))
    let chosen = html(status) { ($0.filter.tags, $0.isGrouped) = (["t35", "none", "z"], true) }
    let offered = chips(chosen, "tags")
    #expect(offered.count == 26 && offered[1] == "z 2 *" && offered[24...] == ["t35 1 *", "none 0 *"])
    #expect(chosen.contains("aria-current=\"true\">Group by tag</a>"))
    let grouped = html(try snapshot(1)) { $0.isGrouped = true }
    #expect(grouped.contains("id=\"tags\"") && grouped.contains("<h3>without a tag</h3>"))
  }

  /// Under headings: a check with two tags stands under both, and each heading has a list of its own.
  @Test func headings() throws {
    let status = try snapshot(4) { number, check in check.tags = [["b"], [], ["a", "b"], ["a"]][number] }
    let page = html(status) { $0.isGrouped = true }
    let parts = page.components(separatedBy: "<h3>").dropFirst().map {
      ($0.components(separatedBy: "</h3>")[0], names($0))
    }
    #expect(parts.map { $0.0 } == ["a", "b", "without a tag"])
    #expect(parts.map { $0.1 } == [["c2", "c3"], ["c0", "c2"], ["c1"]])
    #expect(
      page.matches(of: /<ul class="checks">/).count == 3 && page.matches(of: /<\/li>\n<\/ul>/).count == 3)
    #expect(html(status).matches(of: /<ul class="checks">/).count == 1 && !html(status).contains("<h3>"))
  }

  /// Two hundred rows a page, with a way back and forth where there is one.
  @Test(
    arguments: [
      (200, 1, nil, 200), (201, 1, "1 to 200 of 201 >2", 200), (201, 2, "<1 201 to 201 of 201", 1),
      (400, 2, "<1 201 to 400 of 400", 200), (401, 2, "<1 201 to 400 of 401 >3", 200),
      (401, 9, "<2 401 to 401 of 401", 1), (1201, 7, "<6 1201 to 1201 of 1,201", 1),
    ] as [(Int, Int, String?, Int)])
  func partsOfTheList(count: Int, page: Int, pager: String?, rows: Int) throws {
    let page = html(try snapshot(count)) { $0.page = page }
    #expect(names(page).count == rows)
    func step(_ word: String) throws -> String? {
      try page.firstMatch(of: Regex("href=\"/([^\"]*)#checks\">\(word)<")).flatMap { match in
        match.output[1].substring.map { $0.isEmpty ? "1" : String($0.dropFirst(6)) }
      }
    }
    let words = page.firstMatch(of: /<span class="dim">([0-9]+ to [^<]*)<\/span>/).map { String($0.1) }
    let found = try [step("Back").map { "<\($0)" }, words, step("Next").map { ">\($0)" }].compactMap(\.self)
    #expect((found.isEmpty ? nil : found.joined(separator: " ")) == pager)
  }

  /// Two notices are shown, forty-eight unfold, and the rest is counted.
  @Test(
    arguments: [
      (0, 0, nil, nil), (2, 2, nil, nil), (3, 3, "1 more", nil), (50, 50, "48 more", nil),
      (51, 50, "49 more", "and 1 more"),
    ] as [(Int, Int, String?, String?)])
  func whatNeedsAttention(count: Int, rows: Int, folded: String?, rest: String?) throws {
    var status = try snapshot(1)
    (status.spool, status.delivery, status.scheduler) = (nil, nil, nil)
    status.notices = (0..<count).map { .warning(.store, "n\($0)", hint: $0 == 0 ? "do it" : nil) }
    let page = DashboardPage(snapshot: status).render(nonce: "n").html
    let part = page.components(separatedBy: "<div id=\"problems\">")[1].components(separatedBy: "</div>")[0]
    #expect(part.matches(of: /<li><span class="mark degraded"/).count == rows)
    #expect(part.firstMatch(of: /<summary>([^<]*)</).map { String($0.1) } == folded)
    #expect(part.firstMatch(of: /<li class="dim">([^<]*)</).map { String($0.1) } == rest)
    #expect(part.contains("n0<span class=\"hint\">→ do it</span></li>") == (count > 0))
    #expect(part.contains("<h2>Problems</h2>") == (count > 0))
  }

  /// A notice leads to the check that it names, or to all that bear the name; the agent's own is below.
  @Test func whereNoticesLead() throws {
    var status = try snapshot(3) { number, check in check.name = ["a", "b & c", "b & c"][number] }
    (status.spool, status.delivery, status.scheduler) = (nil, nil, nil)
    status.notices = [
      .critical(.check("a"), "one"), .warning(.check("b & c"), "two"), .warning(.check("gone"), "three"),
    ]
    let page = DashboardPage(snapshot: status).render(nonce: "n").html
    #expect(page.contains("<li><a href=\"/checks/\(status.checks[0].id)\"><span class=\"mark down\""))
    #expect(page.contains("<li><a href=\"/?q=b%20%26%20c#checks\"><span class=\"mark degraded\""))
    #expect(page.contains("<li><a href=\"/?q=gone#checks\"><span class=\"mark degraded\""))
  }

  /// What a row says: why it fails, else what is probed, else the incident that tells of it.
  @Test func wordsOfARow() throws {
    func says(_ change: (inout CheckStatus) -> Void, incident: UniqueID? = nil) throws -> String {
      var status = try snapshot(1) { _, check in change(&check) }
      status.alerts = AlertsView()
      status.alerts?.incidentOf = incident.map { [status.checks[0].id: $0] } ?? [:]
      let row = CheckRow(status.checks[0], status).content().html
      let part = row.components(separatedBy: " · </span>").dropFirst().first ?? ""
      return part.components(separatedBy: "</span></span>")[0]
    }
    let probed = "http · http://mail.example/health"
    func fail(_ check: inout CheckStatus, _ message: String? = "refused <b>") {
      check.state = .down
      check.last?.reason = .connectRefused
      check.last?.message = message
    }
    #expect(try says { _ in } == probed)
    #expect(try says { fail(&$0) } == "refused &lt;b&gt;")
    #expect(try says { fail(&$0, nil) } == "connect_refused")
    #expect(
      try says({ fail(&$0) }, incident: UniqueID(high: 1, low: 0xabc_def)) == "incident abcdef · \(probed)")
    #expect(try says { $0.state = .down } == probed)
    #expect(
      try says { check in
        fail(&check)
        check.state = .up
      } == probed)
    #expect(
      try says { check in
        fail(&check)
        check.maintenance = CheckMaintenance(name: "n", until: now, skip: false)
      } == probed)
    #expect(
      try says { check in
        fail(&check)
        check.enabled = false
      } == probed)
  }
}
