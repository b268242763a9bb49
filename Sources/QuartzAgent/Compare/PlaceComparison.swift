// SPDX-License-Identifier: MIT

import Basics
import Status

/// Checks as several places see them, each against the fastest: of a running agent's document.
struct PlaceComparison {
  struct Row {
    var check: String
    var place: String
    var count: Int64
    var p50: Duration
    var p95: Duration
    var p99: Duration
    /// Of the place that is the fastest.
    var best: Duration

    var isFastest: Bool { p50 == best }
    /// Percent more than the fastest.
    var more: Double? { best > .zero ? (p50.seconds / best.seconds - 1) * 100 : nil }
  }

  private(set) var rows: [Row] = []
  let period: String

  /// - Parameter checks: `data` of `/api/v1/checks`.
  init(_ checks: [JSONValue], period: String, only name: String?) {
    self.period = period
    for check in checks {
      guard let title = check["name"]?.string, name == nil || title == name else { continue }
      var own: [Row] = []
      for place in check["places"]?.array ?? [] {
        guard let place = Row(place, of: title, period) else { continue }
        own.append(place)
      }
      guard own.count > 1, let best = own.map(\.p50).min() else { continue }
      for row in own.indices { own[row].best = best }
      rows += own
    }
  }

  /// Checks that an answer has at most, and those that are asked for at all.
  private static let page = 1000
  private static let most = 1_000_000

  /// All checks of the agent that have places, page by page.
  static func pages(_ ask: (_ path: String) async throws -> String) async throws -> [JSONValue] {
    var checks: [JSONValue] = []
    for offset in stride(from: 0, to: most, by: page) {
      let text = try await ask("/api/v1/checks?limit=\(page)&offset=\(offset)")
      let part = (try? JSONValue.parse(text.utf8))?["data"]?.array ?? []
      checks += part.filter { $0["places"]?.array?.isEmpty == false }
      if part.count < page { break }
    }
    return checks
  }

  func table(width: Int, color: Bool) -> String {
    func time(_ span: Duration) -> String { ComparisonText.time(span.milliseconds) }
    let cells = rows.map { row -> [TextTable.Cell] in
      let more =
        row.more.map { "+\(time(row.p50 - row.best)) (\(ComparisonText.percent($0)))" } ?? "–"
      return [
        .init(row.check), .init(row.place), .init("\(row.count)"), .init(time(row.p50)),
        .init(time(row.p95)), .init(time(row.p99)),
        row.isFastest ? .init("fastest", color: "32") : .init(more),
      ]
    }
    let title = "AGAINST THE FASTEST"
    // How much slower is never cut: half of a number is another one.
    let widest = cells.compactMap { $0.last?.columns }.max() ?? 0
    let columns: [TextTable.Column] = [
      .names("CHECK", least: 8, share: 2), .names("PLACE", least: 8),
      .flexible("N", least: 3, right: true, worth: 1), .fixed("P50", 9, right: true),
      .fixed("P95", 9, right: true, worth: 3), .fixed("P99", 9, right: true, worth: 2),
      .fixed(title, max(widest, title.columns)),
    ]
    return TextTable(columns: columns, rows: cells, width: width, color: color).text
      + "\nSuccesses of the last \(period) at each place; quantiles of sketches, within 2 % (24h, 7d) or 5 % (30d, 90d).\n"
  }

  var json: String {
    var writer = JSONWriter()
    writer.object { json in
      json.field("period", period)
      json.key("places")
      json.array { json in
        for row in rows {
          json.object { json in
            json.field("check", row.check)
            json.field("place", row.place)
            json.field("n", row.count)
            json.field("p50_ms", row.p50)
            json.field("p95_ms", row.p95)
            json.field("p99_ms", row.p99)
            json.fieldIfPresent("more_percent", row.more)
          }
        }
      }
    }
    return writer.text + "\n"
  }
}

extension PlaceComparison.Row {
  /// `nil` where no member there has seen a success.
  fileprivate init?(_ place: JSONValue, of check: String, _ period: String) {
    guard let name = place["place"]?.string, let latency = place["uptime"]?[period]?["response_time"],
      let count = latency["count"]?.integer, let p50 = latency["p50_ms"]?.double,
      let p95 = latency["p95_ms"]?.double, let p99 = latency["p99_ms"]?.double
    else { return nil }
    func time(_ milliseconds: Double) -> Duration { .seconds(min(max(0, milliseconds / 1000), 86_400)) }
    self.init(
      check: check, place: name, count: count, p50: time(p50), p95: time(p95), p99: time(p99), best: time(p50)
    )
  }
}
