// SPDX-License-Identifier: MIT

import Basics
import Foundation
import History
import Monitoring
import StatusSupport
import Testing
@testable import Status
@testable import StatusServer

/// Which checks a list shows, and in which order: the same for JSON and text.
@Suite struct ListFilterTests {
  private func names(_ query: String, _ source: FixedSource) async throws -> [String] {
    let listed = try await withServer(source) { try await get($0, "/api/v1/checks?\(query)") }
    #expect(listed.status == 200, "\(listed.body)")
    return try #require(try JSONValue.parse(listed.body.utf8)["data"]?.array).compactMap {
      $0["name"]?.string
    }
  }

  /// The sample with one more check in maintenance.
  private func source() throws -> FixedSource {
    var source = try sampleSource()
    var closed = source.status.checks[1]
    closed.name = "Closed"
    closed.tags = ["prod", "a&b ü"]
    closed.maintenance = CheckMaintenance(name: "night", until: now.advanced(by: .seconds(3600)), skip: false)
    source.status.checks.append(closed)
    return source
  }

  /// Of each kind one that is named is enough, and all kinds must hold. Every word works.
  @Test(
    arguments: [
      ("state=up", ["Mail <b>gateway</b>"]), ("state=down", ["Shop front"]), ("state=degraded", ["Search"]),
      ("state=unknown", ["Never ran yet"]), ("state=pending", ["Never ran yet"]), ("state=off", ["Old site"]),
      ("state=maintenance", ["Closed"]), ("state=down&state=off", ["Shop front", "Old site"]),
      ("tag=prod", ["Shop front", "Closed"]), ("tag=team:shop&tag=a%26b+%C3%BC", ["Shop front", "Closed"]),
      ("tag=pro", []), ("tag=prod&state=down", ["Shop front"]), ("tag=prod&state=up", []),
      ("state=up&q=shop", []), ("state=&tag=&sort=&q=shop", ["Shop front"]),
    ] as [(String, [String])])
  func whatIsChosen(_ query: String, _ expected: [String]) async throws {
    #expect(try await names(query, try source()) == expected)
  }

  /// The worst first where there is a worse; what has no figure comes last, what is equal stays as configured.
  @Test(
    arguments: [
      ("name", ["Closed", "Mail <b>gateway</b>", "Never ran yet", "Old site", "Search", "Shop front"]),
      (
        "state",
        ["Shop front", "Search", "Never ran yet", "Mail <b>gateway</b>", "Closed", "Old site"]
      ),
      ("uptime", ["Shop front", "Mail <b>gateway</b>", "Search", "Closed", "Never ran yet", "Old site"]),
      ("latency", ["Search", "Shop front", "Mail <b>gateway</b>", "Closed", "Never ran yet", "Old site"]),
    ])
  func theOrder(_ word: String, _ expected: [String]) async throws {
    var source = try source()
    source.status.checks[2].last?.responseTime = .seconds(2)
    #expect(try await names("sort=\(word)", source) == expected)
  }

  /// What is named twice is named once, what is empty is not named, and a text is cut after a hundred characters.
  @Test func whatIsNamedTwice() throws {
    let long = String(repeating: "q", count: 101)
    let target = "/?tag=a&tag=b&tag=a&tag=&state=down&state=up&state=down&state=&q=\(long)"
    let filter = try ListFilter(try #require(RequestPath(target)))
    #expect(filter.tags == ["a", "b"] && filter.states == [.down, .up])
    #expect(filter.text == String(long.dropLast()))
    #expect(filter.toggling(.down).states == [.up] && filter.toggling(.off).states == [.down, .up, .off])
    #expect(filter.toggling(tag: "a").tags == ["b"] && filter.toggling(tag: "c").tags == ["a", "b", "c"])
  }

  /// A word that nobody knows is refused with those that are known.
  @Test(arguments: ["/api/v1/checks", "/api/v1/status.txt"]) func strangeWordsAreRefused(_ path: String)
    async throws
  {
    try await withServer(try source()) { address in
      for query in ["state=UP", "state=up&state=broken", "sort=age"] {
        let answer = try await get(address, "\(path)?\(query)")
        #expect(answer.status == 400 && answer.body.contains("must be one of"), "\(query)")
      }
    }
  }

  /// The text follows the same words, at any width.
  @Test func theTextShowsTheChosen() async throws {
    try await withServer(try source()) { address in
      let text = try await get(address, "/api/v1/status.txt?width=20&state=down&state=off&sort=name").body
      let lines = text.split(separator: "\n")
      let rows = lines.drop { !$0.hasPrefix("CHECK") }.dropFirst().prefix(2)
      #expect(rows.map { $0.hasPrefix("Old site") } == [true, false])
      #expect(lines.allSatisfy { $0.columns <= 20 } && text.contains("2 of 6"))
      #expect(try await get(address, "/api/v1/status.txt?width=19").status == 400)
    }
  }
}
