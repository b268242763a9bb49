// SPDX-License-Identifier: MIT

/// The clock changes of one place: what the wall clock there shows at an instant, and the other way round.
///
/// A value, read once from the system's zone files by `TimeZoneFiles`; nothing here touches a disk or a clock.
package struct TimeZoneRules: Hashable, Sendable {
  /// The IANA name, such as `Europe/London`.
  package let name: String
  /// Instants in seconds since 1970, ascending, at which the offset changes to that of the same index.
  let transitions: [Int64]
  /// Seconds east of UTC.
  let offsets: [Int64]
  /// Before the first transition.
  let first: Int64
  /// After the last transition; nil: the last offset stays.
  let rule: PosixZone?

  init(name: String, transitions: [Int64], offsets: [Int64], first: Int64, rule: PosixZone?) {
    self.name = name
    self.transitions = transitions
    self.offsets = offsets
    self.first = first
    self.rule = rule
  }

  /// Needs no zone file.
  package static let utc = TimeZoneRules(name: "UTC", transitions: [], offsets: [], first: 0, rule: nil)

  /// Seconds east of UTC at an instant in seconds since 1970.
  func offset(at instant: Int64) -> Int64 {
    guard let last = transitions.last else { return rule?.offset(at: instant) ?? first }
    if instant >= last, let rule { return rule.offset(at: instant) }
    var low = 0
    var high = transitions.count
    while low < high {
      // bounded: places in memory
      let middle = (low + high) / 2
      // bounded: places in memory
      if transitions[middle] <= instant { low = middle + 1 } else { high = middle }
    }
    // bounded: not the first of them
    return low == 0 ? first : offsets[low - 1]
  }

  package func local(_ instant: Timestamp) -> LocalTime {
    LocalTime(instant, offset: offset(at: floorDivide(instant.microseconds, 1_000_000).quotient))
  }

  /// When the clock shows this time. A time that comes twice, as the clock is put back, is the first of the two; one
  /// that never comes, as the clock is put forward, is the instant of the change. So a later time on the clock never
  /// means an earlier instant.
  package func instant(_ local: LocalTime) -> Timestamp {
    // The offsets well before and well after: no place changes its clock twice within four days.
    // bounded: an instant of 64 bits of microseconds and two days
    let early = offset(at: local.seconds - 86_400 - 43_200)
    // bounded: an instant of 64 bits of microseconds and two days
    let late = offset(at: local.seconds + 86_400 + 50_400)
    // bounded: an offset has 32 bits
    let first = local.seconds - max(early, late)
    // bounded: an offset has 32 bits
    let second = local.seconds - min(early, late)
    // bounded: an offset has 32 bits
    for candidate in [first, second] where candidate + offset(at: candidate) == local.seconds {
      return Timestamp(seconds: candidate)
    }
    // In the gap: the change lies between the two candidates.
    var (low, high) = (first, second)
    let before = offset(at: low)
    // bounded: an instant of 64 bits of microseconds
    while low + 1 < high {
      // bounded: between two instants
      let middle = low + (high - low) / 2
      if offset(at: middle) == before { low = middle } else { high = middle }
    }
    return Timestamp(seconds: high)
  }
}

/// The rule for all years to come: the TZ string of POSIX.1 with the extensions of RFC 9636, section 3.3.1, as it
/// stands at the end of a zone file: `GMT0BST,M3.5.0/1,M10.5.0`.
struct PosixZone: Hashable, Sendable {
  /// A day of the year and the second of that day, by the clock before the change.
  struct Change: Hashable, Sendable {
    enum Day: Hashable, Sendable {
      /// 1 to 365; 29 February does not count.
      case julian(Int64)
      /// 0 to 365.
      case ordinal(Int64)
      /// Month, week (5: the last one), weekday (0: Sunday).
      case weekday(month: Int64, week: Int64, day: Int64)
    }

    var day: Day
    /// Also negative or beyond a day.
    var seconds: Int64
  }

  /// Seconds east of UTC.
  var standard: Int64
  /// `nil` without daylight saving time.
  var saving: (offset: Int64, start: Change, end: Change)? {
    guard let savingOffset, let start, let end else { return nil }
    return (savingOffset, start, end)
  }
  private var savingOffset: Int64?
  private var start: Change?
  private var end: Change?

  func offset(at instant: Int64) -> Int64 {
    guard let saving else { return standard }
    // bounded: an instant of 64 bits of microseconds, and a week at most
    let year = civil(fromDays: floorDivide(instant + standard, 86_400).quotient).year
    // bounded: a week at most
    let start = Self.seconds(of: saving.start, year) - standard
    // bounded: a week at most
    let end = Self.seconds(of: saving.end, year) - saving.offset
    // In the south the saving time runs over new year.
    let isSaving = start < end ? (start..<end).contains(instant) : !(end..<start).contains(instant)
    return isSaving ? saving.offset : standard
  }

  /// Local seconds since 1970.
  private static func seconds(of change: Change, _ year: Int64) -> Int64 {
    let newYear = daysFromCivil(year, 1, 1)
    let isLeap = daysInMonth(year, 2) == 29
    let day: Int64
    switch change.day {
    // bounded: a day of a year
    case .julian(let number): day = newYear + number - 1 + (isLeap && number >= 60 ? 1 : 0)
    // bounded: a day of a year
    case .ordinal(let number): day = newYear + number
    case .weekday(let month, let week, let weekday):
      let first = daysFromCivil(year, month, 1)
      // 1970-01-01 was a Thursday.
      // bounded: a day, and one of a week
      let offset = floorDivide(weekday - (first + 4), 7).remainder
      // bounded: five weeks
      var date = 1 + offset + (week - 1) * 7
      // bounded: a day of a month
      if date > daysInMonth(year, month) { date -= 7 }
      // bounded: a day of a month
      day = first + date - 1
    }
    // bounded: the days of 300,000 years
    return day * 86_400 + change.seconds
  }

  /// `nil` when the text is no such rule.
  init?(text: [UInt8]) {
    var scanner = ZoneScanner(bytes: text)
    guard scanner.skipName(), let west = scanner.clock() else { return nil }
    standard = -west
    if scanner.atEnd { return }
    guard scanner.skipName() else { return nil }
    // bounded: a week and an hour
    savingOffset = standard + 3600
    if let next = scanner.peek, next != UInt8(ascii: ",") {
      guard let west = scanner.clock() else { return nil }
      savingOffset = -west
    }
    guard scanner.skip(","), let start = scanner.change(), scanner.skip(","), let end = scanner.change(),
      scanner.atEnd
    else { return nil }
    self.start = start
    self.end = end
  }
}

/// Reads the parts of a TZ string.
private struct ZoneScanner {
  let bytes: [UInt8]
  private var index = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  var atEnd: Bool { index == bytes.count }
  var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard let next = peek, next == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  /// Letters, or anything between angle brackets.
  mutating func skipName() -> Bool {
    let start = index
    if skip("<") {
      // bounded: places in memory
      while let next = peek, next != UInt8(ascii: ">") { index += next == 0 ? bytes.count : 1 }
      return skip(">")
    }
    while let next = peek, (0x41...0x5a).contains(next) || (0x61...0x7a).contains(next) { index += 1 }
    // bounded: places in memory
    return index - start >= 3
  }

  mutating func number(max: Int64) -> Int64? {
    let start = index
    var value: Int64 = 0
    while let next = peek, (0x30...0x39).contains(next), value <= max {
      // bounded: of what is at most 365
      value = value * 10 + Int64(next - 0x30)
      index += 1
    }
    return index > start && value <= max ? value : nil
  }

  /// `[+-]h[hh][:mm[:ss]]` in seconds.
  mutating func clock() -> Int64? {
    let isNegative = skip("-")
    if !isNegative { _ = skip("+") }
    guard let hours = number(max: 167) else { return nil }
    // bounded: at most 167 hours
    var seconds = hours * 3600
    for scale in [60, 1] as [Int64] where skip(":") {
      guard let part = number(max: 59) else { return nil }
      // bounded: at most 59 minutes
      seconds += part * scale
    }
    return isNegative ? -seconds : seconds
  }

  mutating func change() -> PosixZone.Change? {
    guard let day = day() else { return nil }
    guard skip("/") else { return PosixZone.Change(day: day, seconds: 7200) }
    return clock().map { PosixZone.Change(day: day, seconds: $0) }
  }

  private mutating func day() -> PosixZone.Change.Day? {
    if skip("J") { return number(max: 365).flatMap { $0 >= 1 ? .julian($0) : nil } }
    guard skip("M") else { return number(max: 365).map { .ordinal($0) } }
    guard let month = number(max: 12), month >= 1, skip("."), let week = number(max: 5), week >= 1, skip("."),
      let day = number(max: 6)
    else { return nil }
    return .weekday(month: month, week: week, day: day)
  }
}
