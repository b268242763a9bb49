// SPDX-License-Identifier: MIT

import Testing

@testable import Basics

/// The rule at the end of a zone file, and the table before it, second by second at each change.
@Suite struct TimeZoneRuleTests {
  /// Changes of 2026: the zone, the instant, and the offsets before and from it on.
  static let changes: [(rule: String, at: String, before: Int64, after: Int64)] = [
    // Each change comes by the clock that shows until then: 01:00 GMT, 02:00 BST.
    ("GMT0BST,M3.5.0/1,M10.5.0", "2026-03-29T01:00:00Z", 0, 3600),
    ("GMT0BST,M3.5.0/1,M10.5.0", "2026-10-25T01:00:00Z", 3600, 0),
    // 02:00 EST and 02:00 EDT, as nothing else is said.
    ("EST5EDT,M3.2.0,M11.1.0", "2026-03-08T07:00:00Z", -18_000, -14_400),
    ("EST5EDT,M3.2.0,M11.1.0", "2026-11-01T06:00:00Z", -14_400, -18_000),
    // Over new year.
    ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-04-04T16:00:00Z", 39_600, 36_000),
    ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-10-03T16:00:00Z", 36_000, 39_600),
    // By half an hour.
    ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "2026-04-04T15:00:00Z", 39_600, 37_800),
    ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "2026-10-03T15:30:00Z", 37_800, 39_600),
    // The winter is what is named second: 01:00 GMT, 02:00 IST.
    ("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-03-29T01:00:00Z", 0, 3600),
    ("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-10-25T01:00:00Z", 3600, 0),
    // An hour before the last Sunday of March begins, and as the last one of October does.
    ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-29T01:00:00Z", -7200, -3600),
    ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-10-25T01:00:00Z", -3600, -7200),
    // With minutes and seconds, to the west and the east.
    ("AAA1:02:03BBB,J60/1:02:03,J300", "2026-03-01T02:04:06Z", -3723, -123),
    ("AAA-1:02:03BBB,J60/1:02:03,J300", "2026-03-01T00:00:00Z", 3723, 7323),
  ]

  @Test(arguments: changes.indices) func eachChangeComesByTheClockBeforeIt(row: Int) throws {
    let row = Self.changes[row]
    let rule = try #require(PosixZone(text: Array(row.rule.utf8)))
    let at = try #require(Timestamp(rfc3339: row.at)).microseconds / 1_000_000
    #expect(rule.offset(at: at - 1) == row.before, "\(row)")
    #expect(rule.offset(at: at) == row.after, "\(row)")
  }

  /// The last week of a month is its fourth or its fifth; a week before the first day is none.
  @Test(arguments: [
    ("M2.5.0", "2026-02-22"), ("M3.5.0", "2026-03-29"), ("M3.4.0", "2026-03-22"), ("M3.1.0", "2026-03-01"),
    ("M3.1.6", "2026-03-07"), ("M3.2.0", "2026-03-08"), ("M5.5.0", "2026-05-31"), ("M5.5.1", "2026-05-25"),
    ("J1", "2026-01-01"), ("J59", "2026-02-28"), ("J60", "2026-03-01"), ("J365", "2026-12-31"),
    ("0", "2026-01-01"), ("58", "2026-02-28"), ("59", "2026-03-01"), ("364", "2026-12-31"),
    ("J59", "2028-02-28"), ("J60", "2028-03-01"), ("J365", "2028-12-31"), ("59", "2028-02-29"),
    ("60", "2028-03-01"), ("365", "2028-12-31"), ("M2.5.2", "2028-02-29"),
  ])
  func daysOfAYear(day: String, date: String) throws {
    // The other change is far from the day.
    let (year, month) = (date.prefix(4), date.dropFirst(5).prefix(2))
    let other = month < "07" ? "J200" : "J100"
    let rule = try #require(PosixZone(text: Array("AAA0BBB,\(day)/0,\(other)/0".utf8)), "\(day)")
    let at = try #require(Timestamp(rfc3339: "\(date)T00:00:00Z")).microseconds / 1_000_000
    #expect(rule.offset(at: at) == 3600, "\(day) of \(year)")
    let before = rule.offset(at: at - 1)
    // Of the first of January the rule is that of the year before, whose saving time has ended.
    #expect(before == 0, "\(day) of \(year)")
  }

  /// Both sides of each bound of POSIX.1 and RFC 9636.
  @Test(arguments: [
    ("GMT167", true), ("GMT168", false), ("GMT-167:59:59", true), ("GMT1:60", false), ("GMT1:59:60", false),
    ("GMT+1", true), ("GMT1:", false), ("GMT", false), ("GM1", false), ("<GMT>1", true), ("<GMT1", false),
    ("<+01>-1<+02>,M1.1.0,M12.5.6", true), ("GMT0BST,M0.1.0,M2.1.0", false),
    ("GMT0BST,M12.1.0,M2.1.0", true), ("GMT0BST,M13.1.0,M2.1.0", false),
    ("GMT0BST,M1.0.0,M2.1.0", false), ("GMT0BST,M1.6.0,M2.1.0", false), ("GMT0BST,M1.5.7,M2.1.0", false),
    ("GMT0BST,M1.1.0,M2.1.7", false), ("GMT0BST,J1,J365", true), ("GMT0BST,J1,J366", false),
    ("GMT0BST,J0,J365", false), ("GMT0BST,0,365", true), ("GMT0BST,0,366", false),
    ("GMT0BST,J1,J2 ", false), ("GMT0BST,J1,J2,J3", false), ("GMT0BST,J1/167,J2/-167", true),
    ("GMT0BST,J1/168,J2", false), ("GMT0BST,J1,J2/-168", false), ("GMT0BST,J1/,J2", false),
    ("GMT0BST-1:30,J1,J2", true), ("GMT0BST-1:30", false), ("GMT0 BST,J1,J2", false), ("GMT0B,J1,J2", false),
  ])
  func textsOfARule(text: String, isOne: Bool) {
    #expect((PosixZone(text: Array(text.utf8)) != nil) == isOne, "\(text)")
  }

  /// Saving time is an hour ahead where its offset is not told.
  @Test func theOffsetOfSavingTime() throws {
    func saving(_ text: String) throws -> Int64? {
      try #require(PosixZone(text: Array(text.utf8))).saving?.offset
    }
    #expect(try saving("AAA5BBB,J1,J2") == -14_400)
    #expect(try saving("AAA-5BBB,J1,J2") == 21_600)
    #expect(try saving("AAA5BBB5:30,J1,J2") == -19_800)
    #expect(try saving("AAA5BBB-0:30,J1,J2") == 1800)
    #expect(try saving("AAA5") == nil)
  }

  /// Before the first change, between two, and after the last one, with a rule and without.
  @Test func changesOfATable() throws {
    let rule = PosixZone(text: Array("AAA-1".utf8))
    func offsets(_ transitions: [Int64], _ rule: PosixZone?) -> [Int64] {
      let rules = TimeZoneRules(
        name: "x", transitions: transitions, offsets: [10, 20, 30].suffix(transitions.count), first: 5,
        rule: rule)
      return [99, 100, 199, 200, 299, 300, 9999].map { rules.offset(at: $0) }
    }
    #expect(offsets([100, 200, 300], nil) == [5, 10, 10, 20, 20, 30, 30])
    #expect(offsets([100, 200, 300], rule) == [5, 10, 10, 20, 20, 3600, 3600])
    #expect(offsets([200, 300], nil) == [5, 5, 5, 20, 20, 30, 30])
    #expect(offsets([], rule) == Array(repeating: 3600, count: 7))
    #expect(offsets([], nil) == Array(repeating: 5, count: 7))
  }
}
