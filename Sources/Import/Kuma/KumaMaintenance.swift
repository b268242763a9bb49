// SPDX-License-Identifier: MIT

import Basics

/// A maintenance of Kuma, as windows: one for each day on which it begins.
struct KumaMaintenance {
  let row: KumaRow
  /// The server's own time zone; `nil` when the file does not say it.
  let serverZone: String?

  /// - Parameter checks: keys of the monitors it is for.
  /// - Returns: one at least.
  func windows(_ checks: [Int]) throws(KumaRefusal) -> [ImportedCheck] {
    let title = row.text("title") ?? "unnamed"
    guard row["active"]?.flag != false else { throw KumaRefusal("the maintenance is off") }
    guard !checks.isEmpty else { throw KumaRefusal("it is for no check") }
    let zone = try zone()
    let days = try days()
    guard !days.isEmpty else { throw KumaRefusal("it names no day") }
    row.carry(
      "active", "strategy", "start_date", "end_date", "start_time", "end_time", "timezone", "id", "user_id")
    row.settle([("weekdays", ["[]"]), ("days_of_month", ["[]"]), ("interval_day", ["1"])])
    row.list("people see its title", "description")
    row.list("it follows from the times", "cron", "duration")
    return days.map { day in
      var window = ImportedCheck(named: day.words.isEmpty ? title : "\(title) \(day.words)")
      window["start"] = .text(day.start)
      window["end"] = day.end.map { .text($0) }
      window["duration"] = day.duration.map { .duration($0) }
      window["repeat"] = day.rhythm.map { .plain($0) }
      window["timezone"] = .text(zone)
      // Kuma does not probe meanwhile.
      window["skip"] = .plain("true")
      window.selected = checks
      if day.rhythm != nil, row["end_date"] != nil {
        window.note(.laxer, "end_date", "it comes again without an end; remove it then")
      }
      return window
    }
  }

  private struct Day {
    var words = ""
    var start: String
    var end: String?
    var duration: Int?
    var rhythm: String?
  }

  private func zone() throws(KumaRefusal) -> String {
    let zone = row["timezone"]?.text ?? "SAME_AS_SERVER"
    if zone != "SAME_AS_SERVER" { return zone }
    guard let serverZone else {
      throw KumaRefusal("its time zone is the server's, which the file does not say")
    }
    return serverZone
  }

  private func days() throws(KumaRefusal) -> [Day] {
    switch row["strategy"]?.text {
    case "single":
      guard let start = Self.moment(row["start_date"]?.text), let end = Self.moment(row["end_date"]?.text)
      else {
        throw KumaRefusal("it has no start and end")
      }
      return [Day(start: start, end: end)]
    case "recurring-interval":
      let count = row.number("interval_day") ?? 1
      guard count == 1 || count == 7 else { throw KumaRefusal("it comes each \(count) days") }
      return [try day(count == 1 ? "daily" : "weekly", from: firstDate)]
    case "recurring-weekday":
      var days: [Day] = []
      for number in numbers("weekdays") where (0...7).contains(number) {
        let index = (number + 6) % 7
        var day = try day("weekly", from: first { $0.weekday == index })
        day.words =
          "on \(["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"][index])"
        days.append(day)
      }
      return days
    case "recurring-day-of-month":
      var days: [Day] = []
      for word in row.texts("days_of_month").prefix(40) {
        let number = word == "lastDay1" ? 31 : Int(word) ?? 0
        guard (1...31).contains(number) else {
          throw KumaRefusal("it comes on days that are counted from a month's end")
        }
        guard number <= 28 || word == "lastDay1" else {
          throw KumaRefusal("it comes on day \(number), which not every month has")
        }
        var day = try day("monthly", from: first { $0.date.day == number })
        day.words = number == 31 ? "on the last day" : "on day \(number)"
        days.append(day)
      }
      return days
    case "manual": throw KumaRefusal("it is switched by hand: quartz-agent maintenance start")
    default: throw KumaRefusal("it comes as cron says")
    }
  }

  /// Weekdays of a table are numbers in JSON.
  private func numbers(_ name: String) -> [Int] { row.texts(name).prefix(40).compactMap { Int($0) } }

  private var firstDate: String {
    row["start_date"]?.text.flatMap { Self.moment($0) }.map { String($0.prefix(10)) } ?? "2024-01-01"
  }

  /// The first day of these on which it begins, not before the maintenance is to be there at all.
  private func first(_ isMeant: (LocalTime) -> Bool) -> String {
    let given = row["start_date"]?.text.flatMap { Self.moment($0) }.flatMap { LocalTime(text: $0) }
    guard let start = given ?? LocalTime(text: "2024-01-01T00:00") else { return "2024-01-01" }
    let minutes = Int64(Self.minutes(row["start_time"]?.text) ?? 0)
    let midnight = start.seconds - start.timeOfDay
    let days = (0..<64).map { LocalTime(seconds: midnight + $0 * 86_400 + minutes * 60) }
    return String((days.first { $0 >= start && isMeant($0) } ?? start).text.prefix(10))
  }

  private func day(_ rhythm: String, from date: String) throws(KumaRefusal) -> Day {
    guard let start = Self.minutes(row["start_time"]?.text), let end = Self.minutes(row["end_time"]?.text),
      start != end
    else { throw KumaRefusal("it has no time of day") }
    let length = (end - start + 1440) % 1440
    return Day(
      start: "\(date)T\(Self.two(start / 60)):\(Self.two(start % 60))", duration: length * 60_000,
      rhythm: rhythm)
  }

  /// `2026-01-04 02:00:00` or `2026-01-04T02:00` as agent.yaml writes it.
  private static func moment(_ text: String?) -> String? {
    guard let text, text.utf8.count >= 16 else { return nil }
    let bytes = Array(text.utf8.prefix(16))
    let isDate = bytes.enumerated().allSatisfy { place, byte in
      switch place {
      case 4, 7: byte == 0x2d
      case 10: byte == 0x20 || byte == 0x54
      case 13: byte == 0x3a
      default: (0x30...0x39).contains(byte)
      }
    }
    guard isDate else { return nil }
    return String(decoding: bytes[..<10], as: UTF8.self) + "T" + String(decoding: bytes[11...], as: UTF8.self)
  }

  private static func minutes(_ text: String?) -> Int? {
    let parts = (text ?? "").split(separator: ":").compactMap { Int($0) }
    guard parts.count >= 2, (0..<24).contains(parts[0]), (0..<60).contains(parts[1]) else { return nil }
    return parts[0] * 60 + parts[1]
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
