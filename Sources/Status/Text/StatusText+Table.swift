// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

extension StatusText {
  private struct Place {
    var column: TextTable.Column
    var cell: (CheckStatus) -> TextTable.Cell
  }

  /// The check's name takes what the other columns leave; below 16 columns of name, columns leave. Covered is how much
  /// of the last 24 hours has a verdict, of the time the check was to be probed; data is how much time has one at all.
  func table(_ checks: [CheckStatus], now: Timestamp) -> [String] {
    let thin = checks.lazy.flatMap(\.windows).first { $0.data.isThin }
    let places = places(now: now, hasThinWindows: thin != nil)
    let rows = checks.map { check in places.map { $0.cell(check) } }
    let table = TextTable(columns: places.map(\.column), rows: rows, width: width, color: color)
    return table.lines + (thin.map { legend($0) } ?? [])
  }

  /// Explains the time in brackets, in lines as wide as the terminal.
  private func legend(_ window: WindowStatus) -> [String] {
    let words =
      "(\(StatusFormat.length(window.data.judged))): the figure rests on that much data, less than 1% of its window"
    return fold([words], hanging: 0)
  }

  private func places(now: Timestamp, hasThinWindows: Bool) -> [Place] {
    var places = [
      Place(column: .names("CHECK", least: 16)) { .init(StatusFormat.name($0.name)) },
      Place(column: .fixed("STATE", 10)) { state(of: $0) },
      Place(column: .fixed("LATENCY", 8, right: true, worth: 80)) { check in
        .init(check.firstRun(now: now) ?? StatusFormat.latency(check.last?.responseTime))
      },
      Place(column: .fixed("LAST", 4, right: true, worth: 60)) { check in
        .init(check.last.map { StatusFormat.age($0.startedAt, now: now) } ?? "–")
      },
    ]
    for (period, worth) in zip(UptimePeriod.allCases, [70, 30, 50, 10]) {
      let column = TextTable.Column.fixed(
        period.rawValue, hasThinWindows ? 10 : 8, right: true, worth: worth)
      places.append(Place(column: column) { .init(StatusFormat.uptime($0.window(period))) })
    }
    places += [
      Place(column: .fixed("COVERED", 7, right: true, worth: 25)) { check in
        .init(check.window(.day).coverage.map(StatusFormat.share) ?? "–")
      },
      Place(column: .fixed("DATA", 4, right: true, worth: 45)) { check in
        let judged = check.window(.quarter).data.judged
        return .init(judged > 0 ? StatusFormat.length(judged) : "–")
      },
    ]
    let recent = width < 140 ? 12 : 20
    places.append(
      Place(column: .fixed("RECENT", recent, worth: 20)) { sparkline(Array($0.spark.suffix(recent))) })
    return places
  }

  private func state(of check: CheckStatus) -> TextTable.Cell {
    guard check.enabled else { return "– OFF" }
    if check.maintenance != nil { return .init("\(StatusFormat.maintenanceMark) MAINT") }
    if check.isPending {
      return .init(
        "\(StatusSnapshot.pendingMark) \(StatusSnapshot.pendingWord)", color: colorCode(.unknown))
    }
    return .init("\(check.state.mark) \(check.state.word)", color: colorCode(check.state))
  }

  /// Latencies from nought to the highest shown; a run that failed is a cross, one that says nothing is a dot.
  private func sparkline(_ points: [SparkPoint]) -> TextTable.Cell {
    let steps = Array("▁▂▃▄▅▆▇█")
    let top = points.compactMap { $0.responseTime?.microseconds }.max() ?? 0
    var cell = TextTable.Cell()
    for point in points {
      let mark: Character =
        switch (point.state, point.responseTime?.microseconds) {
        case (.down, _): "×"
        case (.unknown, _): "·"
        case (_, let value?) where top > 0: steps[min(7, Int(value * 8 / (top + 1)))]
        default: "▁"
        }
      cell.append(String(mark), color: colorCode(point.state))
    }
    return cell
  }
}
