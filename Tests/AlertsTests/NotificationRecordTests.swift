// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// The notification log's entry over a restart: every field, as it is written and as it is read.
@Suite struct NotificationRecordTests {
  private func key(_ number: UInt64) -> Trouble.Key {
    Trouble.Key(rule: "down", check: UniqueID(high: 1, low: number))
  }

  private func heard(_ level: Int) -> Heard {
    var heard = Heard()
    heard.alerts[key(1)] = Heard.Alert(severity: .high, level: level)
    heard.alerts[key(2)] = Heard.Alert(severity: .low, level: 1, end: .recovered)
    (heard.root, heard.opening) = (key(1), .medium)
    (heard.isAcknowledged, heard.isFlapping, heard.isOver) = (true, true, true)
    return heard
  }

  /// With every field set, and none at its default.
  private var full: NotificationRecord {
    var record = NotificationRecord()
    record.heard = heard(1)
    (record.first, record.last, record.lastAt) = (after(10), after(40), reading(40).boot)
    (record.deliveries, record.held, record.storm) = (5000, .quietHours, UniqueID(high: 5, low: 6))
    record.sending = NotificationRecord.Sending(
      id: UniqueID(high: 7, low: 8), kind: .update, heard: heard(2), recipients: ["a@a.example"])
    record.sending?.isTaken = false
    record.sending?.refused = "550 b"
    record.missing = "550 a"
    record.leftOpen = NotificationRecord.LeftOpen(target: "https://hooks.example:443", at: after(50))
    record.refused = NotificationRecord.Refusal(heard: heard(3), words: "no such room", isPlain: true)
    return record
  }

  private func written(_ record: NotificationRecord, at second: Int64) throws -> JSONValue {
    var json = JSONWriter()
    json.object { record.write("ops", to: &$0, now: reading(second)) }
    return try JSONValue.parse(json.bytes)
  }

  private func clock(_ second: Int64) -> SavedClock { SavedClock(now: reading(second)) }

  @Test func everyFieldIsReadAsItWasWritten() throws {
    let json = try written(full, at: 60)
    #expect(json["channel"]?.string == "ops")
    #expect(json["last_ago"]?.double == 20)
    #expect(NotificationRecord(json, clock(60)) == full)
    var plain = full
    plain.refused?.isPlain = false
    plain.sending?.recipients = nil
    plain.sending?.isTaken = true
    plain.sending?.refused = nil
    plain.sending?.kind = .opened
    #expect(NotificationRecord(try written(plain, at: 60), clock(60)) == plain)
  }

  @Test func anEmptyRecordIsReadAsOne() throws {
    let json = try written(NotificationRecord(), at: 0)
    #expect(NotificationRecord(json, clock(0)) == NotificationRecord())
    #expect(NotificationRecord(.null, clock(0)) == nil)
  }

  /// What is missing or of another type in a file is the default, and not what was refused.
  @Test func whatIsNotThereIsTheDefault() throws {
    let text = #"{"heard":{"alerts":[]},"first":"2026-01-05T00:00:10Z","refused":{"words":"no","heard":{}}}"#
    let record = try #require(NotificationRecord(JSONValue.parse(Array(text.utf8)), clock(0)))
    #expect(record.deliveries == 1)
    #expect(record.refused == NotificationRecord.Refusal(heard: Heard(), words: "no", isPlain: false))
    #expect(record.first == after(10))
    #expect(
      [record.last == nil, record.lastAt == nil, record.sending == nil, record.held == nil] == [
        true, true, true, true,
      ])
  }

  /// An age that no clock can have is no instant.
  @Test(
    arguments: [
      ("1e9", nil), ("-1e9", nil), ("999999999", 999_999_999), ("0", 0), ("-5", -5), ("\"1\"", nil),
      ("1e400", nil),
    ] as [(String, Int64?)])
  func agesAreBounded(text: String, seconds: Int64?) throws {
    guard let json = try? JSONValue.parse(Array("{\"a\":\(text)}".utf8)) else {
      #expect(seconds == nil)
      return
    }
    let now = reading(0).boot
    #expect(clock(0).instant(json, "a") == seconds.map { now - .seconds($0) })
  }

  /// Deliveries are counted one by one as far as they are kept, and on under another receiver of the same name.
  @Test func deliveriesAreCounted() {
    var record = NotificationRecord()
    #expect(record.deliveries == 0 && record.successor.deliveries == 1)
    for number in 1...3 {
      record.deliver(heard(1), at: reading(Int64(number) * 10))
      #expect(record.deliveries == number && record.first == after(10))
      #expect(record.last == after(Int64(number) * 10) && record.lastAt == reading(Int64(number) * 10).boot)
    }
    #expect(record.successor.deliveries == 4 && record.successor.heard == Heard())
    record.deliveries = 999_999
    record.deliver(heard(1), at: reading(40))
    #expect(record.deliveries == 1_000_000 && record.successor.deliveries == 1_000_000)
    record.deliver(heard(1), at: reading(50))
    #expect(record.deliveries == 1_000_000)
  }
}
