// SPDX-License-Identifier: MIT

import Basics
import Foundation
import History
import Monitoring
import StatusSupport
import Testing
@testable import Status

/// The latest results of a check, as its page lists and draws them.
@Suite struct CheckResultListTests {
  private func shop() throws -> CheckStatus {
    try #require(try sampleStatus().status.checks.first { $0.name == "Shop front" })
  }

  private func page(_ check: CheckStatus, _ results: [CheckResult]) throws -> String {
    CheckPage(snapshot: try sampleStatus().status, check: check, results: results).render(nonce: "n").html
  }

  private func recent(_ results: [CheckResult]) throws -> String {
    try #require(page(shop(), results).components(separatedBy: "<h2>Recent results</h2>").last)
  }

  /// What came of each run, how often it was tried, and what was special about it.
  @Test func wordsOfResults() throws {
    let check = try makeCheck("Shop front")
    func attempts(_ count: Int) -> [AttemptFacts] {
      Array(
        repeating: AttemptFacts(startedAt: started, status: .success, reason: .ok, responseTime: nil),
        count: count)
    }
    var results = (0..<5).map { makeResult(check, minute: 100 - $0, state: $0 == 1 ? .down : .up) }
    (results[0].trigger, results[0].attempts) = (.manual, attempts(1))
    (results[1].message, results[1].attempts) = ("status 503", attempts(2))
    results[2].maintenance = true
    (results[3].trigger, results[3].attempts, results[3].maintenance) = (.manual, attempts(3), true)
    (results[4].statusCode, results[4].message) = (nil, "first")
    let html = try recent(results)
    #expect(
      html.matches(of: /<td class="why">([^<]*)<\/td>/).map { String($0.1) } == [
        "ok · by hand", "http_status: status 503 · 2 tries", "ok · maintenance",
        "ok · 3 tries · by hand · maintenance", "ok: first",
      ])
    #expect(
      html.matches(of: /<td class="n hide-s">([^<]*)<\/td>/).map { String($0.1) }
        == ["200", "503", "200", "200", ""])
    #expect(
      html.matches(of: /<td class="n"><time datetime="([^"]*)">([^<]*)<\/time><\/td>/).map { String($0.2) }
        == (0..<5).map { Layout.moment(started.advanced(by: .seconds(60 * (100 - $0)))) })
    #expect(
      html.matches(of: /<span class="state ([a-z]+)">/).map { String($0.1) }
        == ["up", "down", "up", "up", "up"])
    #expect(html.contains("<a class=\"more\" href=\"/api/v1/checks/\(try shop().id)/results\">JSON</a>"))
  }

  /// Fifty rows, on the scale of the slowest of them; a phase is explained where one of them has it.
  @Test func fiftyOnOneScale() throws {
    let check = try makeCheck("Shop front")
    let timings = Timings(dns: .milliseconds(10), total: .milliseconds(100))
    var results = (0..<51).map { makeResult(check, minute: 100 - $0, state: .up) }
    for place in results.indices { results[place].timings = timings }
    results[50].timings = Timings(startTLS: .milliseconds(1), total: .seconds(1))
    let html = try recent(results)
    #expect(html.matches(of: /<td class="why">/).count == 50)
    #expect(html.matches(of: /class="w-dns" x="0.0" y="0" width="12.0" height="10"/).count == 50)
    func legend(_ html: String) -> [String] {
      let part = html.components(separatedBy: "<p class=\"legend dim\">").dropFirst().first ?? ""
      return part.components(separatedBy: "</p>")[0].matches(of: /<\/svg>([^<]*)<\/span>/).map {
        String($0.1)
      }
    }
    #expect(legend(html) == ["dns", "connect", "tls", "first byte", "transfer"])
    results[49].timings = results[50].timings
    let slow = try recent(results)
    #expect(legend(slow) == ["dns", "connect", "starttls", "tls", "first byte", "transfer"])
    #expect(slow.matches(of: /class="w-dns" x="0.0" y="0" width="1.2" height="10"/).count == 49)
  }

  /// Without a result the page says when the first one comes.
  @Test(
    arguments: [
      (60, true, "The first run comes within 30s of the check's appearance."),
      (30, true, "The first run comes within 30s of the check's appearance."),
      (20, true, "The first run comes within 20s of the check's appearance."),
      (20, false, "The check is disabled and does not run."),
    ] as [(Int, Bool, String)])
  func noResultsYet(interval: Int, enabled: Bool, words: String) throws {
    var check = try shop()
    (check.interval, check.enabled) = (.seconds(interval), enabled)
    let escaped = words.replacing("'", with: "&#39;")
    let html = try page(check, [])
    #expect(html.contains("<p>\(words)</p>") || html.contains("<p>\(escaped)</p>"))
    #expect(html.contains("<h2>No results yet</h2>") && !html.contains("Recent results"))
    #expect(try !page(check, [makeResult(makeCheck("x"), minute: 1, state: .up)]).contains("No results yet"))
  }

  /// A line is drawn of two results or more, of which one has a time.
  @Test(
    arguments: [
      ([.up], false), ([.up, .up], true), ([.down, .up], true), ([.degraded, .down], true),
      ([.down, .down], false), ([.unknown, .down, .unknown], false), ([], false),
    ] as [([CheckState], Bool)])
  func theLine(states: [CheckState], isThere: Bool) throws {
    let check = try makeCheck("Shop front")
    let results = states.enumerated().map { makeResult(check, minute: 100 - $0, state: $1) }
    let html = try page(shop(), results)
    #expect(html.contains("<h2>Latency of the latest \(states.count) results</h2>") == isThere)
  }

  /// Two results are at the two ends of the line, one alone at its beginning; the scale is a tenth above the slowest.
  @Test func placesOnTheLine() throws {
    let check = try makeCheck("Shop front")
    var results = (0..<3).map { makeResult(check, minute: 2 - $0, state: .up) }
    for (place, time) in [100, 50, 200].enumerated() { results[place].responseTime = .milliseconds(time) }
    func points(_ results: [CheckResult]) -> [String] {
      Drawing.line(results).html.matches(of: /<path class="line" d="M([^"]*)"/).map { String($0.1) }
    }
    // Of 160 px above the ground at 172: 50 and 100 of 110, and 200, 50 and 100 of 220.
    #expect(points([results[1]]) == ["56.0 26.5 h0.1"])
    #expect(points(Array(results[...1])) == ["56.0 99.3 792.0 26.5 "])
    #expect(points(results) == ["56.0 26.5 424.0 135.6 792.0 99.3 "])
    let html = Drawing.line(results).html
    #expect(
      html.contains("<path class=\"area\" d=\"M56.0 172 L56.0 26.5 424.0 135.6 792.0 99.3 L792.0 172Z\"/>"))
    #expect(html.contains("<text x=\"56\" y=\"192\">00:00:00</text>"))
    #expect(html.contains("<text x=\"792\" y=\"192\" text-anchor=\"end\">00:02:00</text>"))
    let labels = html.matches(of: /<text x="50" y="([0-9.]+)" text-anchor="end">([^<]*)</).map {
      "\($0.1) \($0.2)"
    }
    #expect(labels == ["176.0 0", "96.0 110 ms", "16.0 220 ms"])
    let far = html.matches(of: /<text class="far" x="792" y="([0-9.]+)" text-anchor="end">([^<]*)</).map {
      "\($0.1) \($0.2)"
    }
    #expect(far == ["106.0 110 ms", "26.0 220 ms"])
    #expect(html.contains("aria-label=\"latency of the latest 3 results\""))
  }

  /// Down time of a window in a card: seconds, minutes with seconds, hours with minutes.
  @Test(
    arguments: [
      (0, nil), (1, "1s"), (59, "59s"), (60, "1m 0s"), (3599, "59m 59s"), (3600, "1h 0m"), (7379, "2h 2m"),
    ] as [(Int64, String?)])
  func downTimeOfACard(seconds: Int64, words: String?) throws {
    var check = try shop()
    var window = WindowStatus(period: .day)
    (window.time.up, window.time.down) = (86_400_000_000, seconds * 1_000_000)
    (window.span, window.enabled) = (172_800_000_000, 172_800_000_000)
    check.windows = [window]
    let html = try page(check, [])
    let cards = html.matches(of: /<span class="dim">(down [^·]* · )?coverage/).map { $0.1.map { String($0) } }
    #expect(cards == [words.map { "down \($0) · " }])
  }
}
