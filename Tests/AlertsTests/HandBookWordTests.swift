// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// What an operator is answered to each order, what is written down of it, and the file as it is kept.
@Suite struct HandBookWordTests {
  private func take(
    _ book: inout HandBook, _ kind: OperatorWish.Kind, at second: Int64 = 0, why: String? = "deploy"
  ) throws -> OperatorAnswer {
    var generator = Counter(state: UInt64(second))
    let names = OperatorNames([try makeCheck("Shop", tags: ["team:shop"])])
    return book.take(
      OperatorWish(kind, by: "ann", why: why), now: after(second), names: names, using: &generator)
  }

  private func order(
    _ number: UInt64, _ target: OperatorTarget = .everything, from: Int64 = 0, until: Int64 = 60,
    why: String? = nil
  ) -> HandBook.Order {
    HandBook.Order(
      id: UniqueID(high: 1, low: number), target: target, from: after(from), until: after(until), why: why)
  }

  private func text(_ book: HandBook) -> String {
    var json = JSONWriter()
    book.write(to: &json)
    return json.text
  }

  @Test func answers() throws {
    var book = HandBook()
    let mute = try take(&book, .mute(target: .tag("team:shop"), length: .seconds(1800)))
    let id = try #require(book.mutes.first?.short)
    #expect(mute == .done("tag:team:shop is muted until 2026-01-05 00:30:00Z (id \(id))"))
    let start = try take(
      &book, .startMaintenance(target: .check("Shop"), length: .seconds(600), skip: true), at: 5)
    let window = try #require(book.windows.first)
    #expect(start == .done("maintenance of Shop until 2026-01-05 00:10:05Z (id \(window.short))"))
    #expect(window.skip && window.from == after(5) && window.by == "ann" && window.why == "deploy")
    #expect(
      try take(&book, .acknowledge(incident: "abc123"), at: 6)
        == .done("incident abc123 is acknowledged: no more reminders"))
    #expect(try take(&book, .unmute(id: id), at: 7) == .done("mute of tag:team:shop has ended"))
    #expect(
      try take(&book, .endMaintenance(id: "Shop"), at: 8) == .done("maintenance of Shop has ended"))
    #expect(
      book.audit == [
        .init(
          at: after(0), act: "mute", subject: "tag:team:shop", until: after(1800), by: "ann", why: "deploy"),
        .init(
          at: after(5), act: "maintenance start", subject: "Shop", until: after(605), by: "ann", why: "deploy"
        ),
        .init(at: after(6), act: "ack", subject: "abc123", by: "ann", why: "deploy"),
        .init(at: after(7), act: "unmute", subject: "tag:team:shop", by: "ann", why: "deploy"),
        .init(at: after(8), act: "maintenance end", subject: "Shop", by: "ann", why: "deploy"),
      ])
  }

  /// What ends by itself is written down as of its end, mutes before windows, by no person.
  @Test func whatEndsByItself() throws {
    var book = HandBook()
    _ = try take(&book, .startMaintenance(target: .check("Shop"), length: .seconds(50), skip: false))
    _ = try take(&book, .mute(target: .everything, length: .seconds(60)))
    _ = try take(&book, .mute(target: .check("Shop"), length: .seconds(70)))
    let before = book.advance(to: after(49))
    let then = book.advance(to: after(69))
    #expect(!before && then && book.mutes.map(\.until) == [after(70)] && book.windows.isEmpty)
    #expect(
      book.audit.suffix(2) == [
        .init(at: after(60), act: "mute over", subject: "all"),
        .init(at: after(50), act: "maintenance over", subject: "Shop"),
      ])
  }

  /// A wrong name says what there is: the first five.
  @Test func whatIsNotFound() throws {
    for isMute in [true, false] {
      let what = isMute ? "mute" : "maintenance"
      func end(_ book: inout HandBook) throws -> OperatorAnswer {
        try take(&book, isMute ? .unmute(id: "x") : .endMaintenance(id: "x"))
      }
      var book = HandBook()
      let words = "no \(what) is called \"x\""
      #expect(try end(&book) == .notFound(words, hint: "none is active"))
      let orders = (1...6).map { order(UInt64($0), .tag("t\($0)")) }
      if isMute { book.mutes = orders } else { book.windows = orders }
      let hint = orders.prefix(5).map { "\($0.short) (\($0.target.text))" }.joined(separator: ", ")
      #expect(try end(&book) == .notFound(words, hint: "active: \(hint)"))
      #expect(book.audit == [])
    }
  }

  @Test func refusals() throws {
    for (target, length, answer) in [
      (
        .check("Shp"), 60,
        .notFound("no check is called \"Shp\"", hint: "a name, an id, tag: and a tag, or all")
      ),
      (.tag("x"), 60, .notFound("no check has the tag \"x\"", hint: nil)),
      (.tag("Shop"), 60, .notFound("no check has the tag \"Shop\"", hint: nil)),
      (.everything, 0, .refused("the time must be 1s to 30d, found 0s")),
      (.everything, 31 * 86_400, .refused("the time must be 1s to 30d, found 31d")),
    ] as [(OperatorTarget, Int64, OperatorAnswer)] {
      for isMute in [true, false] {
        var book = HandBook()
        let span = Duration.seconds(length)
        let found = try take(
          &book,
          isMute
            ? .mute(target: target, length: span)
            : .startMaintenance(target: target, length: span, skip: false))
        #expect(found == answer && book.isEmpty, "\(target.text)")
      }
    }
    // A check is meant by its id as well.
    var book = HandBook()
    let id = try makeCheck("Shop", tags: ["team:shop"]).id
    _ = try take(&book, .mute(target: .check(id.description), length: .seconds(60)))
    #expect(book.mutes.count == 1)
  }

  /// The last of the mutes that are on counts, from its begin on.
  @Test func theLatestOfSeveralMutes() throws {
    let shop = try makeCheck("Shop", tags: ["a"])
    var book = HandBook()
    book.mutes = [
      order(1, .check("Shop"), from: 0, until: 50), order(2, .tag("a"), from: 10, until: 40),
      order(3, .everything, from: 20, until: 60), order(4, .tag("b"), from: 0, until: 99),
    ]
    let found = [-1, 0, 19, 20, 59, 60].map { book.mutedUntil(shop, at: after(Int64($0))) }
    #expect(found == [nil, after(50), after(50), after(60), after(60), nil])
  }

  /// A correction of less than a second moves nothing, in either direction.
  @Test(arguments: [(999, false), (1000, true), (-999, false), (-1000, true)] as [(Int64, Bool)])
  func steps(milliseconds: Int64, isMoved: Bool) {
    var book = HandBook()
    book.mutes = [order(1)]
    book.windows = [order(2, until: 90)]
    _ = book.follow(reading(0))
    let step = Duration.milliseconds(milliseconds)
    let now = ClockReading(boot: reading(5).boot, wall: after(5).advanced(by: step))
    let other = book.following(now)
    #expect(book.mutes[0].until == after(60))
    let moved = book.follow(now)
    #expect(moved == isMoved && book == other)
    let shift = isMoved ? step : .zero
    #expect(book.mutes[0].from == after(0).advanced(by: shift))
    #expect(book.mutes[0].until == after(60).advanced(by: shift))
    #expect(book.windows[0].until == after(90).advanced(by: shift))
  }

  /// As a window it has the reason as its name.
  @Test func windows() {
    #expect(order(1, why: "deploy").window.name == "deploy" && order(1).window.name == "by hand")
    var skipped = order(1, .tag("a"))
    skipped.skip = true
    #expect(skipped.window.skip && !order(1).window.skip)
    #expect(skipped.window.selection == OperatorTarget.tag("a").selection)
    #expect(skipped.window.id == skipped.id)
  }

  @Test func theFileAsItIsWritten() throws {
    var book = HandBook()
    #expect(text(book) == #"{"version":1,"mutes":[],"maintenance":[],"audit":[]}"#)
    book.mutes = [order(1, .tag("a"), why: "x")]
    book.windows = [order(2)]
    book.windows[0].skip = true
    book.windows[0].by = "ann"
    book.noteAcknowledged("abc", by: "bob", why: nil, now: after(7))
    let (zero, end) = ("2026-01-05T00:00:00.000Z", "2026-01-05T00:01:00.000Z")
    let (one, two) = (UniqueID(high: 1, low: 1), UniqueID(high: 1, low: 2))
    #expect(
      text(book)
        == #"{"version":1,"mutes":[{"id":"\#(one)","target":"tag:a","from":"\#(zero)","until":"\#(end)","#
        + #""why":"x"}],"#
        + #""maintenance":[{"id":"\#(two)","target":"all","from":"\#(zero)","#
        + #""until":"\#(end)","by":"ann","skip":true}],"#
        + #""audit":[{"at":"2026-01-05T00:00:07.000Z","act":"ack","subject":"abc","by":"bob"}]}"#)
  }

  /// As many as are kept are read: the first orders, the last lines; an order that ends as it begins is none.
  @Test func theFileIsBounded() throws {
    var book = HandBook()
    book.mutes = (0..<201).map { order(UInt64($0)) }
    book.windows = (0..<201).map { order(UInt64($0 + 300)) }
    book.audit = (0..<1001).map { .init(at: after(Int64($0)), act: "ack", subject: "\($0)") }
    let read = try #require(HandBook.read(Array(text(book).utf8)))
    #expect(read.mutes == Array(book.mutes.prefix(200)) && read.windows == Array(book.windows.prefix(200)))
    #expect(read.audit == Array(book.audit.suffix(1000)))
    book = HandBook()
    book.mutes = [order(1, from: 60, until: 60), order(2, from: 59, until: 60)]
    #expect(HandBook.read(Array(text(book).utf8))?.mutes.map(\.id) == [UniqueID(high: 1, low: 2)])
  }

  /// Words in a file have as many bytes as could have been written.
  @Test func wordsOfTheFileAreBounded() throws {
    let long = String(repeating: "x", count: 500)
    var book = HandBook()
    book.mutes = [order(1, why: long)]
    book.mutes[0].by = long
    book.audit = [.init(at: after(0), act: long, subject: long, until: after(9), by: long, why: long)]
    let read = try #require(HandBook.read(Array(text(book).utf8)))
    let entry = try #require(read.audit.first)
    #expect([read.mutes[0].why, read.mutes[0].by].map { $0?.utf8.count } == [200, 80])
    #expect([entry.act, entry.subject].map(\.utf8.count) == [40, CheckLimits.nameBytes])
    #expect([entry.by, entry.why].map { $0?.utf8.count } == [160, 200] && entry.until == after(9))
  }
}
