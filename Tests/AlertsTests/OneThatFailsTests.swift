// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// A recipient that does not take a mail, and an incident that its receiver fails on, keep no other incident from the channel.
@Suite struct OneThatFailsTests {
  /// The mailbox of one recipient is full for good: the others get the second outage and the end of the first when they are due.
  @Test func aRecipientWithAFullMailbox() throws {
    let checks = try ["a", "b"].map { try makeCheck($0, host: "\($0).example") }
    var desk = Desk(quickSettings(), checks)
    desk.answer = { _, _ in .partly("452", remaining: ["bob@x.example"]) }
    desk.down(checks[0], at: 0)
    desk.pass(from: 0, to: 3)
    desk.down(checks[1], at: 4)
    desk.pass(from: 4, to: 9)
    desk.up(checks[0], at: 10)
    desk.pass(from: 10, to: 50)
    #expect(desk.sent.filter { $0.recipients == nil }.map(\.at) == [3, 7, 13], "\(desk.sent)")
    let rest = desk.sent.filter { $0.recipients != nil }
    #expect(rest.allSatisfy { $0.recipients == ["bob@x.example"] } && rest.count >= 3)
    #expect(desk.book.notifier.state(of: "ops").problem == "452")
  }

  /// A receiver that was away hears of the end of the first outage in the past tense, whichever comes first: the check is down.
  @Test func theSecondOutageWhileTheReceiverIsAway() throws {
    let shop = try makeCheck("Shop")
    var desk = Desk(quickSettings(), [shop])
    desk.answer = { _, at in (5..<30).contains(at) ? .failed("503") : .delivered }
    desk.down(shop, at: 0)
    desk.pass(from: 0, to: 5)
    desk.up(shop, at: 6)
    desk.pass(from: 6, to: 13)
    desk.down(shop, at: 14)
    desk.pass(from: 14, to: 80)
    #expect(
      desk.told.map(\.message.kind).sorted { $0.rawValue < $1.rawValue } == [.opened, .opened, .recovered])
    let opened = desk.told.filter { $0.message.kind == .opened }
    #expect(opened.map(\.message.title) == Array(repeating: "Shop is down: refused", count: 2))
    #expect(Set(desk.told.map(\.message.incident)).count == 2)
    let end = try #require(desk.told.first { $0.message.kind == .recovered }?.message.title)
    #expect(
      end.hasPrefix("Shop was down ") && end.hasSuffix("(6s); a new incident of Shop is open"), "\(end)")
    // Without another outage it is what it was.
    desk.up(shop, at: 81)
    desk.pass(from: 81, to: 150)
    #expect(desk.told.last?.message.title == "Shop is up again")
  }

  /// Each of its attempts is later than the one before: 5, 10 and 20 s, each up to a quarter more.
  @Test func theBackOffOfARecipient() throws {
    let shop = try makeCheck("Shop")
    var desk = Desk(quickSettings(), [shop])
    desk.answer = { _, _ in .partly("452", remaining: ["bob@x.example"]) }
    desk.down(shop, at: 0)
    desk.pass(from: 0, to: 58)
    let waits = zip(desk.sent.dropFirst(), desk.sent).map { $0.at - $1.at }
    #expect(waits.count == 3, "\(waits)")
    for (wait, least) in zip(waits, [5, 10, 20] as [Int64]) {
      #expect((least...least * 5 / 4 + 1).contains(wait), "\(waits)")
    }
    #expect(desk.hold(at: 58) == .retry)
  }

  /// One text is answered with 500: at the next attempt the others of the channel come first.
  @Test func anIncidentThatTheReceiverFailsOn() throws {
    let (web, poisoned) = (
      try makeCheck("web", host: "a.example"), try makeCheck("poisoned", host: "b.example")
    )
    var desk = Desk(quickSettings(), [web, poisoned])
    desk.answer = { message, _ in message.title.contains("poisoned") ? .failed("500") : .delivered }
    desk.down(web, at: 0)
    desk.pass(from: 0, to: 3)
    desk.down(poisoned, at: 4)
    desk.up(web, at: 5)
    desk.pass(from: 4, to: 40)
    #expect(desk.told.map(\.message.title) == ["web is down: refused", "web is up again"])
    let end = try #require(desk.told.last?.at)
    #expect((12...14).contains(end), "at the first attempt after the one that failed at 7")
    #expect(desk.sent.map(\.at).contains { $0 > end }, "the other one is tried again")
  }
}
