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
    #expect(words.contains("tag:team:shop is muted until 2026-01-05 00:30:00"))
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

  /// Two hundred mutes and two hundred windows, each bounded by themselves; one that has ended makes room.
  @Test(arguments: [true, false]) func bounds(ofMutes: Bool) throws {
    func order(_ isMute: Bool) -> OperatorWish.Kind {
      isMute
        ? .mute(target: .everything, length: .seconds(600))
        : .startMaintenance(target: .everything, length: .seconds(600), skip: false)
    }
    func isDone(_ answer: OperatorAnswer) -> Bool { if case .done = answer { true } else { false } }
    var book = HandBook()
    for number in 0..<200 {
      #expect(isDone(try take(&book, order(ofMutes), at: Int64(number))), "\(number)")
    }
    #expect(try take(&book, order(ofMutes), at: 200) == .refused("200 are active already: end some"))
    #expect(isDone(try take(&book, order(!ofMutes), at: 200)))
    #expect(book.mutes.count == (ofMutes ? 200 : 1) && book.windows.count == (ofMutes ? 1 : 200))
    _ = book.advance(to: after(600))
    #expect(isDone(try take(&book, order(ofMutes), at: 600)))
    #expect(!isDone(try take(&book, order(ofMutes), at: 600)))
  }

  /// The shortest and the longest order, and what is a little beyond.
  @Test(arguments: [true, false]) func lengths(isMute: Bool) throws {
    let (least, most) = (OperatorWish.length.lowerBound, OperatorWish.length.upperBound)
    #expect(most == .seconds(30 * 86_400))
    for (length, isTaken) in [
      (least, true), (most, true), (least - .milliseconds(1), false), (most + .milliseconds(1), false),
    ] {
      var book = HandBook()
      let kind: OperatorWish.Kind =
        isMute
        ? .mute(target: .everything, length: length)
        : .startMaintenance(target: .everything, length: length, skip: false)
      let answer = try take(&book, kind, at: 7)
      #expect(book.isEmpty != isTaken, "\(answer)")
      #expect((book.mutes + book.windows).map(\.until) == (isTaken ? [after(7).advanced(by: length)] : []))
    }
  }

  /// The audit log holds the latest thousand lines.
  @Test func linesOfTheAuditLog() {
    var book = HandBook()
    for number in 0..<1001 {
      book.noteAcknowledged("\(number)", by: nil, why: nil, now: after(Int64(number)))
    }
    #expect(book.audit.count == 1000)
    #expect(book.audit.first?.subject == "1" && book.audit.last?.subject == "1000")
  }

  /// Orders of one target under one word end together; a word that means several targets ends none of them.
  @Test func aWordOfSeveral() throws {
    let shop = try makeCheck("Shop", tags: ["team:shop"])
    let names = OperatorNames([shop])
    func take(_ book: inout HandBook, _ kind: OperatorWish.Kind, at second: Int64) -> OperatorAnswer {
      // The same numbers each time: the ids end alike.
      var generator = Counter(state: 5)
      return book.take(
        OperatorWish(kind, by: "ann", why: nil), now: after(second), names: names, using: &generator)
    }
    for isMute in [true, false] {
      func begin(_ target: OperatorTarget) -> OperatorWish.Kind {
        isMute
          ? .mute(target: target, length: .seconds(600))
          : .startMaintenance(target: target, length: .seconds(600), skip: false)
      }
      func end(_ word: String) -> OperatorWish.Kind { isMute ? .unmute(id: word) : .endMaintenance(id: word) }
      func orders(_ book: HandBook) -> [HandBook.Order] { isMute ? book.mutes : book.windows }
      var book = HandBook()
      for (second, target) in [OperatorTarget.check("Shop"), .tag("team:shop"), .tag("team:shop")]
        .enumerated()
      {
        _ = take(&book, begin(target), at: Int64(second))
      }
      let before = book
      let word = try #require(orders(book).first?.short)
      #expect(orders(book).allSatisfy { $0.short == word })
      guard case .refused(let words) = take(&book, end(word), at: 9) else {
        Issue.record("a word of two targets was taken")
        continue
      }
      #expect(words == "\(quoted(word)) means several: \(word), \(word), \(word)" && book == before)
      if case .done = take(&book, end(String(word.suffix(3))), at: 9) {
        Issue.record("three letters are no id")
      }
      #expect(book == before)
      #expect(
        take(&book, end("tag:team:shop"), at: 10)
          == .done("\(isMute ? "mute" : "maintenance") of tag:team:shop has ended"))
      #expect(orders(book).map(\.target) == [.check("Shop")] && book.audit.count == before.audit.count + 1)
      #expect(
        take(&book, end(String(word.suffix(4)).uppercased()), at: 11)
          == .done("\(isMute ? "mute" : "maintenance") of Shop has ended"))
      #expect(orders(book).isEmpty)
    }
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

  /// Orders last for their length, whatever is done to the wall clock meanwhile; corrections below a second move nothing.
  @Test(arguments: [-86_400, -30, 0, 30, 86_400] as [Int64]) func theClockIsSet(step: Int64) throws {
    let shop = try makeCheck("Shop", tags: ["team:shop"])
    var book = HandBook()
    var moved = [book.follow(reading(0))]
    _ = try take(&book, .mute(target: .check("Shop"), length: .seconds(1800)))
    _ = try take(&book, .startMaintenance(target: .check("Shop"), length: .seconds(1800), skip: false))
    var ended: [Bool] = []
    for second: Int64 in [10, 1799, 1800] {
      moved.append(book.follow(reading(second, step: step)))
      #expect(second == 1800 || book.mutedUntil(shop, at: after(second + step)) == after(1800 + step))
      #expect(book.windows.map(\.until) == [after(1800 + step)])
      ended.append(book.advance(to: after(second + step)))
    }
    #expect(moved == [false, step != 0, false, false] && ended == [false, false, true])
    #expect(book.mutes.isEmpty && book.windows.isEmpty)
  }

  /// A day ahead for six seconds: no mute ends, and each has its own end afterwards.
  @Test func aheadAndBack() throws {
    var book = HandBook()
    _ = book.follow(reading(0))
    _ = try take(&book, .mute(target: .check("Shop"), length: .seconds(600)))
    var facts: [Bool] = []
    for (second, step) in [(5, 86_400), (11, 0), (599, 0), (600, 0)] as [(Int64, Int64)] {
      facts.append(book.follow(reading(second, step: step)))
      facts.append(book.advance(to: after(second + step)))
    }
    #expect(facts == [true, false, true, false, false, false, false, true])
    #expect(book.audit.map(\.act) == ["mute", "mute over"] && book.audit[1].at == after(600))
  }
}
