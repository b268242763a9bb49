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
  static let dayWords = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

  private static let day: Int64 = 86_400

  /// The end of the quiet hours that this instant lies in; nil when it lies in none. Hours that the change of the clocks
  /// swallows are none.
  package func end(at instant: Timestamp) -> Timestamp? {
    // Those that began today, and those that began yesterday and last past midnight.
    for day in [Int64(0), -1] {
      if let (first, last) = hours(day, from: instant), first <= instant, instant < last { return last }
    }
    return nil
  }

  /// The end of the quiet hours that end next, whether or not they have begun; `nil` where none do within a week and a day.
  package func nextEnd(after instant: Timestamp) -> Timestamp? {
    for day in Int64(-1)...8 {
      if let (first, last) = hours(day, from: instant), first < last, instant < last { return last }
    }
    return nil
  }

  /// The quiet hours that begin so many days after the day of an instant; `nil` where that weekday has none.
  private func hours(_ day: Int64, from instant: Timestamp) -> (first: Timestamp, last: Timestamp)? {
    let local = zone.local(instant)
    // bounded: a time of day, and days of a week
    let begin = local.seconds - local.timeOfDay + day * Self.day
    guard days.isEmpty || days.contains(LocalTime(seconds: begin).weekday) else { return nil }
    let length = to > from ? to - from : to - from + Self.day  // bounded: times of day
    let first = zone.instant(LocalTime(seconds: begin + from))  // bounded: times of day
    return (first, zone.instant(LocalTime(seconds: begin + from + length)))  // bounded: times of day
  }
}
