// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// A mail line by line: its header, its parts, its attachment; and the encodings at the bounds of their
/// lines.
@Suite struct MailTextTests {
  private let mail = MailChannel(
    server: Endpoint(host: "m.example", port: 587), security: .starttls, sender: "agent@x.example",
    recipients: ["a@x.example", "b@x.example"])
  private let id = UniqueID(high: 1, low: 1)
  private let incident = UniqueID(high: 2, low: 2)

  private func message(_ kind: AlertMessage.Kind = .opened) -> AlertMessage {
    var message = AlertMessage(
      id: id, incident: incident, kind: kind, severity: .critical, title: "Shop is down", at: after(100),
      begin: after(0), agent: "a")
    message.thread = "Shop: outage [000002]"
    return message
  }

  private func lines(_ message: AlertMessage, _ template: AlertTemplate = AlertTemplate()) -> [String] {
    String(decoding: MailText(message, template, mail, now: after(3_661)).bytes, as: UTF8.self)
      .split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
  }

  @Test func theHeader() {
    let thread = "<\(incident).incident@x.example>"
    #expect(
      lines(message()).prefix { !$0.isEmpty } == [
        "Date: Mon, 5 Jan 2026 01:01:01 +0000", "From: quartz-agent <agent@x.example>", "To: a@x.example,",
        " b@x.example", "Subject: Shop: outage [000002]", "Message-ID: <\(id)@x.example>",
        "Auto-Submitted: auto-generated", "List-Id: quartz-agent alerts <alerts.x.example>",
        "MIME-Version: 1.0", "In-Reply-To: \(thread)", "References: \(thread)", "X-Quartz-Message: \(id)",
        "Importance: high", "Content-Type: multipart/alternative;", " boundary=\"=_\(id)\"",
      ])
  }

  @Test func theBody() {
    let lines = lines(message())
    let body = Array(lines.drop { !$0.isEmpty })
    let line = "severity critical, since 2026-01-05 00:00 UTC, for 1m 40s so far"
    #expect(
      body.prefix(9) == [
        "", "--=_\(id)", "Content-Type: text/plain; charset=utf-8",
        "Content-Transfer-Encoding: quoted-printable", "", "[critical] Shop is down", "", line,
        "agent a, incident \(incident)",
      ])
    #expect(
      body.dropFirst(9).prefix(7) == [
        "acknowledge: quartz-agent ack 000002", "", "--=_\(id)", "Content-Type: text/html; charset=utf-8",
        "Content-Transfer-Encoding: quoted-printable", "", "<!doctype html>",
      ])
    #expect(body.suffix(4) == ["</body></html>", "", "--=_\(id)--", ""])
  }

  /// A thread's name is the subject of all its mails, also of a storm's; a template, and what is in no thread have their title.
  @Test func subjects() throws {
    func subject(_ message: AlertMessage, _ template: AlertTemplate = AlertTemplate()) -> String {
      lines(message, template).first { $0.hasPrefix("Subject: ") }?.dropFirst(9).description ?? ""
    }
    #expect(subject(message(.update)) == "Shop: outage [000002]")
    var template = AlertTemplate()
    template.title = try AlertTemplate.parse("T {{check}}")
    #expect(subject(message(), template) == "T ")
    var other = message()
    other.isStorm = true
    #expect(subject(other) == "Shop: outage [000002]")
    other = message()
    other.thread = nil
    #expect(subject(other) == "[critical] Shop is down")
    other.thread = String(repeating: "x", count: 300)
    let long = lines(other).drop { !$0.hasPrefix("Subject: ") }.prefix { !$0.hasPrefix("Message-ID") }
    let words = MailText.encodedWords(String(repeating: "x", count: 247) + "…")
    #expect(long.joined(separator: "\r\n") == "Subject: \(words)")
  }

  /// A file is around it all, in lines of 76 characters.
  @Test(arguments: [(57, [76]), (58, [76, 4]), (0, [])] as [(Int, [Int])])
  func anAttachment(count: Int, lengths: [Int]) {
    let schedule = ReportSchedule(name: "monthly", channels: ["mail"], format: .csv)
    let period = CalendarPeriod.Unit.month.period(of: after(0))
    let message = message(.report).with(
      ReportContent(
        schedule, period, summary: "s", headlines: [], file: [UInt8](repeating: 65, count: count)))
    let lines = lines(message)
    let start = lines.firstIndex(of: "--=_\(id)--") ?? 0
    let tail = Array(lines[(start + 1)...])
    #expect(
      tail.prefix(6) == [
        "", "--=_\(id)+", "Content-Type: text/csv; charset=utf-8; name=\"report-2026-01.csv\"",
        "Content-Disposition: attachment; filename=\"report-2026-01.csv\"",
        "Content-Transfer-Encoding: base64", "",
      ])
    #expect(tail.dropFirst(6).dropLast(2).map(\.utf8.count) == lengths)
    #expect(tail.suffix(2) == ["--=_\(id)+--", ""])
    let head = lines.firstIndex(of: "Content-Type: multipart/mixed;") ?? 0
    #expect(
      lines[head...].prefix(6) == [
        "Content-Type: multipart/mixed;", " boundary=\"=_\(id)+\"", "", "--=_\(id)+",
        "Content-Type: multipart/alternative;", " boundary=\"=_\(id)\"",
      ])
  }

  @Test(
    arguments: [
      (0, "Mon, 5 Jan 2026 00:00:00 +0000"), (86_400 * 6 - 1, "Sat, 10 Jan 2026 23:59:59 +0000"),
      (86_400 * 27, "Sun, 1 Feb 2026 00:00:00 +0000"), (86_400 * 330, "Tue, 1 Dec 2026 00:00:00 +0000"),
    ] as [(Int64, String)])
  func dates(seconds: Int64, text: String) { #expect(MailText.date(after(seconds)) == text) }

  /// Sixty bytes of what is printed go as they are; an encoded word has 42 bytes of whole characters.
  @Test func encodedWords() {
    func word(_ bytes: [UInt8]) -> String { "=?utf-8?B?\(Base64.text(bytes))?=" }
    let sixty = String(repeating: " ~", count: 30)
    #expect(MailText.encodedWords(sixty) == sixty && MailText.encodedWords("") == "")
    let more = sixty + "x"
    let parts = [Array(more.utf8.prefix(42)), Array(more.utf8.dropFirst(42))]
    #expect(MailText.encodedWords(more) == parts.map(word).joined(separator: "\r\n "))
    for text in ["a=?b", "a\u{7f}", "a\u{1f}", "é"] {
      #expect(MailText.encodedWords(text) == word(Array(text.utf8)), "\(text)")
    }
    #expect(MailText.encodedWords("a=b?") == "a=b?")
    // The 42nd byte is the first of a character.
    let split = String(repeating: "x", count: 41) + "é"
    let words = [Array(split.utf8.prefix(41)), Array("é".utf8)]
    #expect(MailText.encodedWords(split) == words.map(word).joined(separator: "\r\n "))
    let whole = String(repeating: "x", count: 40) + "é"
    #expect(MailText.encodedWords(whole) == word(Array(whole.utf8)))
  }

  /// A line has 75 characters and a soft break; what is no text, an equals sign and a last space are escaped.
  @Test func quotedPrintable() {
    let line = String(repeating: "x", count: 75)
    #expect(MailText.quotedPrintable(line) == line + "\r\n")
    #expect(MailText.quotedPrintable(line + "y") == line + "=\r\ny\r\n")
    let short = String(repeating: "x", count: 73)
    #expect(MailText.quotedPrintable(short + "=") == short + "=\r\n=3D\r\n")
    let fits = String(repeating: "x", count: 72)
    #expect(MailText.quotedPrintable(fits + "=") == fits + "=3D\r\n")
    #expect(MailText.quotedPrintable("!~\u{7f}\t ") == "!~=7F=09=20\r\n")
    #expect(MailText.quotedPrintable(" a b") == " a b\r\n" && MailText.quotedPrintable(" ") == "=20\r\n")
    #expect(MailText.quotedPrintable("a\n\nb") == "a\r\n\r\nb\r\n")
    // A dot that a soft break puts at the begin of a line.
    #expect(MailText.quotedPrintable(line + ".") == line + "=\r\n=2E\r\n")
    #expect(MailText.quotedPrintable("a.") == "a.\r\n")
  }
}
