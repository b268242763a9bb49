// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Logging
import Monitoring
import TestSupport
import Testing

@testable import Agent

/// Sources of targets, each by a clock of its own.
@Suite(.timeLimit(.minutes(1))) struct DiscoveryKeeperTests {
  private func source(_ name: String) throws -> DiscoverySource {
    var definition = DiscoveryDefinition()
    (definition.dns, definition.templates) = (name, ["web"])
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
          == [first, second].map {
            "\($0.label): no answer; the targets known before stay"
          })
      keeper.follow([second])
      for _ in 0..<100_000 where keeper.notices.count > 1 { await Task.yield() }
      #expect(keeper.notices.map(\.what) == ["\(second.label): no answer; the targets known before stay"])
      task.cancel()
      await task.value
    }
  }
}
