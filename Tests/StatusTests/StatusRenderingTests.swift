// SPDX-License-Identifier: MIT

import Basics
import Groups
import History
import HistorySupport
import Monitoring
import QuartzAPI
import Spool
import StatusSupport
import Testing
@testable import Status

/// What the terminal and the API show of one snapshot.
@Suite struct StatusRenderingTests {
  private let now = midnight + .seconds(7200)

  /// One check down for two minutes, one up, one that never ran, one with a hostile name.
  private func sample() throws -> StatusSnapshot {
    let shop = try makeCheck("Shop front")
    let mail = try makeCheck("Mail 日本語")
    let hostile = try makeCheck("Hostile")
    let off = try makeCheck("Old", enabled: false)
    let store = HistoryStore()
    store.apply([shop, mail, hostile, off], now: midnight)
    for (index, var run) in grid(120).enumerated() {
      run.latency = .milliseconds(10 + index % 7)
      store.record(run.result(of: mail), interval: .seconds(60))
      if index >= 118 { run.state = .down }
      store.record(run.result(of: shop), interval: .seconds(60))
    }
    var snapshot = store.snapshot(now: now)
    // A check is never made with such a name; the renderers do not rely on it.
    snapshot.checks[2].name = "a\u{1b}[31m\u{202e}b"
    var spool = SpoolStatus()
    spool.depth = 1234
    spool.oldest = midnight
    spool.bytesUsed = 1_572_864
    spool.bytesReserved = 268_435_456
    spool.dropped = 5
    snapshot.spool = spool
    var delivery = DeliveryStatus(.quartz)
    delivery.tally.trouble = .warning(.delivery, "404", hint: "add the ingest route")
    delivery.tally.troubleSince = now
    snapshot.undelivered = [.warning(.check("Old"), "not in the API's list")]
    snapshot.delivery = delivery
    return snapshot
  }

  @Test func textSaysWhatIsWrongAndWhatToDo() throws {
    let text = StatusText(width: 120).render(try sample())
    #expect(text.contains("3 checks: 1 up, 0 degraded, 1 down, 1 unknown (1 pending) · uptime 24h 99.166%"))
    #expect(
      text.contains(
        "✕ Shop front  2026-01-01 01:58:00Z    2m  connect_refused: refused\n  → connect_refused: "))
    #expect(!text.contains("Shop front is down"), "the table of outages says it")
    #expect(
      text.contains("✕ 5 results were overwritten before they could be delivered\n  → raise spool.size"))
    #expect(text.contains("delivery to quartz failed just now: 404\n  → add the ingest route"))
    #expect(text.contains("spool     1,234 waiting, oldest 2h, 1.5 MiB of 256 MiB, durable"))
    #expect(text.contains("results of Old are not delivered: not in the API's list"))
    let row = try #require(text.split(separator: "\n").first { $0.hasPrefix("Shop front") })
    #expect(row.contains("✕ DOWN") && row.contains("98.33%") && row.hasSuffix("××"))
  }

  /// Tables are cut, everything else goes on in the next line; each check keeps its one row.
  @Test(arguments: Array(20...60) + [80, 100, 120, 200]) func noLineIsWiderThanTheTerminal(_ width: Int)
    throws
  {
    let text = StatusText(width: width, color: width % 2 == 0).render(try sample())
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for line in lines { #expect(line.visibleColumns <= width, "\(line)") }
    let start = try #require(lines.firstIndex { $0.hasPrefix("CHECK") })
    let rows = lines[(start + 1)...].prefix { !$0.isEmpty && !$0.hasPrefix("(") }
    #expect(rows.count == 4)
    for (row, word) in zip(rows, ["DOWN", "UP", "PENDING", "OFF"]) { #expect(row.contains(word), "\(row)") }
  }

  /// Beside the figure stand how much of the day has a verdict and how much data there is at all.
  @Test func coverageAndDataAreShown() throws {
    let lines = StatusText(width: 200).render(try sample()).split(separator: "\n")
    let header = try #require(lines.first { $0.hasPrefix("CHECK") })
    #expect(header.contains("90d  COVERED  DATA  RECENT"))
    let row = try #require(lines.first { $0.hasPrefix("Shop front") })
    #expect(row.contains("100%    2h  "), "\(row)")
  }

  /// Figures end where the titles of their columns end.
  @Test func figuresStandToTheRight() throws {
    let lines = StatusText(width: 200).render(try sample()).split(separator: "\n").map(String.init)
    let header = try #require(lines.first { $0.hasPrefix("CHECK") })
    let row = try #require(lines.first { $0.hasPrefix("Shop front") })
    for title in ["LATENCY", "LAST", "24h", "7d", "30d", "90d", "COVERED", "DATA"] {
      let end = header.distance(
        from: header.startIndex, to: try #require(header.firstRange(of: " \(title) ")).upperBound)
      let cell = row.prefix(end).suffix(2)
      #expect(cell.first != " " && cell.last == " ", "\(title): \(row)")
    }
  }

  /// A choice of checks: the counts stay those of all, and what is wrong is told of the chosen ones.
  @Test func aChoiceOfChecks() throws {
    let snapshot = try sample()
    let text = StatusText(width: 120).render(snapshot, shown: Array(snapshot.checks[1...1]))
    #expect(text.contains("3 checks: 1 up") && text.contains("1 of 4 checks shown"))
    #expect(text.contains("Mail") && !text.contains("Shop front"))
    #expect(text.contains("delivery to quartz failed"))
    let none = StatusText(width: 120).render(snapshot, shown: [])
    #expect(none.contains("0 of 4 checks shown") && !none.contains("CHECK"))
    #expect(!none.contains("no check is enabled"))
  }

  @Test func colourOnlyAddsToTheText() throws {
    let snapshot = try sample()
    let plain = StatusText(width: 120).render(snapshot)
    let colored = StatusText(width: 120, color: true).render(snapshot)
    #expect(!plain.contains("\u{1b}"))
    let bare = ["31", "32", "33", "90", "0"].reduce(colored) { text, code in
      text.split(separator: "\u{1b}[\(code)m", omittingEmptySubsequences: false).joined()
    }
    #expect(bare == plain)
  }

  /// A name comes from a file or a server; it must not drive the terminal.
  @Test func hostileNamesArePrintedHarmless() throws {
    let text = StatusText(width: 120).render(try sample())
    #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0.value == 0x202e })
    #expect(text.contains("\\u{1b}"))
  }

  @Test func summaryDocument() throws {
    let snapshot = try sample()
    let bytes = StatusJSON.success(now: now) { snapshot.writeSummary(full: true, to: &$0) }
    let document = try JSONValue.parse(bytes)
    #expect(document["success"]?.bool == true)
    #expect(document["meta"]?["timestamp"]?.string == now.rfc3339)
    let data = try #require(document["data"])
    #expect(data["agent"]?["name"]?.string == "test-1")
    #expect(data["checks"]?["down"]?.integer == 1)
    #expect(data["spool"]?["depth"]?.integer == 1234)
    #expect(data["delivery"]?["last_error"]?["hint"]?.string == "add the ingest route")
    let shop = try #require(data["list"]?[0])
    #expect(shop["state"]?.string == "down")
    #expect(shop["last"]?["reason"]?.string == "connect_refused")
    #expect(shop["uptime"]?["24h"]?["seconds"]?["down"]?.double == 120)
    #expect(shop["uptime"]?["90d"]?["counts"]?["up"]?.integer == 118)
    #expect(shop["recent"]?.array?.count == 40)
    #expect(data["list"]?.array?.map { $0["pending"]?.bool } == [nil, nil, true, nil])
    // No data is null, and there; it is not a hundred and not absent.
    #expect(data["list"]?[2]?["uptime"]?["24h"]?["uptime"]?.isNull == true)
    #expect(data["list"]?[2]?["uptime"]?["24h"]?["coverage"]?.double == 0)
  }

  @Test func failureDocument() throws {
    let bytes = StatusJSON.failure(code: "NOT_FOUND", message: "no such check", now: now)
    let document = try JSONValue.parse(bytes)
    #expect(document["success"]?.bool == false)
    #expect(document["error"]?["code"]?.string == "NOT_FOUND")
    #expect(document["data"] == nil)
  }

  @Test(
    arguments: [
      (nil, "no data"), (100, "100%"), (99.99999, "99.999%"), (99.5, "99.5%"), (12.345, "12.34%"), (0, "0%"),
    ] as [(Double?, String)])
  func onlyAFlawlessWindowShowsAHundred(_ value: Double?, _ text: String) {
    #expect(StatusFormat.percent(value) == text)
  }

  @Test(
    arguments: [
      (nil, "–"), (420, "0.42 ms"), (9_996, "10 ms"), (12_340, "12.3 ms"), (123_400, "123 ms"),
      (999_600, "1 s"), (1_234_000, "1.23 s"), (12_340_000, "12.3 s"),
    ] as [(Int64?, String)])
  func latenciesHaveThreeDigits(_ microseconds: Int64?, _ text: String) {
    #expect(StatusFormat.latency(microseconds.map { .microseconds($0) }) == text)
  }

  @Test func figures() {
    #expect(StatusFormat.grouped(1_234_567) == "1,234,567")
    #expect(StatusFormat.bytes(268_435_456) == "256 MiB")
    #expect(StatusFormat.bytes(1536) == "1.5 KiB")
    #expect(StatusFormat.share(99.99) == "99.9%")
    #expect(StatusFormat.age(midnight, now: midnight + .seconds(-5)) == "0s")
    #expect(StatusFormat.ago(midnight, now: midnight + .seconds(90)) == "1m ago")
  }

  @Test func anAgentWithoutChecksSaysWhatToDo() throws {
    let store = HistoryStore()
    var snapshot = store.snapshot(now: now)
    #expect(snapshot.problems.first?.what == "no check is enabled")
    #expect(StatusText().render(snapshot).contains("uptime 24h no data"))
    // All of its group's checks are with other members.
    snapshot.group = .group("london", members: 2)
    snapshot.group?.others = [.init(member: "b", checks: 2)]
    #expect(!snapshot.problems.contains { $0.what == "no check is enabled" })
  }
}
