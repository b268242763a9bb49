// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// A mail whose recipients answer differently, over several attempts: one outcome for all of them, and no recipient twice.
@Suite struct MailOutcomeTests {
  /// Outcomes of the attempts, one after the other; what comes later is taken.
  private func desk(_ outcomes: [SendOutcome]) throws -> Desk {
    let shop = try makeCheck("Shop")
    var desk = Desk(quickSettings(), [shop])
    var left = outcomes
    desk.answer = { _, _ in left.isEmpty ? .delivered : left.removeFirst() }
    desk.down(shop, at: 0)
    return desk
  }

  private func record(_ desk: Desk) throws -> NotificationRecord {
    try #require(desk.book.incidents.opened.first?.log["ops"])
  }

  /// One refused for good, one deferred, one taken; then the deferred one is refused as well: delivered, both named, and the
  /// mail is not sent again to the one that has it.
  @Test func theLastRecipientIsRefusedLater() throws {
    var desk = try desk([
      .partly("451 b; 550 a", remaining: ["b"], refused: "550 a"), .refused("550 b"),
    ])
    desk.pass(from: 0, to: 50)
    #expect(desk.sent.map(\.recipients) == [nil, ["b"]])
    let record = try record(desk)
    #expect(record.first != nil && record.missing == "550 a; 550 b" && record.refused == nil)
    #expect(desk.book.notifier.state(of: "ops").problem == "550 a; 550 b")
    #expect(desk.book.notifier.state(of: "ops").delivered == [.opened: 1])
  }

  /// The deferred one takes it in the end, also after a restart: the refused one is still named.
  @Test func theDeferredRecipientTakesItLater() throws {
    var desk = try desk([.partly("451 b; 550 a", remaining: ["b"], refused: "550 a"), .failed("away")])
    desk.pass(from: 0, to: 10)
    desk = try desk.restarted(at: 11)
    desk.pass(from: 11, to: 50)
    #expect(desk.sent.map(\.recipients) == [nil, ["b"], ["b"]])
    #expect(try record(desk).missing == "550 a")
  }

  /// No recipient has it, and none will: failed, with the words of both.
  @Test func noRecipientTakesIt() throws {
    var desk = try desk([
      .partly("451 b; 550 a", remaining: ["b"], refused: "550 a", isTaken: false), .refused("550 b"),
    ])
    desk.pass(from: 0, to: 50)
    let record = try record(desk)
    #expect(record.first == nil && record.refused?.words == "550 a; 550 b")
    #expect(desk.sent.map(\.recipients) == [nil, ["b"]])
  }

  /// The next notification that all take says nothing of the one before.
  @Test func theNextDeliveryIsItsOwn() throws {
    var desk = try desk([.deliveredBut("550 a")])
    desk.pass(from: 0, to: 10)
    #expect(try record(desk).missing == "550 a")
    desk.pass(from: 11, to: 70)
    #expect(desk.sent.map(\.recipients) == [nil, nil])
    #expect(try record(desk).missing == nil)
    #expect(desk.book.notifier.state(of: "ops").problem == nil)
  }

  /// What was kept of a mail that not all took before this was kept: those that are left, and no words.
  @Test func theFormatOfBefore() throws {
    let old = """
      {"id":"\(UniqueID(high: 1, low: 2))","kind":"opened","heard":{"over":false,"alerts":[]},"recipients":["b"]}
      """
    let sending = try #require(NotificationRecord.Sending(try JSONValue.parse(old.utf8)))
    #expect(sending.recipients == ["b"] && sending.isTaken && sending.refused == nil)
  }
}
