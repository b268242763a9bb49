// SPDX-License-Identifier: MIT

/// When a job runs, in the five fields of crontab(5): minute, hour, day of month, month, day of week.
///
/// Lists, ranges, steps (`*/5`, `1-30/2`) and the English names of months and days are read, and `@hourly` to `@yearly`.
/// Where neither of the two fields for days begins with `*`, a day that either names is meant, else one that both allow.
package struct CronPlan: Hashable, Sendable {
  /// As written, with single blanks.
  package let text: String
  private let minutes: UInt64
  private let hours: UInt64
  private let days: UInt64
  private let months: UInt64
  /// 0 is Sunday.
  private let weekdays: UInt64
  private let eitherDay: Bool

  package struct Problem: Error, Hashable, Sendable {
    /// Goes on after the key's name.
    package var message: String
    package var hint: String?
  }

  private static let words = [
    "@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *",
  ]

  package init(_ written: String) throws(Problem) {
    let parts = written.split(whereSeparator: { $0 == " " || $0 == "\t" }).map(String.init)
    text = parts.joined(separator: " ")
    let fields =
      parts.count == 1 ? (Self.words[parts[0]] ?? "").split(separator: " ").map(String.init) : parts
    guard fields.count == 5 else {
      throw Problem(
        message: "must have five fields, found \"\(written.printable(maxBytes: 60))\"",
        hint: "minute, hour, day of month, month and day of week, such as \"30 3 * * 1-5\"")
    }
    minutes = try CronField("minute", 0...59).read(fields[0])
    hours = try CronField("hour", 0...23).read(fields[1])
    days = try CronField("day of month", 1...31).read(fields[2])
    months = try CronField(
      "month", 1...12, ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    ).read(fields[3])
    let week = try CronField("day of week", 0...7, ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]).read(
      fields[4])
    // Sunday is 0 and 7.
    weekdays = (week | week >> 7) & 0x7f
    eitherDay = !fields[2].hasPrefix("*") && !fields[4].hasPrefix("*")
    guard next(after: LocalTime(seconds: 0)) != nil else {
      throw Problem(
        message: "names a day that never comes, found \"\(text.printable(maxBytes: 60))\"",
        hint: "day of month and month do not go together")
    }
  }

  /// The first of its times after the instant, on the wall clock of the zone. A time that the change of the clocks leaves
  /// out is at the change; of an hour that comes twice only the first counts.
  package func next(after instant: Timestamp, in zone: TimeZoneRules) -> Timestamp {
    var local = zone.local(instant)
    // Each turn is a later time; an hour that comes twice has at most 60 of them behind it, others none.
    for _ in 0..<1500 {
      guard let found = next(after: local) else { break }
      let when = zone.instant(found)
      if when > instant { return when }
      local = found
    }
    return instant.advanced(by: .seconds(86_400))
  }

  private func next(after local: LocalTime) -> LocalTime? {
    var minute = floorDivide(local.seconds, 60).quotient + 1
    let first = floorDivide(minute, 1440).quotient
    // The 29th of February on one day of the week comes every 40 years at the latest.
    for day in first..<first + 15_000 {
      defer { minute = (day + 1) * 1440 }
      guard isDay(day) else { continue }
      for candidate in minute..<(day + 1) * 1440 {
        let ofDay = candidate - day * 1440
        guard hours.has(ofDay / 60), minutes.has(ofDay % 60) else { continue }
        return LocalTime(seconds: candidate * 60)
      }
    }
    return nil
  }

  private func isDay(_ day: Int64) -> Bool {
    let date = civil(fromDays: day)
    guard months.has(date.month) else { return false }
    // 1970-01-01 was a Thursday.
    let (inMonth, inWeek) = (days.has(date.day), weekdays.has(floorDivide(day + 4, 7).remainder))
    return eitherDay ? inMonth || inWeek : inMonth && inWeek
  }
}

extension UInt64 {
  fileprivate func has(_ bit: Int64) -> Bool { self >> UInt64(bit) & 1 == 1 }
}

/// One field: its numbers as bits.
private struct CronField {
  let name: String
  let range: ClosedRange<Int>
  /// Of the numbers from the range's first on.
  let words: [String]

  init(_ name: String, _ range: ClosedRange<Int>, _ words: [String] = []) {
    (self.name, self.range, self.words) = (name, range, words)
  }

  private func problem(_ text: String) -> CronPlan.Problem {
    CronPlan.Problem(
      message:
        "has no \(name) \"\(text.printable(maxBytes: 40))\": it is \(range.lowerBound) to \(range.upperBound)",
      hint: "numbers, ranges such as 1-5, lists such as 0,30, steps such as */10, or *")
  }

  func read(_ text: String) throws(CronPlan.Problem) -> UInt64 {
    var bits: UInt64 = 0
    let items = text.split(separator: ",", omittingEmptySubsequences: false)
    for item in items { bits |= try read(item: String(item)) }
    return bits
  }

  private func read(item: String) throws(CronPlan.Problem) -> UInt64 {
    let parts = item.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    var step = 1
    if parts.count == 2 {
      guard let number = number(parts[1]), number >= 1, number <= range.upperBound + 1 else {
        throw problem(item)
      }
      step = number
    }
    let span: ClosedRange<Int>
    if parts[0] == "*" {
      span = range
    } else {
      let ends = parts[0].split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false).map(
        String.init)
      guard let first = value(ends[0]), let last = value(ends[ends.count - 1]), first <= last,
        // A step needs something to step through.
        parts.count == 1 || ends.count == 2
      else { throw problem(item) }
      span = first...last
    }
    return stride(from: span.lowerBound, through: span.upperBound, by: step).reduce(0) {
      $0 | 1 << UInt64($1)
    }
  }

  private func value(_ text: String) -> Int? {
    if let place = words.firstIndex(of: text.lowercased()) { return range.lowerBound + place }
    return number(text).flatMap { range.contains($0) ? $0 : nil }
  }

  private func number(_ text: String) -> Int? {
    text.utf8.count <= 2 && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
  }
}
