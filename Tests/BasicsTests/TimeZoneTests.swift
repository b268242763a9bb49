// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Basics

struct TimeZoneTests {
  /// Saving time in the north and the south, by half an hour, below standard time, and none at all.
  static let places = [
    "Europe/London", "America/New_York", "Australia/Sydney", "Australia/Lord_Howe", "Europe/Dublin",
    "Asia/Kathmandu", "Asia/Tokyo", "America/Phoenix", "Pacific/Auckland", "Africa/Lagos",
  ]

  @Test("offsets are those that another reader of the same database finds", arguments: places)
  func offsets(name: String) throws {
    let rules = try TimeZoneFiles().zone(name)
    let other = try #require(TimeZone(identifier: name))
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      // From 1980 to 2099, so far beyond the listed changes.
      let second = Int64.random(in: 315_532_800..<4_102_444_800, using: &generator)
      let date = Date(timeIntervalSince1970: Double(second))
      #expect(
        rules.offset(at: second) == Int64(other.secondsFromGMT(for: date)), "\(name) at \(second)")
    }
  }

  @Test("every instant is found again by what the clock shows", arguments: places)
  func roundTrip(name: String) throws {
    let rules = try TimeZoneFiles().zone(name)
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      let second = Int64.random(in: 315_532_800..<4_102_444_800, using: &generator)
      let found = rules.instant(rules.local(Timestamp(seconds: second)))
      // In the hour that comes twice, the first of the two.
      #expect(rules.local(found) == rules.local(Timestamp(seconds: second)))
      #expect(found <= Timestamp(seconds: second))
    }
  }

  @Test("a time that comes twice is the first, one that never comes is the change")
  func changes() throws {
    let london = try TimeZoneFiles().zone("Europe/London")
    func instant(_ text: String) throws -> String {
      london.instant(try #require(LocalTime(text: text))).rfc3339
    }
    #expect(try instant("2026-03-29T00:59") == "2026-03-29T00:59:00.000Z")
    #expect(try instant("2026-03-29T01:00") == "2026-03-29T01:00:00.000Z")
    #expect(try instant("2026-03-29T01:30") == "2026-03-29T01:00:00.000Z")
    #expect(try instant("2026-03-29T02:00") == "2026-03-29T01:00:00.000Z")
    #expect(try instant("2026-10-25T00:59:59") == "2026-10-24T23:59:59.000Z")
    #expect(try instant("2026-10-25T01:30") == "2026-10-25T00:30:00.000Z")
    #expect(try instant("2026-10-25T02:00") == "2026-10-25T02:00:00.000Z")
    #expect(try instant("2061-07-01T12:00") == "2061-07-01T11:00:00.000Z")
  }

  @Test("a day that a place left out begins with the next")
  func skippedDay() throws {
    let apia = try TimeZoneFiles().zone("Pacific/Apia")
    let noon = try #require(LocalTime(text: "2011-12-30T12:00"))
    #expect(apia.instant(noon).rfc3339 == "2011-12-30T10:00:00.000Z")
    #expect(apia.local(apia.instant(noon)).text == "2011-12-31T00:00")
  }

  @Test("a name that is no zone says what to write")
  func names() {
    func failure(_ name: String, folder: String = "/usr/share/zoneinfo") -> TimeZoneFiles.Failure? {
      do throws(TimeZoneFiles.Failure) {
        _ = try TimeZoneFiles(folder: folder).zone(name)
        return nil
      } catch { return error }
    }
    #expect(failure("Europe/London") == nil)
    #expect(failure("europe/london")?.hint == "did you mean \"Europe/London\"?")
    #expect(failure("London")?.hint == "did you mean \"Europe/London\"?")
    #expect(failure("utc")?.hint == "did you mean \"UTC\"?")
    #expect(failure("Europe/Londinium")?.message == "is no time zone this system knows")
    for name in ["../../etc/passwd", "/etc/passwd", "", "Europe//London", "Europe/Lon don", "Europe"] {
      #expect(failure(name) != nil, "\(name)")
    }
    #expect(failure("UTC", folder: "/nonexistent") == nil)
    #expect(
      failure("Europe/London", folder: "/nonexistent")?.hint == "install the package tzdata, or write UTC")
    // A table beside the zones is none of them.
    #expect(failure("zone1970")?.message == "is no time zone this system knows")
  }

  @Test("a damaged zone file is refused, wherever it is cut or changed, and never crashes")
  func damage() throws {
    let bytes = Array(try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/Europe/London")))
    #expect(TimeZoneRules(name: "x", file: bytes) != nil)
    for length in 0..<bytes.count {
      #expect(TimeZoneRules(name: "x", file: Array(bytes[..<length])) == nil, "cut at \(length)")
    }
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 0xff
      // Some bytes (names, the old block) mean nothing to us: then the rules are the same or merely different.
      _ = TimeZoneRules(name: "x", file: changed)
    }
  }

  @Test("rules for the years to come that are none are refused")
  func rules() {
    for text in [
      "", "GM", "GMT", "GMT0BST", "GMT0BST,M3.5.0", "GMT0BST,M13.5.0,M10.5.0", "GMT0BST,J0,J1", "<GMT0",
    ] {
      #expect(PosixZone(text: Array(text.utf8)) == nil, "\(text)")
    }
    #expect(PosixZone(text: Array("<+0545>-5:45".utf8))?.standard == 20_700)
    let julian = PosixZone(text: Array("AAA3BBB,J60/0,300/-1".utf8))
    // 1 March, also in a leap year; day 300 counts from 0, an hour before it begins.
    #expect(julian?.offset(at: 1_709_262_000 - 1) == -10_800)
    #expect(julian?.offset(at: 1_677_639_600 - 1) == -10_800 && julian?.offset(at: 1_677_639_600) == -7200)
    // 28 February has one number in every year.
    let february = PosixZone(text: Array("AAA3BBB,J59/0,J300/0".utf8))
    for second in [1_677_553_200, 1_709_089_200] as [Int64] {
      #expect(february?.offset(at: second - 1) == -10_800 && february?.offset(at: second) == -7200)
    }
    #expect(julian?.offset(at: 1_709_262_000 + 3600) == -7200)
  }
}
