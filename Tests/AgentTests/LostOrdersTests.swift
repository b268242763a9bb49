// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Foundation
import Logging
import Monitoring
import TestSupport
import Testing

@testable import Agent

/// A damaged file of orders or posts is a problem until the next one is given.
@Suite struct LostOrdersTests {
  private let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  @Test func orders() async throws {
    try await withTemporaryDirectory { folder in
      try Data("[".utf8).write(to: folder.appending(path: OperatorDesk.fileName))
      let clock = FakeClock()
      let operators = await OperatorDesk(
        restoring: StateDisk(folder: folder.path, time: clock.time), CheckCatalog(file: []),
        MaintenanceBook(file: []), alerts: nil, log: log, time: clock.time)
      let loss = try #require(await operators.loss)
      #expect(
        loss
          == .warning(
            "operator actions",
            "mutes, maintenance windows and acknowledgements by hand are lost: by-hand.json is damaged",
            hint:
              "repeat them with quartz-agent mute, maintenance and ack; this problem clears with the next one",
            since: clock.wall))
      // A refusal orders nothing.
      _ = await operators.take(
        OperatorWish(.mute(target: .check("none"), length: .seconds(60)), by: nil, why: nil))
      #expect(await operators.loss == loss)
      _ = await operators.take(
        OperatorWish(.mute(target: .everything, length: .seconds(60)), by: nil, why: nil))
      #expect(await operators.loss == nil)
    }
  }

  @Test func posts() async throws {
    try await withTemporaryDirectory { folder in
      try Data("[".utf8).write(to: folder.appending(path: PostDesk.fileName))
      let clock = FakeClock()
      let posts = await PostDesk(
        restoring: StateDisk(folder: folder.path, time: clock.time), CheckCatalog(file: []), log: log,
        time: clock.time)
      #expect(
        await posts.loss?.what == "the posts of the public page are lost: posts.json is damaged")
      _ = await posts.take(
        PostWish(.post(title: "Web", text: nil, state: .identified, target: .everything), by: nil))
      #expect(await posts.loss == nil)
    }
  }
}
