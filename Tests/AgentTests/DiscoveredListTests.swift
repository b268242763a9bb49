// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Agent

/// What the sources of `discover` said, in the state directory: no emptier than is believed, and no more than has a use.
@Suite struct DiscoveredListTests {
  private func kept(_ path: String) async throws -> [UInt8]? { try await StateFile(path: path).read() }

  private func targets(_ numbers: Range<Int>) -> TargetList {
    TargetList(targets: numbers.map { TargetList.Target(address: "h\($0).test", host: "h\($0).test") })
  }

  @Test func aListThatEmptiesIsHeldForTenMinutesAlsoOverARestart() async throws {
    try await withTemporaryDirectory { folder in
      let clock = FakeClock()
      let disk = StateDisk(folder: folder.path, time: clock.time)
      DiscoveredList.tidy(in: folder.path, wanted: [])
      let name = "discovered/a.json"
      let first = DiscoveredList(disk.file(name))
      #expect(await first.take(targets(0..<10), at: clock.wall) == .other)
      #expect(await first.take(targets(0..<10), at: clock.wall) == .same)
      #expect(await first.take(targets(4..<12), at: clock.wall) == .other)

      let second = DiscoveredList(disk.file(name))
      let why =
        "8 of 8 targets disappeared at once; the previous list is kept until they have been missing for 10m"
      #expect(await second.take(targets(0..<0), at: clock.wall) == .refused(why))
      let stored1 = try await kept("\(folder.path)/\(name)")
      #expect(stored1 == targets(4..<12).json)
      clock.advance(by: .seconds(600))
      #expect(await second.take(targets(0..<0), at: clock.wall) == .other)
      let stored2 = try await kept("\(folder.path)/\(name)")
      #expect(stored2 == targets(0..<0).json)
    }
  }

  /// All new with every answer: the old ones go when they have been missing for ten minutes, and not sooner.
  @Test func aListThatIsNewEachTimeIsTakenOnceInTenMinutes() async throws {
    try await withTemporaryDirectory { folder in
      let clock = FakeClock()
      let disk = StateDisk(folder: folder.path, time: clock.time)
      DiscoveredList.tidy(in: folder.path, wanted: [])
      let list = DiscoveredList(disk.file("discovered/a.json"))
      var taken: [Int] = []
      for step in 0..<130 {
        let outcome = await list.take(targets(step * 10..<step * 10 + 10), at: clock.wall)
        if outcome == .other { taken.append(step) }
        clock.advance(by: .seconds(10))
      }
      #expect(taken == [0, 58, 116])
    }
  }

  @Test func onFullDiskWhatWasKnownStaysAndTheNewFollows() async throws {
    try await withTemporaryDirectory { folder in
      let (full, clock) = (FullDisk(), FakeClock())
      let disk = StateDisk(folder: folder.path, time: clock.time, medium: full.medium)
      DiscoveredList.tidy(in: folder.path, wanted: [])
      let list = DiscoveredList(disk.file("discovered/a.json"))
      #expect(await list.take(targets(0..<10), at: clock.wall) == .other)
      full.isFull = true
      #expect(await list.take(targets(0..<11), at: clock.wall) == .other)
      #expect(disk.trouble?.files == ["discovered/a.json"])
      let stored3 = try await kept("\(folder.path)/discovered/a.json")
      #expect(stored3 == targets(0..<10).json)
      full.isFull = false
      await disk.retry()
      #expect(disk.trouble == nil)
      let stored4 = try await kept("\(folder.path)/discovered/a.json")
      #expect(stored4 == targets(0..<11).json)
    }
  }

  /// Sources that come and go leave eight lists behind, the newest, and no file of anybody else's goes.
  @Test func theFolderIsBounded() async throws {
    try await withTemporaryDirectory { folder in
      DiscoveredList.tidy(in: folder.path, wanted: [])
      let place = folder.appending(path: "discovered")
      for number in 0..<30 {
        let file = place.appending(path: "\(10 + number).json")
        try Data("[]".utf8).write(to: file)
        let changed = timeval(tv_sec: 1_700_000_000 + number, tv_usec: 0)
        #expect(utimes(file.path, [changed, changed]) == 0)
      }
      try Data("mine".utf8).write(to: place.appending(path: "README"))
      DiscoveredList.tidy(in: folder.path, wanted: ["discovered/10.json", "discovered/11.json"])
      let left = try FileManager.default.contentsOfDirectory(atPath: place.path).sorted()
      #expect(
        left == ["10.json", "11.json"] + (32..<40).map { "\($0).json" } + ["README"], "\(left)")
    }
  }
}
