// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// Channels that are configured in another way while the agent is stopped: their secrets are gone, and what their receivers
/// know is still known.
@Suite struct FormerReceiverTests {
  private typealias Change = ReceiverChangeTests

  /// Down at 0, notified at 3, and started again at 10 with other settings.
  private func restart(
    _ before: AlertSettings, _ next: AlertSettings, without key: String? = nil
  ) throws -> (desk: Desk, web: MonitoringCheck) {
    let web = try makeCheck("web")
    var desk = Desk(before, [web])
    desk.down(web, at: 0)
    desk.pass(from: 0, to: 9)
    return (try start(&desk, next, at: 10, without: key), web)
  }

  private func start(
    _ desk: inout Desk, _ settings: AlertSettings, at second: Int64, without key: String? = nil
  ) throws -> Desk {
    var json = JSONWriter()
    json.object { desk.book.encode(to: &$0, now: reading(second)) }
    var text = String(decoding: json.bytes, as: UTF8.self)
    if let key { text = text.replacing("\"\(key)\":", with: "\"other\":") }
    var next = Desk(settings, desk.checks, saved: try JSONValue.parse(text.utf8), at: second)
    (next.told, next.sent) = (desk.told, desk.sent)
    return next
  }

  private func finish(_ desk: inout Desk, _ web: MonitoringCheck) {
    desk.down(web, at: 11)
    desk.pass(from: 11, to: 20)
    desk.up(web, at: 21)
    desk.pass(from: 21, to: 30)
  }

  private func note(_ desk: Desk, _ target: String) throws -> LeftOpenNote {
    let incident = try #require(desk.book.incidents.all.first)
    return LeftOpenNote(channel: "ops (former)", target: target, incidents: [incident.id])
  }

  /// Said at the first start and not at the next; the new receiver is sent what is open.
  @Test func anotherReceiver() throws {
    var (desk, web) = try restart(
      Change.settings(try Change.webhook("a")), Change.settings(try Change.webhook("b")))
    #expect(desk.book.drainLeftOpen() == [try note(desk, "https://hooks.example:443")])
    #expect(desk.book.isDirty)
    desk = try start(&desk, desk.book.settings, at: 10)
    #expect(desk.book.drainLeftOpen().isEmpty)
    finish(&desk, web)
    #expect(Change.lines(desk) == ["3 ops opened", "11 ops opened", "24 ops resolved"])
    let log = try #require(desk.book.incidents.all.first?.log)
    #expect(log.keys.sorted() == ["ops", "ops (former)"])
    #expect(log["ops (former)"]?.leftOpen?.target == "https://hooks.example:443")
    #expect(log["ops (former)"]?.first == after(3) && log["ops"]?.first == after(11))
  }

  @Test func removed() throws {
    var (desk, web) = try restart(
      Change.settings(try Change.webhook("a")), Change.settings(try Change.webhook("b", "other")))
    #expect(desk.book.drainLeftOpen() == [try note(desk, "https://hooks.example:443")])
    finish(&desk, web)
    #expect(Change.lines(desk) == ["3 ops opened", "11 other opened", "24 other resolved"])
  }

  /// It comes back by its name later: another channel as far as is known.
  @Test func removedAndAdded() throws {
    let ops = Change.settings(try Change.webhook("a"))
    var (desk, web) = try restart(ops, Change.settings(try Change.webhook("b", "other")))
    desk = try start(&desk, ops, at: 10)
    finish(&desk, web)
    #expect(Change.lines(desk) == ["3 ops opened", "11 ops opened", "24 ops resolved"])
  }

  /// A state of an earlier version does not say which receiver it was: it is what is configured, and one that is removed is said
  /// to be so.
  @Test(arguments: [true, false]) func anEarlierVersion(isRemoved: Bool) throws {
    let next = try isRemoved ? Change.webhook("a", "other") : Change.webhook("b")
    var (desk, web) = try restart(
      Change.settings(try Change.webhook("a")), Change.settings(next), without: "receiver")
    #expect(desk.book.drainLeftOpen() == (isRemoved ? [try note(desk, "")] : []))
    finish(&desk, web)
    let lines = isRemoved ? ["11 other opened", "24 other resolved"] : ["24 ops resolved"]
    #expect(Change.lines(desk) == ["3 ops opened"] + lines)
  }

  @Test func renamed() throws {
    var (desk, web) = try restart(
      Change.settings(try Change.webhook("a")), Change.settings(try Change.webhook("a", "hook")))
    #expect(desk.book.drainLeftOpen().isEmpty)
    finish(&desk, web)
    #expect(Change.lines(desk) == ["3 ops opened", "24 hook resolved"])
  }

  /// The addresses of a mail are known, and its server is the one that is configured.
  @Test(arguments: [["b@x.example"], ["b@x.example", "c@x.example"], ["c@x.example"]])
  func recipients(_ next: [String]) throws {
    var (desk, web) = try restart(
      Change.settings(try Change.mail(["a@x.example", "b@x.example"])),
      Change.settings(try Change.mail(next, server: "new.example")))
    let lost = ["a@x.example", "b@x.example"].filter { !next.contains($0) }
    #expect(desk.book.notifier.leaving.map(\.receiver.recipients) == [lost])
    finish(&desk, web)
    let isNew = lost.count == 2
    #expect(
      Change.lines(desk).sorted()
        == (["24 ops resolved", "3 ops opened", "11 ops (former) channel_removed"]
        + (isNew ? ["11 ops opened"] : [])).sorted())
    #expect(desk.book.drainLeftOpen().isEmpty)
  }

  /// Stopped while the old receiver could not be reached: its secret is gone with the process.
  @Test func stoppedWhileLeaving() throws {
    let web = try makeCheck("web")
    var desk = Desk(Change.settings(try Change.webhook("a")), [web])
    desk.down(web, at: 0)
    desk.pass(from: 0, to: 5)
    desk.answer = { message, _ in message.trigger == .channelRemoved ? .failed("gone") : .delivered }
    Change.reload(&desk, Change.settings(try Change.webhook("b")), at: 6)
    desk.pass(from: 6, to: 9)
    desk = try start(&desk, desk.book.settings, at: 10)
    #expect(desk.book.drainLeftOpen() == [try note(desk, "https://hooks.example:443")])
    finish(&desk, web)
    #expect(Change.lines(desk) == ["3 ops opened", "6 ops opened", "24 ops resolved"])
  }

  /// A receiver that has had the end is owed nothing.
  @Test func over() throws {
    let web = try makeCheck("web")
    var desk = Desk(Change.settings(try Change.webhook("a")), [web])
    desk.down(web, at: 0)
    desk.pass(from: 0, to: 5)
    desk.up(web, at: 6)
    desk.pass(from: 6, to: 12)
    desk = try start(&desk, Change.settings(try Change.webhook("b")), at: 13)
    desk.pass(from: 13, to: 30)
    #expect(desk.book.drainLeftOpen().isEmpty)
    #expect(Change.lines(desk) == ["3 ops opened", "9 ops resolved"])
  }

  /// No secret is written, and what is written is the same for the same receiver.
  @Test func nothingSecretIsKept() throws {
    var desk = Desk(Change.settings(try Change.webhook("T00-secret")), [])
    let text = String(decoding: try written(&desk), as: UTF8.self)
    #expect(!text.contains("secret") && text.contains("\"target\":\"https://hooks.example:443\""))
    let receiver = try Change.webhook("T00-secret", "other name").receiver
    #expect(text.contains("\"receiver\":\"\(receiver.digest)\"") && receiver.digest.utf8.count == 32)
  }

  private func written(_ desk: inout Desk) throws -> [UInt8] {
    var json = JSONWriter()
    json.object { desk.book.encode(to: &$0, now: reading(0)) }
    return json.bytes
  }
}
