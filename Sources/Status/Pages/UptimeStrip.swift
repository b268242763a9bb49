// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// A window in cells, the present on the right. The shape of a cell shows its state, too: full is up, cut is down for a
/// part of it, lower is degraded, a line in the middle is maintenance, a thin one on the ground is no data.
package struct UptimeStrip {
  /// Oldest first.
  let points: [SeriesPoint]
  let period: UptimePeriod
  /// Name of the stretch of time. `nil` for that of the period.
  var name: String? = nil

  /// Cells of a window; half an hour, three hours, half a day and a day each.
  package static func cells(_ period: UptimePeriod) -> Int {
    switch period {
    case .day: 48
    case .week: 56
    case .month: 60
    case .quarter: 90
    }
  }

  func render() -> Markup {
    let cells = points.enumerated().map { cell($1, at: $0 * 4) }
    let down = points.count { $0.time.down > 0 }
    let none = points.count { $0.time.judged == 0 && $0.time.maintenance == 0 }
    return """
      <svg class="strip" viewBox="0 0 \(max(1, points.count * 4 - 1)) 24" preserveAspectRatio="none" role="img" \
      aria-label="\(name ?? period.rawValue) in \(points.count) parts: \(down) with downtime, \(none) without data">\(Markup(cells))</svg>
      """
  }

  private func cell(_ point: SeriesPoint, at x: Int) -> Markup {
    "<g><title>\(words(point))</title>\(Self.shape(point, at: x))</g>"
  }

  /// One cell, 3 wide and 24 high.
  static func shape(_ point: SeriesPoint, at x: Int) -> Markup {
    let time = point.time
    let shape: Markup
    if time.judged == 0 {
      shape =
        time.maintenance > 0
        ? "<rect class=\"f-maintenance\" x=\"\(x)\" y=\"8\" width=\"3\" height=\"8\"/>"
        : "<rect class=\"f-none\" x=\"\(x)\" y=\"21\" width=\"3\" height=\"3\"/>"
    } else if time.down > 0 {
      // However short: it is seen.
      let height = max(5, min(24, Double(time.down) / Double(time.judged) * 24))
      let rest: Markup =
        height > 21
        ? "" : "<rect class=\"f-up\" x=\"\(x)\" y=\"\(height + 2)\" width=\"3\" height=\"\(22 - height)\"/>"
      shape = "<rect class=\"f-down\" x=\"\(x)\" y=\"0\" width=\"3\" height=\"\(height)\"/>\(rest)"
    } else if time.degraded > 0 {
      shape = "<rect class=\"f-degraded\" x=\"\(x)\" y=\"8\" width=\"3\" height=\"16\"/>"
    } else {
      shape = "<rect class=\"f-up\" x=\"\(x)\" y=\"0\" width=\"3\" height=\"24\"/>"
    }
    return shape
  }

  /// `11-22 14:00 to 14:30 UTC: 98.33% up, down 30s`.
  private func words(_ point: SeriesPoint) -> String {
    let end = point.start.advanced(by: point.width)
    let until = point.width < .seconds(86_400) ? String(Layout.clock(end).prefix(5)) : Self.short(end)
    let time = point.time
    let what =
      time.judged == 0
      ? time.maintenance > 0 ? "maintenance" : "no data"
      : "\(StatusFormat.percent(Double(time.up + time.degraded) * 100 / Double(time.judged))) up"
        + (time.down > 0 ? ", down \(StatusFormat.span(time.down))" : "")
        + (time.degraded > 0 ? ", degraded \(StatusFormat.span(time.degraded))" : "")
    return "\(Self.short(point.start)) to \(until) UTC: \(what)"
  }

  /// `11-22 14:00`.
  private static func short(_ instant: Timestamp) -> String {
    "\(instant.rfc3339.dropFirst(5).prefix(5)) \(Layout.clock(instant).prefix(5))"
  }
}
