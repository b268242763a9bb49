// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

extension MonthReport {
  /// Checks that are named in the headlines.
  private static let named = 10

  /// A report in a few lines, for a chat or the text of a mail: the checks that missed their objective, the worst first, and
  /// what the figures rest on.
  package var headlines: [String] {
    let missed = checks.filter { $0.budget.map { !$0.isKept } ?? false }
      .sorted { ($0.figures.uptime ?? 0, $0.name) < ($1.figures.uptime ?? 0, $1.name) }
    var lines = missed.prefix(Self.named).map(\.headline)
    if missed.count > Self.named {
      lines.append("and \(missed.count - Self.named) more below their objective")
    } else if missed.isEmpty, checks.contains(where: { $0.budget != nil }) {
      lines.append("Every check with data kept its objective.")
    }
    return lines + remarks
  }
}

extension CheckReport {
  /// `✕ Shop: 98.88% of 99.9%, 2 outages, down 4m`
  fileprivate var headline: String {
    let count = "\(outageWords) \(plural("outage", figures.outages))"
    return "\(CheckState.down.mark) \(StatusFormat.name(name)): \(StatusFormat.percent(figures.uptime)) of "
      + "\(objectiveText)%, \(count), down \(StatusFormat.span(figures.time.down))"
  }
}
