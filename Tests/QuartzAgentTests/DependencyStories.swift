// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Monitoring
import TestSupport
import Testing

/// `depends_on` with the shipped binary, from the file to the windows.
@Suite struct DependencyStories {
  private func config(_ gateway: UInt16, _ shop: UInt16) -> String {
    """
      - {name: Shop, type: tcp, host: 127.0.0.1, port: \(shop), interval: 1s, timeout: 1s, retries: 0, tags: [north]}
      - {name: Gateway, type: tcp, host: 127.0.0.1, port: \(gateway), interval: 1s, timeout: 1s, retries: 0}
    """
  }

  private let rules = "dependencies: [{tags: [north], depends_on: [Gateway]}]"

  /// `once` looks at the parent too, whether it was asked for or not.
  @Test func onceNamesTheParent() async throws {
    try await withTemporaryDirectory { folder in
      try RunStories.config(config(try freePort(), try freePort()), more: rules, in: folder)
      let outcome = try await agent("once", "Shop", in: folder)
      #expect(outcome.status == 3, "\(outcome.stderr)")
      let result = try JSONValue.parse(outcome.stdout.dropLast().utf8)
      #expect(result["state"]?.string == "unknown" && result["reason"]?.string == "dependency")
      #expect(result["message"]?.string?.hasPrefix("\"Gateway\", which it depends on, is down") == true)
    }
  }

  /// The child's outage is its own while the gateway works, and the gateway's alone once that is gone too.
  @Test func onlyTheParentIsChargedWithItsOutage() async throws {
    try await withTemporaryDirectory { folder in
      let shop = try freePort()
      var process: AgentProcess?
      func told(_ words: String, _ check: String) -> Bool {
        process?.stderr.split(separator: "\n").contains {
          $0.contains(words) && $0.contains("check=\(check)")
        } == true
      }
      try await withLoopbackServer(script: { _ in }) { gateway in
        try RunStories.config(config(gateway.port, shop), more: rules, in: folder)
        process = try AgentProcess(["run"], in: folder)
        try await process?.wait(for: "an outage of its own") { told("check is down", "Shop") }
        #expect(!told("check is down", "Gateway"))
      }
      try await process?.wait(for: "the gateway's outage") {
        told("check is down", "Gateway") && told("check fails along with what it depends on", "Shop")
          && told("reason=dependency", "Shop")
      }
      process?.send(SIGTERM)
      #expect(try await process?.finish().status == 0)
      let exported = try await agent("spool", "export", in: folder).stdout.split(separator: "\n")
        .map { try JSONValue.parse($0.utf8) }
      let shops = exported.filter { $0["check"]?.string == "Shop" }.compactMap { $0["state"]?.string }
      // Down while the gateway worked, and not a single time since.
      let turn = shops.firstIndex(of: "unknown") ?? shops.endIndex
      #expect(turn > 0 && turn < shops.count && !shops[turn...].contains("down"), "\(shops)")
    }
  }
}
