// SPDX-License-Identifier: MIT

import Basics
import Monitoring

extension StatusText {
  private struct Column {
    var title: String
    var width: Int
    var rightAligned = true
    /// The lowest leaves first when the terminal is narrow.
    var worth: Int
    /// The row's text and the columns it takes on the screen.
    var cell: (CheckStatus) -> (text: String, width: Int)
  }

  /// The check's name takes what the other columns leave; below 16 columns of name, columns leave.
  func table(_ snapshot: StatusSnapshot) -> [String] {
    let windows = snapshot.checks.lazy.flatMap(\.windows)
    let thin = windows.first { $0.data.isThin }
    var columns = columns(now: snapshot.now, hasThinWindows: thin != nil)
    func used() -> Int { columns.reduce(0) { $0 + $1.width + 2 } }
    while width - used() < 16, let least = columns.indices.min(by: { columns[$0].worth < columns[$1].worth }),
      columns[least].worth < 9
    {
      columns.remove(at: least)
    }
    let longest = snapshot.checks.map { StatusFormat.name($0.name).columns }.max() ?? 0
    let name = max(8, min(width - used(), max(4, longest)))
    let titles = columns.map { pad(($0.title, $0.title.columns), to: $0.width, right: $0.rightAligned) }
    let header = pad(("CHECK", 5), to: name, right: false) + "  " + titles.joined(separator: "  ")
    return [header.trimmedEnd]
      + snapshot.checks.map { check in
        let title = StatusFormat.name(check.name).cut(columns: name)
        let cells = columns.map { pad($0.cell(check), to: $0.width, right: $0.rightAligned) }
        return (pad((title, title.columns), to: name, right: false) + "  " + cells.joined(separator: "  "))
          .trimmedEnd
      } + (thin.map { legend($0) } ?? [])
  }

  /// What the time in brackets means, in lines as wide as the terminal.
  private func legend(_ window: WindowStatus) -> [String] {
    let words =
      "(\(StatusFormat.length(window.data.judged))): the figure rests on that much data, less than 1% of its window"
    var lines: [String] = []
    for word in words.split(separator: " ") {
      if let last = lines.last, last.columns + 1 + String(word).columns <= width {
        lines[lines.count - 1] += " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }

  private func columns(now: Timestamp, hasThinWindows: Bool) -> [Column] {
    var columns = [
      Column(title: "STATE", width: 10, rightAligned: false, worth: 9) { check in
        guard check.enabled else { return plain("– OFF") }
        if check.maintenance != nil { return plain("\(StatusFormat.maintenanceMark) MAINT") }
        if check.isPending {
          let text = "\(StatusSnapshot.pendingMark) \(StatusSnapshot.pendingWord)"
          return (paint(text, .unknown), text.columns)
        }
        let text = "\(check.state.mark) \(check.state.word)"
        return (paint(text, check.state), text.columns)
      },
      Column(title: "LATENCY", width: 8, worth: 8) { check in
        plain(check.firstRun(now: now) ?? StatusFormat.latency(check.last?.responseTime))
      },
      Column(title: "LAST", width: 4, worth: 6) { check in
        plain(check.last.map { StatusFormat.age($0.startedAt, now: now) } ?? "–")
      },
    ]
    for (period, worth) in zip(UptimePeriod.allCases, [7, 3, 5, 2]) {
      columns.append(
        Column(title: period.rawValue, width: hasThinWindows ? 10 : 8, worth: worth) { check in
          plain(StatusFormat.uptime(check.window(period)))
        })
    }
    columns.append(
      Column(title: "RECENT", width: 20, rightAligned: false, worth: 1) { check in
        let points = check.spark.suffix(20)
        return (sparkline(Array(points)), points.count)
      })
    return columns
  }

  private func plain(_ text: String) -> (text: String, width: Int) { (text, text.columns) }

  /// Latencies from nought to the highest shown; a run that failed is a cross, one that says nothing is a dot.
  func sparkline(_ points: [SparkPoint]) -> String {
    let steps = Array("▁▂▃▄▅▆▇█")
    let top = points.compactMap { $0.responseTime?.microseconds }.max() ?? 0
    return points.map { point in
      switch point.state {
      case .down: return paint("×", .down)
      case .unknown: return paint("·", .unknown)
      case .up, .degraded:
        guard let value = point.responseTime?.microseconds, top > 0 else { return paint("▁", point.state) }
        return paint(String(steps[min(7, Int(value * 8 / (top + 1)))]), point.state)
      }
    }.joined()
  }

  private func pad(_ cell: (text: String, width: Int), to width: Int, right: Bool) -> String {
    let space = String(repeating: " ", count: max(0, width - cell.width))
    return right ? space + cell.text : cell.text + space
  }
}

extension String {
  /// Columns on a terminal: East Asian wide characters and emoji take two, combining marks none.
  var columns: Int { unicodeScalars.reduce(0) { $0 + $1.columns } }

  func cut(columns limit: Int) -> String {
    guard columns > limit else { return self }
    var kept = ""
    for character in self {
      if kept.columns + String(character).columns > limit - 1 { break }
      kept.append(character)
    }
    return kept + "…"
  }

  fileprivate var trimmedEnd: String {
    var text = self
    while text.hasSuffix(" ") { text.removeLast() }
    return text
  }
}

extension Unicode.Scalar {
  fileprivate var columns: Int {
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    switch value {
    case 0x1100...0x115f, 0x2e80...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f, 0xff00...0xff60,
      0x1f300...0x1faff, 0x20000...0x3fffd:
      return 2
    default: return 1
    }
  }
}
