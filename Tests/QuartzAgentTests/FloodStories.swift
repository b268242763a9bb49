// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import TestSupport
import Testing

/// The daemon beside servers that send at full speed what holds nothing of an answer.
@Suite(.timeLimit(.minutes(2))) struct FloodStories {
  struct Flood: Sendable, CustomTestStringConvertible {
    var name: String
    /// Of the check.
    var keys: String
    /// Said once, and for ever.
    var first: [UInt8]
    var again: [UInt8]

    var testDescription: String { name }

    func keys(_ port: UInt16) -> String { keys.replacing("PORT", with: "127.0.0.1:\(port)") }
  }

  private static let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]

  static let floods: [Flood] = [
    Flood(
      name: "hello requests", keys: "type: http, url: \"https://PORT/\"", first: [],
      again: [22, 3, 3, 0, 4, 0, 0, 0, 0]),
    Flood(
      name: "hello requests on the reactor", keys: "type: tls, host: 127.0.0.1, port: NUMBER", first: [],
      again: [22, 3, 3, 0, 4, 0, 0, 0, 0]),
    Flood(
      name: "priorities", keys: "type: http, url: \"http://PORT/\", http_version: \"2\"", first: settings,
      again: [0, 0, 5, 2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 16]),
    Flood(
      name: "a chunk's extension", keys: "type: http, url: \"http://PORT/\", http_version: \"1.1\"",
      first: Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;a=".utf8), again: [0x61]),
  ]

  /// SIGTERM ends it within 8 s, and it ends well: what is under way is given five.
  @Test(arguments: floods) func endsInTime(_ flood: Flood) async throws {
    let block = Array(Array(repeating: flood.again, count: 65_536 / flood.again.count).joined())
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: { link in
        _ = link.read()
        link.write(flood.first)
        while link.write(block) {}
      }) { server in
        let keys = flood.keys(server.port).replacing("NUMBER", with: "\(server.port)")
        try RunStories.config(
          (0..<20).map { "  - {name: Flood \($0), \(keys), interval: 1s, timeout: 1s}" }
            .joined(separator: "\n"), in: folder)
        let process = try AgentProcess(["run"], in: folder)
        try await process.wait(for: "all of them, twice") { server.accepted >= 40 }
        let stopped = ContinuousClock.now
        process.send(SIGTERM)
        let outcome = try await process.finish()
        let taken = stopped.duration(to: .now)
        print("SIGTERM beside \(flood.name): \(taken)")
        // One that is not done after 8 s ends itself, with 70.
        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(outcome.stderr.contains("stopped"))
      }
    }
  }
}
