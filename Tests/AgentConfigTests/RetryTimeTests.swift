// SPDX-License-Identifier: MIT

import Testing

@testable import AgentConfig

/// Attempts that together may outlast the interval are a warning, wherever the retries are written.
@Suite struct RetryTimeTests {
  @Test(
    arguments: [
      ("interval: 30s, timeout: 10s, retries: 3, retry_delay: 1s", "30s"),
      ("interval: 42s, timeout: 10s, retries: 3, retry_delay: 1s", "42s"),
      ("interval: 43s, timeout: 10s, retries: 3, retry_delay: 1s", nil),
      ("interval: 10s, timeout: 10s, retries: 0, retry_delay: 1s", nil),
    ] as [(String, String?)], [true, false])
  func attemptsBeyondTheIntervalAreSaid(example: (keys: String, interval: String?), isInherited: Bool) throws
  {
    let (keys, interval) = example
    let text =
      isInherited
      ? "defaults: {\(keys)}\nchecks: [{name: A, type: tcp, host: a, port: 1}]\n"
      : "checks: [{name: A, type: tcp, host: a, port: 1, \(keys)}]\n"
    let loaded = try ConfigLoader.parse(text: text, file: "agent.yaml", sources: .test)
    let words = interval.map { "4 attempts take up to 43s, longer than the interval of \($0)" }
    #expect(loaded.warnings.count == (words == nil ? 0 : 1), "\(loaded.warnings)")
    if let words { #expect(loaded.warnings.first?.headline.contains(words) == true, "\(loaded.warnings)") }
  }

  @Test(arguments: [
    (0, "0s"), (59_500, "59500ms"), (60_000, "1m"), (90_000, "1m 30s"), (36_022_000, "10h 22s"),
    (90_061_250, "1d 1h 1m 1s 250ms"),
  ])
  func lengthsAreReadByPeople(milliseconds: Int, words: String) {
    #expect(Duration.milliseconds(milliseconds).spelled == words)
  }
}
