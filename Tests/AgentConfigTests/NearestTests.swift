// SPDX-License-Identifier: MIT

import AgentConfig
import Testing

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

  @Test(arguments: ["", "5", "prometheus", "x", "query", "certificate", "portxyz", "timers"])
  func leavesAlone(word: String) {
    #expect(nearest(to: word, among: keys) == nil)
  }

  /// A key as long as the file must not cost more than a short one.
  @Test func longWordsAreNotCompared() {
    #expect(nearest(to: String(repeating: "interval", count: 10_000), among: keys) == nil)
  }

  /// One edit in three characters, and one at least; words of up to forty.
  @Test(
    arguments: [
      ("a", "b", false), ("a", "ab", true), ("5", "4", false), ("A", "a", true),
      ("ab", "ac", true), ("ab", "cd", false), ("abcde", "abcxy", false), ("abcdef", "abcdxy", true),
      ("abcdef", "abcxyz", false), ("abcdefghi", "abcdefxyz", true), ("abcdefghi", "abcdewxyz", false),
      ("abdc", "abcd", true), ("abc", "abcd", true), ("abcd", "abc", true),
      (String(repeating: "a", count: 40), String(repeating: "a", count: 41), true),
      (String(repeating: "a", count: 41), String(repeating: "a", count: 41), false),
    ])
  func distance(word: String, candidate: String, isNear: Bool) {
    #expect(nearest(to: word, among: [candidate]) == (isNear ? candidate : nil))
  }

  /// Of several the nearest, and of those as near the first.
  @Test func theNearestOfSeveral() {
    #expect(nearest(to: "abcdef", among: ["abcxyf", "abcdxf", "abxdef"]) == "abcdxf")
    #expect(nearest(to: "abcdef", among: ["abcxyf", "abcdef"]) == "abcdef")
  }
}
