// SPDX-License-Identifier: MIT

import Basics
import Foundation
import TestSupport
import Testing

/// `quartz-agent once --post`: what it exits with, by what was found and by what became of the delivery.
@Suite struct PostStatusStories {
  enum Found: String, CaseIterable { case up, down, unknown }

  /// A check of that state, with the address of a server that answers.
  private func check(_ found: Found, _ web: UInt16, _ closed: UInt16) -> String {
    let page =
      "type: http, url: \"http://127.0.0.1:\(web)/\", interval: 1h, timeout: 1s, post: true, retries: 0"
    return switch found {
    case .up: "  - {name: up, \(page)}"
    case .down:
      "  - {name: down, type: tcp, host: 127.0.0.1, port: \(closed), interval: 1h, timeout: 1s, post: true, retries: 0}"
    case .unknown:
      "  - {name: unknown, type: tcp, host: 127.0.0.9, port: 9, interval: 1h, timeout: 1s, post: true}"
    }
  }

  private func status(_ found: [Found], api: UInt16, in folder: URL) async throws -> Outcome {
    let closed = try freePort()
    return try await withLoopbackServer(script: RunStories.web) { web in
      try RunStories.config(
        found.map { check($0, web.port, closed) }.joined(separator: "\n"),
        more: """
          egress: {deny: [127.0.0.9]}
          quartz: {url: "http://127.0.0.1:\(api)/v1", api_key: \(FakeQuartz.key), deliver: {every: 1s}}
          """, in: folder)
      return try await agent("once", "--post", in: folder)
    }
  }

  /// What is down is down, delivered or not; what is not delivered is no success; what is unknown is never delivered.
  @Test(
    arguments: [
      ([.up], 0, 3), ([.down], 2, 2), ([.unknown], 3, 3), ([.up, .down], 2, 2),
      ([.down, .unknown], 2, 2),
    ] as [([Found], Int32, Int32)])
  func exitCodes(found: [Found], delivered: Int32, undelivered: Int32) async throws {
    try await withTemporaryDirectory { folder in
      try await withFakeQuartz(FakeQuartz()) { port in
        let outcome = try await status(found, api: port, in: folder)
        #expect(outcome.status == delivered, "\(outcome.stderr)")
      }
      let nobody = try freePort()
      let outcome = try await status(found, api: nobody, in: folder)
      #expect(outcome.status == undelivered, "\(outcome.stderr)")
    }
  }
}
