// SPDX-License-Identifier: MIT

import ArgumentParser
import Basics
import Foundation
import Monitoring
import TestSupport
import Testing

@testable import QuartzAgent

/// Checks and targets that one command names more than once.
@Suite struct RepeatedChecksTests {
  /// A check of the configuration by its name, again, and by its id is one, in the order they are named first.
  @Test func aCheckNamedTwiceIsOne() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.appending(path: "agent.yaml").path
      try """
      checks:
        - {name: Shop, type: tcp, host: shop.example, port: 80}
        - {name: "db:5432", type: tcp, host: db.example, port: 5432}
      """.write(toFile: path, atomically: true, encoding: .utf8)
      func selected(_ targets: String...) throws -> OnceSelection {
        try OnceSelection(
          targets: targets, options: TargetOptions.parse([]), config: ConfigOptions.parse(["-c", path]))
      }
      let id = try #require(try selected("Shop").checks.first?.id)
      let found = try selected(
        "db:5432", "Shop", "tcp://x:1", "db:5432", id.description, "Shop", "tcp://x:1")
      #expect(found.checks.map(\.name) == ["db:5432", "Shop", "tcp://x:1"])
      #expect(found.repeatedWords == "named more than once, run once a round: db:5432, Shop, tcp://x:1")
      #expect(try selected("Shop", "db:5432").repeatedWords == nil)
    }
  }
}
