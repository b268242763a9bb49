// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import TestSupport
import Testing

@testable import Alerts

/// Incidents that are over: each is found by its id, whatever left or came back before, and as cheaply among many.
@Suite struct EndedIncidentsTests {
  private func checks(_ count: Int) throws -> [MonitoringCheck] {
    try (0..<count).map { try makeCheck("c\($0)", host: "10.\($0 / 250).\($0 % 250).1") }
  }

  private func trouble(_ check: MonitoringCheck) -> Trouble {
    var trouble = Trouble(
      key: Trouble.Key(rule: "down", check: check.id), subject: .availability, severity: .high,
      name: check.name, target: check.target, since: after(0))
    trouble.relation = Trouble.Relation(check, peer: nil)
    return trouble
  }

  /// So many incidents that are over, in the order of their ids.
  private func book(_ count: Int) throws -> (book: IncidentBook, ids: [UniqueID]) {
    var book = IncidentBook(groupWait: .seconds(15), generator: Counter())
    for check in try checks(count) {
      book.take(.holds(trouble(check)), now: reading(0))
      book.take(
        .ended(Trouble.Key(rule: "down", check: check.id), at: after(60), .recovered), now: reading(60))
    }
    book.advance(to: reading(120).boot)
    return (book, book.over.map(\.id))
  }

  /// Every incident that the book has is found as itself and is the one that a change changes; no other is found.
  private func expectFound(_ book: IncidentBook, _ ids: [UniqueID], gone: [UniqueID]) {
    var book = book
    #expect(book.over.map(\.id) == ids)
    #expect(ids.map { book[$0]?.id } == ids.map(Optional.some))
    for (number, id) in ids.enumerated() {
      book.update(id) { $0.log["n"] = NotificationRecord() }
      #expect(book.over.count { $0.log["n"] != nil } == number + 1 && book.over[number].log["n"] != nil)
    }
    for id in gone {
      let before = book.version
      book.update(id) { _ in Issue.record("\(id) is gone") }
      #expect(book[id] == nil && book.version == before)
    }
  }

  @Test func afterTheOldestWereForgotten() throws {
    var (book, ids) = try book(300)
    #expect(ids == ids.sorted() && ids.count == 300)
    book.forget { _ in true }
    expectFound(book, Array(ids.suffix(IncidentBook.kept)), gone: Array(ids.prefix(100)))
  }

  /// Those that a channel has not heard the end of stay, whatever their age.
  @Test func afterSomeWereForgotten() throws {
    let (known, ids) = try book(260)
    var book = known
    let owed = Set(ids.enumerated().filter { $0.offset % 3 == 0 }.map(\.element))
    book.forget { !owed.contains($0.id) }
    let gone = Array(ids.filter { !owed.contains($0) }.prefix(60))
    expectFound(book, ids.filter { !gone.contains($0) }, gone: gone)
  }

  /// Each second that nothing may be forgotten is no change that is written.
  @Test func whatCannotBeForgottenIsNoChange() throws {
    var (book, ids) = try book(260)
    let before = book.version
    book.forget { _ in false }
    #expect(book.version == before && book.over.map(\.id) == ids)
    ids.removeFirst(60)
    book.forget { _ in true }
    #expect(book.version > before && book.over.map(\.id) == ids)
  }

  /// A member of the group has it open again, and closes it: it is the latest then.
  @Test func afterOneWasOpenAgain() throws {
    var (book, ids) = try book(20)
    var again = try #require(book[ids[7]])
    again.end = nil
    again.take(try trouble(checks(20)[7]), at: reading(130))
    book.replace(again)
    #expect(book.open.keys.map(\.self) == [again.id] && book[again.id]?.isOpen == true)
    ids.remove(at: 7)
    #expect(book.over.map(\.id) == ids)
    book.close(again.id, at: reading(140))
    ids.append(again.id)
    expectFound(book, ids, gone: [])
    // As the store has it, once more: where it was.
    var known = try #require(book[ids[3]])
    known.log["ops"] = NotificationRecord()
    book.replace(known)
    #expect(book[ids[3]]?.log["ops"] == NotificationRecord())
    expectFound(book, ids, gone: [])
  }

  @Test func overARestart() throws {
    let (book, ids) = try book(30)
    let next = IncidentBook(
      groupWait: .seconds(15), over: book.over + [book.over[4]], generator: Counter())
    expectFound(next, ids, gone: [UniqueID(high: 1, low: 1)])
  }

  /// What the end of a storm and its settling cost with three channels, on this thread.
  private func settling(_ count: Int) throws -> Duration {
    let checks = try checks(count)
    var settings = makeSettings([rule("down", .high)], channels: ["a", "b", "c"])
    (settings.groupWait, settings.groupInterval) = (.seconds(15), .seconds(60))
    var desk = Desk(settings, checks)
    for check in checks { desk.down(check, at: 0) }
    desk.tick(15)
    for check in checks { desk.up(check, at: 20) }
    let work = processorTime {
      for second in Int64(36)...38 { desk.tick(second) }
    }
    #expect(desk.kinds == [.opened, .opened, .opened, .recovered, .recovered, .recovered])
    #expect(desk.book.incidents.open.isEmpty && desk.book.incidents.over.count == IncidentBook.kept)
    return work
  }

  /// Twice as many incidents are twice the work, not four times: it is done under the lock that results wait for.
  @Test func theEndOfAStormIsNoMoreWorkEach() throws {
    var best: [Int: Duration] = [:]
    for _ in 0..<2 {
      for count in [600, 1200] { best[count] = min(best[count] ?? .seconds(3600), try settling(count)) }
    }
    let (small, large) = (try #require(best[600]), try #require(best[1200]))
    #expect(large < small * 3.0, "\(small) for 600, \(large) for 1,200")
  }
}
