// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Monitoring
import Testing

/// Orders by hand for a check that is renamed: they are for the check, whatever its name.
@Suite struct RenamedOrderTests {
  private static let first = "0b8f1c9e-3d52-4a7b-8c11-5e6f7a8b9c0d"
  private static let second = "0b8f1c9e-3d52-4a7b-8c11-5e6f7a8b9c0e"

  private func check(_ name: String, _ id: String) throws -> MonitoringCheck {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.host, definition.port) = (name, "tcp", "192.0.2.1", 80)
    definition.id = id
    return try MonitoringCheck(definition)
  }

  private func book(_ kind: OperatorWish.Kind) throws -> HandBook {
    var (book, generator) = (HandBook(), Counter())
    let names = OperatorNames([try check("old", Self.first)])
    _ = book.take(OperatorWish(kind, by: "ann"), now: after(0), names: names, using: &generator)
    return book
  }

  private func saved(_ book: HandBook) throws -> HandBook {
    var json = JSONWriter()
    book.write(to: &json)
    return try #require(HandBook.read(json.bytes))
  }

  @Test func aMute() throws {
    var book = try saved(try book(.mute(target: .check("old"), length: .seconds(120))))
    let (renamed, other) = (try check("new", Self.first), try check("old", Self.second))
    #expect(book.mutedUntil(renamed, at: after(1)) == after(120))
    #expect(book.follow { $0 == renamed.id ? "new" : nil } && book.mutes.map(\.target) == [.check("new")])
    #expect(book.mutedUntil(renamed, at: after(1)) == after(120))
    #expect(book.mutedUntil(other, at: after(1)) == nil, "the old name is another check's now")
    #expect(!book.follow { $0 == renamed.id ? "new" : nil })
    var generator = Counter()
    let answer = book.take(
      OperatorWish(.unmute(id: "new"), by: "ann"), now: after(2), names: OperatorNames([renamed]),
      using: &generator)
    #expect(answer == .done("mute of new has ended") && book.mutes.isEmpty)
  }

  @Test func aWindow() throws {
    let kind = OperatorWish.Kind.startMaintenance(target: .check("old"), length: .seconds(120), skip: true)
    var book = try book(kind)
    let renamed = try check("new", Self.first)
    for _ in 0..<2 {
      let plan = MaintenancePlan(book.windows.map(\.window), checks: [renamed])
      #expect(plan.skips(renamed.id, at: after(1)) && !plan.skips(renamed.id, at: after(120)))
      _ = book.follow { $0 == renamed.id ? "new" : nil }
    }
    #expect(book.windows.map(\.target) == [.check("new")])
  }

  /// A check that is gone, or that was ordered by its id, leaves the order as it is.
  @Test func whatStays() throws {
    var book = try book(.mute(target: .check("old"), length: .seconds(120)))
    #expect(!book.follow { _ in nil } && book.mutes.map(\.target) == [.check("old")])
    book = try self.book(.mute(target: .check(Self.first), length: .seconds(120)))
    #expect(!book.follow { _ in "new" } && book.mutes.map(\.target) == [.check(Self.first)])
    #expect(book.mutedUntil(try check("new", Self.first), at: after(1)) == after(120))
  }
}
