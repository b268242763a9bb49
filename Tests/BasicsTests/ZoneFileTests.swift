// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

@testable import Basics

/// Zone files of RFC 9636 made by hand, and what a folder of them says of a name.
@Suite struct ZoneFileTests {
  /// Counts in the order of a header: of indicators for UT and for standard time, leap seconds, changes, types and the
  /// characters of names.
  private struct Zone {
    var (version, oldVersion) = (UInt8(ascii: "2"), UInt8(ascii: "2"))
    var old = [0, 0, 0, 0, 0, 0]
    var universals = 0
    var standards = 0
    var leaps = 0
    var times: [(at: Int64, type: UInt8)] = [(100, 1), (200, 0)]
    var types: [Int32] = [3600, -7200]
    var footer = "\nAAA-2\n"
    var magic = "TZif"

    private func number<Number: FixedWidthInteger>(_ value: Number) -> [UInt8] {
      withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }

    private func header(_ version: UInt8, _ counts: [Int]) -> [UInt8] {
      Array(magic.utf8) + [version] + [UInt8](repeating: 9, count: 15) + counts.flatMap { number(UInt32($0)) }
    }

    var bytes: [UInt8] {
      var bytes = header(oldVersion, old)
      bytes += [UInt8](
        repeating: 7, count: old[3] * 5 + old[4] * 6 + old[5] + old[2] * 8 + old[1] + old[0])
      bytes += header(version, [universals, standards, leaps, times.count, types.count, 4])
      bytes += times.flatMap { number($0.at) } + times.map { $0.type }
      bytes += types.flatMap { number($0) + [1, 0] }
      bytes += [UInt8](repeating: 0x41, count: 4 + leaps * 12 + standards + universals)
      return bytes + Array(footer.utf8)
    }

    var rules: TimeZoneRules? { TimeZoneRules(name: "x", file: bytes) }
  }

  private func changed(_ change: (inout Zone) -> Void) -> Zone {
    var zone = Zone()
    change(&zone)
    return zone
  }

  @Test func aZoneIsRead() throws {
    let rules = try #require(Zone().rules)
    #expect(rules.name == "x" && rules.first == 3600)
    #expect([99, 100, 199, 200, 999].map { rules.offset(at: $0) } == [3600, -7200, -7200, 7200, 7200])
    let ended = try #require(changed { $0.footer = "\n\n" }.rules)
    #expect(ended.rule == nil && [99, 100, 200].map { ended.offset(at: $0) } == [3600, -7200, 3600])
    // What stands in the block of the first version, and what is skipped in the second.
    let wide = changed { zone in
      zone.old = [1, 2, 3, 4, 5, 6]
      (zone.standards, zone.universals) = (2, 1)
    }
    #expect(wide.rules == rules)
    let utc = try #require(changed { ($0.times, $0.types, $0.footer) = ([], [0], "\nUTC0\n") }.rules)
    #expect(utc.transitions.isEmpty && utc.offset(at: 5) == 0)
  }

  @Test func boundsOfAZone() {
    func isRead(_ change: (inout Zone) -> Void) -> Bool { changed(change).rules != nil }
    for digit in UInt8(ascii: "0")...UInt8(ascii: "9") {
      #expect(isRead { $0.version = digit } == (digit >= UInt8(ascii: "2")))
      #expect(isRead { $0.oldVersion = digit } == (digit >= UInt8(ascii: "2")))
    }
    #expect(!isRead { $0.version = 0 } && !isRead { $0.magic = "TZiF" } && !isRead { $0.leaps = 1 })
    #expect(!isRead { ($0.times, $0.types) = ([], []) } && !isRead { $0.times[1].type = 2 })
    #expect(
      !isRead { $0.times[1].at = 100 } && !isRead { $0.times[1].at = 99 } && isRead { $0.times[1].at = 101 })
    #expect(isRead { $0.times[0].at = -5 } && !isRead { $0.times[0].at = .min })
    for (offset, fits) in [(93_599, true), (93_600, false), (-93_599, true), (-93_600, false)]
      as [(Int32, Bool)]
    {
      #expect(isRead { $0.types[1] = offset } == fits)
    }
    for footer in ["AAA-2\n", "\nAAA-2", "\nAA\n", "\nAAA-2\nx\n", "\n", "", "\n\nAAA-2\n", "\nAAA-2 \n"] {
      #expect(!isRead { $0.footer = footer }, "\(footer)")
    }
  }

  @Test func aFolderOfZones() async throws {
    try await withTemporaryDirectory { folder in
      func write(_ name: String, _ bytes: [UInt8]) {
        #expect(FileManager.default.createFile(atPath: folder.path + "/" + name, contents: Data(bytes)))
      }
      let files = TimeZoneFiles(folder: folder.path)
      func failure(_ name: String) -> TimeZoneFiles.Failure? {
        do throws(TimeZoneFiles.Failure) {
          _ = try files.zone(name)
          return nil
        } catch { return error }
      }
      #expect(files.names.isEmpty && failure("UTC") == nil)
      #expect(failure("Asia/Tokyo")?.message == "needs the system's time zones, and \(folder.path) has none")
      try FileManager.default.createDirectory(
        atPath: folder.path + "/Europe", withIntermediateDirectories: false)
      write("Europe/London", Zone().bytes)
      write(
        "zone.tab",
        Array("# a\tb\tNo/Where\nGB\t+5130\tEurope/London\tx\nXX\t+0\nUS\t+4\tAmerica/New_York\n".utf8))
      #expect(files.names == ["Europe/London", "America/New_York"])
      let london = try files.zone("Europe/London")
      #expect(london.name == "Europe/London" && london.first == 3600)
      write("Bad", Array("TZif".utf8))
      write("Large", [UInt8](repeating: 0, count: 262_144))
      write("Larger", [UInt8](repeating: 0, count: 262_145))
      let (unknown, damaged) = (
        "is no time zone this system knows", "names a file of \(folder.path) that is damaged"
      )
      #expect(failure("Bad") == .init(message: damaged, hint: "install the package tzdata again"))
      #expect(failure("Large")?.message == damaged && failure("Larger")?.message == unknown)
      #expect(failure("Europe")?.message == unknown, "a folder")
      let plain = "names are those of the IANA database, such as Europe/London"
      for (name, hint) in [
        ("Nowhere", plain), ("Europe/Nowhere", plain), ("LONDON", "did you mean \"Europe/London\"?"),
        ("Asia/new_york", "did you mean \"America/New_York\"?"), ("Utc", "did you mean \"UTC\"?"),
        ("ondon", plain), ("Etc/GMT+1", plain), (String(repeating: "a", count: 64), plain),
      ] {
        #expect(failure(name) == .init(message: unknown, hint: hint), "\(name)")
      }
      let none = TimeZoneFiles.Failure(
        message: "must be the IANA name of a time zone",
        hint: "such as Europe/London, America/New_York or UTC")
      for name in ["", "a/", "/a", "a//b", ".", "..", "a:", "a@", "a[", "a`", "a{", "a b", "é", "a,b", "a."]
        + [String(repeating: "a", count: 65)]
      {
        #expect(failure(name) == none, "\(name)")
      }
    }
  }
}
