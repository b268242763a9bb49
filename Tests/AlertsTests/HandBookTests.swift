// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Monitoring
import Testing

/// What people order by hand.
@Suite struct HandBookTests {
  private func take(_ book: inout HandBook, _ kind: OperatorWish.Kind, at seconds: Int64 = 0) throws
    -> OperatorAnswer
  {
    var generator = Counter(state: UInt64(seconds))
    let checks = [try makeCheck("Shop", tags: ["team:shop"])]
    return book.take(
      OperatorWish(kind, by: "ann", why: "deploy"), now: after(seconds), names: OperatorNames(checks),
      using: &generator)
  }

  /// A mute holds for its time and ends by itself; the audit log says who and why.
  @Test func aMuteEndsByItself() throws {
    let shop = try makeCheck("Shop", tags: ["team:shop"])
    var book = HandBook()
    guard case .done(let words) = try take(&book, .mute(target: .tag("team:shop"), length: .seconds(1800)))
    else {
      Issue.record("refused")
      return
    }
    #expect(words.contains("tag:team:shop is muted until 2026-01-05T00:30:00"))
    #expect(book.mutedUntil(shop, at: after(1799)) == after(1800))
    #expect(book.mutedUntil(shop, at: after(1800)) == nil)
    #expect(book.mutedUntil(try makeCheck("Bank"), at: after(10)) == nil)
    #expect(!book.advance(to: after(1799)) && book.advance(to: after(1800)) && book.mutes.isEmpty)
    #expect(book.audit.map(\.act) == ["mute", "mute over"])
    #expect(book.audit[0].by == "ann" && book.audit[0].why == "deploy")
  }

  /// What nobody is called, and what is too long, is refused.
  @Test func refusals() throws {
    var book = HandBook()
    for kind: OperatorWish.Kind in [
      .mute(target: .check("Shp"), length: .seconds(60)), .mute(target: .tag("x"), length: .seconds(60)),
      .mute(target: .everything, length: .seconds(31 * 86_400)), .unmute(id: "Shop"),
      .endMaintenance(id: "abcdef"),
    ] {
      if case .done = try take(&book, kind) { Issue.record("\(kind) was done") }
    }
    #expect(book.isEmpty)
  }

  /// A window of maintenance is one like any other, and ends when it is told to.
  @Test func maintenance() throws {
    let shop = try makeCheck("Shop", tags: ["team:shop"])
    var book = HandBook()
    _ = try take(&book, .startMaintenance(target: .check("Shop"), length: .seconds(600), skip: true), at: 30)
    let plan = MaintenancePlan(book.windows.map(\.window), checks: [shop])
    #expect(plan.skips(shop.id, at: after(31)) && plan.skips(shop.id, at: after(629)))
    #expect(!plan.skips(shop.id, at: after(630)))
    _ = try take(&book, .endMaintenance(id: "Shop"), at: 60)
    #expect(book.windows.isEmpty && book.audit.map(\.act) == ["maintenance start", "maintenance end"])
  }

  /// It survives a restart as it was; a file that is none is nothing.
  @Test func restarts() throws {
    var book = HandBook()
    _ = try take(&book, .mute(target: .everything, length: .seconds(60)))
    _ = try take(&book, .startMaintenance(target: .check("Shop"), length: .seconds(600), skip: true), at: 5)
    var json = JSONWriter()
    book.write(to: &json)
    #expect(HandBook.read(json.bytes) == book)
    #expect(HandBook.read(Array("{\"version\":2}".utf8)) == nil && HandBook.read([0]) == nil)
    let damaged = Array(#"{"version":1,"mutes":[{"id":"x"}],"audit":[1,{}],"maintenance":7}"#.utf8)
    #expect(HandBook.read(damaged) == HandBook())
  }
}
