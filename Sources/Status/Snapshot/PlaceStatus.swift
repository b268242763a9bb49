// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// A check as one place sees it: what its members know, added up, and what it says of the check now.
package struct PlaceStatus: Hashable, Sendable {
  package var place: String
  /// This agent's own.
  package var isOwn = false
  /// Its latest verdict. `nil` where the places of this check are not asked.
  package var verdict: PlaceVerdict?
  /// Empty where no member there could be asked.
  package var windows: [WindowStatus] = []
  /// Members whose windows these are.
  package var members = 0
  /// Names of members that could not be asked: what they know lacks in coverage.
  package var absent: [String] = []

  package init(_ place: String) { self.place = place }

  /// Number of checks whose places are asked all the time; those of the others are asked on request.
  package static let followed = 200

  package func window(_ period: UptimePeriod) -> WindowStatus {
    windows.first { $0.period == period } ?? WindowStatus(period: period)
  }

  /// Such as `3` or `2 of 3`.
  package var membersText: String {
    absent.isEmpty ? "\(members)" : "\(members) of \(members + absent.count)"
  }

  /// Such as `▲ DEGRADED`. Gone where no member is left there, not heard where that is not known.
  package var state: (mark: String, word: String, state: CheckState) {
    guard let verdict else { return ("–", "–", .unknown) }
    guard verdict.isHeard else { return ("–", "NOT HEARD", .unknown) }
    guard verdict.isAlive else { return ("–", "GONE", .unknown) }
    guard let state = verdict.state else { return ("–", "–", .unknown) }
    return (state.mark, state.word, state)
  }

  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("place", place)
      json.field("own", isOwn)
      if let verdict {
        json.field("alive", verdict.isAlive)
        if !verdict.isHeard { json.field("heard", false) }
        json.fieldIfPresent("state", verdict.state?.rawValue)
        json.fieldIfPresent("reason", verdict.reason?.rawValue)
        json.fieldIfPresent("since", verdict.since)
      }
      json.field("members", members)
      json.key("absent")
      json.array { json in for name in absent { json.string(name) } }
      json.key("uptime")
      json.object { json in
        for window in windows {
          json.key(dynamic: window.period.rawValue)
          window.write(to: &json)
        }
      }
    }
  }
}

extension StatusText {
  /// Checks whose places are listed.
  private static let places = 20

  /// The same check from several places: where it is slow, and for whom it is down.
  func places(_ shown: [CheckStatus]) -> [String] {
    let several = shown.filter { $0.enabled && $0.places.count > 1 }
    guard !several.isEmpty else { return [] }
    let rows = several.prefix(Self.places).flatMap { check in
      check.places.enumerated().map { number, place in
        row(number == 0 ? StatusFormat.name(check.name) : "", place)
      }
    }
    let table = TextTable(
      columns: [
        .flexible("BY PLACE", least: 14, most: 42), .flexible("PLACE", least: 8, most: 20),
        .fixed("STATE", 11), .fixed("24h", 10, right: true, worth: 3),
        .fixed("P50", 8, right: true, worth: 5), .fixed("P95", 8, right: true, worth: 4),
        .fixed("7d P95", 8, right: true, worth: 1), .fixed("COVERED", 7, right: true, worth: 2),
      ], rows: rows, width: width, color: color)
    let more = several.count - Self.places
    return table.lines + (more > 0 ? fold(["and \(counted(more, "more check"))"], hanging: 0) : [])
  }

  private func row(_ name: String, _ place: PlaceStatus) -> [TextTable.Cell] {
    let (mark, word, state) = place.state
    let day = place.window(.day)
    return [
      .init(name), .init("\(place.place)\(place.isOwn ? " (here)" : "")"),
      .init("\(mark) \(word)", color: colorCode(state)), .init(StatusFormat.uptime(day)),
      .init(StatusFormat.latency(day.latency?.p50)), .init(StatusFormat.latency(day.latency?.p95)),
      .init(StatusFormat.latency(place.window(.week).latency?.p95)),
      .init(day.coverage.map(StatusFormat.share) ?? "–"),
    ]
  }
}
