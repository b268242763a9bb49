// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import QuartzAPI

/// The API's rows are read by the declarations that agent.yaml is read by.
@Suite struct SharedKeysTests {
  /// All keys, those of maps inside included.
  private func leaves(_ table: KeyTable) -> [KeyFacts] {
    table.keys.flatMap { key -> [KeyFacts] in
      if case .map(let inner) = key.value { leaves(inner) } else { [key] }
    }
  }

  /// A column that a key names is one that the list has, and none is read for nothing.
  @Test func columnsAreThoseOfTheList() {
    let named = Set(leaves(.check).compactMap { $0.column?.name })
    let read = Set(WireCheck.columns.map(\.name))
    let others: Set = [
      "id", "resource_id", "resources.name", "check_type", "custom_headers", "http_auth_credentials",
    ]
    #expect(named.subtracting(others).isSubset(of: read) && others.isSubset(of: named))
    // These two say how another column is meant.
    #expect(read.subtracting(named) == ["keyword_type", "http_auth_type"])
  }

  /// A key without a column cannot come in by the API's door, wherever it stands.
  @Test(arguments: [
    ("follow", Given.Value.flag(false)),
    ("auth", .map(GivenMap([("digest", Given(.map(GivenMap([("username", Given(.text("u")))]))))]))),
    ("expect", .map(GivenMap([("final_url", Given(.text("x")))]))),
  ])
  func onlySharedKeysAreTaken(name: String, value: Given.Value) {
    var reader = KeyReader(.api)
    let map = GivenMap([
      ("type", Given(.text("http"))), ("url", Given(.text("https://a.example/"))), (name, Given(value)),
    ])
    let definition = CheckDefinition(map, &reader)
    #expect(definition.url == "https://a.example/" && reader.problems.count == 1)
    #expect(reader.problems.first?.message.hasSuffix("is none that a check from the API may have") == true)
    #expect(definition.http.follow && definition.expect.finalURL == nil)
    var local = KeyReader(.local)
    _ = CheckDefinition(map, &local)
    #expect(local.problems.isEmpty)
  }

  /// The bounds of a column are its key's, in whole numbers of its unit.
  @Test func boundsAreTheKeys() {
    let bounds = KeyTable.check.keys.compactMap { key in
      key.column?.bounds(of: key.value).map { "\(key.column?.name ?? "") \($0)" }
    }
    #expect(
      bounds == [
        "check_interval_seconds 1...86400", "timeout_seconds 1...60", "retry_count 0...10",
        "retry_delay_ms 0...3600000", "confirmation_delay_ms 0...3600000", "port 1...65535", "url 1...65535",
      ])
  }
}
