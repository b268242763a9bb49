// SPDX-License-Identifier: MIT

/// Returns once it is so. What never becomes so is a failure that names it, and not a test without an end.
package func until(
  _ what: String, within limit: Duration = .seconds(50), _ condition: () async throws -> Bool
) async throws {
  let deadline = ContinuousClock.now + limit
  while try await !condition() {
    guard ContinuousClock.now < deadline else { throw NeverHappened(what: what) }
    try await Task.sleep(for: .milliseconds(5))
  }
}

private struct NeverHappened: Error, CustomStringConvertible {
  let what: String
  var description: String { "never happened: \(what)" }
}
