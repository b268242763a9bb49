// SPDX-License-Identifier: MIT

import Testing

@testable import AgentConfig

struct NearestTests {
  private let keys = ["interval", "timeout", "retries", "retry_delay", "host", "port", "url", "ip", "tls"]

  @Test(arguments: [
    ("intervall", "interval"), ("intreval", "interval"), ("Timeout", "timeout"),
    ("retry-delay", "retry_delay"),
    ("retrydelay", "retry_delay"), ("prot", "port"), ("uri", "url"), ("hosts", "host"),
    ("INTERVAL", "interval"),
  ])
  func finds(word: String, expected: String) {
    #expect(nearest(to: word, among: keys) == expected)
  }

  @Test(arguments: ["", "prometheus", "x", "query", "certificate", "portxyz", "timers"])
  func leavesAlone(word: String) {
    #expect(nearest(to: word, among: keys) == nil)
  }

  /// A key as long as the file must not cost more than a short one.
  @Test func longWordsAreNotCompared() {
    #expect(nearest(to: String(repeating: "interval", count: 10_000), among: keys) == nil)
  }
}
