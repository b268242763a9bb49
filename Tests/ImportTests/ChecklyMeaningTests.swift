// SPDX-License-Identifier: MIT

import Import
import Testing

/// Which statuses pass, of all there are, for each comparison and every edge.
@Suite struct ChecklyMeaningTests {
  private func assertion(_ comparison: String, _ code: Int) -> String {
    "{\"source\":\"STATUS_CODE\",\"comparison\":\"\(comparison)\",\"target\":\"\(code)\"}"
  }

  private func read(_ assertions: [String], fails: Bool) throws -> ImportedCheck {
    let list = assertions.joined(separator: ",")
    let made = try ReadSource(
      .checkly,
      """
      {"checks":[{"name":"n","checkType":"API","shouldFail":\(fails),
      "request":{"url":"https://a.example/","assertions":[\(list)]}}]}
      """)
    #expect(made.problems == [])
    return try #require(made.imported.checks.first)
  }

  /// `expect.status` as a list of statuses.
  private func statuses(_ check: ImportedCheck) -> [Int] {
    guard case .list(let parts)? = check["expect.status"] else {
      return check["expect.status"]?.word == "any" ? Array(100...599) : []
    }
    return parts.flatMap { part -> [Int] in
      let ends = (part.word ?? "").split(separator: "-").compactMap { Int($0) }
      return ends.count == 2 ? Array(ends[0]...ends[1]) : ends
    }
  }

  private static let comparisons: [(name: String, holds: @Sendable (Int, Int) -> Bool)] = [
    ("EQUALS", { $0 == $1 }), ("NOT_EQUALS", { $0 != $1 }), ("LESS_THAN", { $0 < $1 }),
    ("GREATER_THAN", { $0 > $1 }),
  ]

  /// Without `shouldFail` what is below 400, with it what is not; a comparison that none of them meets changes nothing.
  @Test(arguments: [100, 199, 200, 201, 204, 299, 300, 398, 399, 400, 401, 499, 598, 599], [false, true])
  func aComparison(code: Int, fails: Bool) throws {
    let all = fails ? Array(400...599) : Array(200...399)
    for (name, holds) in Self.comparisons {
      let kept = all.filter { holds($0, code) }
      let check = try read([assertion(name, code)], fails: fails)
      #expect(statuses(check) == (kept.isEmpty ? all : kept), "\(name) \(code)")
    }
  }

  /// By hand.
  @Test(arguments: [
    ("GREATER_THAN", 399, true, "400-599"), ("GREATER_THAN", 400, true, "401-599"),
    ("GREATER_THAN", 200, false, "201-399"), ("LESS_THAN", 300, false, "200-299"),
    ("EQUALS", 204, false, "204"),
    ("LESS_THAN", 201, false, "200"),
  ])
  func byHand(name: String, code: Int, fails: Bool, text: String) throws {
    guard case .list(let parts)? = try read([assertion(name, code)], fails: fails)["expect.status"] else {
      Issue.record("no list")
      return
    }
    #expect(parts.map(\.word) == [text])
  }

  /// Two at once: what both let pass, whichever stands first.
  @Test(
    arguments: [("GREATER_THAN", 200), ("NOT_EQUALS", 204), ("LESS_THAN", 300)],
    [("NOT_EQUALS", 302), ("LESS_THAN", 399)])
  func two(first: (String, Int), second: (String, Int)) throws {
    let kept = (200...399).filter { code in
      [first, second].allSatisfy { one in
        Self.comparisons.contains { $0.name == one.0 && $0.holds(code, one.1) }
      }
    }
    for pair in [[first, second], [second, first]] {
      let check = try read(pair.map { assertion($0.0, $0.1) }, fails: false)
      #expect(statuses(check) == kept, "\(pair)")
    }
  }

  /// A script before the request may change it; an empty value of Checkly's answers is none.
  @Test func scriptsAndCertificates() throws {
    func changes(_ values: String) throws -> [String] {
      let made = try ReadSource(
        .checkly,
        "[{\"checkType\": \"API\", \"name\": \"a\", \"request\": {\"url\": \"https://a.example/\"}, \(values)}]"
      )
      return made.imported.checks[0].notes.map { "\($0.change?.rawValue ?? "none"): \($0.why)" }
    }
    #expect(
      try changes("\"localSetupScript\": \"request.url += 'x'\", \"sslCheckDomain\": \"a.example\"") == [
        "changed: scripts are not run here", "laxer: write a tls check of that name",
      ])
    #expect(
      try changes("\"localSetupScript\": \"\", \"sslCheckDomain\": \"\", \"id\": \"x\"") == [
        "none: an internal field of Checkly"
      ])
  }

  /// A text that is no number of JSON stays a text.
  @Test(arguments: ["00", "01", "+5", "12e4567", "nan", "Infinity", "0x10", "5."])
  func textsThatAreNoNumbers(target: String) throws {
    let made = try ReadSource(
      .checkly,
      #"{"checks":[{"name":"n","checkType":"API","request":{"url":"https://a.example/","assertions":["#
        + #"{"source":"JSON_BODY","comparison":"EQUALS","target":"\#(target)","property":"$.v","regex":""}]}}]}"#
    )
    guard case .map(let entries)? = made.imported.checks.first?["expect.json"],
      case .text(let text)? = entries.first?.value
    else {
      Issue.record("no text: \(made.text)")
      return
    }
    #expect(entries.count == 1 && text == target && made.problems == [], "\(made.text)")
  }
}
