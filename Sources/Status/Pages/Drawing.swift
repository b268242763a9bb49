// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// Small drawings in SVG. Colour always comes with a shape, a place or a word.
enum Drawing {
  /// Runs that a bar of them shows.
  static let beats = 40

  /// Latency bars of the latest runs, the newest on the right; a degraded one is pointed, a run that failed is a full bar
  /// with a cut in it, an unknown one a dot on the ground. One path for each state: hundreds of these are on a page.
  static func spark(_ points: [SparkPoint]) -> Markup {
    let points = points.suffix(beats)
    let top = Double(max(1, points.compactMap { $0.responseTime?.microseconds }.max() ?? 1))
    var shapes: [CheckState: String] = [:]
    for (index, point) in points.enumerated() {
      let x = (beats - points.count + index) * 4
      var bar = "M\(x) "
      switch point.state {
      case .up: bar += "\(28 - rise(point, top))h3v\(rise(point, top))h-3z"
      case .degraded:
        let height = max(8, rise(point, top))
        bar += "28l1.5-\(height)l1.5 \(height)z"
      case .down: bar += "2h3v10h-3zm0 13h3v13h-3z"
      case .unknown: bar += "25h3v3h-3z"
      }
      shapes[point.state, default: ""] += bar
    }
    let paths: [Markup] = CheckState.allCases.compactMap { state in
      shapes[state].map { "<path class=\"f-\(state.rawValue)\" d=\"\($0)\"/>" }
    }
    return
      "<svg class=\"spark\" viewBox=\"0 0 160 28\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\(Markup(paths))</svg>"
  }

  private static func rise(_ point: SparkPoint, _ top: Double) -> Int {
    max(2, whole(Double(point.responseTime?.microseconds ?? 0) / top * 26, in: 0...26))
  }

  /// Health as a ring with gaps of 2 px; the counts beside it say the same in words.
  static func ring(_ summary: StatusSummary) -> Markup {
    let parts: [(style: String, count: Int)] = [
      ("up", summary.up), ("degraded", summary.degraded), ("down", summary.down),
      ("unknown", summary.unknown), ("maintenance", summary.maintenance),
    ].filter { $0.1 > 0 }
    let length = 2 * Double.pi * 48
    var arcs: [Markup] = []
    var start = 0.0
    for part in parts {
      let share = Double(part.count) / Double(max(1, summary.total)) * length
      // 2 px where 120 are drawn as 64.
      let gap = parts.count > 1 ? 3.75 : 0
      arcs.append(
        """
        <circle class="ring s-\(part.style)" cx="60" cy="60" r="48" \
        stroke-dasharray="\(max(1, share - gap)) \(length)" stroke-dashoffset="\(-start)" transform="rotate(-90 60 60)"/>
        """)
      start += share
    }
    if arcs.isEmpty { arcs = ["<circle class=\"ring none\" cx=\"60\" cy=\"60\" r=\"48\"/>"] }
    return """
      <svg class="pie" viewBox="0 0 120 120" role="img" aria-label="\(summary.up) of \(summary.total) checks are up">\
      \(Markup(arcs))<text x="60" y="70">\(StatusFormat.grouped(summary.total))</text></svg>
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
    shapes += farLabels(top)
    return """
      <svg class="chart" viewBox="0 0 800 200" role="img" aria-label="latency of the latest \(results.count) results">\
      <defs><linearGradient id="fade" x1="0" y1="0" x2="0" y2="1"><stop class="fade-a" offset="0"/>\
      <stop class="fade-b" offset="1"/></linearGradient></defs>\(Markup(shapes))</svg>
      """
  }

  /// The scale once more, at the end that a phone shows first: over the lines, which it would be lost under.
  ///
  /// - Parameter top: microseconds at the uppermost rule of a chart of 800 by 200.
  static func farLabels(_ top: Double) -> [Markup] {
    [0.5, 1].map { share in
      let label = StatusFormat.latency(.microseconds(Int64(top * share)))
      return "<text class=\"far\" x=\"792\" y=\"\(186 - share * 160)\" text-anchor=\"end\">\(label)</text>"
    }
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
