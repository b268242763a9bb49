// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// When a check was down, the latest first.
struct OutageList {
  /// Oldest first, as they are kept.
  let outages: [Outage]
  /// Checks that are configured: the more, the fewer outages of each are kept.
  let checks: Int
  let now: Timestamp

  /// Rows of the table.
  static let shown = 50

  func render() -> Markup {
    guard !outages.isEmpty else {
      return """
        <section class="card" id="outages"><h2>Outages</h2><p class="dim">None is known of the last 90 days.</p></section>
        """
    }
    let rows: [Markup] = outages.suffix(Self.shown).reversed().map(row)
    let limit = Outage.limit(checks: checks)
    let rest: Markup =
      outages.count > Self.shown
      ? "<p class=\"dim\">The latest \(Self.shown) of \(outages.count).</p>"
      : outages.count >= limit
        ? "<p class=\"dim\">The latest \(limit) are kept; there may have been more.</p>" : ""
    return """
      <section class="card" id="outages"><h2>Outages of the last 90 days</h2><div class="scroll" tabindex="0" role="group" \
      aria-label="Outages"><table class="stack">
      <thead><tr><th scope="col">Began (UTC)</th><th scope="col">For</th><th scope="col">Why</th>\
      <th scope="col" class="hide-s">Ended (UTC)</th><th scope="col" class="hide-s">Results</th></tr></thead>
      <tbody>\(Markup(rows))</tbody></table></div>\(rest)</section>
      """
  }

  private func row(_ outage: Outage) -> Markup {
    let length = StatusFormat.span(outage.duration(now: now).microseconds)
    let end: Markup =
      outage.end.map { time($0) }
      ?? "<span class=\"state down\"><i aria-hidden=\"true\">\(CheckState.down.mark)</i> still down</span>"
    let phase = outage.phase.map { " in \($0.rawValue)" } ?? ""
    let first = outage.firstMessage.map { ": " + $0 } ?? ""
    let last: Markup =
      outage.lastMessage.flatMap { last -> Markup? in
        last == outage.firstMessage ? nil : "<br><span class=\"dim\">at last: \(last)</span>"
      } ?? ""
    let still: Markup = outage.isOver ? "" : "<span class=\"dim\"> so far</span>"
    return """
      <tr><td class="n">\(time(outage.begin))</td><td class="n">\(length)\(still)</td>\
      <td class="why">\(outage.reason.rawValue)\(phase)\(first)\(last)</td>\
      <td class="n hide-s">\(end)</td><td class="n hide-s">\(outage.results)</td></tr>

      """
  }

  private func time(_ instant: Timestamp) -> Markup {
    "<time datetime=\"\(instant.rfc3339)\">\(Layout.moment(instant))</time>"
  }
}
