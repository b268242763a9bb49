// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

// The services, each with its last 90 days.
extension PublicPage {
  /// Outages of a day that its words name.
  private static let shownRanges = 3

  func section(_ section: PublicPicture.Section) -> Markup {
    """
    <section class="card"><h2>\(Layout.name(section.heading ?? words.services))</h2>\
    <ul>\(Markup(section.checks.map(row)))</ul></section>

    """
  }

  private func row(_ check: PublicCheck) -> Markup {
    let target: Markup = check.target.map { "<p class=\"dim\">\(Layout.name($0))</p>" } ?? ""
    return """
      <li><div class="line"><b>\(Layout.name(check.name))</b>\
      <span class="state \(check.state.style)"><i aria-hidden="true">\(check.state.mark)</i> \(state(check).markup(words))</span></div>\
      \(target)\(days(check))\
      <div class="axis"><span>\(words.ninetyDaysAgo)</span><i></i><span>\(uptime(check))</span><i></i><span>\(words.today)</span></div></li>

      """
  }

  private func state(_ check: PublicCheck) -> Sentence {
    let word = check.word(words)
    if let until = check.maintenanceUntil {
      return words.until(word, Sentence(at: until, now: picture.now))
    }
    guard let since = check.since else { return Sentence(words: word) }
    return words.since(word, Sentence(at: since, now: picture.now))
  }

  /// Of 90 days, with how much it rests on where that is little.
  private func uptime(_ check: PublicCheck) -> String {
    let window = check.window(.quarter)
    let thin = window?.thin.map { " (\(words.ofData(words.length($0))))" } ?? ""
    return words.percent(window?.uptime) + thin
  }

  /// Days without anything to say are one path for each kind; the others have their words with them. By script each day has.
  private func days(_ check: PublicCheck) -> Markup {
    let points = check.days
    guard let first = points.first else { return "" }
    var plain: [DayKind: String] = [:]
    var notable: [Markup] = []
    var kinds = ""
    for (place, point) in points.enumerated() {
      let kind = DayKind(point)
      kinds += kind.rawValue
      if let shape = kind.shape {
        plain[kind, default: ""] += "M\(place * 4) \(shape)"
      } else {
        notable.append(
          "<g data-i=\"\(place)\"><title>\(detail(point, check))</title>\(UptimeStrip.shape(point, at: place * 4))</g>"
        )
      }
    }
    let paths: [Markup] = DayKind.allCases.compactMap { kind in
      plain[kind].map { "<path class=\"\(kind.style)\" d=\"\($0)\"/>" }
    }
    let label = words.daysLabel(
      withOutage: points.count { $0.time.down > 0 }, withoutData: points.count { DayKind($0) == .empty })
    return """
      <svg class="strip" viewBox="0 0 \(points.count * 4 - 1) 24" preserveAspectRatio="none" role="img" aria-label="\(label)" \
      data-from="\(first.start.rfc3339)" data-days="\(kinds)">\(Markup(paths))\(Markup(notable))</svg>
      """
  }

  /// `Sat 14 Nov · 99.1% · down 13 min (09:40–09:53 UTC)`.
  private func detail(_ point: SeriesPoint, _ check: PublicCheck) -> String {
    let time = point.time
    var parts = [
      words.day(LocalTime(point.start)),
      words.percent(Double(time.up + time.degraded) * 100 / Double(max(1, time.judged))),
    ]
    if time.down > 0 {
      parts.append(words.downFor(words.length(.microseconds(time.down))) + ranges(point, check))
    }
    if time.degraded > 0 { parts.append(words.impairedFor(words.length(.microseconds(time.degraded)))) }
    return parts.joined(separator: " · ")
  }

  /// The day's part of each outage.
  private func ranges(_ point: SeriesPoint, _ check: PublicCheck) -> String {
    let end = point.start.advanced(by: point.width)
    let found = check.outages.reversed().filter { outage in
      outage.begin < end && outage.begin.advanced(by: outage.length) > point.start
    }
    guard !found.isEmpty else { return "" }
    let parts = found.map { outage in
      (from: max(outage.begin, point.start), to: min(outage.begin.advanced(by: outage.length), end))
    }
    let shown = parts.prefix(Self.shownRanges).map { from, to in
      // A day ends at 24:00, not at 00:00.
      let last = to == end && point.width == .seconds(86_400) ? "24:00" : words.clock(LocalTime(to))
      return "\(words.clock(LocalTime(from)))–\(last)"
    }
    let told = parts.reduce(Duration.zero) { $0 + $1.from.duration(to: $1.to) }
    // Of a day with more down time than that, not all outages are kept.
    let isWhole = told + .seconds(1) > .microseconds(point.time.down)
    let left = found.count - shown.count
    let rest = !isWhole ? ", " + words.andMore : left > 0 ? ", " + words.more(left) : ""
    return " (\(shown.joined(separator: ", ")) UTC\(rest))"
  }

  /// The shapes of days, once for all strips.
  var legend: Markup {
    guard !picture.checks.isEmpty else { return "" }
    let keys: [(style: String, path: String, words: String)] = [
      ("f-up", "M0 0h3v24h-3z", words.isUp), ("f-degraded", "M0 8h3v16h-3z", words.impairment),
      ("f-down", "M0 0h3v12h-3z", words.outage), ("f-maintenance", "M0 8h3v8h-3z", words.maintenance),
      ("f-none", "M0 21h3v3h-3z", words.noData),
    ]
    let items: [Markup] = keys.map { key in
      """
      <span><svg viewBox="0 0 3 24" aria-hidden="true"><path class="\(key.style)" d="\(key.path)"/></svg>\(key.words)</span>
      """
    }
    return "<p class=\"legend dim\">\(Markup(items))<span>\(words.daysAreUTC)</span></p>\n"
  }
}

/// Kind of a day's cell; the script reads its letter.
private enum DayKind: String, CaseIterable {
  case up = "u"
  case maintenance = "m"
  case empty = "n"
  /// With downtime, or degraded for a while.
  case notable = "x"

  init(_ point: SeriesPoint) {
    let time = point.time
    if time.judged == 0 {
      self = time.maintenance > 0 ? .maintenance : .empty
    } else {
      self = time.down > 0 || time.degraded > 0 ? .notable : .up
    }
  }

  /// Behind its place in the path, as `UptimeStrip` draws it. `nil` for one that is drawn alone.
  var shape: String? {
    switch self {
    case .up: "0h3v24h-3z"
    case .maintenance: "8h3v8h-3z"
    case .empty: "21h3v3h-3z"
    case .notable: nil
    }
  }

  var style: String {
    switch self {
    case .up, .notable: "f-up"
    case .maintenance: "f-maintenance"
    case .empty: "f-none"
    }
  }
}
