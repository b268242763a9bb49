// SPDX-License-Identifier: MIT

import Basics
import HistorySupport
import Monitoring
import Testing
@testable import History

/// Days that are kept for thirteen months.
@Suite struct DayArchiveTests {
  private let hour: Int64 = 3_600_000_000
  private let day: Int64 = 20_454

  private func written(_ day: DayFigures) -> [UInt8] {
    var writer = ByteWriter()
    day.encode(into: &writer)
    return writer.bytes
  }

  private func healthy(_ key: Int64) -> DayFigures {
    var figures = DayFigures(key: key)
    figures.time.up = DayFigures.width
    figures.counts.up = 1440
    (figures.latencyCount, figures.latencySum, figures.p95) = (1440, 14_400_000, 10_000)
    return figures
  }

  /// Three bytes of the day, one of marks, two of the count, four of the sum, two of the percentile.
  @Test func aDayWithoutAFaultTakesTwelveBytes() {
    #expect(written(healthy(day)).count == 12)
    var hit = healthy(day)
    (hit.time.up, hit.time.down) = (DayFigures.width - hour, hour)
    (hit.counts.up, hit.counts.down) = (1380, 60)
    (hit.outages.begun, hit.outages.longest) = (1, hour)
    // One more of marks, five of the downtime, one of its count, and two of the latencies' own count.
    #expect(written(hit).count == 21)
  }

  /// Every field comes back, and nothing is left over.
  @Test func everyDayComesBack() throws {
    var odd = DayFigures(key: -3)
    for (place, standing) in Standing.allCases.enumerated() {
      odd.time[standing] = Int64(place + 1) * hour
      odd.counts[standing] = Int64(place) * 7
    }
    (odd.latencyCount, odd.latencySum, odd.p95) = (3, 900, 400)
    (odd.outages.begun, odd.outages.longest) = (2, hour)
    (odd.outages.lead, odd.outages.tail, odd.outages.isPartial) = (hour / 2, hour / 4, true)
    var maintained = DayFigures(key: day)
    maintained.time.maintenance = DayFigures.width
    for figures in [healthy(day), odd, maintained, DayFigures(key: day)] {
      var reader = ByteReader(written(figures))
      let found = try DayFigures(from: &reader)
      #expect(found == figures && reader.atEnd)
    }
  }

  /// Cut anywhere, a stored archive is refused.
  @Test func damageIsRefused() throws {
    var archive = DayArchive()
    for key in day..<day + 5 { archive.put(healthy(key)) }
    archive.settle(before: day + 5)
    var writer = ByteWriter()
    archive.encode(into: &writer)
    var reader = ByteReader(writer.bytes)
    let restored = try DayArchive(from: &reader)
    #expect(restored == archive && restored.unfolded == day + 5)
    for end in 0..<writer.bytes.count {
      var reader = ByteReader(writer.bytes, to: end)
      #expect(throws: CodingDamage.self) { try DayArchive(from: &reader) }
    }
  }

  /// The oldest leave; a day in between takes its place; one that knows less replaces nothing.
  @Test func daysStandInOrder() {
    var archive = DayArchive()
    for key in day..<day + 430 where key != day + 100 { archive.put(healthy(key)) }
    #expect(archive.first == day + 1)
    archive.put(healthy(day + 100))
    #expect(archive.first == day + 2)
    #expect(archive.days(in: day..<day + 1000).map(\.key) == Array(day + 2..<day + 430))
    archive.put(DayFigures(key: day + 200))
    #expect(archive.days(in: day + 200..<day + 201) == [healthy(day + 200)])
  }

  /// The first day that is to be folded: a late verdict opens its day again, and a later one opens none that is before it.
  @Test func theFirstDayThatIsOpen() {
    var archive = DayArchive()
    #expect(archive.unfolded == nil)
    archive.touch(day)
    #expect(archive.unfolded == day)
    archive.touch(day + 3)
    #expect(archive.unfolded == day)
    archive.settle(before: day + 4)
    #expect(archive.unfolded == day + 4)
    archive.touch(day + 4)
    #expect(archive.unfolded == day + 4)
    archive.touch(day + 1)
    #expect(archive.unfolded == day + 1, "a late verdict")
    archive.touch(day + 2)
    #expect(archive.unfolded == day + 1)
  }

  /// Of single days' percentiles the one in the middle, of an even number the lower of the two; days without a success have none.
  /// The mean is of all successes, and not of the days.
  @Test(
    arguments: [
      ([7], 7, 7), ([9, 4], 4, 9), ([30, 10, 20], 20, 30), ([40, 10, 30, 20], 20, 40),
      ([5, 5, 1, 9, 8], 5, 9),
      ([6, 5, 4, 3, 2, 1], 3, 6),
    ] as [([Int64], Int64, Int64)])
  func theMiddleOfTheDays(p95s: [Int64], median: Int64, highest: Int64) throws {
    var days: [DayFigures] = []
    for (place, p95) in p95s.enumerated() {
      var figures = DayFigures(key: day + Int64(place) * 2)
      // The first day has one success of 1 ms, each other one two of 4 ms.
      let count: Int64 = place == 0 ? 1 : 2
      (figures.latencyCount, figures.latencySum) = (count, count * (place == 0 ? 1000 : 4000))
      figures.p95 = p95 * 1000
      days += [figures, DayFigures(key: day + Int64(place) * 2 + 1)]
    }
    let month = MonthFigures(
      CalendarPeriod.month(CalendarMonth(midnight)), days, enabled: EnabledTime(),
      now: midnight + .seconds(40 * 86_400))
    let latency = try #require(month.latency)
    #expect(latency.medianP95 == .milliseconds(median) && latency.highestP95 == .milliseconds(highest))
    let more = Int64(p95s.count - 1) * 2
    #expect(latency.count == 1 + more && latency.mean == .microseconds((1000 + more * 4000) / (1 + more)))
  }

  private func lasting(_ key: Int64, lead: Int64, tail: Int64, begun: Int64 = 0) -> DayFigures {
    var figures = DayFigures(key: key)
    (figures.outages.lead, figures.outages.tail, figures.outages.begun) = (lead, tail, begun)
    figures.outages.longest = max(lead, tail)
    return figures
  }

  /// From 23:00 over two nights until 02:00: one outage of 27 hours. In a month that begins within it, it is one too.
  @Test func anOutageOverMidnightIsOne() {
    let whole = DayFigures.width
    let days = [
      lasting(day, lead: 0, tail: hour, begun: 1), lasting(day + 1, lead: whole, tail: whole),
      lasting(day + 2, lead: 2 * hour, tail: 0),
    ]
    let january = CalendarPeriod.month(CalendarMonth(midnight))
    let later = midnight + .seconds(40 * 86_400)
    let all = MonthFigures(january, days, enabled: EnabledTime(), now: later)
    #expect(all.outages == 1 && all.longest == 27 * hour)
    let rest = MonthFigures(january, Array(days.dropFirst()), enabled: EnabledTime(), now: later)
    #expect(rest.outages == 1 && rest.longest == 26 * hour)
    // Two that touch no midnight, and a day without any between them.
    let apart = [lasting(day, lead: 0, tail: hour, begun: 1), lasting(day + 2, lead: 0, tail: 0, begun: 1)]
    let two = MonthFigures(january, apart, enabled: EnabledTime(), now: later)
    #expect(two.outages == 2 && two.longest == hour)
  }

  /// Stretches of one day: from the day before, within, and until midnight; and downtime that is in no stretch.
  @Test func outagesOfADayAreCounted() {
    var figures = DayFigures(key: day)
    let start = figures.span.start
    let down = [
      Span(start: start - hour, end: start + 2 * hour), Span(start: start + 5 * hour, end: start + 6 * hour),
      Span(start: start + 23 * hour, end: start + 26 * hour),
      Span(start: start + 30 * hour, end: start + 31 * hour),
    ]
    figures.time.down = 4 * hour
    figures.explain(down)
    var wanted = DayOutages()
    (wanted.begun, wanted.longest, wanted.lead, wanted.tail) = (2, 2 * hour, 2 * hour, hour)
    #expect(figures.outages == wanted)
    figures.time.down = 5 * hour
    figures.explain(down)
    wanted.isPartial = true
    #expect(figures.outages == wanted)
    figures.explain([])
    #expect(figures.outages.begun == 1 && figures.outages.isPartial && figures.outages.longest == 0)
  }

  /// Five outages were counted when the day ended, and three of them are kept when a late verdict opens it again: without
  /// further downtime there are still five, with some at least five, of which the longest is known.
  @Test func aDayThatIsOpenedAgainForgetsNoOutage() {
    var first = healthy(day)
    (first.time.up, first.time.down) = (10 * hour, 9 * hour)
    (first.outages.begun, first.outages.longest, first.outages.lead) = (5, 4 * hour, hour)
    var again = first
    again.time.up += hour
    again.outages = DayOutages()
    (again.outages.begun, again.outages.longest, again.outages.isPartial) = (3, hour, true)
    var archive = DayArchive()
    archive.put(first)
    archive.put(again)
    var wanted = again
    wanted.outages = first.outages
    #expect(archive.days(in: day..<day + 1) == [wanted])
    again.time.down += hour
    archive.put(again)
    (wanted.time.down, wanted.outages.isPartial) = (10 * hour, true)
    #expect(archive.days(in: day..<day + 1) == [wanted])
    // None is kept: the one that was assumed is none of those that were counted.
    again.outages = DayOutages()
    (again.outages.begun, again.outages.isPartial) = (1, true)
    var only = first
    (only.outages.begun, only.outages.longest) = (0, hour)
    #expect(again.since(only).outages.begun == 0 && again.since(only).outages.lead == hour)
    #expect(again.since(DayFigures(key: day)) == again)
    // What is known whole replaces everything.
    var whole = again
    whole.outages = DayOutages()
    (whole.outages.begun, whole.outages.longest) = (1, 10 * hour)
    #expect(whole.since(first) == whole)
  }
}
