// SPDX-License-Identifier: MIT

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
