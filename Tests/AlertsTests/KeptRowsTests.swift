// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// Results in a row are counted on over a restart.
@Suite struct KeptRowsTests {
  private func settings(_ kind: AlertRule.Kind) -> AlertSettings {
    quickSettings([AlertRule("r", kind, severity: .high)])
  }

  private static let three = AlertRule.Kind.consecutiveFailures(threshold: 3, recoveries: 2)

  /// An agent that restarts after each result reaches the threshold.
  @Test func aRestartAfterEachFailure() throws {
    let shop = try makeCheck("Shop")
    var desk = Desk(settings(Self.three), [shop])
    for second in [Int64(0), 60] {
      desk.down(shop, at: second)
      #expect(desk.book.isDirty, "it is written down")
      desk = try desk.restarted(at: second + 10)
    }
    desk.down(shop, at: 120)
    desk.pass(from: 120, to: 130)
    #expect(desk.kinds == [.opened])
    #expect(desk.told.first?.message.members.first?.since == after(0), "since the first failure")
  }

  /// A success in between begins the row again, and so does maintenance.
  @Test(arguments: [false, true]) func aRowThatEnds(_ isMaintenance: Bool) throws {
    let shop = try makeCheck("Shop")
    var desk = Desk(settings(Self.three), [shop])
    for second in [Int64(0), 60] { desk.down(shop, at: second) }
    desk.note(result(shop, isMaintenance ? .down : .up, at: 120, maintenance: isMaintenance))
    #expect(desk.book.isDirty)
    desk = try desk.restarted(at: 130)
    for second in [Int64(180), 240] { desk.down(shop, at: second) }
    desk.pass(from: 240, to: 260)
    #expect(desk.told.isEmpty)
    desk.down(shop, at: 300)
    desk.pass(from: 300, to: 310)
    #expect(desk.kinds == [.opened])
  }

  /// Successes of what is down are counted on, too.
  @Test func recoveriesInARow() throws {
    let shop = try makeCheck("Shop")
    var desk = Desk(settings(Self.three), [shop])
    for second in [Int64(0), 60, 120] { desk.down(shop, at: second) }
    desk.pass(from: 120, to: 130)
    desk.up(shop, at: 180)
    desk = try desk.restarted(at: 190)
    desk.up(shop, at: 240)
    desk.pass(from: 240, to: 250)
    #expect(desk.kinds == [.opened, .recovered])
  }

  /// A state that has to last lasts over a restart.
  @Test(arguments: [CheckState.down, .unknown, .degraded]) func aStateThatLasts(_ state: CheckState) throws {
    let shop = try makeCheck("Shop")
    var desk = Desk(settings(.state(state, for: .seconds(300))), [shop])
    for second in stride(from: Int64(0), through: 300, by: 60) {
      desk.note(result(shop, state, at: second))
      if second < 300 { desk = try desk.restarted(at: second + 1) }
    }
    desk.pass(from: 300, to: 310)
    #expect(desk.kinds == [.opened])
  }

  /// After a gap of more than three intervals and a quarter of an hour the row is over.
  @Test(arguments: [(1000, true), (1200, false)]) func aLongGap(_ gap: Int64, _ isInARow: Bool) throws {
    let shop = try makeCheck("Shop")
    var desk = Desk(settings(Self.three), [shop])
    for second in [Int64(0), 60] { desk.down(shop, at: second) }
    desk = try desk.restarted(at: 60 + gap)
    desk.down(shop, at: 60 + gap)
    desk.pass(from: 60 + gap, to: 70 + gap)
    #expect(desk.kinds == (isInARow ? [.opened] : []))
  }

  /// What changes nothing is not written: neither successes of what is well, nor failures of what is known to be down.
  @Test func whatIsNotWritten() throws {
    let shop = try makeCheck("Shop")
    var desk = Desk(settings(Self.three), [shop])
    _ = try desk.saved(at: 0)
    for second in [Int64(0), 60] { desk.up(shop, at: second) }
    #expect(!desk.book.isDirty)
    for second in [Int64(120), 180, 240] { desk.down(shop, at: second) }
    _ = try desk.saved(at: 241)
    desk.down(shop, at: 300)
    #expect(!desk.book.isDirty)
    // But that it still is, now and then.
    desk.down(shop, at: 540)
    #expect(desk.book.isDirty)
  }

  /// The list comes in parts: rows of what is not in the first are kept for the second.
  @Test func aListInParts() throws {
    let checks = try ["a", "b"].map { try makeCheck($0) }
    var desk = Desk(settings(Self.three), checks)
    for second in [Int64(0), 60] { for check in checks { desk.down(check, at: second) } }
    let saved = try desk.saved(at: 61)
    var next = Desk(desk.book.settings, [checks[0]], saved: saved, at: 70)
    next.book.apply(checks, DependencyGraph(checks), now: reading(71))
    for check in checks { next.down(check, at: 120) }
    next.pass(from: 120, to: 130)
    #expect(next.told.first?.message.memberCount == 2)
  }

  /// The file of before, and one that says nonsense: no row, and nothing is lost besides.
  @Test(arguments: [
    "{}", #"{"rows":5}"#, #"{"rows":[{}]}"#, #"{"rows":[{"check":"x","at":"y"}]}"#,
    #"{"rows":[{"check":"ID","at":"2026-01-05T00:01:00.000Z","failures":-4,"successes":"a","state":"odd"}]}"#,
    #"{"rows":[{"check":"ID","at":"2026-01-05T00:01:00.000Z","failures":99999999999999999999}]}"#,
    #"{"rows":[{"check":"ID","at":"2027-01-05T00:01:00.000Z","failures":2}]}"#,
  ])
  func filesOfAllKinds(_ text: String) throws {
    let shop = try makeCheck("Shop")
    let saved = try JSONValue.parse(text.replacing("ID", with: shop.id.description).utf8)
    var desk = Desk(settings(Self.three), [shop], saved: saved, at: 70)
    for second in [Int64(120), 180] { desk.down(shop, at: second) }
    desk.pass(from: 180, to: 190)
    #expect(desk.told.isEmpty)
    desk.down(shop, at: 240)
    desk.pass(from: 240, to: 250)
    #expect(desk.kinds == [.opened])
  }

  /// Their number is bounded, whatever the file says.
  @Test func manyRows() throws {
    var rules = SavedRules()
    for number in 0..<25_000 {
      var row = SavedRow(at: after(0))
      row.failures = 1
      rules.rows[UniqueID(high: 1, low: UInt64(number))] = row
    }
    var json = JSONWriter()
    json.object { rules.write(to: &$0) }
    let again = SavedRules(try JSONValue.parse(json.bytes))
    #expect(again.rows.count == SavedRow.limit && json.bytes.count <= 150 * SavedRow.limit)
  }
}
