// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// A channel that keeps its name and leads to another receiver: the old one is sent the end of what it knows, the new one what is
/// open.
@Suite struct ReceiverChangeTests {
  static func webhook(_ path: String, _ name: String = "ops") throws -> AlertChannel {
    AlertChannel(
      name: name,
      kind: .webhook(WebhookChannel(url: try HTTPURL("https://hooks.example/\(path)"), format: .json)))
  }

  static func mail(_ recipients: [String], server: String = "mx.example") throws -> AlertChannel {
    let endpoint = try #require(Endpoint(server, defaultPort: 25))
    return AlertChannel(
      name: "ops",
      kind: .mail(
        MailChannel(server: endpoint, security: .none, sender: "q@x.example", recipients: recipients)))
  }

  static func settings(_ channels: AlertChannel...) -> AlertSettings {
    var settings = quickSettings(channels: [])
    settings.channels = channels
    return settings
  }

  static func reload(_ desk: inout Desk, _ settings: AlertSettings, at second: Int64) {
    desk.book.apply(settings, now: reading(second))
    desk.book.apply(desk.checks, DependencyGraph(desk.checks), now: reading(second))
  }

  /// Such as `3 ops opened`.
  static func lines(_ desk: Desk) -> [String] {
    desk.told.map { "\($0.at) \($0.channel) \($0.message.trigger?.rawValue ?? $0.message.kind.rawValue)" }
  }

  private static func key(_ key: String) -> AlertChannel {
    var channel = makePagerDuty("ops")
    if case .webhook(var webhook) = channel.kind {
      webhook.routingKey = Redacted(key)
      channel.kind = .webhook(webhook)
    }
    return channel
  }

  /// A check is down from 0 s to 21 s, the settings are others from 11 s on: what was told.
  private func story(_ before: AlertSettings, _ after: AlertSettings) throws -> [String] {
    let web = try makeCheck("web")
    var desk = Desk(before, [web])
    desk.down(web, at: 0)
    desk.pass(from: 0, to: 10)
    Self.reload(&desk, after, at: 11)
    desk.pass(from: 11, to: 20)
    desk.up(web, at: 21)
    desk.pass(from: 21, to: 30)
    return Self.lines(desk)
  }

  /// Of each kind: how it was and how it is.
  private static func changes() throws -> [(AlertChannel, AlertChannel)] {
    let exec = { AlertChannel(name: "ops", kind: .exec(ExecChannel(command: ["/bin/notify", $0]))) }
    return [
      (try webhook("a"), try webhook("b")), (key("one"), key("two")), (exec("room-a"), exec("room-b")),
      (try mail(["a@x.example"]), try mail(["b@x.example"])), (makeWebhook("ops", .alertmanager), key("one")),
    ]
  }

  @Test func eachKind() throws {
    for (before, after) in try Self.changes() {
      let web = try makeCheck("web")
      var desk = Desk(Self.settings(before), [web])
      desk.down(web, at: 0)
      desk.pass(from: 0, to: 10)
      Self.reload(&desk, Self.settings(after), at: 11)
      #expect(desk.book.notifier.leaving.map(\.kind) == [before.kind])
      desk.pass(from: 11, to: 20)
      desk.up(web, at: 21)
      desk.pass(from: 21, to: 30)
      let lines = Self.lines(desk)
      #expect(lines.first == "3 ops opened" && lines.last == "24 ops resolved", "\(after.target)")
      #expect(
        lines.dropFirst().dropLast().sorted() == ["11 ops (former) channel_removed", "11 ops opened"],
        "\(after.target): \(lines)")
      #expect(desk.book.notifier.leaving.isEmpty)
      #expect(desk.book.drainLeftOpen().isEmpty)
    }
  }

  /// The login, the server and headers say nothing about who gets it.
  @Test func theSameReceiver() throws {
    var hook = try Self.webhook("a")
    if case .webhook(var webhook) = hook.kind {
      (webhook.headers, webhook.method) = ([HeaderField("Authorization", Redacted("new"))], "PUT")
      hook.kind = .webhook(webhook)
    }
    let changes = [
      (try Self.webhook("a"), hook),
      (try Self.mail(["a@x.example"]), try Self.mail(["a@x.example"], server: "other.example")),
    ]
    for (before, after) in changes {
      #expect(try story(Self.settings(before), Self.settings(after)) == ["3 ops opened", "24 ops resolved"])
    }
  }

  /// A recipient that a mail does not go to any more gets the end, by the server that is configured; the others nothing.
  @Test func aRecipientLess() throws {
    let web = try makeCheck("web")
    var desk = Desk(Self.settings(try Self.mail(["a@x.example", "b@x.example"])), [web])
    desk.down(web, at: 0)
    desk.pass(from: 0, to: 10)
    Self.reload(
      &desk, Self.settings(try Self.mail(["b@x.example", "c@x.example"], server: "new.example")), at: 11)
    let leaving = try #require(desk.book.notifier.leaving.first)
    guard case .mail(let mail) = leaving.kind else {
      Issue.record("no mail: \(leaving)")
      return
    }
    #expect(mail.recipients == ["a@x.example"] && mail.server.host == "new.example")
    desk.pass(from: 11, to: 20)
    desk.up(web, at: 21)
    desk.pass(from: 21, to: 30)
    #expect(Self.lines(desk) == ["3 ops opened", "11 ops (former) channel_removed", "24 ops resolved"])
  }

  /// Changed back before the old receiver was sent the end: it keeps what it was sent, and the other one gets its end.
  @Test func changedBack() throws {
    let web = try makeCheck("web")
    var desk = Desk(Self.settings(try Self.webhook("a")), [web])
    desk.down(web, at: 0)
    desk.pass(from: 0, to: 10)
    desk.answer = { message, _ in message.trigger == .channelRemoved ? .failed("refused") : .delivered }
    Self.reload(&desk, Self.settings(try Self.webhook("b")), at: 11)
    desk.pass(from: 11, to: 20)
    desk.answer = { _, _ in .delivered }
    Self.reload(&desk, Self.settings(try Self.webhook("a")), at: 21)
    #expect(desk.book.notifier.leaving.map(\.target) == ["https://hooks.example:443"])
    desk.pass(from: 21, to: 40)
    desk.up(web, at: 41)
    desk.pass(from: 41, to: 50)
    #expect(
      Self.lines(desk) == [
        "3 ops opened", "11 ops opened", "21 ops (former 2) channel_removed", "44 ops resolved",
      ])
  }

  /// Two channels whose receivers are swapped: what each was sent follows it.
  @Test func swapped() throws {
    var before = Self.settings(try Self.webhook("a"), try Self.webhook("b", "chat"))
    before.channels[1].severity = .critical
    var after = Self.settings(try Self.webhook("b"), try Self.webhook("a", "chat"))
    after.channels[0].severity = .critical
    #expect(try story(before, after) == ["3 ops opened", "24 chat resolved"])
  }

  /// One of two channels to the same receiver is removed: the other one goes on with what both told, and nothing ends.
  @Test func theOtherOfTwo() throws {
    let web = try makeCheck("web")
    let (both, one) = (try Self.webhook("a"), try Self.webhook("a", "night"))
    var desk = Desk(Self.settings(both, one), [web])
    desk.down(web, at: 0)
    desk.pass(from: 0, to: 10)
    Self.reload(&desk, Self.settings(both), at: 11)
    desk.pass(from: 11, to: 20)
    desk.up(web, at: 21)
    desk.pass(from: 21, to: 30)
    #expect(Self.lines(desk) == ["3 ops opened", "3 night opened", "24 ops resolved"])
    #expect(desk.book.notifier.leaving.isEmpty)
  }

  /// What is on its way when the receiver changes is the old one's: it gets an end, and the new one its own begin.
  @Test func whileSending() throws {
    let web = try makeCheck("web")
    var desk = Desk(Self.settings(try Self.webhook("a")), [web])
    desk.down(web, at: 0)
    desk.pass(from: 0, to: 2)
    desk.book.advance(to: reading(3))
    let first = try #require(desk.book.next(desk.context(3)).first)
    Self.reload(&desk, Self.settings(try Self.webhook("b")), at: 3)
    desk.tick(4)
    #expect(Self.lines(desk) == ["4 ops opened"], "nothing overtakes what is on its way")
    desk.book.finish(first, .delivered, title: "web", now: reading(5))
    desk.pass(from: 6, to: 10)
    #expect(Self.lines(desk) == ["4 ops opened", "6 ops (former) channel_removed"])
    #expect(Set(desk.sent.map(\.id)).count == 2 && !desk.sent.map(\.id).contains(first.id))
  }

  /// A storm has its end at the old receiver in one notification.
  @Test func inAStorm() throws {
    let checks = try StormTests.checks(30)
    var settings = StormTests.settings()
    settings.channels = [try Self.webhook("a")]
    var desk = Desk(settings, checks)
    for check in checks { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 20)
    settings.channels = [try Self.webhook("b")]
    Self.reload(&desk, settings, at: 21)
    desk.pass(from: 21, to: 60)
    let old = desk.told.filter { $0.channel == "ops (former)" }.map(\.message.title)
    #expect(
      old == ["this channel is not configured any more; the storm of 30 incidents lasts: 30 checks are down"])
    let new = desk.told.filter { $0.channel == "ops" && $0.at > 20 }.map(\.message.title)
    #expect(new == ["30 checks of 30 incidents are down"])
  }

  /// An old receiver that cannot be reached is tried for an hour. Then its incidents are named once, and nothing is sent.
  @Test func givenUp() throws {
    let web = try makeCheck("web")
    var desk = Desk(Self.settings(try Self.webhook("a")), [web])
    desk.down(web, at: 0)
    desk.pass(from: 0, to: 10)
    desk.answer = { message, _ in message.trigger == .channelRemoved ? .failed("gone") : .delivered }
    Self.reload(&desk, Self.settings(try Self.webhook("b")), at: 11)
    desk.pass(from: 11, to: 3610)
    #expect(desk.book.drainLeftOpen().isEmpty && desk.book.notifier.leaving.count == 1)
    desk.pass(from: 3611, to: 3620)
    let incident = try #require(desk.book.incidents.opened.first)
    #expect(
      desk.book.drainLeftOpen() == [
        LeftOpenNote(channel: "ops (former)", target: "https://hooks.example:443", incidents: [incident.id])
      ])
    #expect(incident.log["ops (former)"]?.leftOpen?.at == after(3611))
    #expect(desk.book.notifier.leaving.isEmpty)
    let sent = desk.sent.count
    desk.up(web, at: 3621)
    desk.pass(from: 3621, to: 3640)
    #expect(desk.sent.count == sent + 1 && Self.lines(desk).last == "3624 ops resolved")
  }

  /// A receiver that is not configured any more is tried for an hour: a further change of the settings gives it no more time.
  @Test func aFurtherChangeGivesNoMoreTime() throws {
    let web = try makeCheck("web")
    var desk = Desk(Self.settings(try Self.webhook("a")), [web])
    desk.down(web, at: 0)
    desk.pass(from: 0, to: 10)
    desk.answer = { _, _ in .failed("no answer") }
    Self.reload(&desk, Self.settings(try Self.webhook("b")), at: 11)
    func since() throws -> Instant? {
      let channel = try #require(desk.book.notifier.leaving.first)
      return desk.book.notifier.state(of: channel.name).leavingSince
    }
    #expect(try since() == reading(11).boot)
    desk.pass(from: 12, to: 1800, by: 12)
    Self.reload(&desk, Self.settings(try Self.webhook("b"), try Self.webhook("c", "more")), at: 1811)
    #expect(try since() == reading(11).boot)
    desk.pass(from: 1812, to: 3610, by: 29)
    #expect(desk.book.notifier.leaving.count == 1 && desk.book.drainLeftOpen().isEmpty)
    desk.pass(from: 3611, to: 3612)
    #expect(desk.book.notifier.leaving.isEmpty)
    #expect(desk.book.drainLeftOpen().map(\.target) == [try Self.webhook("a").target])
  }
}
