// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

/// When maintenance was announced: by the settings, later where it was not known then, and the same from then on.
@Suite struct AnnouncementsTests {
  /// Monday, 5 January 2026, 00:00.
  private let monday = Timestamp(seconds: 1_767_571_200)
  private static let hour: Int64 = 3600

  private func at(_ hours: Int64) -> Timestamp { monday.advanced(by: .seconds(hours * Self.hour)) }

  private func plan(_ starts: String...) throws -> MaintenancePlan {
    let windows = try starts.enumerated().map { place, start in
      var definition = MaintenanceDefinition()
      (definition.name, definition.start, definition.duration) = ("W\(place)", start, .seconds(3600))
      return try MaintenanceWindow(definition)
    }
    return MaintenancePlan(windows, checks: [])
  }

  private func moments(_ book: Announcements) -> [Timestamp] { book.moments.values.sorted() }

  /// Announced two days before, exactly, though the looks are an hour apart; forgotten when it is over.
  @Test func inTime() throws {
    let plan = try plan("2026-01-08T00:30")
    var book = Announcements()
    let changes = (Int64(0)...74).filter { book.look(plan, announce: .seconds(48 * 3600), now: at($0)) }
    #expect(changes == [25, 74] && book.moments.isEmpty)
    var other = Announcements()
    for hours in Int64(0)...73 { _ = other.look(plan, announce: .seconds(48 * 3600), now: at(hours)) }
    #expect(moments(other) == [at(24).advanced(by: .seconds(1800))])
  }

  /// A window that comes later than it would have been announced is announced when it comes; other settings and a restart
  /// change nothing of it.
  @Test func tooLate() throws {
    var book = Announcements()
    _ = book.look(try plan(), announce: .seconds(48 * 3600), now: at(0))
    let plan = try plan("2026-01-05T20:00")
    let first = book.look(plan, announce: .seconds(48 * 3600), now: at(3))
    let second = book.look(plan, announce: .seconds(3600), now: at(4))
    #expect(first && !second && moments(book) == [at(3)])
    var restarted = try restarted(book)
    let third = restarted.look(plan, announce: .seconds(7 * 86_400), now: at(5))
    #expect(!third && moments(restarted) == [at(3)])
  }

  /// The first look of an agent without the file takes the settings' word; after a restart a window that is new is new.
  @Test func theFirstLook() throws {
    var book = Announcements()
    _ = book.look(try plan("2026-01-05T20:00"), announce: .seconds(48 * 3600), now: at(0))
    #expect(moments(book) == [at(-28)])
    var restarted = try restarted(book)
    let more = try plan("2026-01-05T20:00", "2026-01-05T21:00")
    _ = restarted.look(more, announce: .seconds(48 * 3600), now: at(1))
    #expect(moments(restarted) == [at(-28), at(1)])
    #expect(Announcements.read(Array("[]".utf8)) == nil)
  }

  private func restarted(_ book: Announcements) throws -> Announcements {
    var json = JSONWriter()
    book.write(to: &json)
    return try #require(Announcements.read(json.bytes))
  }
}
