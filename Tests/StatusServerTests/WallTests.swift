// SPDX-License-Identifier: MIT

import Basics
import Foundation
import History
import Monitoring
import StatusSupport
import Testing
@testable import Status
@testable import StatusServer

/// A display on a wall.
@Suite struct WallTests {
  /// Checks of one store, each with its last states, a minute apart, the last one at `now`.
  private func snapshot(
    _ checks: [(name: String, states: [CheckState], tags: [String])]
  ) throws -> StatusSnapshot {
    let store = HistoryStore()
    let made = try checks.map { try makeCheck($0.name, host: "\($0.name.utf8.count).example", tags: $0.tags) }
    store.apply(made, now: started)
    for (check, (_, states, _)) in zip(made, checks) {
      for (index, state) in states.enumerated() {
        store.record(
          makeResult(check, minute: 120 - states.count + index, state: state), interval: .seconds(60))
      }
    }
    let agent = AgentIdentity(name: "london-1", region: nil, version: "0.1.0", started: started)
    return StatusSnapshot(agent: agent, history: store, now: now)
  }

  private func page(_ snapshot: StatusSnapshot, _ target: String = "/wall") throws -> String {
    let filter = try ListFilter(try #require(RequestPath(target)))
    return WallPage(snapshot: snapshot, filter: filter).render(nonce: "n").html
  }

  /// Names on tiles, in their order.
  private func names(_ page: String) -> [String] {
    page.components(separatedBy: "<b><bdi>").dropFirst().map {
      $0.components(separatedBy: "</bdi>")[0]
    }
  }

  private func sample() throws -> StatusSnapshot {
    try snapshot([
      ("fine", [.up, .up], ["shop"]), ("slow", [.up, .degraded, .degraded], ["shop"]),
      ("fresh", [.up, .up, .down], []), ("long", [.up, .down, .down], ["shop"]),
      ("odd", [.up, .unknown], []),
    ])
  }

  /// What fails, down before degraded, the longest first; the counts of all four states.
  @Test func worstFirst() throws {
    let page = try page(try sample())
    #expect(names(page) == ["long", "fresh", "slow"])
    #expect(page.contains("<ul class=\"tiles few\">") && page.contains("</span> 2 down</h1>"))
    #expect(page.components(separatedBy: "<small>status 503, expected 200-299</small>").count == 3)
    let counts = try #require(page.components(separatedBy: "<p class=\"wall-counts\">").last)
    #expect(
      counts.components(separatedBy: "<b class=\"num\">").dropFirst().map {
        $0.components(separatedBy: "</span>")[0].replacingOccurrences(of: "</b>", with: "")
      } == ["2 down", "1 degraded", "1 unknown", "1 up"])
  }

  /// Sentence, tiles and counts are of the checks that the address chooses.
  @Test func someChecksOnly() throws {
    let shop = try page(try sample(), "/wall?tag=shop")
    #expect(names(shop) == ["long", "slow"] && shop.contains("</span> 1 down</h1>"))
    #expect(try page(try sample(), "/wall?q=fine").contains("</span> 1 check, up</h1>"))
    #expect(try page(try sample(), "/wall?q=gone").contains("<h1>No check to show</h1>"))
  }

  /// Twelve tiles; the rest is counted.
  @Test(arguments: [4, 5, 12, 13, 30]) func aTileForTwelve(count: Int) throws {
    let page = try page(try snapshot((0..<count).map { ("check \($0)", [.up, .down], []) }))
    #expect(names(page) == (0..<min(count, 12)).map { "check \($0)" })
    #expect(page.contains("and \(count - 12) more") == (count > 12))
    #expect(page.contains("tiles few") == (count <= 4))
  }

  /// Nothing takes the focus or a tap, and the frame has no links; it follows the agent.
  @Test func nothingToPress() throws {
    let body = try #require(try page(try sample()).components(separatedBy: "<body").last)
    let markup = body.components(separatedBy: "<script")[0]
    for tag in ["<a ", "<button", "<input", "<form", "<details", "tabindex"] {
      #expect(!markup.contains(tag), "\(tag)")
    }
    #expect(body.hasPrefix(" data-live=\"wall\" class=\"wall\">"))
  }

  /// Checks in maintenance and disabled ones have no tile; an acknowledged one says by whom.
  @Test func handled() throws {
    var snapshot = try sample()
    let ids = Dictionary(uniqueKeysWithValues: snapshot.checks.map { (ByteText($0.name), $0.id) })
    var alerts = AlertsView()
    alerts.acknowledged = [try #require(ids[ByteText("long")]): "ada"]
    snapshot.alerts = alerts
    snapshot.markHandled(muted: [:])
    let place = try #require(snapshot.checks.firstIndex { $0.name == "fresh" })
    snapshot.checks[place].enabled = false
    let page = try page(snapshot)
    #expect(names(page) == ["long", "slow"])
    #expect(page.components(separatedBy: "<span class=\"known\">✓ <bdi>ada</bdi></span>").count == 2)
  }

  @Test func anAddressThatSelectsNothing() async throws {
    let pages = try await withServer(try sampleSource()) { address in
      [try await get(address, "/wall"), try await get(address, "/wall?state=gone")]
    }
    #expect(pages.map(\.status) == [200, 400])
    #expect(pages[1].body.contains("state must be one of up, degraded"))
  }
}
