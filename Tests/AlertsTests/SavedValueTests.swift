// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// Each field of the notification log and of a storm as they are kept, and the clock that they are read by.
@Suite struct SavedValueTests {
  private let id = UniqueID(high: 9, low: 9)
  private let check = UniqueID(high: 0, low: 2)

  private func text(_ write: (inout JSONWriter) -> Void) -> String {
    var json = JSONWriter()
    json.object { write(&$0) }
    return json.text
  }

  private static func at(_ second: Int) -> String { #""2026-01-05T00:00:0\#(second).000Z""# }

  private func heard() -> Heard {
    var heard = Heard()
    heard.alerts[.init(rule: "down", check: check)] = .init(severity: .high, level: 2)
    heard.alerts[.init(rule: "own", part: "p")] = .init(severity: .low, level: 1, end: .renamed)
    heard.root = .init(rule: "down", check: check)
    return heard
  }

  private var alerts: String {
    #""alerts":[{"rule":"down","check":"\#(check)","severity":"high","level":2},"#
      + #"{"rule":"own","part":"p","severity":"low","level":1,"end":"renamed"}]"#
  }

  @Test func whatAReceiverKnows() throws {
    var heard = heard()
    let root = #""root":{"rule":"down","check":"\#(check)"},"#
    #expect(text(heard.write) == #"{"over":false,\#(root)\#(alerts)}"#)
    #expect(Heard(try JSONValue.parse(text(heard.write).utf8)) == heard)
    (heard.isOver, heard.isAcknowledged, heard.isFlapping, heard.opening) = (true, true, true, .medium)
    let more = #""over":true,"acknowledged":true,"flapping":true,"opening":"medium","#
    #expect(text(heard.write) == "{\(more)\(root)\(alerts)}")
    #expect(Heard(try JSONValue.parse(text(heard.write).utf8)) == heard)
    #expect(text(Heard().write) == #"{"over":false,"alerts":[]}"#)
    #expect(Heard(try JSONValue.parse("{}".utf8)) == Heard())
  }

  @Test func whatWasSent() throws {
    var record = NotificationRecord()
    func write(_ json: inout JSONWriter) { record.write("ops", to: &json, now: reading(9)) }
    func read() throws -> NotificationRecord? {
      NotificationRecord(try JSONValue.parse(text(write).utf8), SavedClock(now: reading(9)))
    }
    #expect(text(write) == #"{"channel":"ops","heard":{"over":false,"alerts":[]},"deliveries":0}"#)
    #expect(try read() == record)
    record.deliver(Heard(), at: reading(3), missing: "b has it not")
    record.deliver(Heard(), at: reading(5), missing: "b has it not")
    (record.leftOpen, record.held, record.storm) = (.init(target: "t", at: after(6)), .quietHours, id)
    var sending = NotificationRecord.Sending(id: id, kind: .update, heard: Heard(), recipients: ["a@x"])
    (sending.isTaken, sending.refused) = (false, "no")
    record.sending = sending
    record.refused = .init(heard: Heard(), words: "w", isPlain: true)
    let empty = #"{"over":false,"alerts":[]}"#
    #expect(
      text(write) == #"{"channel":"ops","heard":\#(empty),"first":\#(Self.at(3)),"last":\#(Self.at(5)),"#
        + #""last_ago":4,"deliveries":2,"left_open":{"target":"t","at":\#(Self.at(6))},"#
        + #""held":"quiet_hours","storm":"\#(id)","missing":"b has it not","#
        + #""sending":{"id":"\#(id)","kind":"update","heard":\#(empty),"recipients":["a@x"],"taken":false,"#
        + #""refused":"no"},"refused":{"words":"w","plain":true,"heard":\#(empty)}}"#)
    #expect(try read() == record)
  }

  /// What an earlier version has not written, and counts that are none.
  @Test(
    arguments: [
      ("", 0), (#","first":"2026-01-05T00:00:00.000Z""#, 1), (#","deliveries":1000000"#, 1_000_000),
      (#","deliveries":1000001"#, 0), (#","deliveries":-1"#, 0), (#","deliveries":0"#, 0),
    ])
  func deliveries(rest: String, count: Int) throws {
    let json = try JSONValue.parse(#"{"heard":{}\#(rest)}"#.utf8)
    #expect(NotificationRecord(json, SavedClock(now: reading(9)))?.deliveries == count)
    #expect(NotificationRecord(try JSONValue.parse("{}".utf8), SavedClock(now: reading(9))) == nil)
  }

  /// A record of before says nothing of which recipients: all that were left had nothing yet.
  @Test func whatWasBeingSent() throws {
    func read(_ text: String) throws -> NotificationRecord.Sending? { .init(try JSONValue.parse(text.utf8)) }
    let bare = try #require(try read(#"{"id":"\#(id)","kind":"opened","heard":{}}"#))
    #expect(bare.isTaken && bare.recipients == nil && bare.refused == nil && bare.kind == .opened)
    #expect(try read(#"{"kind":"opened","heard":{}}"#) == nil)
    #expect(try read(#"{"id":"\#(id)","kind":"x","heard":{}}"#) == nil)
    #expect(try read(#"{"id":"\#(id)","kind":"opened"}"#) == nil)
  }

  /// The entry of another receiver counts one more, up to a million.
  @Test func successors() {
    var record = NotificationRecord()
    record.deliver(heard(), at: reading(1))
    #expect(record.successor.deliveries == 2 && record.successor.heard.isEmpty)
    #expect(record.successor.first == nil)
    record.deliveries = 1_000_000
    record.deliver(heard(), at: reading(2))
    #expect(record.deliveries == 1_000_000 && record.successor.deliveries == 1_000_000)
    #expect(record.first == after(1) && record.last == after(2) && record.lastAt == reading(2).boot)
  }

  /// The receiver may take it for open: it has it, or may have it, and no end of it.
  @Test func whatIsOwedAnEnd() {
    var record = NotificationRecord()
    #expect(!record.mayBeKnown && !record.isOwedEnd)
    record.sending = .init(id: id, kind: .opened, heard: Heard())
    #expect(record.mayBeKnown && record.isOwedEnd)
    record.heard.isOver = true
    #expect(record.mayBeKnown && !record.isOwedEnd)
    record = NotificationRecord()
    record.heard = heard()
    #expect(record.isOwedEnd)
    record.leftOpen = .init(target: "", at: after(0))
    #expect(!record.isOwedEnd && record.leftOpen?.place == "its receiver")
    record.leftOpen?.target = "t"
    #expect(record.leftOpen?.place == "t")
  }

  @Test func storms() throws {
    let (one, two) = (UniqueID(high: 5, low: 1), UniqueID(high: 5, low: 2))
    var storm = Storm(id: id, begin: after(1), at: reading(2).boot)
    (storm.incidents, storm.heard) = ([two, one], [one: true, two: false])
    (storm.last, storm.lastAt) = (after(4), reading(4).boot)
    func write(_ json: inout JSONWriter) { storm.write(to: &json, now: reading(9)) }
    func read() throws -> Storm? {
      Storm(try JSONValue.parse(text(write).utf8), SavedClock(now: reading(9)))
    }
    #expect(
      text(write)
        == #"{"id":"\#(id)","begin":\#(Self.at(1)),"began_ago":7,"last":\#(Self.at(4)),"last_ago":5,"#
        + #""incidents":["\#(one)","\#(two)"],"over":["\#(one)"]}"#)
    #expect(try read() == storm)
    storm.sending = .init(id: id, kind: .update, heard: Heard())
    #expect(text(write).hasSuffix(#""kind":"update","heard":{"over":false,"alerts":[]}}}"#))
    #expect(try read() == storm)
    (storm.last, storm.lastAt, storm.heard) = (nil, nil, [:])
    #expect(try read() == storm && !storm.isTold)
    #expect(Storm(try JSONValue.parse("{}".utf8), SavedClock(now: reading(9))) == nil)
  }

  /// In one life of the machine by the monotonic clock, otherwise by the wall clock, which does not go back.
  @Test(
    arguments: [
      ("a", "a", 40, 30, 40), ("a", "b", 40, 30, 30), ("a", nil, 40, 30, 30), (nil, "a", 40, 30, 30),
      ("a", "a", -1, 30, 30), ("a", "a", 0, 30, 0), ("a", "b", 40, -30, 0),
    ] as [(String?, String?, Int64, Int64, Int64)])
  func clocks(saved: String?, life: String?, boot: Int64, wall: Int64, since: Int64) throws {
    let now = ClockReading(boot: reading(100).boot, wall: after(100))
    let start = reading(100 - boot).boot.microseconds
    let word = saved.map { #""life":"\#($0)","# } ?? ""
    let text = #"{\#(word)"uptime_us":\#(start),"saved_at":"\#(after(100 - wall).rfc3339)","age":5}"#
    let json = try JSONValue.parse(text.utf8)
    let clock = SavedClock(json, now: now, life: life)
    #expect(clock.instant(json, "age") == now.boot - .seconds(since + 5) && clock.present == now.boot)
  }

  /// An age is a number of at most thirty years; a small number one of 0 to 1,000.
  @Test func numbers() throws {
    let now = reading(100)
    func instant(_ text: String) throws -> Instant? {
      SavedClock(now: now).instant(try JSONValue.parse(text.utf8), "age")
    }
    #expect(try instant(#"{"age":1.5}"#) == now.boot - .milliseconds(1500))
    #expect(try instant(#"{"age":-2}"#) == now.boot + .seconds(2))
    for text in [#"{"age":1e9}"#, #"{"age":-1e9}"#, #"{"age":"5"}"#, "{}", #"{"age":null}"#] {
      #expect(try instant(text) == nil, "\(text)")
    }
    #expect(try instant(#"{"age":999999999}"#) != nil)
    for (text, number) in [("0", 0), ("1000", 1000), ("1001", nil), ("-1", nil), (#""5""#, nil)] {
      #expect(try JSONValue.parse(#"{"n":\#(text)}"#.utf8).small("n") == number, "\(text)")
    }
  }
}
