// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Foundation
import Logging
import Monitoring
import TestSupport
import Testing

@testable import Agent

/// Posts for the public page outlive the agent.
@Suite struct PostDeskTests {
  @Test func aPostSurvivesARestart() async throws {
    try await withTemporaryDirectory { folder in
      let (full, clock) = (FullDisk(), FakeClock())
      var definition = CheckDefinition()
      (definition.name, definition.type, definition.host, definition.port) = ("Web", "tcp", "192.0.2.1", 80)
      let check = try MonitoringCheck(definition)
      let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      func desk() async -> PostDesk {
        await PostDesk(
          restoring: StateDisk(folder: folder.path, time: clock.time, medium: full.medium),
          CheckCatalog(file: [check]), log: log, time: clock.time)
      }
      let posts = await desk()
      let begin = clock.wall
      let wish = PostWish(
        .post(title: "Web is slow", text: nil, state: .identified, target: .check("Web")), by: "ann")
      guard case .done = await posts.take(wish) else {
        Issue.record("refused")
        return
      }
      clock.advance(by: .seconds(60))
      _ = await posts.take(PostWish(.update(id: "Web is slow", text: "No more.", state: .resolved)))
      let kept = await desk().posts
      #expect(kept == (await posts.posts) && kept.map(\.title) == ["Web is slow"])
      #expect(
        kept.first?.updates == [
          .init(at: begin, state: .identified, by: "ann"),
          .init(at: begin.advanced(by: .seconds(60)), state: .resolved, text: "No more."),
        ])
      // After ninety days it is gone with the next start.
      clock.advance(by: .seconds(90 * 86_400))
      #expect(await desk().posts.isEmpty)
    }
  }

  /// Where nothing can be written the post is shown all the same, and the answer says what is missing.
  @Test func aFullDisk() async throws {
    try await withTemporaryDirectory { folder in
      let (full, clock) = (FullDisk(), FakeClock())
      let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      full.isFull = true
      let posts = await PostDesk(
        restoring: StateDisk(folder: folder.path, time: clock.time, medium: full.medium),
        CheckCatalog(file: []), log: log, time: clock.time)
      let wish = PostWish(.post(title: "Slow", text: nil, state: .identified, target: .everything))
      guard case .done(let words) = await posts.take(wish) else {
        Issue.record("refused")
        return
      }
      #expect(words.contains("it is not saved yet and would be lost on restart"))
      #expect(await posts.posts.count == 1)
    }
  }
}
