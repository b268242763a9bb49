// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Days of thirteen months, from what the windows and the outages know.
extension HeldVerdicts {
  /// Folds the days that are over once this one has begun.
  mutating func foldDays(before today: Int64) {
    guard let first = past.unfolded, first < today else { return }
    let down = outages.spans.map(\.span)
    var finished: [DayFigures] = []
    days.forEach(in: first..<today) { bucket in
      guard DayFigures.keys.contains(bucket.key) else { return }
      var day = DayFigures(bucket)
      day.explain(down)
      finished.append(day)
    }
    for day in finished { past.put(day) }
    past.settle(before: today)
  }

  /// For a file of a version without an archive: it begins with what the windows know.
  mutating func foldKnownDays() {
    guard let keys = days.keys else { return }
    past.touch(keys.lowerBound)
    foldDays(before: keys.upperBound)
  }

  /// Known figures of these days, ascending; of days that are not over, those until now.
  func calendarDays(in keys: Range<Int64>, now: Timestamp) -> [DayFigures] {
    var found: [Int64: DayFigures] = [:]
    for day in past.days(in: keys) { found[day.key] = day }
    if let live = past.unfolded, live < keys.upperBound {
      for day in unfinished(from: live, in: keys, now: now) {
        let earlier = found[day.key] ?? DayFigures(key: day.key)
        if day.known >= earlier.known { found[day.key] = day.since(earlier) }
      }
    }
    return found.values.sorted { $0.key < $1.key }
  }

  /// In no order.
  private func unfinished(from first: Int64, in keys: Range<Int64>, now: Timestamp) -> [DayFigures] {
    var fresh: [Int64: DayFigures] = [:]
    days.forEach(in: max(first, keys.lowerBound)..<keys.upperBound) { fresh[$0.key] = DayFigures($0) }
    addOpen(to: &fresh, in: keys, now: now)
    let down = outages.all(open: openOutage(now: now), lasts: false).map {
      Span(start: $0.begin.microseconds, end: $0.heldUntil.microseconds)
    }
    return fresh.values.map { day in
      var day = day
      day.explain(down)
      return day
    }
  }

  /// The newest verdict holds, though its end is not known.
  private func addOpen(to fresh: inout [Int64: DayFigures], in keys: Range<Int64>, now: Timestamp) {
    guard let open,
      let held = open.span.clipped(
        from: DayFigures(key: keys.lowerBound).span.start,
        to: min(now.microseconds, DayFigures(key: keys.upperBound).span.start))
    else { return }
    for key in days.key(of: held.start)...days.key(of: held.end - 1) {
      guard let part = held.clipped(from: DayFigures(key: key).span.start, to: DayFigures(key: key).span.end)
      else { continue }
      fresh[key, default: DayFigures(key: key)].time[open.standing] += part.length
    }
  }

  /// The first day of which anything is known; `nil` without any.
  var firstDay: Int64? {
    [past.first, days.keys?.lowerBound].compactMap(\.self).filter { DayFigures.keys.contains($0) }.min()
  }
}
