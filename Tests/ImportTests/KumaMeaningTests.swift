// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Import

/// Times of Uptime Kuma, which are in seconds, and what they become.
@Suite struct KumaMeaningTests {
  private func check(_ members: String, type: String = "port") throws -> ImportedCheck {
    let monitor = #"{"id":1,"name":"r","type":"\#(type)","hostname":"a.example","port":1\#(members)}"#
    let made = try Importer.read(
      .uptimeKuma, [ImportFile(name: "f", bytes: Array("{\"monitorList\": [\(monitor)]}".utf8))])
    return try #require(made.checks.first)
  }

  /// Interval, timeout, retries and retry interval as Kuma has them, and the four keys.
  private static let table: [(given: [String], made: [String?])] = [
    (["60", "48", "0", "60"], ["1m", "48s", "0", nil]), (["60", "48", "1", "60"], ["1m", "48s", "1", "1m"]),
    (["60", "48", "2", "20"], ["1m", "48s", "2", "20s"]),
    (["60", "48", "10", "1"], ["1m", "48s", "10", "1s"]),
    (["60", "48", "3", "0"], ["1m", "48s", "3", "1m"]),
    (["20", "16", "3", "0"], ["20s", "16s", "3", "20s"]),
    (["300", "5", "1", "300"], ["5m", "5s", "1", "5m"]),
    (["300", "0", "1", "90"], ["5m", "1m", "1", "90s"]),
    (["20", "0", "0", "0"], ["20s", "16s", "0", nil]),
    (["3600", "30", "1", "3599"], ["1h", "30s", "1", "3599s"]),
    (["7200", "30", "1", "3600"], ["2h", "30s", "1", "1h"]),
    (["7200", "30", "1", "7200"], ["2h", "30s", "1", "1h"]),
    (["86400", "30", "1", "0"], ["1d", "30s", "1", "1h"]),
  ]

  @Test(arguments: KumaMeaningTests.table.indices) func paces(_ row: Int) throws {
    let (given, made) = Self.table[row]
    let check = try check(
      ",\"interval\":\(given[0]),\"timeout\":\(given[1]),\"maxretries\":\(given[2]),\"retryInterval\":\(given[3])",
      type: "dns")
    #expect(
      ["interval", "timeout", "retries", "retry_delay"].map { check[$0]?.word } == made, "\(given)")
  }

  /// A push monitor waits for its interval, a second, and each retry.
  @Test(arguments: [
    ("60", "0", "60", "1m", "1s"), ("60", "2", "30", "1m", "61s"), ("60", "3", "0", "1m", "181s"),
    ("5", "1", "1", "10s", "2s"), ("3600", "1", "3600", "1h", "3601s"),
  ])
  func pushes(interval: String, retries: String, delay: String, period: String, grace: String) throws {
    let check = try check(
      ",\"pushToken\":\"abcdefghij\",\"interval\":\(interval),\"maxretries\":\(retries),\"retryInterval\":\(delay)",
      type: "push")
    #expect(check["period"]?.word == period && check["grace"]?.word == grace)
  }

  /// More retries than a run has: as many failed runs.
  @Test(arguments: [("11", "12"), ("30", "31"), ("99", "100"), ("100", "100"), ("5000", "100")])
  func manyRetries(retries: String, threshold: String) throws {
    let check = try check(",\"interval\":60,\"maxretries\":\(retries),\"retryInterval\":20")
    #expect(check["retries"]?.word == "0" && check["retry_delay"] == nil)
    #expect(check["failure_threshold"]?.word == threshold && check["interval_failing"]?.word == "20s")
  }

  /// A keyword that would be another one with a blank in it.
  @Test(
    arguments: [
      (#""keyword":"ok""#, []), (#""keyword":"\"up\"""#, []),
      (
        #""keyword":"\"status\":\"up\"""#,
        ["changed: keyword: Kuma looks for it in the answer's JSON without blanks, not in what was sent"]
      ),
      (#""keyword":"ok","body":"{}""#, []), (#""keyword":"ok","body":"a=1","httpBodyEncoding":"form""#, []),
      (#""keyword":"ok","body":"a=1""#, ["laxer: body: it is no JSON, so Kuma's monitor is always down"]),
    ] as [(String, [String])])
  func wordsOfAnAnswer(members: String, lines: [String]) throws {
    let check = try check(",\"url\":\"https://a.example\",\(members)", type: "keyword")
    #expect(check.notes.filter { $0.change != nil }.map(\.line) == lines)
  }

  /// A reminder comes after as many intervals as Kuma waits for, from a minute to a week.
  @Test(
    arguments: [
      ("60", "1", 60_000), ("20", "1", 60_000), ("20", "3", 60_000), ("20", "4", 80_000),
      ("90", "3", 270_000),
      ("604800", "1", 604_800_000), ("700000", "1", 604_800_000), ("1", "604800", 604_800_000),
      ("1", "604799", 604_799_000), ("60", "10080", 604_800_000), ("60", "10081", 604_800_000),
      ("60", "0", nil),
    ] as [(String, String, Int?)])
  func reminders(interval: String, resend: String, remind: Int?) throws {
    let row =
      #"{"id":1,"name":"a","type":"port","hostname":"a","port":1,"interval":\#(interval),"#
      + #""resendInterval":\#(resend),"notificationIDList":{"1":true}}"#
    let config = #""{\"type\":\"slack\",\"slackwebhookURL\":\"https://a.example/\"}""#
    let text = #"{"monitorList":[\#(row)],"notificationList":[{"id":1,"name":"n","config":\#(config)}]}"#
    let made = try Importer.read(.uptimeKuma, [ImportFile(name: "f", bytes: Array(text.utf8))])
    #expect(made.sections.remind == remind)
    #expect((made.sections.channels.first?["updates"]?.word == "true") == (remind != nil))
  }

  /// Kuma notifies of the end of a certificate only where it verifies it.
  @Test(
    arguments: [
      ("http", #""expiryNotification":true"#, "21d"),
      ("http", #""expiryNotification":true,"ignoreTls":false"#, "21d"),
      ("http", #""expiryNotification":true,"ignoreTls":true"#, nil),
      ("http", #""expiryNotification":false,"ignoreTls":true"#, nil),
      ("keyword", #""keyword":"a","expiryNotification":true,"ignoreTls":true"#, nil),
      ("port", #""expiryNotification":true,"smtpSecurity":"secure""#, "21d"),
      ("port", #""expiryNotification":true,"smtpSecurity":"secure","ignoreTls":true"#, nil),
    ] as [(String, String, String?)])
  func certificates(type: String, members: String, days: String?) throws {
    let target = type == "port" ? "" : #","url":"https://a.example""#
    let check = try check("\(target),\(members)", type: type)
    #expect(check["expect.certificate.warn"]?.word == days)
  }

  /// Kuma may retry for the status alone; here a run is retried whatever failed.
  @Test(arguments: [("true", 2, 1), ("true", 0, 0), ("false", 2, 0)])
  func retriesForTheStatus(flag: String, retries: Int, count: Int) throws {
    let check = try check(
      #","url":"https://a.example","expectedValue":"a","maxretries":\#(retries),"retryOnlyOnStatusCodeFailure":\#(flag)"#,
      type: "json-query")
    let words = "a wrong value is tried again as well; Kuma does that for a failed request alone"
    #expect(check.notes.count { $0.why == words && $0.change == .changed } == count)
  }

  /// Statuses are numbers and ranges; another word is left out, and said so.
  @Test(
    arguments: [
      (#"["200-299","404"]"#, ["200-299", "404"], 0), (#"["200","","2xx"]"#, ["200"], 1),
      (#"["2xx"]"#, nil, 1),
      ("[]", nil, 0),
    ] as [(String, [String]?, Int)])
  func statuses(codes: String, statuses: [String]?, notes: Int) throws {
    let check = try check(",\"url\":\"https://a.example\",\"accepted_statuscodes\":\(codes)", type: "http")
    var found: [String]?
    if case .list(let items)? = check["expect.status"] { found = items.compactMap(\.word) }
    #expect(found == statuses)
    let words = "one of them is no status and no range of statuses"
    #expect(check.notes.count { $0.why == words } == notes)
  }

  /// A value that is none is listed, and the check says that it changed.
  @Test(arguments: [
    #""interval":"soon""#, #""timeout":-1"#, #""retryInterval":"never""#, #""upsideDown":"perhaps""#,
    #""ignoreTls":"perhaps""#, #""accepted_statuscodes":"all""#, #""accepted_statuscodes":{"a":200}"#,
  ])
  func unreadValues(member: String) throws {
    let check = try check(",\"url\":\"https://a.example\",\(member)", type: "http")
    let notes = check.notes.filter { $0.why == Ledger.misread }
    #expect(notes.map(\.change) == [.changed] && notes.map(\.isValue) == [true])
    #expect(check["interval"]?.word == "1m" && check["negate"] == nil && check["tls.verify"] == nil)
    #expect(check["expect.status"] == nil)
  }
}
