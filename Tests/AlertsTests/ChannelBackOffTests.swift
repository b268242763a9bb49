// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// The back-off of a channel holds what failed, and what has not been tried as long as the receiver asks for it.
@Suite struct ChannelBackOffTests {
  /// The receiver fails on one incident for minutes: another one that opens then is sent within 5 s.
  @Test func whatWasNotTried() throws {
    let poisoned = try makeCheck("poisoned", host: "a.example")
    let web = try makeCheck("web", host: "b.example")
    var desk = Desk(quickSettings(), [poisoned, web])
    desk.answer = { message, _ in message.title.contains("poisoned") ? .failed("500") : .delivered }
    desk.down(poisoned, at: 0)
    desk.pass(from: 0, to: 399)
    desk.down(web, at: 400)
    desk.pass(from: 400, to: 420)
    #expect(desk.told.map(\.message.title) == ["web is down: refused"])
    #expect((403...408).contains(try #require(desk.told.first).at))
  }

  /// A receiver that says how long to wait gets nothing before, tried or not.
  @Test func retryAfter() throws {
    let (a, b) = (try makeCheck("a", host: "a.example"), try makeCheck("b", host: "b.example"))
    var desk = Desk(quickSettings(), [a, b])
    desk.answer = { _, second in second < 100 ? .failed("429", retryAfter: .seconds(600)) : .delivered }
    desk.down(a, at: 0)
    desk.pass(from: 0, to: 49)
    desk.down(b, at: 50)
    desk.pass(from: 50, to: 800)
    #expect(desk.sent.first?.at == 3 && (603...754).contains(desk.sent[1].at))
  }

  /// The wait that a receiver asked for is not forgotten by a restart.
  @Test func aRestart() throws {
    let shop = try makeCheck("Shop")
    var desk = Desk(quickSettings(), [shop])
    desk.answer = { _, second in second < 100 ? .failed("429", retryAfter: .seconds(600)) : .delivered }
    desk.down(shop, at: 0)
    desk.pass(from: 0, to: 19)
    let before = desk.book.notifier.state(of: "ops")
    desk = try desk.restarted(at: 20)
    let state = desk.book.notifier.state(of: "ops")
    #expect(state.failures == 1 && state.problem == "429" && !state.sparesUntried)
    let (known, kept) = (try #require(before.retryAt), try #require(state.retryAt))
    let error = known.duration(to: kept)
    #expect(error < .seconds(1) && error > .seconds(-1))
    #expect(desk.hold(at: 20) == .retry)
    desk.pass(from: 21, to: 800)
    #expect(desk.sent.first?.at == 3 && (602...754).contains(desk.sent[1].at))
    #expect(Set(desk.sent.prefix(2).map(\.id)).count == 1)
  }

  /// No state file makes a channel wait for longer than a receiver may ask for.
  @Test func aStateFileThatSaysMore() throws {
    let text = #"{"failures":9000,"retry_ago":-1000000,"problem":"500"}"#
    var state = ChannelState(digestUpTo: after(0))
    state.readRetry(try JSONValue.parse(text.utf8), SavedClock(now: reading(0)))
    #expect(state.retryAt == reading(0).boot + .seconds(4500) && state.failures == 1)
  }

  /// The recipient with a full mailbox is asked alone, which fails as a whole: the channel's others do not wait for it.
  @Test func theRestOfAMail() throws {
    let checks = try ["a", "b"].map { try makeCheck($0, host: "\($0).example") }
    var desk = Desk(quickSettings(), checks)
    var known: Set<UniqueID> = []
    desk.answer = { message, _ in
      known.insert(message.id).inserted ? .partly("452", remaining: ["bob@x.example"]) : .failed("452")
    }
    desk.down(checks[0], at: 0)
    desk.pass(from: 0, to: 3)
    desk.down(checks[1], at: 4)
    desk.pass(from: 4, to: 9)
    desk.up(checks[0], at: 10)
    desk.pass(from: 10, to: 100)
    #expect(desk.sent.filter { $0.recipients == nil }.map(\.at) == [3, 7, 13], "\(desk.sent)")
    #expect(desk.sent.filter { $0.recipients != nil }.allSatisfy { $0.recipients == ["bob@x.example"] })
    let state = desk.book.notifier.state(of: "ops")
    #expect(state.failures == 0 && state.retryAt == nil && state.problem == "452")
  }
}
