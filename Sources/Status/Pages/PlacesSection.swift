// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// One check from several places: the comparison of regions.
struct PlacesSection {
  let places: [PlaceStatus]

  func render() -> Markup {
    guard !places.isEmpty else { return "" }
    let rows: [Markup] = places.map(row)
    return """
      <section class="card" id="places"><h2>By place</h2><div class="scroll" tabindex="0" role="group" aria-label="By place">\
      <table class="stack places">
      <thead><tr><th scope="col">Place</th><th scope="col">State</th><th scope="col">Uptime 24h</th>\
      <th scope="col">p50 24h</th><th scope="col">p95 24h</th><th scope="col" class="hide-s">p95 7d</th>\
      <th scope="col" class="hide-s">Uptime 30d</th><th scope="col" class="hide-s">Covered</th>\
      <th scope="col" class="hide-s">Members</th></tr></thead>
      <tbody>\(Markup(rows))</tbody></table></div></section>
      """
  }

  private func row(_ place: PlaceStatus) -> Markup {
    let (day, week, month) = (place.window(.day), place.window(.week), place.window(.month))
    let (mark, word, state) = place.state
    let here: Markup = place.isOwn ? " <span class=\"dim\">here</span>" : ""
    let reason: Markup =
      place.verdict?.reason.flatMap { $0 == .ok ? nil : "<br><span class=\"dim\">\($0.rawValue)</span>" }
      ?? ""
    let absent: Markup =
      place.absent.isEmpty
      ? "" : "<br><span class=\"dim\">without \(place.absent.prefix(5).joined(separator: ", "))</span>"
    return """
      <tr><td>\(place.place)\(here)</td>\
      <td class="says"><span class="state \(state.rawValue)"><i aria-hidden="true">\(mark)</i> \(word)</span>\(reason)</td>\
      <td class="n"><b class="k">24h</b>\(StatusFormat.uptime(day))</td>\
      <td class="n"><b class="k">p50 24h</b>\(StatusFormat.latency(day.latency?.p50))</td>\
      <td class="n"><b class="k">p95 24h</b>\(StatusFormat.latency(day.latency?.p95))</td>\
      <td class="n hide-s">\(StatusFormat.latency(week.latency?.p95))</td>\
      <td class="n hide-s">\(StatusFormat.uptime(month))</td>\
      <td class="n hide-s">\(StatusFormat.percent(day.coverage))</td>\
      <td class="n hide-s">\(place.membersText)\(absent)</td></tr>

      """
  }
}
