// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// One part of a probe and how long it took.
struct PhaseSpan: Equatable {
  var name: String
  /// Draws the part in the one bar of a hop.
  var letter: Character
  var phase: Phase
  var span: Duration
}

/// The parts that were measured, in order.
func phases(of timings: Timings) -> [PhaseSpan] {
  let parts: [(String, Character, Phase, Duration?)] = [
    ("dns", "d", .dns, timings.dns), ("connect", "c", .connect, timings.connect),
    ("starttls", "s", .starttls, timings.startTLS), ("tls", "t", .tls, timings.tls),
    ("first byte", "f", .firstByte, timings.firstByte), ("transfer", "b", .transfer, timings.transfer),
  ]
  return parts.compactMap { name, letter, phase, span in
    span.map { PhaseSpan(name: name, letter: letter, phase: phase, span: $0) }
  }
}

/// Where the time of the last attempt went: a bar for each part, or, when there were redirects, one for each hop.
struct TimeDrawing {
  private let result: CheckResult
  private let paint: Paint
  /// Columns of the drawing; zero: there is no room for one, and the numbers stand alone.
  private let columns: Int

  /// Of a row, before the drawing.
  private static let margin = 34

  init(_ result: CheckResult, paint: Paint, width: Int) {
    self.result = result
    self.paint = paint
    let room = min(72, width - Self.margin)
    columns = room < 12 ? 0 : room
  }

  var lines: [String] {
    guard let total = result.timings.total, total > .zero else { return [] }
    let rows = result.hops.count > 1 ? hops(total) : parts(total)
    return ["  " + paint("time", Paint.heading)] + rows.map(trimmed)
      + ["      " + pad("total", 12) + padLeft(precise(total), 14)]
  }

  private func parts(_ total: Duration) -> [String] {
    var spans = phases(of: result.timings)
    let rest = total - spans.reduce(.zero) { $0 + $1.span }
    // A hundredth is rounding and our own steps in between.
    if rest > total / 100 { spans.append(unmeasured(rest, after: spans)) }
    var start = Duration.zero
    return spans.map { span in
      defer { start += span.span }
      let failed = hasFailed(in: span.phase)
      let bar = paint(bar(span.span, from: start, total), failed ? Paint.bad : color(span.phase))
      let mark = failed ? paint("✕", Paint.bad) : " "
      return "    \(mark) " + pad(span.name, 12) + padLeft(precise(span.span), 14) + "  "
        + String(repeating: " ", count: offset(start, total)) + bar
    }
  }

  /// Time without a part of its own: the one it failed in, or the talk on an established connection.
  private func unmeasured(_ rest: Duration, after spans: [PhaseSpan]) -> PhaseSpan {
    if let phase = result.phase, phase != .assertion, !spans.contains(where: { $0.phase == phase }) {
      return PhaseSpan(name: phase.rawValue.replacing("_", with: " "), letter: "x", phase: phase, span: rest)
    }
    let talk = !result.dialog.isEmpty
    let answer = result.dns != nil || result.ping != nil
    let name = talk ? "dialog" : answer ? "answer" : "in between"
    return PhaseSpan(name: name, letter: "x", phase: talk ? .dialog : .answer, span: rest)
  }

  private func hops(_ total: Duration) -> [String] {
    var start = Duration.zero
    let rows = result.hops.enumerated().map { index, hop in
      let taken = hop.timings.total ?? .zero
      defer { start += taken }
      let isLast = index == result.hops.count - 1
      let failed = isLast && result.phase.map { $0 != .assertion } ?? false
      let mark = failed ? paint("✕", Paint.bad) : " "
      let name = "\(index + 1)  \(hop.statusCode.map(String.init) ?? "---")"
      return "    \(mark) " + pad(name, 12) + padLeft(precise(taken), 14) + "  "
        + String(repeating: " ", count: offset(start, total)) + letters(hop.timings, from: start, total)
    }
    return columns == 0 ? rows : rows + ["      d dns  c connect  t tls  f first byte  b body"]
  }

  /// Each part has one column at least, which may take two more than the drawing has, and never leaves the line.
  private func letters(_ timings: Timings, from start: Duration, _ total: Duration) -> String {
    var room = columns == 0 ? 0 : columns + 2 - offset(start, total)
    return phases(of: timings).map { span in
      let count = min(room, length(span.span, total))
      room -= count
      return count == 0 ? "" : paint(String(repeating: span.letter, count: count), color(span.phase))
    }.joined()
  }

  private func hasFailed(in phase: Phase) -> Bool {
    guard result.state == .down || result.state == .unknown, let failed = result.phase else { return false }
    if failed == phase { return true }
    // A proxy is dialled in the place of the target.
    return failed == .proxy && phase == .connect
  }

  private func offset(_ start: Duration, _ total: Duration) -> Int {
    whole(start / total * Double(columns), in: 0...max(0, columns - 1))
  }

  /// A part of less than half a column is a line, so that it neither vanishes nor looks longer.
  private func bar(_ span: Duration, from start: Duration, _ total: Duration) -> String {
    if columns == 0 { return "" }
    let count = min(columns - offset(start, total), length(span, total))
    return span / total * Double(columns) < 0.5 ? "▏" : String(repeating: "█", count: count)
  }

  /// At least one column: what happened is seen.
  private func length(_ span: Duration, _ total: Duration) -> Int {
    max(1, whole((span / total * Double(columns)).rounded(), in: 0...max(0, columns)))
  }

  private func color(_ phase: Phase) -> String {
    switch phase {
    case .dns: "36"
    case .connect: "34"
    case .starttls, .tls: "35"
    case .firstByte: "33"
    default: "32"
    }
  }
}
