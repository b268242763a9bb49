// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Monitoring
import Testing

@testable import Alerts

/// Reports by schedule through the notification log: once, over restarts, retries, quiet hours and other settings. The clock
/// begins on Monday, 5 January 2026.
@Suite struct ScheduledReportTests {
  private static let day: Int64 = 86_400
  /// 1 February, 08:00.
  private static let february = 27 * day + 8 * 3600
  private static let march = 55 * day + 8 * 3600

  private func settings(_ change: (inout AlertSettings) -> Void = { _ in }) -> AlertSettings {
    var settings = makeSettings([], channels: ["ops", "mail"])
    settings.reports = [ReportSchedule(name: "monthly", channels: ["ops"])]
    change(&settings)
    return settings
  }

  /// Such as `2332800 ops 2026-01`.
  private func told(_ desk: Desk) -> [String] {
    desk.told.map { "\($0.at) \($0.channel) \($0.message.report?.period.text ?? "?")" }
  }

  @Test func eachMonthOnce() throws {
    var desk = Desk(settings(), [])
    desk.pass(from: 0, to: Self.march + 60, by: 60)
    #expect(told(desk) == ["\(Self.february) ops 2026-01", "\(Self.march) ops 2026-02"])
    #expect(desk.kinds == [.report, .report])
  }

  /// An agent that is started for the first time owes no report of the month before.
  @Test func nothingOfBefore() {
    var desk = Desk(settings(), [])
    desk.pass(from: 0, to: Self.february - 60, by: 3600)
    #expect(told(desk).isEmpty)
  }

  /// A restart at the instant, before and after: it is sent once, and again only where it was not known to have arrived.
  @Test(arguments: [Int64(-1), 0, 1, 2]) func aRestartAtTheInstant(offset: Int64) throws {
    var desk = Desk(settings(), [])
    desk.pass(from: Self.february - 60, to: Self.february + offset)
    desk = try desk.restarted(at: Self.february + offset)
    desk.pass(from: Self.february + offset, to: Self.february + 60)
    #expect(told(desk) == ["\(Self.february) ops 2026-01"])
  }

  /// Off at the instant and for another month: the last one is sent when it is back, and once.
  @Test func offAtTheInstant() throws {
    var desk = Desk(settings(), [])
    desk.pass(from: 0, to: 60)
    let back = Self.march + 3 * Self.day
    desk = try desk.restarted(at: back)
    desk.pass(from: back, to: back + Self.day, by: 600)
    #expect(told(desk) == ["\(back) ops 2026-02"])
  }

  /// Killed between the sending and the answer: the same is sent again, under its id.
  @Test func anUnknownAnswer() throws {
    var desk = Desk(settings(), [])
    desk.pass(from: 0, to: Self.february - 1, by: 3600)
    let first = desk.book.next(desk.context(Self.february))
    #expect(first.count == 1 && first[0].parts.isEmpty)
    desk = try desk.restarted(at: Self.february + 5)
    desk.pass(from: Self.february + 5, to: Self.february + 60)
    #expect(desk.sent.map(\.id) == [first[0].id] && told(desk) == ["\(Self.february + 5) ops 2026-01"])
  }

  /// It is retried like any notification, under one id, until the receiver takes it.
  @Test func aDeafReceiver() throws {
    var desk = Desk(settings(), [])
    desk.answer = { _, second in second < Self.february + 20 ? .failed("deaf") : .delivered }
    desk.pass(from: Self.february - 60, to: Self.february + 600)
    #expect(desk.sent.count >= 3 && Set(desk.sent.map(\.id)).count == 1 && desk.told.count == 1)
  }

  /// A receiver that refuses one is not asked again before the next.
  @Test func aReceiverThatRefuses() throws {
    var desk = Desk(settings(), [])
    desk.answer = { _, _ in .refused("too large") }
    desk.pass(from: Self.february - 60, to: Self.march + 60, by: 30)
    #expect(desk.sent.map(\.at) == [Self.february, Self.march])
    let channel = desk.book.settings.channels[0]
    let state = desk.book.notifier.reportState(
      desk.book.settings.reports[0], channel, desk.context(Self.march + 60))
    #expect(state.isRefused && state.problem == "too large" && state.delivered == nil && state.owed == nil)
  }

  /// Recipients of a mail that were put off get it alone.
  @Test func someRecipientsLater() throws {
    var desk = Desk(settings(), [])
    desk.answer = { _, second in
      second == Self.february ? .partly("452", remaining: ["b@x.example"]) : .delivered
    }
    desk.pass(from: Self.february - 60, to: Self.february + 120)
    #expect(desk.sent.map(\.recipients) == [nil, ["b@x.example"]] && desk.told.count == 1)
  }

  /// Quiet hours hold it until they end.
  @Test func quietHours() throws {
    var desk = Desk(settings { $0.quietHours = QuietHours(from: 22 * 3600, to: 9 * 3600) }, [])
    desk.pass(from: Self.february - 60, to: Self.february + 7200, by: 60)
    #expect(told(desk) == ["\(Self.february + 3600) ops 2026-01"])
  }

  /// A channel that is gone gets nothing, one that has another name goes on, a new one begins with the next report.
  @Test func otherChannels() throws {
    var desk = Desk(settings { $0.reports[0].channels = ["ops", "mail"] }, [])
    desk.pass(from: 0, to: 60)
    var other = settings { $0.reports[0].channels = ["phone", "late"] }
    other.channels[0].name = "phone"
    other.channels[1] = AlertChannel(name: "late", kind: .exec(ExecChannel(command: ["/bin/late"])))
    desk.book.apply(other, now: desk.now(Self.february + 60))
    desk.pass(from: Self.february + 60, to: Self.february + 600)
    // The receiver of ops is owed January's; late is new since.
    #expect(told(desk) == ["\(Self.february + 60) phone 2026-01"])
    desk.book.apply(settings { $0.reports = [] }, now: desk.now(Self.february + 700))
    desk.pass(from: Self.february + 700, to: Self.march + 60, by: 600)
    #expect(desk.told.count == 1 && desk.book.notifier.reports.entries.isEmpty)
  }

  /// A wall clock that is set back sends none twice.
  @Test func aClockThatIsSetBack() throws {
    var desk = Desk(settings(), [])
    desk.pass(from: Self.february - 60, to: Self.february + 60)
    desk.step = -2 * Self.day
    desk.pass(from: Self.february + 61, to: Self.february + 4 * Self.day, by: 600)
    #expect(told(desk) == ["\(Self.february) ops 2026-01"])
  }

  /// One that was ahead by years, and sent a report then, does not silence those of the years between.
  @Test func aClockThatWasAhead() throws {
    var desk = Desk(settings(), [])
    desk.pass(from: 0, to: 60)
    desk.step = 4 * 365 * Self.day
    desk.pass(from: 61, to: 120)
    #expect(desk.told.map(\.message.report?.period.text) == ["2029-12"])
    desk.step = 0
    desk.pass(from: Self.day, to: Self.february + 3600, by: 3600)
    #expect(told(desk).dropFirst() == ["\(Self.february) ops 2026-01"])
  }

  private func world() throws -> (ShareWorld, MonitoringCheck) {
    let shop = try makeCheck("Shop")
    // Due 40 seconds after the begin: Monday, 5 January, 00:00:40.
    let world = ShareWorld(agents: 2, [shop]) {
      $0.reports = [
        ReportSchedule(name: "weekly", every: .week, day: 0, at: 40, channels: [$0.channels[0].name])
      ]
    }
    return (world, shop)
  }

  /// One member sends it, and the next one knows.
  @Test func oneMemberSendsIt() throws {
    var (world, shop) = try world()
    world.pass(60)
    #expect(
      world.messages.map(\.kind) == [.report]
        && world.heard.first?.hasPrefix("0 report weekly, Week 1") == true)
    world.kill(0)
    world.give(shop, to: 1)
    world.pass(120)
    world.loseDisk(0)
    world.restart(0)
    world.pass(60)
    #expect(world.messages.count == 1)
  }

  /// Killed between the arrival and the note: the next one sends the same, under the same id.
  @Test func killedBeforeTheNote() throws {
    var (world, shop) = try world()
    world.diesAfterSending = 0
    world.pass(60)
    world.give(shop, to: 1)
    world.pass(120)
    #expect(world.messages.map(\.kind) == [.report, .report] && Set(world.messages.map(\.id)).count == 1)
  }

  /// While the store is away no member sends it.
  @Test func aStoreThatIsAway() throws {
    var (world, _) = try world()
    world.pass(20)
    world.isAway = true
    world.pass(60)
    #expect(world.messages.isEmpty)
    world.isAway = false
    world.pass(20)
    #expect(world.messages.map(\.kind) == [.report])
  }
}

/// What receivers are sent.
@Suite struct ReportMessageTests {
  private func message(_ channel: AlertChannel, file: [UInt8]? = nil) throws -> AlertMessage {
    let schedule = ReportSchedule(
      name: "monthly", selection: MaintenanceSelection(tags: [ByteText("prod")]), channels: [channel.name])
    let period = CalendarPeriod.Unit.month.period(of: after(0))
    let content = ReportContent(
      schedule, period, summary: "2 checks", headlines: ["✕ Shop: 98% of 99.9%"],
      document: #"{"month":"2026-01"}"#,
      file: file)
    let writer = MessageWriter(agent: "a", region: nil, pageURL: "https://s.example")
    return writer.report(
      schedule, period, id: UniqueID(high: 1, low: 2), now: after(40 * 86_400), content: content)
  }

  private func mail() -> AlertChannel {
    AlertChannel(
      name: "mail",
      kind: .mail(
        MailChannel(
          server: Endpoint(host: "m.example", port: 587), security: .starttls, sender: "agent@example.com",
          recipients: ["a@example.com"])))
  }

  /// A mail has its text, and the file as an attachment; no incident, no thread.
  @Test func aMail() throws {
    let text = ChannelSender.shown(try message(mail(), file: Array("<p>Report</p>".utf8)), mail())
    let lines = text.components(separatedBy: "\r\n")
    #expect(lines.contains("Subject: [report] monthly, January 2026: 2 checks"))
    #expect(lines.contains("Content-Disposition: attachment; filename=\"report-2026-01.html\""))
    #expect(lines.contains("PHA+UmVwb3J0PC9wPg==") && !text.contains("In-Reply-To"))
    #expect(lines.allSatisfy { $0.utf8.count <= 78 })
    let bare = ChannelSender.shown(try message(mail()), mail())
    #expect(!bare.contains("multipart/mixed") && bare.contains("multipart/alternative"))
  }

  /// A file that is too large for a mail is left out, and the text says so.
  @Test func aLargeFile() throws {
    let large = [UInt8](repeating: 65, count: ReportContent.mostBytes + 1)
    let message = try message(mail(), file: large)
    #expect(message.report?.file == nil)
    #expect(MessageText(message).lines.contains("The report is too large to be sent as a file."))
  }

  /// A webhook gets the document, a chat the figures and the link.
  @Test func aWebhook() throws {
    let json = try body(try message(makeWebhook("hook", .json)), makeWebhook("hook", .json))
    #expect(json["kind"]?.string == "report" && json["report"]?["document"]?["month"]?.string == "2026-01")
    #expect(
      json["report"]?["summary"]?.string == "2 checks" && json["report"]?["period"]?.string == "2026-01")
    let link = "https://s.example/report?month=2026-01&tag=prod"
    #expect(json["link"]?.string == link)
    let slack = try body(try message(makeWebhook("s", .slack)), makeWebhook("s", .slack))
    #expect(
      slack["blocks"]?[1]?["text"]?["text"]?.string == "2 checks\n✕ Shop: 98% of 99.9%\nagent a\n\(link)")
    #expect(slack["blocks"]?[2]?["elements"]?[0]?["text"]?["text"]?.string == "Open report")
  }
}
