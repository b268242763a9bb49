// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Import

/// Relabelling beside Prometheus: the fixture has rules, a target and what Prometheus 2.42 made of it.
@Suite struct RelabellingTests {
  private static func cases() throws -> [ForeignNode] {
    let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
    return try ForeignNode.json(readAll("/\(folder)/Fixtures/relabelling.json")).items ?? []
  }

  private static func words(_ labels: [(name: String, value: String)]) -> [String] {
    labels.map { "\($0.name)=\($0.value)" }.sorted()
  }

  @Test func theTableIsWhole() throws { #expect(try Self.cases().count == 111) }

  @Test(arguments: try! RelabellingTests.cases().indices) func asPrometheus(_ index: Int) throws {
    let node = try Self.cases()[index]
    let rules = (node["rules"]?.items ?? []).map { RelabelRule(Section($0, Ledger())) }
    guard node["made"]?.text != "refused" else {
      #expect(rules.contains { $0 == nil })
      return
    }
    var labels = TargetLabels([
      ("job", "c\(index)"), ("__metrics_path__", "/probe"), ("__scheme__", "http"), ("__param_module", "m"),
      ("__scrape_interval__", "1h"), ("__scrape_timeout__", "10s"),
    ])
    for label in node["labels"]?.entries ?? [] { labels[label.name] = label.value.text }
    labels["__address__"] = node["address"]?.text
    var budget = GoPattern.Budget()
    var outcome = RelabelRule.Outcome.kept
    for rule in rules where outcome == .kept { outcome = try #require(rule).apply(&labels, &budget) }
    guard let made = node["made"], made.text != "dropped" else {
      #expect(outcome == .dropped)
      return
    }
    #expect(outcome == .kept)
    // Prometheus adds these at the end.
    if labels["instance"] == nil { labels["instance"] = labels["__address__"] }
    let expected = (made["labels"]?.entries ?? []).map { ($0.name, $0.value.text ?? "") }
    #expect(Self.words(labels.all.filter { !$0.name.hasPrefix("__") }) == Self.words(expected))
    var url = [("scheme", labels["__scheme__"] ?? ""), ("path", labels["__metrics_path__"] ?? "")]
    url += labels.all.filter { $0.name.hasPrefix("__param_") }.map {
      (String($0.name.dropFirst(8)), $0.value)
    }
    #expect(
      Self.words(url) == Self.words((made["url"]?.entries ?? []).map { ($0.name, $0.value.text ?? "") }))
  }

  /// Patterns that take backtracking readers for ever.
  @Test(arguments: [
    "(a*)*b", "(a|a)*b", "(.*)(.*)(.*)(.*)(.*)(.*)b", "(((a{30}){30}){10})*", "(?:(?:(?:){999}){999}){999}",
  ])
  func hostilePatternsEnd(pattern: String) {
    var budget = GoPattern.Budget()
    guard let made = GoPattern(pattern) else { return }
    _ = made.match(String(repeating: "a", count: 2000), &budget)
    #expect(!budget.isSpent)
  }

  @Test func patternsOfTooManyStepsAreNone() {
    #expect(GoPattern("((a{1000}){1000}){1000}") == nil)
    #expect(GoPattern(String(repeating: "(", count: 5000)) == nil)
    #expect(GoPattern("\\pL") == nil)
  }

  /// MD5 of so many letters, around each end of a block (RFC 1321; the sums are those of Python's hashlib).
  @Test(arguments: [
    (0, "d41d8cd98f00b204e9800998ecf8427e"), (1, "0cc175b9c0f1b6a831c399e269772661"),
    (54, "eced9e0b81ef2bba605cbc5e2e76a1d0"), (55, "ef1772b6dff9a122358552954ad0df65"),
    (56, "3b0c8ac703f828b04c6c197006d17218"), (63, "b06521f39153d618550606be297466d5"),
    (64, "014842d480b571495a4a0363793f7367"), (119, "8a7bd0732ed6a28ce75f6dabc90e1613"),
    (120, "5f61c0ccad4cac44c75ff505e1f1e537"),
  ])
  func sums(count: Int, sum: String) {
    #expect(Base16.text(md5([UInt8](repeating: 0x61, count: count))) == sum)
  }
}
