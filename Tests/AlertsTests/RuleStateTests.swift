// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// What is kept of the rules over a restart: rows of results, the words of the rules, and what each check
/// looked at.
@Suite struct RuleStateTests {
  private let check = UniqueID(high: 0, low: 2)

  /// Words that are part of the state file: a rule that says the same keeps them.
  @Test(
    arguments: [
      (.consecutiveFailures(threshold: 3, recoveries: 2), "failures 3 2"),
      (.consecutiveFailures(threshold: nil, recoveries: 1), "failures own 1"),
      (.state(.degraded, for: .seconds(300)), "state degraded 300000000us"),
      (
        .responseTime(above: .milliseconds(5), percentile: 95, window: .seconds(60)),
        "response 5000us p95 60000000us"
      ),
      (
        .responseTime(above: .milliseconds(5), percentile: nil, window: .seconds(1)),
        "response 5000us last 1000000us"
      ),
      (.certificateExpiry(before: [.seconds(2), .seconds(1)]), "certificate 2000000us 1000000us"),
      (.downtime(above: .seconds(1), window: .day), "downtime 1000000us \(UptimePeriod.day.rawValue)"),
      (.burnRate(objective: 99.9), "burn 99.9"), (.agent(for: .seconds(1)), "agent 1000000us"),
    ] as [(AlertRule.Kind, String)])
  func wordsOfRules(kind: AlertRule.Kind, words: String) { #expect(kind.saved == words) }

  /// Three intervals and a quarter of an hour; the future continues nothing.
  @Test(arguments: [(-1, false), (0, true), (1080, true), (1081, false)] as [(Int64, Bool)])
  func whichRowGoesOn(gap: Int64, goesOn: Bool) throws {
    #expect(SavedRow(at: after(0)).continues(try makeCheck("Shop"), at: after(gap)) == goesOn)
  }

  @Test(arguments: [(-1, true), (86_400, true), (86_401, false)] as [(Int64, Bool)])
  func whichRowIsYoung(age: Int64, isYoung: Bool) {
    #expect(SavedRow(at: after(0)).isYoung(at: after(age)) == isYoung)
  }

  /// Something else than the time, or the time after five minutes, or one that was set back.
  @Test func whatIsNews() {
    var row = SavedRow(at: after(300))
    row.failures = 2
    var before = row
    #expect(row.isNews(after: nil) && !row.isNews(after: before))
    for (second, isNews) in [(1, false), (0, true), (300, false), (301, true)] as [(Int64, Bool)] {
      before.at = after(second)
      #expect(row.isNews(after: before) == isNews, "\(second)")
    }
    (before.at, before.failures) = (after(299), 1)
    #expect(row.isNews(after: before))
  }

  @Test func whatIsEmpty() {
    let changes: [(inout SavedRow) -> Void] = [
      { $0.failures = 1 }, { $0.successes = 1 }, { $0.state = .down }, { $0.unknownSince = after(0) },
    ]
    #expect(SavedRow(at: after(0)).isEmpty)
    for change in changes {
      var row = SavedRow(at: after(0))
      change(&row)
      #expect(!row.isEmpty)
    }
  }

  private func memory(_ states: [CheckState]) throws -> CheckMemory {
    let shop = try makeCheck("Shop")
    var memory = CheckMemory()
    for (place, state) in states.enumerated() {
      memory.add(result(shop, state, at: Int64(place)), keepsTimes: false)
    }
    return memory
  }

  /// No more of a row than decides something.
  @Test func rows() throws {
    #expect(try memory([]).row(failures: 9, successes: 9, states: [.down]) == nil)
    let down = try memory([.up, .down, .down, .down])
    var row = SavedRow(at: after(3))
    (row.failures, row.failingSince) = (2, after(1))
    #expect(down.row(failures: 2, successes: 9, states: [.up]) == row)
    row.failures = 3
    (row.state, row.stateSince) = (.down, after(1))
    #expect(down.row(failures: 9, successes: 9, states: [.down]) == row)
    (row.failures, row.failingSince) = (0, nil)
    #expect(down.row(failures: 0, successes: 9, states: [.down]) == row)
    #expect(down.row(failures: 0, successes: 9, states: [.up, .unknown]) == nil)
    let up = try memory([.down, .up, .degraded, .unknown])
    var other = SavedRow(at: after(3))
    (other.successes, other.unknownSince) = (2, after(3))
    #expect(up.row(failures: 9, successes: 9, states: [.unknown]) == other)
    other.unknownSince = nil
    other.successes = 1
    #expect(up.row(failures: 9, successes: 1, states: []) == other)
    #expect(up.row(failures: 9, successes: 0, states: []) == nil)
    let long = try memory([CheckState](repeating: .down, count: 1001))
    #expect(long.row(failures: 2000, successes: 0, states: [])?.failures == 1000)
  }

  /// As it was read it counts on.
  @Test func aRowThatIsRead() throws {
    let shop = try makeCheck("Shop")
    let before = try memory([.down, .down])
    let row = try #require(before.row(failures: 9, successes: 9, states: [.down, .unknown]))
    var memory = CheckMemory(row)
    #expect(memory.failures == 2 && memory.failingSince == after(0) && memory.since(.down) == after(0))
    #expect(memory.since(.up) == nil && memory.since(.unknown) == nil)
    memory.add(result(shop, .down, at: 9), keepsTimes: false)
    #expect(memory.failures == 3 && memory.failingSince == after(0) && memory.since(.down) == after(0))
    memory.add(result(shop, .unknown, at: 10), keepsTimes: false)
    memory.add(result(shop, .unknown, at: 11), keepsTimes: false)
    #expect(memory.since(.unknown) == after(10) && memory.since(.down) == after(0) && memory.failures == 3)
    memory.add(result(shop, .degraded, at: 12), keepsTimes: false)
    #expect(memory.since(.unknown) == nil && memory.since(.degraded) == after(12) && memory.failures == 0)
    #expect(memory.failingSince == nil && memory.successes == 1)
  }

  private func text(_ rules: SavedRules) -> String {
    var json = JSONWriter()
    json.object { rules.write(to: &$0) }
    return json.text
  }

  @Test func asItIsWritten() throws {
    var rules = SavedRules()
    #expect(text(rules) == #"{"sites":[],"rules":[],"rows":[]}"#)
    let other = UniqueID(high: 0, low: 3)
    rules.sites = [
      other: CheckSite(type: .tcp, target: "b.example:80"),
      check: CheckSite(type: .tcp, target: "b.example:80"),
      UniqueID(high: 0, low: 1): CheckSite(type: .tcp, target: "a.example:80"),
    ]
    rules.rules = [ByteText("down"): "failures 3 2", ByteText("a"): "burn 99.9"]
    var row = SavedRow(at: after(9))
    (row.failures, row.successes, row.failingSince) = (2, 1, after(1))
    (row.state, row.stateSince, row.unknownSince) = (.down, after(2), after(3))
    rules.rows = [other: SavedRow(at: after(0)), check: row]
    func at(_ second: Int) -> String { #""2026-01-05T00:00:0\#(second).000Z""# }
    #expect(
      text(rules)
        == #"{"sites":[{"type":"tcp","target":"a.example:80","checks":["\#(UniqueID(high: 0, low: 1))"]},"#
        + #"{"type":"tcp","target":"b.example:80","checks":["\#(check)","\#(other)"]}],"#
        + #""rules":[{"name":"a","says":"burn 99.9"},{"name":"down","says":"failures 3 2"}],"#
        + #""rows":[{"check":"\#(check)","at":\#(at(9)),"failures":2,"successes":1,"#
        + #""failing_since":\#(at(1)),"#
        + #""state":"down","state_since":\#(at(2)),"unknown_since":\#(at(3))},"#
        + #"{"check":"\#(other)","at":\#(at(0))}]}"#)
    let read = SavedRules(try JSONValue.parse(text(rules).utf8))
    #expect(read == rules && SavedRules(nil) == SavedRules())
  }

  /// A check is renamed where another one looks at the same, as many as are gone; of several its name is not
  /// known.
  @Test func renames() throws {
    func site(_ host: String) throws -> CheckSite { CheckSite(try makeCheck("x", host: host)) }
    let (one, two) = (UniqueID(high: 0, low: 1), UniqueID(high: 0, low: 2))
    let (new, more) = (try makeCheck("New", host: "192.0.2.1"), try makeCheck("More", host: "192.0.2.1"))
    func outcome(_ former: [UniqueID: CheckSite], _ checks: [MonitoringCheck]) -> String {
      let (end, name) = CheckRenames(from: former, to: checks).outcome(of: one)
      return "\(end) \(name ?? "-")"
    }
    let first = try site("192.0.2.1")
    #expect(outcome([one: first], [new]) == "renamed New" && outcome([one: first], []) == "removed -")
    #expect(outcome([one: first], [new, more]) == "renamed -")
    #expect(outcome([one: first, two: first], [new]) == "removed -")
    #expect(outcome([one: first, two: first], [new, more]) == "renamed -")
    #expect(outcome([one: try site("192.0.2.9")], [new]) == "removed -")
    #expect(outcome([two: first], [new]) == "removed -")
    #expect(outcome([one: first, new.id: first], [new]) == "removed -", "that one was there before")
  }

  /// Of a saved state 20,000 targets are read, and 20,000 checks of each.
  @Test(arguments: [(1, 19_999), (1, 20_000), (1, 20_001), (20_000, 1), (20_001, 1)])
  func mostThatIsRead(sites: Int, checks: Int) throws {
    let items = (0..<sites).map { site in
      let ids = (0..<checks).map { "\"\(UniqueID(high: UInt64(site), low: UInt64($0)))\"" }
      return #"{"type":"tcp","target":"a\#(site):80","checks":[\#(ids.joined(separator: ","))]}"#
    }
    let text = #"{"sites":[\#(items.joined(separator: ","))]}"#
    let read = SavedRules(try JSONValue.parse(text.utf8)).sites
    #expect(read.count == min(20_000, sites * checks))
  }
}
