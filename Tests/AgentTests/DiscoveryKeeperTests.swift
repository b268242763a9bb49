// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Foundation
import Logging
import Monitoring
import Synchronization
import TestSupport
import Testing

@testable import Agent

/// Sources of targets, each by a clock of its own.
@Suite(.timeLimit(.minutes(1))) struct DiscoveryKeeperTests {
  private func source(_ place: String, _ name: String? = nil) throws -> DiscoverySource {
    var definition = DiscoveryDefinition()
    (definition.dns, definition.templates, definition.name) = (place, ["web"], name)
    return try DiscoverySource(definition) { $0 }
  }

  /// A source that fails has a notice, and none any more once the configuration names it no more.
  @Test func aSourceThatIsGone() async throws {
    try await withTemporaryDirectory { folder in
      let clock = FakeClock()
      let (first, second) = (try source("_a._tcp.test"), try source("_b._tcp.test"))
      let keeper = DiscoveryKeeper(
        [first, second], disk: StateDisk(folder: folder.path, time: clock.time), log: Logger(label: "test"),
        time: clock.time
      ) { _ in .failed("no answer") }
      let task = Task { await keeper.run() }
      while keeper.notices.count < 2 { await Task.yield() }
      #expect(
        keeper.notices.map(\.what)
          == [
            "discover[0] _a._tcp.test: no answer; no targets are known yet",
            "discover[1] _b._tcp.test: no answer; no targets are known yet",
          ])
      keeper.follow([second])
      for _ in 0..<100_000 where keeper.notices.count > 1 { await Task.yield() }
      #expect(keeper.notices.map(\.what) == ["discover[0] _b._tcp.test: no answer; no targets are known yet"])
      task.cancel()
      await task.value
    }
  }

  /// An item whose place is edited begins with the list it had, which stays until the new place answers, and longer where the
  /// answer is another list altogether. A new item has none.
  @Test func anEditedItemKeepsItsTargets() async throws {
    try await withTemporaryDirectory { folder in
      let clock = FakeClock()
      let disk = StateDisk(folder: folder.path, time: clock.time)
      let (before, after) = (try source("_a._tcp.test"), try source("_b._tcp.test"))
      let added = try source("_c._tcp.test", "c ${target}")
      let (old, new) = (list("x.test", "y.test"), list("z.test"))
      let answers = Mutex<[DiscoverySource: TargetList]>([before: old])
      let keeper = DiscoveryKeeper([before], disk: disk, log: Logger(label: "test"), time: clock.time) {
        source in
        answers.withLock { $0[source] }.map(DiscoveryFinding.list) ?? .failed("refused")
      }
      func stored(_ name: String?) async throws -> [UInt8]? {
        try await StateFile(path: "\(folder.path)/\(try #require(name))").read()
      }
      func notices(_ expected: String...) async {
        for _ in 0..<100_000 where keeper.notices.map(\.what) != expected { await Task.yield() }
        #expect(keeper.notices.map(\.what) == expected)
      }
      let task = Task { await keeper.run() }
      await clock.someoneSleeps(until: .seconds(60))
      #expect(try await stored(before.cacheName) == old.json)

      keeper.follow([after])
      await notices("discover[0] _b._tcp.test: refused; the targets known before stay")
      #expect(try await stored(after.cacheName) == old.json)
      #expect(try await stored(DiscoveryIndex.name) == DiscoveryIndex(of: [after]).json)
      await clock.someoneSleeps(until: .seconds(60))

      answers.withLock { $0[after] = new }
      var kept: [Int] = []
      for minute in 1...11 {
        clock.advance(by: .seconds(60))
        await clock.someoneSleeps(until: .seconds(60 * (minute + 1)))
        if minute == 1 {
          await notices(
            "discover[0] _b._tcp.test: 2 of 2 targets disappeared at once; the previous list is kept until they have "
              + "been missing for 10m; the targets known before stay")
        }
        if try await stored(after.cacheName) == old.json { kept.append(minute) }
      }
      #expect(kept == Array(1...10))
      #expect(try await stored(after.cacheName) == new.json)
      await notices()

      keeper.follow([after, added])
      await notices("discover[1] _c._tcp.test: refused; no targets are known yet")
      #expect(try await stored(added.cacheName) == nil)
      task.cancel()
      await task.value
    }
  }

  /// Targets that make no check are counted, as long as the source names them.
  @Test func targetsThatAreLeftOut() async throws {
    try await withTemporaryDirectory { folder in
      let (clock, source) = (FakeClock(), try source("_a._tcp.test"))
      let answers = [
        #"[{"targets": ["a.test", "b c", ""], "labels": {"x": null}}]"#, #"[{"targets": ["a.test"]}]"#,
      ]
      let asked = Mutex(0)
      let keeper = DiscoveryKeeper(
        [source], disk: StateDisk(folder: folder.path, time: clock.time), log: Logger(label: "test"),
        time: clock.time
      ) { _ in
        let number = asked.withLock { count in
          defer { count += 1 }
          return min(count, answers.count - 1)
        }
        let list = try? TargetList(json: Array(answers[number].utf8))
        return list.map(DiscoveryFinding.list) ?? .failed("no list")
      }
      let task = Task { await keeper.run() }
      await clock.someoneSleeps(until: .seconds(60))
      #expect(
        keeper.notices == [
          .warning(
            .discovery, "discover[0] _a._tcp.test: targets left out, as they make no check: 2",
            hint: "the log names up to 50 of them, and why")
        ])
      clock.advance(by: .seconds(60))
      await clock.someoneSleeps(until: .seconds(120))
      #expect(keeper.notices == [])
      task.cancel()
      await task.value
    }
  }

  private func list(_ hosts: String...) -> TargetList {
    TargetList(targets: hosts.map { TargetList.Target(address: $0, host: $0) })
  }
}
