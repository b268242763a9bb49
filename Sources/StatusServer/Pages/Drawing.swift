// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// Small drawings in SVG. Colour always comes with a shape, a place or a word.
enum Drawing {
  /// Latency bars of the latest runs; a run that failed is a full bar of its own colour with a cut in it.
  static func spark(_ points: [SparkPoint]) -> Markup {
    let points = points.suffix(26)
    let top = Double(points.compactMap { $0.responseTime?.microseconds }.max() ?? 1)
    var bars: [Markup] = []
    for (index, point) in points.enumerated() {
      let x = Double(26 - points.count + index) * 4
      switch point.state {
      case .up, .degraded:
        let share = Double(point.responseTime?.microseconds ?? 0) / max(1, top)
        let height = max(2, share * 26)
        bars.append(
          "<rect class=\"f-\(point.state.rawValue)\" x=\"\(x)\" y=\"\(28 - height)\" width=\"3\" height=\"\(height)\" rx=\"1\"/>"
        )
      case .down:
        bars.append(
          "<path class=\"f-down\" d=\"M\(x) 2h3v10h-3zM\(x) 15h3v13h-3z\"/>")
      case .unknown: bars.append("<rect class=\"f-unknown\" x=\"\(x)\" y=\"25\" width=\"3\" height=\"3\"/>")
      }
    }
    return "<svg class=\"spark\" viewBox=\"0 0 104 28\" aria-hidden=\"true\">\(Markup(bars))</svg>"
  }

  /// Health as a ring with gaps of 2 px, and the same in words beside it.
  static func pie(_ summary: StatusSummary) -> Markup {
    let parts: [(state: CheckState, count: Int)] = [
      (.up, summary.up), (.degraded, summary.degraded), (.down, summary.down), (.unknown, summary.unknown),
    ]
    let length = 2 * Double.pi * 48
    let shown =
      parts.filter { $0.count > 0 }.map { (style: $0.state.rawValue, count: $0.count) }
      + (summary.maintenance > 0 ? [(style: "maintenance", count: summary.maintenance)] : [])
    var arcs: [Markup] = []
    var start = 0.0
    for part in shown {
      let share = Double(part.count) / Double(summary.total) * length
      let gap = shown.count > 1 ? 2.0 : 0
      arcs.append(
        """
        <circle class="ring s-\(part.style)" cx="60" cy="60" r="48" \
        stroke-dasharray="\(max(1, share - gap)) \(length)" stroke-dashoffset="\(-start)" transform="rotate(-90 60 60)"/>
        """)
      start += share
    }
    if arcs.isEmpty { arcs = ["<circle class=\"ring none\" cx=\"60\" cy=\"60\" r=\"48\"/>"] }
    let legend: [Markup] = parts.map { part in
      """
      <li><span class="mark \(part.state.rawValue)" aria-hidden="true">\(part.state.mark)</span> \
      <span class="num">\(part.count)</span> \(part.state.rawValue)</li>
      """
    }
    let maintenance: Markup =
      summary.maintenance == 0
      ? ""
      : """
      <li><span class="mark unknown" aria-hidden="true">\(StatusFormat.maintenanceMark)</span> \
      <span class="num">\(summary.maintenance)</span> maintenance</li>
      """
    return """
      <div class="pie"><svg viewBox="0 0 120 120" role="img" aria-label="\(summary.up) of \(summary.total) checks are up">\
      \(Markup(arcs))<text x="60" y="68">\(summary.total)</text></svg><ul>\(Markup(legend))\(maintenance)</ul></div>
      """
  }

  /// Latency of the successes among the results, oldest on the left; failures are marks on the ground line.
  static func line(_ results: [CheckResult]) -> Markup {
    let results = Array(results.reversed())
    let values = results.map { $0.state == .up || $0.state == .degraded ? $0.responseTime : nil }
    let top = max(1, Double(values.compactMap { $0?.microseconds }.max() ?? 1)) * 1.1
    func x(_ index: Int) -> Double { 56 + Double(index) * 736 / Double(max(1, results.count - 1)) }
    func y(_ value: Duration) -> Double { 172 - Double(value.microseconds) / top * 160 }
    var shapes: [Markup] = [0.0, 0.5, 1].map { share in
      let label = StatusFormat.latency(.microseconds(Int64(top * share)))
      let height = 172 - share * 160
      return """
        <line class="grid" x1="56" x2="792" y1="\(height)" y2="\(height)"/>\
        <text x="50" y="\(height + 4)" text-anchor="end">\(share == 0 ? "0" : label)</text>
        """
    }
    for piece in pieces(values) {
      let points = Markup(piece.map { "\(x($0.index)) \(y($0.value)) " as Markup })
      let (first, last) = (x(piece[0].index), x(piece[piece.count - 1].index))
      shapes.append("<path class=\"area\" d=\"M\(first) 172 L\(points)L\(last) 172Z\"/>")
      shapes.append("<path class=\"line\" d=\"M\(points)\(piece.count == 1 ? "h0.1" : "")\"/>")
    }
    for (index, result) in results.enumerated() where result.state == .down || result.state == .unknown {
      shapes.append(
        """
        <text class="mark f-\(result.state.rawValue)" x="\(x(index))" y="170" text-anchor="middle">\
        \(result.state.mark)</text>
        """)
    }
    if let first = results.first, let last = results.last {
      shapes.append("<text x=\"56\" y=\"192\">\(Layout.clock(first.startedAt))</text>")
      shapes.append("<text x=\"792\" y=\"192\" text-anchor=\"end\">\(Layout.clock(last.startedAt))</text>")
    }
    return """
      <svg class="chart" viewBox="0 0 800 200" role="img" aria-label="latency of the latest \(results.count) results">\
      <defs><linearGradient id="fade" x1="0" y1="0" x2="0" y2="1"><stop class="fade-a" offset="0"/>\
      <stop class="fade-b" offset="1"/></linearGradient></defs>\(Markup(shapes))</svg>
      """
  }

  /// Unbroken rows of successes: a line is not drawn through a failure.
  private static func pieces(_ values: [Duration?]) -> [[(index: Int, value: Duration)]] {
    var pieces: [[(index: Int, value: Duration)]] = []
    var current: [(index: Int, value: Duration)] = []
    for (index, value) in values.enumerated() {
      if let value {
        current.append((index, value))
      } else if !current.isEmpty {
        pieces.append(current)
        current = []
      }
    }
    return current.isEmpty ? pieces : pieces + [current]
  }

  /// The parts of one run on a scale that all rows share.
  static func waterfall(_ timings: Timings, scale: Duration) -> Markup {
    let parts: [(name: String, value: Duration?)] = [
      ("dns", timings.dns), ("connect", timings.connect), ("starttls", timings.startTLS),
      ("tls", timings.tls),
      ("first", timings.firstByte), ("rest", timings.transfer),
    ]
    let whole = max(1, Double(scale.microseconds))
    var x = 0.0
    var bars: [Markup] = []
    for part in parts {
      guard let value = part.value, value > .zero else { continue }
      let width = max(0.5, Double(value.microseconds) / whole * 120)
      bars.append("<rect class=\"w-\(part.name)\" x=\"\(x)\" y=\"0\" width=\"\(width)\" height=\"10\"/>")
      x += width
    }
    guard !bars.isEmpty else { return "" }
    return
      "<svg class=\"fall\" viewBox=\"0 0 120 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\(Markup(bars))</svg>"
  }
}
