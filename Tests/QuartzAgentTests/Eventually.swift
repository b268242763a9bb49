// SPDX-License-Identifier: MIT

import Basics
import Foundation

@testable import QuartzAgent

/// Until it is so, or the time is up and what the agent wrote is shown.
func eventually(
  _ what: String, within limit: Duration = .seconds(40), _ agent: AgentProcess,
  _ condition: () async throws -> Bool
) async throws {
  let deadline = ContinuousClock.now + limit
  while try await !condition() {
    guard ContinuousClock.now < deadline else {
      throw Stuck(what: "never happened: \(what)", stderr: agent.stderr)
    }
    try await Task.sleep(for: .milliseconds(50))
  }
}

/// The data of a document of the running agent, asked of its socket: for looks that are many, of which each would begin with
/// a program of its own. `nil` while it does not answer.
func document(_ path: String, of folder: URL) async throws -> JSONValue? {
  let client = AgentClient(address: .unix(path: "\(folder.path)/state/agent.sock"))
  guard let text = try? await client.ask(path) else { return nil }
  return try JSONValue.parse(text.utf8)["data"]
}

/// The document of `status --format json`, with every check in its `list`.
func summary(of folder: URL) async throws -> JSONValue? {
  try await document("/api/v1/summary?full=1", of: folder)
}
