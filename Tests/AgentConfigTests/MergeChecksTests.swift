// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Monitoring
import Testing

struct MergeChecksTests {
  private func check(_ name: String, _ id: Int, _ origin: CheckOrigin = .api) throws -> MonitoringCheck {
    var definition = CheckDefinition()
    definition.origin = origin
    definition.name = name
    definition.id = UniqueID(high: UInt64(id) << 32 | 0x4000, low: 1 << 63).description
    definition.type = "tcp"
    definition.host = "db.example"
    definition.port = 5432
    return try MonitoringCheck(definition)
  }

  @Test func fileWinsByID() throws {
    let file = [try check("Mine", 1, .local)]
    let merged = mergeChecks(file: file, api: [try check("Theirs", 1), try check("Other", 2)])
    #expect(merged.checks.map(\.name) == ["Mine", "Other"])
    #expect(merged.checks[0].origin == .local)
  }

  @Test func doubledNamesGetTheirID() throws {
    let merged = mergeChecks(
      file: [try check("Web http", 1, .local)],
      api: [
        try check("Web http", 3), try check("API http", 5), try check("API http", 4), try check("DB port", 2),
      ])
    #expect(
      merged.checks.map(\.name) == [
        "Web http", "DB port", "Web http (00000003)", "API http (00000004)", "API http (00000005)",
      ])
  }

  /// The API's order changes from page to page and day to day; names on a page should not.
  @Test func orderDoesNotMatter() throws {
    let api = try (1...8).map { try check("Web", $0 % 4 + 1) } + [try check("Web (00000001)", 9)]
    let expected = mergeChecks(file: [], api: api)
    for shift in 1..<api.count {
      #expect(mergeChecks(file: [], api: Array(api[shift...] + api[..<shift])) == expected)
    }
    #expect(Set(expected.checks.map(\.name)).count == expected.checks.count)
    #expect(expected.checks.count == 5)
    // The short form is taken by a check that really bears it.
    #expect(expected.checks[0].name.hasPrefix("Web (00000001-"))
  }

  @Test func nothingIsNothing() {
    let merged = mergeChecks(file: [], api: [])
    #expect(merged.checks.isEmpty)
  }
}
