// SPDX-License-Identifier: MIT

import Basics

/// Hours of the week in which notifications are held.
package struct QuietHours: Hashable, Sendable {
  /// Seconds since midnight on the clock of `zone`. When the end is not after the begin, it is on the next day.
  package var from: Int64
  package var to: Int64
  /// Of the begin; 0 is Monday. Empty: every day.
  package var days: Set<Int>
  package var zone: TimeZoneRules
  /// From this severity on messages go out all the same.
  package var except: AlertSeverity

  package init(
    from: Int64, to: Int64, days: Set<Int> = [], zone: TimeZoneRules = .utc, except: AlertSeverity = .critical
  ) {
    (self.from, self.to, self.days) = (from, to, days)
    (self.zone, self.except) = (zone, except)
  }

  /// The days as they are written, from Monday.
  package static let dayWords = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

  private static let day: Int64 = 86_400

  /// The end of the quiet hours that this instant lies in; nil when it lies in none. Hours that the change of the clocks
  /// swallows are none.
  package func end(at instant: Timestamp) -> Timestamp? {
    let local = zone.local(instant)
    let midnight = local.seconds - local.timeOfDay  // bounded: a time of day
    // Those that began today, and those that began yesterday and last past midnight.
    for begin in [midnight, midnight - Self.day] {  // bounded: one day
      let weekday = LocalTime(seconds: begin).weekday
      guard days.isEmpty || days.contains(weekday) else { continue }
      let length = to > from ? to - from : to - from + Self.day  // bounded: times of day
      let first = zone.instant(LocalTime(seconds: begin + from))  // bounded: times of day
      let last = zone.instant(LocalTime(seconds: begin + from + length))  // bounded: times of day
      if first <= instant, instant < last { return last }
    }
    return nil
  }
}
