// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// Up to which report each channel has them: what is owed, what is on its way, what others say, and as it is
/// kept.
@Suite struct ReportLogTests {
  private static let day: Int64 = 86_400
  private let monthly = ReportSchedule(name: "monthly", channels: ["ops", "mail"])
  /// Of January, due on 1 February, 08:00.
  private let january = ReportSchedule.Due(
    at: after(27 * 86_400 + 8 * 3600), period: CalendarPeriod.Unit.month.period(of: after(0)))

  private func log(at seconds: Int64 = 0) -> ReportLog {
    var log = ReportLog()
    log.follow([monthly], now: after(seconds))
    return log
  }

  private func sending(_ low: UInt64) -> NotificationRecord.Sending {
    NotificationRecord.Sending(id: UniqueID(high: 1, low: low), kind: .report, heard: Heard())
  }

  /// What is new begins with the whole second; what is gone goes; what is known stays as it is.
  @Test func follows() {
    var log = ReportLog()
    log.follow([monthly], now: after(5).advanced(by: .milliseconds(999)))
    let begun = ReportLog.Entry(upTo: after(5), isFirst: true)
    #expect(log["monthly", "ops"] == begun && log["monthly", "mail"] == begun && log.entries.count == 2)
    var other = monthly
    other.channels = ["mail", "new"]
    log.follow([other], now: after(60))
    #expect(log["monthly", "ops"] == nil && log["monthly", "mail"] == begun)
    #expect(log["monthly", "new"] == ReportLog.Entry(upTo: after(60), isFirst: true))
    #expect(log.channels(of: "monthly").keys.sorted() == ["mail", "new"] && log.channels(of: "x").isEmpty)
  }

  /// More than 32 days ahead means nothing.
  @Test func aClockThatWasAhead() {
    let far = 32 * Self.day
    var log = log(at: far)
    log.follow([monthly], now: after(0))
    #expect(log["monthly", "ops"]?.upTo == after(far))
    log.follow([monthly], now: after(-1))
    #expect(log["monthly", "ops"] == ReportLog.Entry(upTo: after(-1), isFirst: true))
  }

  /// What is due after what was done.
  @Test func whatIsOwed() {
    let log = log()
    #expect(log.owed(monthly, to: "ops", now: january.at.advanced(by: .seconds(-1))) == nil)
    #expect(log.owed(monthly, to: "ops", now: january.at) == january)
    #expect(log.owed(monthly, to: "other", now: january.at) == nil)
    let late = self.log(at: 27 * Self.day + 8 * 3600)
    #expect(late.owed(monthly, to: "ops", now: january.at.advanced(by: .seconds(1))) == nil)
  }

  @Test func whatIsOnItsWay() {
    var log = log()
    let due = january.at
    log.begin("monthly", "ops", due: due, sending(1))
    log.begin("monthly", "none", due: due, sending(1))
    #expect(log.sending("monthly", "ops", due: due) == sending(1) && log.entries.count == 2)
    #expect(log.sending("monthly", "ops", due: due.advanced(by: .seconds(1))) == nil)
    #expect(log.sending("monthly", "mail", due: due) == nil)
    var rest = sending(1)
    rest.recipients = ["a@x.example"]
    log.leave("monthly", "ops", rest)
    #expect(log.sending("monthly", "ops", due: due) == rest)
    log.deliver(
      "monthly", "ops", january, at: due.advanced(by: .milliseconds(1999)), missing: "b has it not")
    var done = ReportLog.Entry(upTo: due)
    (done.period, done.problem) = ("2026-01", "b has it not")
    done.delivered = due.advanced(by: .seconds(1))
    #expect(log["monthly", "ops"] == done && log.owed(monthly, to: "ops", now: due) == nil)
    #expect(log["monthly", "mail"] == ReportLog.Entry(upTo: after(0), isFirst: true))
  }

  /// A refusal is the end of this one; the next one that arrives is well again.
  @Test func refused() {
    var log = log()
    log.begin("monthly", "ops", due: january.at, sending(1))
    log.refuse("monthly", "ops", january, "no\n" + String(repeating: "x", count: 1500))
    let entry = log["monthly", "ops"]
    #expect(entry?.isRefused == true && entry?.isFirst == false && entry?.upTo == january.at)
    #expect(entry?.sending == nil && entry?.due == nil && entry?.period == nil && entry?.delivered == nil)
    #expect((entry?.problem?.utf8.count ?? 0) <= SendOutcome.shown && entry?.problem?.contains("\n") == false)
    // An older one does not set it back.
    let before = ReportSchedule.Due(at: after(3), period: january.period)
    log.deliver("monthly", "ops", before, at: after(9), missing: nil)
    #expect(log["monthly", "ops"]?.upTo == january.at)
    #expect(log["monthly", "ops"]?.isRefused == false && log["monthly", "ops"]?.problem == nil)
  }

  /// Theirs is taken where nothing was sent here, where it is further, or where it alone is on its way.
  @Test(
    arguments: [
      (true, 10, false, 5, false, true), (false, 10, false, 11, false, true),
      (false, 10, true, 11, false, true), (false, 10, false, 10, true, true),
      (false, 10, false, 10, false, false), (false, 10, true, 10, true, false),
      (false, 10, false, 9, true, false),
    ] as [(Bool, Int64, Bool, Int64, Bool, Bool)])
  func whatAnotherSays(
    _ isFirst: Bool, _ mine: Int64, _ sends: Bool, _ theirs: Int64, _ theySend: Bool, _ isTaken: Bool
  ) throws {
    func entry(_ isFirst: Bool, _ upTo: Int64, _ id: UInt64?) -> ReportLog.Entry {
      var entry = ReportLog.Entry(upTo: after(upTo), isFirst: isFirst)
      if let id { (entry.sending, entry.due) = (sending(id), after(100)) }
      return entry
    }
    var log = ReportLog()
    log.follow([monthly], now: after(0))
    log.merge("monthly", ["ops": entry(isFirst, mine, sends ? 1 : nil)])
    #expect(log["monthly", "ops"] == entry(isFirst, mine, sends ? 1 : nil))
    let other = entry(false, theirs, theySend ? 2 : nil)
    log.merge("monthly", ["ops": other, "none": other])
    log.merge("another", ["ops": other])
    #expect(log["monthly", "ops"] == (isTaken ? other : entry(isFirst, mine, sends ? 1 : nil)))
    #expect(log.entries.count == 2)
  }

  @Test func renamed() {
    var log = log()
    log.begin("monthly", "ops", due: january.at, sending(1))
    log.rename(["ops": "phone"])
    #expect(log.channels(of: "monthly").keys.sorted() == ["mail", "phone"])
    #expect(log["monthly", "phone"]?.sending == sending(1) && log["monthly", "mail"]?.sending == nil)
    let before = log
    log.rename([:])
    #expect(log == before)
  }

  private func text(_ log: ReportLog) -> String {
    var json = JSONWriter()
    json.object { log.write(to: &$0) }
    return json.text
  }

  @Test func asItIsWritten() throws {
    var log = log()
    let zero = "2026-01-05T00:00:00.000Z"
    let first = #"{"report":"monthly","channel":"mail","up_to":"\#(zero)","first":true}"#
    #expect(
      text(log) == #"{"reports":[\#(first),"#
        + #"{"report":"monthly","channel":"ops","up_to":"\#(zero)","first":true}]}"#)
    log.refuse("monthly", "ops", january, "no")
    log.deliver("monthly", "mail", january, at: january.at, missing: nil)
    log.begin("monthly", "mail", due: january.at, sending(1))
    let due = "2026-02-01T08:00:00.000Z"
    #expect(text(log).contains(#""up_to":"\#(due)","problem":"no","refused":true}"#))
    #expect(
      text(log).contains(
        #""up_to":"\#(due)","period":"2026-01","delivered":"\#(due)","due":"\#(due)","sending":{"#))
    #expect(ReportLog(try JSONValue.parse(text(log).utf8)) == log)
    #expect(ReportLog(nil) == ReportLog())
  }

  /// What is damaged is left out, and words are cut.
  @Test func asItIsRead() throws {
    let long = String(repeating: "x", count: 1500)
    let at = #""up_to":"2026-01-05T00:00:00.000Z""#
    let text =
      #"{"reports":[{"report":"a","channel":"c"},{"channel":"c",\#(at)},{"report":"a",\#(at)},"#
      + #"{"report":"b","channel":"c",\#(at),"period":"\#(long)","problem":"\#(long)"}]}"#
    let log = ReportLog(try JSONValue.parse(text.utf8))
    #expect(log.entries.count == 1 && log["b", "c"]?.isFirst == false && log["b", "c"]?.isRefused == false)
    #expect(
      log["b", "c"]?.period?.utf8.count == 16 && log["b", "c"]?.problem?.utf8.count == SendOutcome.shown)
  }

  /// The log of a report in the store of a group.
  @Test func inTheStore() throws {
    let log = log()
    let shared = SharedReport("monthly", log.channels(of: "monthly"))
    let zero = "2026-01-05T00:00:00.000Z"
    let json = String(decoding: shared.json(by: "a"), as: UTF8.self)
    #expect(
      json == #"{"v":2,"by":"a","report":{"name":"monthly","channels":["#
        + #"{"channel":"mail","up_to":"\#(zero)","first":true},"#
        + #"{"channel":"ops","up_to":"\#(zero)","first":true}]}}"#)
    let value = try #require(try JSONValue.parse(json.utf8)["report"])
    #expect(SharedReport(value, at: SharedReport.id("monthly")) == shared)
    #expect(SharedReport(value, at: SharedReport.id("weekly")) == nil)
    #expect(SharedReport.id("monthly") == UniqueID("ae81fc85-a69e-5007-82da-c86d681aae76"))
    let channels = (0..<80).map { #"{"channel":"c\#($0)","up_to":"\#(zero)"}"# }.joined(separator: ",")
    let many = try JSONValue.parse(#"{"name":"monthly","channels":[\#(channels)]}"#.utf8)
    #expect(SharedReport(many, at: SharedReport.id("monthly"))?.channels.count == AlertChannel.limit)
  }
}
