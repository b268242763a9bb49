// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// The response time over a window: mean and 95th percentile of each point, downtime shaded, the present on the right.
package struct LatencyChart {
  /// Oldest first.
  let points: [SeriesPoint]
  let outages: [Outage]
  let period: UptimePeriod
  let now: Timestamp

  /// Those that a page offers.
  package static let periods = UptimePeriod.allCases

  private static let (left, right, top, ground) = (56.0, 792.0, 12.0, 172.0)

  var hasValues: Bool { points.contains { $0.mean != nil } }

  func render() -> Markup {
    let scale =
      max(1, Double(points.flatMap { [$0.mean, $0.p95] }.compactMap { $0?.microseconds }.max() ?? 1)) * 1.1
    let means = pieces { $0.mean }
    let shapes: [Markup] =
      rules(scale) + ticks() + outages.compactMap(shade)
      + means.map { area($0, scale) } + pieces { $0.p95 }.map { line($0, scale, "p95") }
      + means.map { line($0, scale, "line") } + Drawing.farLabels(scale)
    return """
      <svg class="chart" viewBox="0 0 800 200" role="img" aria-labelledby="chart-title" \
      data-values="\(values)">\
      <title id="chart-title">\(words)</title>\
      <defs><linearGradient id="fade-window" x1="0" y1="0" x2="0" y2="1"><stop class="fade-a" offset="0"/>\
      <stop class="fade-b" offset="1"/></linearGradient><pattern id="hatch" width="6" height="6" \
      patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path class="hatch" d="M0 0v6"/></pattern></defs>\
      \(Markup(shapes))</svg>
      """
  }

  /// Text of the drawing, for screen readers.
  private var words: String {
    let means = points.compactMap(\.mean)
    let down = points.reduce(0) { $0 + $1.time.down }
    let range = means.min().flatMap { low in
      means.max().map { "mean from \(StatusFormat.latency(low)) to \(StatusFormat.latency($0))" }
    }
    return
      "Response time of the last \(period.rawValue): \(range ?? "no response"), down for \(StatusFormat.span(down))"
  }

  /// For a script that shows the value under a finger or a pointer: the place, then the words of each point with a value.
  private var values: String {
    points.compactMap { point in
      guard let mean = point.mean else { return nil }
      let p95 = point.p95.map { ", p95 \(StatusFormat.latency($0))" } ?? ""
      let at = "\(point.start.rfc3339.dropFirst(5).prefix(5)) \(Layout.clock(point.start).prefix(5)) UTC"
      return "\(whole(middle(point).rounded(), in: 0...800)) \(at): \(StatusFormat.latency(mean))\(p95)"
    }.joined(separator: "|")
  }

  private func x(_ instant: Timestamp) -> Double {
    guard let first = points.first, let last = points.last else { return Self.left }
    let span = max(1, Double(first.start.duration(to: last.start.advanced(by: last.width)).microseconds))
    let share = Double(first.start.duration(to: instant).microseconds) / span
    return Self.left + min(max(share, 0), 1) * (Self.right - Self.left)
  }

  private func y(_ value: Duration, _ scale: Double) -> Double {
    Self.ground - Double(value.microseconds) / scale * (Self.ground - Self.top)
  }

  private func middle(_ point: SeriesPoint) -> Double { x(point.start.advanced(by: point.width / 2)) }

  private func rules(_ scale: Double) -> [Markup] {
    [0.0, 0.5, 1].map { share in
      let height = Self.ground - share * (Self.ground - Self.top)
      let label = share == 0 ? "0" : StatusFormat.latency(.microseconds(Int64(scale * share)))
      return """
        <line class="grid" x1="\(Self.left)" x2="\(Self.right)" y1="\(height)" y2="\(height)"/>\
        <text x="50" y="\(height + 4)" text-anchor="end">\(label)</text>
        """
    }
  }

  /// Whole hours or days in UTC.
  private func ticks() -> [Markup] {
    guard let first = points.first else { return [] }
    let step: Int64 =
      [.day: 4 * 3600, .week: 86_400, .month: 5 * 86_400][period, default: 15 * 86_400] * 1_000_000
    var instant = (first.start.microseconds / step + 1) * step
    var marks: [Markup] = []
    while instant < now.microseconds, marks.count < 12 {
      let time = Timestamp(microseconds: instant)
      let place = x(time)
      let label =
        period == .day ? String(Layout.clock(time).prefix(5)) : String(time.rfc3339.dropFirst(5).prefix(5))
      if place > Self.left + 18, place < Self.right - 40 {
        marks.append("<text x=\"\(place)\" y=\"192\" text-anchor=\"middle\">\(label)</text>")
      }
      instant += step
    }
    return marks + ["<text x=\"\(Self.right)\" y=\"192\" text-anchor=\"end\">now</text>"]
  }

  private func shade(_ outage: Outage) -> Markup? {
    guard let first = points.first, (outage.end ?? now) > first.start else { return nil }
    let (begin, end) = (x(outage.begin), x(outage.end ?? now))
    let width = max(2, end - begin)
    return """
      <rect class="shade" x="\(begin)" y="\(Self.top)" width="\(width)" height="\(Self.ground - Self.top)"/>\
      <rect class="f-down" x="\(begin)" y="\(Self.top - 4)" width="\(width)" height="4"/>
      """
  }

  private func line(_ piece: [(x: Double, value: Duration)], _ scale: Double, _ style: String) -> Markup {
    "<path class=\"\(style)\" d=\"M\(path(piece, scale))\(piece.count == 1 ? "h0.1" : "")\"/>"
  }

  private func area(_ piece: [(x: Double, value: Duration)], _ scale: Double) -> Markup {
    guard let first = piece.first, let last = piece.last else { return "" }
    return """
      <path class="under" d="M\(first.x) \(Self.ground) L\(path(piece, scale))L\(last.x) \(Self.ground)Z"/>
      """
  }

  private func path(_ piece: [(x: Double, value: Duration)], _ scale: Double) -> Markup {
    Markup(piece.map { "\(short($0.x)) \(short(y($0.value, scale))) " as Markup })
  }

  /// Tenths of a pixel.
  private func short(_ value: Double) -> Double { (value * 10).rounded() / 10 }

  /// Unbroken rows of points with a value: a line is not drawn where there is no data.
  private func pieces(_ value: (SeriesPoint) -> Duration?) -> [[(x: Double, value: Duration)]] {
    var pieces: [[(x: Double, value: Duration)]] = []
    var isOpen = false
    for point in points {
      guard let value = value(point) else {
        isOpen = false
        continue
      }
      if !isOpen { pieces.append([]) }
      isOpen = true
      pieces[pieces.count - 1].append((middle(point), value))
    }
    return pieces
  }
}
