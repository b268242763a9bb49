// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

extension CheckStatus {
  /// Down by a verdict that still holds, outside of maintenance.
  var isInOutage: Bool { history.enabled && maintenance == nil && history.state == .down && !history.stale }
}

extension StatusText {
  /// The outages at hand: since when, how long, why; below them what to do, once for each reason.
  func outages(_ shown: [CheckStatus], now: Timestamp) -> [String] {
    let down = shown.filter(\.isInOutage)
    guard !down.isEmpty else { return [] }
    let table = TextTable(
      columns: [
        .flexible("DOWN", least: 14, most: 42), .fixed("SINCE", 20, worth: 1),
        .fixed("FOR", 4, right: true, worth: 3), .flexible("WHY", least: 14, share: 3, worth: 2),
      ], rows: down.map { row($0, now: now) }, width: width, color: color)
    return table.lines + fold(advice(down), hanging: 4)
  }

  private func row(_ check: CheckStatus, now: Timestamp) -> [TextTable.Cell] {
    let begin = check.stateBegan
    // As long as its verdicts hold.
    let until = check.outage.map { min($0.heldUntil, now) }
    let lasted = begin.map { begin in
      until.map { StatusFormat.length(max(0, begin.duration(to: $0).microseconds)) }
        ?? StatusFormat.age(begin, now: now)
    }
    let reason = check.last?.reason.rawValue
    let why = [reason, check.last?.message].compactMap(\.self).joined(separator: ": ")
    return [
      .init("\(CheckState.down.mark) \(StatusFormat.name(check.name))", color: colorCode(.down)),
      .init(begin.map { StatusFormat.moment($0) + "Z" } ?? "–"),
      .init(lasted ?? "–"), .init(why),
    ]
  }

  private func advice(_ down: [CheckStatus]) -> [String] {
    var lines: [String] = []
    for last in down.lazy.compactMap(\.last) {
      guard let advice = last.advice else { continue }
      let line = "  → \(last.reason.rawValue): \(advice)"
      if !lines.contains(line) { lines.append(line) }
    }
    return lines
  }
}
