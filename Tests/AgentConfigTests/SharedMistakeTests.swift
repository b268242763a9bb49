// SPDX-License-Identifier: MIT

import Testing

@testable import AgentConfig

/// A mistake in values that several checks have is reported once, where it stands.
@Suite struct SharedMistakeTests {
  private func problems(_ text: String) -> [String] {
    do throws(ConfigErrors) {
      _ = try ConfigLoader.parse(text: text, file: "agent.yaml", sources: .test)
      return []
    } catch {
      return error.problems.map(\.headline)
    }
  }

  private let checks = """
    checks:
      - {name: A, type: http, url: "http://a.example/", tags: [own]}
      - {name: B, type: http, url: "http://b.example/"}

    """

  @Test func unknownKeysOfDefaults() {
    #expect(
      problems("defaults: {http: {expect: {response_time: {warn:800ms, fail:3s}}}}\n" + checks) == [
        "agent.yaml:1:44: unknown key \"warn:800ms\" in defaults.http.expect.response_time",
        "agent.yaml:1:56: unknown key \"fail:3s\" in defaults.http.expect.response_time",
      ])
  }

  @Test func tagsAndDefaultsOfAGroup() {
    let text = """
      groups:
        - name: G
          tags: [1, true, null]
          defaults: {http: {expect: {response_time: {warn:800ms}}, timeout: 5 s}}
          \(checks.split(separator: "\n").joined(separator: "\n    "))
      """
    #expect(
      problems(text) == [
        "agent.yaml:3:21: groups[0].tags[2] is empty",
        "agent.yaml:4:48: unknown key \"warn:800ms\" in groups[0].defaults.http.expect.response_time",
        "agent.yaml:4:62: groups[0].defaults.http.timeout must be a duration, found \"5 s\"",
      ])
  }
}
