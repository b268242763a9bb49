// SPDX-License-Identifier: MIT

import Basics
import Foundation
import History
import Monitoring
import StatusServer
import StatusSupport
import Testing
@testable import Status

/// What a browser gets for each address that selects, and where the page's parts lead.
@Suite struct FilterTests {
  /// One check of each kind, each under its own name.
  private func source() throws -> FixedSource {
    var source = try sampleSource()
    for index in source.status.checks.indices where source.status.checks[index].name == "Mail <b>gateway</b>"
    {
      source.status.checks[index].name = "Mail"
      source.status.checks[index].tags = ["team:mail", "eu & us"]
    }
    var extra = try #require(source.status.checks.first { $0.name == "Mail" })
    (extra.name, extra.id, extra.stale, extra.tags) = ("Late", UniqueID(high: 7, low: 1), true, ["eu & us"])
    source.status.checks.append(extra)
    (extra.name, extra.id, extra.stale, extra.tags) = ("Worked on", UniqueID(high: 7, low: 2), false, [])
    extra.maintenance = CheckMaintenance(name: "night", until: now.advanced(by: .seconds(60)), skip: false)
    source.status.checks.append(extra)
    return source
  }

  private func names(_ page: String) -> [String] {
    page.components(separatedBy: "<span class=\"name\"><bdi>").dropFirst().map {
      String($0.prefix { $0 != "<" })
    }
  }

  /// Each filter shows what it names and nothing else, alone and with others.
  @Test(arguments: [
    ("state=up", ["Mail", "Late"]), ("state=down", ["Shop front"]), ("state=degraded", ["Search"]),
    ("state=unknown", ["Never ran yet"]), ("state=pending", ["Never ran yet"]), ("state=stale", ["Late"]),
    ("state=maintenance", ["Worked on"]), ("state=off", ["Old site"]), ("state=off&q=shop", []),
    ("tag=team%3Amail", ["Mail"]), ("tag=eu+%26+us", ["Mail", "Late"]), ("tag=none", []),
    ("q=SHOP.example", ["Shop front"]), ("state=&q=mail", ["Mail", "Late", "Worked on"]),
    ("state=up&tag=eu+%26+us&q=late", ["Late"]),
    ("group=tag&state=up", ["Mail", "Late", "Mail"]), ("state=off&state=stale", ["Old site", "Late"]),
    ("tag=team:mail&tag=prod", ["Mail", "Shop front"]),
    ("group=tag&tag=prod&tag=team:mail", ["Mail", "Shop front"]),
  ])
  func aFilterShowsWhatItNames(_ query: String, _ expected: [String]) async throws {
    try await withServer(try source()) { address in
      let page = try await get(address, "/?\(query)")
      #expect(page.status == 200)
      #expect(names(page.body).sorted() == expected.sorted())
      #expect(expected.isEmpty == page.body.contains("No check matches"))
    }
  }

  /// What is chosen stays chosen when another chip is followed, text is looked for or the list is turned over: a chip adds its
  /// own to the rest, or takes it away.
  @Test func chipsAddUp() async throws {
    let chosen = "state=down&state=off&tag=prod&tag=eu%20%26%20us&q=o&group=tag"
    try await withServer(try source()) { address in
      let page = try await get(address, "/?\(chosen)").body.replacing("&amp;", with: "&")
      for link in [
        "/?state=down&state=off&state=up&tag=prod&tag=eu%20%26%20us&q=o&group=tag#checks",
        "/?state=off&tag=prod&tag=eu%20%26%20us&q=o&group=tag#checks",
        "/?state=down&state=off&tag=prod&tag=eu%20%26%20us&tag=team%3Amail&q=o&group=tag#checks",
        "/?state=down&state=off&tag=eu%20%26%20us&q=o&group=tag#checks",
        "/?state=down&state=off&tag=prod&tag=eu%20%26%20us&q=o#checks",
        "/?tag=prod&tag=eu%20%26%20us&q=o&group=tag#checks",
      ] { #expect(page.contains("href=\"\(link)\""), "\(link)") }
      for field in [
        "state\" value=\"down", "state\" value=\"off", "tag\" value=\"prod", "group\" value=\"tag",
      ] {
        #expect(page.contains("<input type=\"hidden\" name=\"\(field)\">"), "\(field)")
      }
      #expect(page.components(separatedBy: "aria-current=\"true\"").count == 6)
    }
  }

  /// A check without a tag stands last, under a heading of its own.
  @Test func groupsHaveHeadings() async throws {
    try await withServer(try source()) { address in
      let page = try await get(address, "/?group=tag")
      let heads = page.body.components(separatedBy: "<h3>").dropFirst().map { $0.prefix { $0 != "<" } }
      #expect(heads == ["eu &amp; us", "prod", "team:mail", "team:shop", "without a tag"])
    }
  }

  /// A person who mistypes an address gets a page with a way on.
  @Test(arguments: ["state=gone", "group=name", "page=0"])
  func whatSelectsNothingSaysSo(_ query: String) async throws {
    try await withServer(try source()) { address in
      let page = try await get(address, "/?\(query)")
      #expect(page.status == 400 && page.header("Content-Type") == "text/html; charset=utf-8")
      #expect(page.body.contains("must be") && page.body.contains("href=\"/\""))
    }
  }

  /// The counts, the chips and what needs attention lead to what they speak of, and every link is answered.
  @Test func everythingLeadsSomewhere() async throws {
    let source = try source()
    try await withServer(source) { address in
      let page = try await get(address, "/").body
      let shop = try #require(source.status.checks.first { $0.name == "Shop front" }).id
      #expect(page.contains("<a class=\"count\" href=\"/?state=degraded#checks\">"))
      #expect(page.contains("<a href=\"/?state=maintenance#checks\">"))
      #expect(page.contains("<a class=\"row\" href=\"/checks/\(shop)\">"))
      var links: Set<String> = []
      for piece in page.components(separatedBy: " href=\"").dropFirst() {
        let link = piece.prefix { $0 != "\"" }.replacing("&amp;", with: "&")
        if let fragment = link.split(separator: "#").last, link.contains("#"), !link.hasPrefix("data:") {
          #expect(page.contains("id=\"\(fragment)\""), "\(link)")
        }
        if link.hasPrefix("/") { links.insert(String(link.prefix { $0 != "#" })) }
      }
      for link in links { #expect(try await get(address, link).status == 200, "\(link)") }
    }
  }
}
