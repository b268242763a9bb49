// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Monitoring
import Testing

@testable import AgentConfig

/// The documentation against the key tables and the loader: it names every key, and its examples are right.
struct DocumentationTests {
  static let docs = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "docs")

  private func page(_ name: String) throws -> String {
    try String(contentsOf: Self.docs.appending(path: name), encoding: .utf8)
  }

  private func names(_ table: KeyTable) -> [String] {
    table.keys.flatMap { key -> [String] in
      if case .map(let inner) = key.value { return [key.name] + names(inner) }
      return [key.name]
    } + table.planned.map(\.text)
  }

  @Test func everyKeyIsNamed() throws {
    let (configuration, checks) = (try page("configuration.md"), try page("checks.md"))
    let missing =
      names(.check).filter { !checks.contains($0) }
      + names(KeyTable(keys: KeyTable.root.keys.filter { !["checks", "defaults"].contains($0.name) })).filter
    {
      !configuration.contains($0)
    }
    #expect(Set(missing).subtracting(laterSettings) == [])
  }

  /// Promised for settings, and not worth a line of the page.
  private let laterSettings: Set = ["run_now_token"]

  /// Who has a reason finds it, with its cause and what to do.
  @Test func everyReasonHasItsRow() throws {
    let rows = try page("troubleshooting.md").split(separator: "\n").filter { $0.hasPrefix("| `") }
    for reason in Reason.allCases {
      let cells = rows.first { $0.hasPrefix("| `\(reason.rawValue)` |") }?.split(
        separator: "|", omittingEmptySubsequences: false)
      let filled = cells?.filter { $0.contains { $0 != " " } }.count ?? 0
      #expect(filled == (reason == .ok ? 2 : 4), "\(reason.rawValue)")
    }
  }

  @Test(arguments: ["configuration.md", "checks.md", "getting-started.md", "how-to.md"])
  func examplesAreRight(name: String) throws {
    let blocks = try page(name).components(separatedBy: "```yaml\n").dropFirst()
      .compactMap { $0.components(separatedBy: "```").first }
    #expect(blocks.count >= 3)
    for block in blocks {
      if block.hasPrefix("cases:\n") {
        let cases = try CaseFile.parse(text: block, file: "cases.yaml", environment: [:])
        #expect(!cases.cases.isEmpty)
        continue
      }
      let whole = block.hasPrefix("- ") ? "checks:\n" + block : block
      let text = whole.contains("checks:\n") ? whole : whole + oneCheck
      #expect(throws: Never.self, "\(block)") {
        try ConfigLoader.parse(text: text, file: "agent.yaml", sources: exampleSources)
      }
    }
  }
}
