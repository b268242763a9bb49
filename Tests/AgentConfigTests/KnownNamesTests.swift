// SPDX-License-Identifier: MIT

import AgentConfig
import Testing

/// A value with a mistake of its own makes no second one at the places that name it.
@Suite struct KnownNamesTests {
  private func told(_ text: String) -> (problems: [String], warnings: [String]) {
    do throws(ConfigErrors) {
      let loaded = try ConfigLoader.parse(text: text, file: "agent.yaml", sources: .test)
      return ([], loaded.warnings.map(\.message))
    } catch {
      return (error.problems.map(\.message), error.warnings.map(\.message))
    }
  }

  private let refused = "checks: [{name: B, type: tcp, host: b.example, port: 99999, tags: [shop]}]\n"

  @Test func refusedChecksAreKnownToWindowsAndRules() {
    let window = "{name: M, start: 2026-01-04T02:00, duration: 1h, checks: [B], tags: [shop]}"
    let found = told(refused + "maintenance: [\(window)]\n")
    #expect(found.problems == ["port must be at most 65535, found 99999"] && found.warnings.isEmpty)
    let other = told(refused + "maintenance: [\(window.replacing("[B]", with: "[X]"))]\n")
    #expect(other.warnings == ["checks[0] names no check: \"X\""])
  }

  /// Templates and checks of a file that cannot be read may be those that are named.
  @Test func namesOfUnreadableFilesAreNotJudged() {
    let check = "{name: A, extends: web, type: tcp, host: a.example, port: 1, depends_on: [B]}"
    let found = told("include: [/nowhere/none.yaml]\ncanaries: [C]\nchecks: [\(check)]\n")
    #expect(found.problems == ["include: /nowhere/none.yaml: the file does not exist"])
    let section = told("templates: [1]\nchecks: [\(check)]\n")
    #expect(section.problems == ["templates must be a map, found a list"])
  }

  /// A channel whose name cannot be read may be the one that is named.
  @Test func namesOfChannelsThatCannotBeRead() {
    let rule = "rules: [{type: state, state: down, channels: [ops]}]"
    let channel = "{name: [ops], webhook: \"https://h.example/${file:key}\"}"
    let found = told(oneCheck + "alerts: {channels: [\(channel)], \(rule)}\n")
    #expect(found.problems.allSatisfy { !$0.contains("which is no channel") } && !found.problems.isEmpty)
  }
}
