// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Checks

/// Readers of answers that are lines, and of the packets of databases; without a socket.
@Suite struct LineAnswersTests {
  /// A reading in short: its count, `more`, or the words.
  private func short(_ reading: Reading) -> String {
    switch reading {
    case .more: "more"
    case .accepted(let count, let then): "\(count)" + then.map { ", then \($0.what)" }.joined()
    case .refused(let words): "refused: \(words)"
    case .foreign(let words): "foreign: \(words)"
    }
  }

  private func coded(_ text: String, isFTP: Bool = false) -> String {
    switch LineAnswers.coded(Array(text.utf8)[...], isFTP: isFTP) {
    case .more: "more"
    case .foreign: "foreign"
    case .answer(let answer): "\(answer.code) \(answer.lines) \(answer.count)"
    }
  }

  /// RFC 5321 4.2.1: codes of three digits, a hyphen in each line but the last, and the same code in all.
  @Test(arguments: [
    ("250 a b\r\n", #"250 ["a b"] 9"#), ("250 a\nrest", #"250 ["a"] 6"#), ("250\r\n", #"250 [""] 5"#),
    ("250-a\r\n250-b\r\n250 c\r\nmore", #"250 ["a", "b", "c"] 21"#), ("250-a\r\n250 c", "more"),
    ("25", "more"),
    ("100 a\r\n", #"100 ["a"] 7"#), ("599 a\r\n", #"599 ["a"] 7"#), ("099 a\r\n", "foreign"),
    ("600 a\r\n", "foreign"), ("250-a\r\n251 b\r\n", "foreign"), ("250_a\r\n", "foreign"),
    ("25a", "foreign"), ("+OK", "foreign"), ("", "more"), ("250-a\r\nb\r\n250 c\r\n", "foreign"),
  ])
  func answersWithACode(text: String, expected: String) { #expect(coded(text) == expected) }

  /// RFC 959 4.2: between the first line and the last others may stand, with other codes as well.
  @Test(arguments: [
    ("220-a\r\n b\r\n226 c\r\n220-d\r\n220 e\r\n", #"220 ["a", "d", "e"] 32"#), ("220-a\r\nb\r\n", "more"),
    ("220 a\r\n", #"220 ["a"] 7"#), ("b\r\n220 a\r\n", "foreign"),
  ])
  func answersOfFTP(text: String, expected: String) { #expect(coded(text, isFTP: true) == expected) }

  @Test func keywords() {
    for (line, word) in [
      ("STARTTLS", "STARTTLS"), ("size 10", "SIZE"), (" auth\tPLAIN", "AUTH"), ("", ""), ("  ", ""),
    ] {
      #expect(LineAnswers.keyword(line) == word)
    }
  }

  /// RFC 9051 7.1: untagged lines, then the tag and its status.
  @Test(arguments: [
    ("* a\r\n+ b\r\na1 OK done\r\nmore", "22"), ("a1 ok\r\n", "7"), ("* a\r\n", "more"),
    ("a1 NO x\r\n", "refused: imap answered NO"), ("a1 bad\r\n", "refused: imap answered BAD"),
    ("a1 PREAUTH\r\n", "foreign: this is not imap"), ("a2 OK\r\n", "foreign: this is not imap"),
    ("a1OK\r\n", "foreign: this is not imap"), ("*a\r\n", "foreign: this is not imap"),
  ])
  func taggedAnswers(text: String, expected: String) {
    let read = LineAnswers.tagged("a1")
    #expect(short(read(Array(text.utf8)[...])) == expected)
  }

  /// RFC 1939 3: a status, and where a list is asked for lines up to one that is a dot.
  @Test(arguments: [
    ("+OK a\r\nb\r\n", false, "7"), ("+OK a\r\nb\r\n.\r\nc", true, "13"), ("+OK\r\n..\r\n", true, "more"),
    ("+OK\r\n.", true, "more"), ("-ERR a\r\n", true, "refused: pop3 answered -ERR"),
    ("+ok\r\n", false, "foreign: this is not pop3"), ("+OK", false, "more"),
  ])
  func answersOfPOP3(text: String, isList: Bool, expected: String) {
    #expect(short(LineAnswers.pop3(isList: isList)(Array(text.utf8)[...])) == expected)
  }

  // MARK: PostgreSQL

  private func message(_ type: Character, _ body: [UInt8]) -> [UInt8] {
    Array(String(type).utf8) + SpokenDialog.bigEndian(UInt32(body.count + 4)) + body
  }

  private func reading(_ dialog: SpokenDialog, _ bytes: [UInt8]) -> String {
    guard case .read(let read)? = dialog.steps.first?.read else { return "no reader" }
    return short(read(bytes[...]))
  }

  /// The server's demand for a password is an answer; without one the session stands and is ended.
  @Test func answersOfPostgres() {
    func answer(_ bytes: [UInt8]) -> String { reading(.postgres, bytes) }
    let password = message("R", [0, 0, 0, 10])
    #expect(answer(password) == "9" && answer(password + [1, 2]) == "9")
    #expect(answer(message("R", [0, 0, 0, 0]) + [1, 2]) == "11, then terminate")
    // What may come before it: a notice, and the version that the server has.
    let notice = message("N", [0])
    #expect(answer(notice + password) == "15" && answer(message("v", [0, 0, 0, 0]) + password) == "18")
    #expect(answer(notice) == "more" && answer(Array(password.dropLast())) == "more")
    #expect(answer(Array(password.prefix(4))) == "more")
    #expect(answer(message("Z", [0])) == "foreign: this is not postgres")
    #expect(answer([0x52, 0, 0, 0, 3]) == "foreign: this is not postgres")
    #expect(answer([0x52, 0, 0, 0x20, 1]) == "foreign: this is not postgres")
    #expect(answer([0x52, 0, 0, 0x20, 0]) == "more")
    let error = message("E", Array("SFATAL\0C57P03\0Mno\0\0".utf8))
    #expect(answer(error) == "refused: postgres answered error 57P03")
    #expect(answer(message("E", Array("C28000\0\0".utf8)) + [9]) == "13")
  }

  // MARK: MySQL

  private func packet(_ body: [UInt8], sequence: UInt8 = 0) -> [UInt8] {
    [UInt8(body.count & 255), UInt8(body.count >> 8), 0, sequence] + body
  }

  /// Version 10, a version's text, a thread's id, eight bytes, a filler, the lower capabilities, and so many more.
  private func greeting(_ lower: UInt16, _ more: [UInt8] = []) -> [UInt8] {
    [10] + Array("8.0\0".utf8) + [1, 0, 0, 0] + [UInt8](repeating: 65, count: 8) + [0]
      + [UInt8(lower & 255), UInt8(lower >> 8)] + more
  }

  @Test func greetingsOfMySQL() {
    func answer(_ bytes: [UInt8]) -> String {
      short(SpokenDialog.mysqlGreeting(bytes[...]) { flags, count in .refused("\(flags) \(count)") })
    }
    #expect(answer(packet(greeting(0x0810))) == "refused: 2064 24")
    // The upper half stands behind a character set and a status.
    #expect(answer(packet(greeting(0x0810, [33, 2, 0, 1, 0x80]))) == "refused: 2147551248 29")
    #expect(answer(packet(greeting(0x0810, [33, 2, 0, 1]))) == "refused: 2064 28")
    #expect(answer(Array(packet(greeting(0)).dropLast())) == "more" && answer([1, 0, 0, 0]) == "more")
    #expect(answer(packet(greeting(0), sequence: 1)) == "foreign: this is not mysql")
    #expect(answer([0, 0, 0, 0, 10]) == "foreign: this is not mysql")
    let old = "foreign: this is not mysql with protocol version 10"
    #expect(answer(packet([9] + greeting(0).dropFirst())) == old)
    #expect(answer(packet(Array(greeting(0).dropLast()))) == old)
    #expect(answer(packet([0xff, 0x69, 0x04])) == "refused: mysql answered error 1129")
    #expect(answer([1, 0, 1, 0, 10]) == "foreign: this is not mysql")
  }

  /// The client offers protocol 4.1, long passwords, secure connections and plugins, and TLS where that comes next.
  @Test func requestsToMySQL() {
    let tail = [33] + [UInt8](repeating: 0, count: 23)
    #expect(SpokenDialog.mysqlFlags(overTLS: false) == [0x01, 0x82, 0x08, 0, 0, 0, 0, 1] + tail)
    #expect(SpokenDialog.mysqlFlags(overTLS: true) == [0x01, 0x8a, 0x08, 0, 0, 0, 0, 1] + tail)
    #expect(SpokenDialog.mysqlFrame([7, 8], sequence: 3) == [2, 0, 0, 3, 7, 8])
    let login = SpokenDialog.mysqlLoginBytes(sequence: 2, overTLS: true)
    #expect(login.prefix(4) == [68, 0, 0, 2])
    #expect(login.dropFirst(36).elementsEqual("quartz-agent\0\0mysql_native_password\0".utf8))
    #expect(SpokenDialog.littleEndian(0x0102_0304) == [4, 3, 2, 1])
    #expect(SpokenDialog.bigEndian(0x0102_0304) == [1, 2, 3, 4])
  }

  /// The end of a login: it stands, it goes on another way, or it is refused by a server that works.
  @Test func loginsAtMySQL() {
    func answer(_ body: [UInt8], sequence: UInt8 = 2) -> String {
      reading(.mysql(greeting: false), packet(body, sequence: sequence))
    }
    #expect(answer([0, 1]) == "6, then quit" && answer([1, 4]) == "6")
    #expect(answer([0xfe, 0x6d]) == "6, then no password")
    #expect(answer([0xfe], sequence: 7) == "5, then no password")
    #expect(answer([0xfe], sequence: 8) == "foreign: this is not mysql")
    #expect(answer([0], sequence: 0) == "foreign: this is not mysql")
    #expect(answer([0], sequence: 9) == "5, then quit")
    #expect(answer([0], sequence: 10) == "foreign: this is not mysql")
    #expect(answer([2]) == "foreign: this is not mysql")
    #expect(answer([0xff, 0x15, 0x04]) == "7")
    #expect(answer([0xff, 0x10, 0x04]) == "refused: mysql answered error 1040")
    #expect(answer([0xff, 0x10]) == "6")
  }

  // MARK: XMPP

  /// The offer, and the go-ahead in its two forms (RFC 6120 5.4).
  @Test func answersOfXMPP() {
    let steps = SpokenDialog.startTLS(.xmpp, host: "a<'>.test").steps
    guard case .bytes(let opening)? = steps[0].say, case .read(let features)? = steps[0].read,
      case .read(let goAhead)? = steps[1].read
    else {
      Issue.record("no steps")
      return
    }
    #expect(
      String(decoding: opening, as: UTF8.self).contains("<stream:stream to='a.test' version='1.0' "))
    func offer(_ text: String) -> String { short(features(Array(text.utf8)[...])) }
    let tls = "<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"
    #expect(offer("<a>\(tls)</stream:features>") == "72" && offer(" \n<a>\(tls)") == "more")
    #expect(offer("x") == "foreign: this is not xmpp" && offer("") == "more" && offer("<a") == "more")
    #expect(offer("<stream:error/>") == "refused: xmpp answered with a stream error")
    #expect(offer("<a></stream:features>") == "refused: xmpp does not offer STARTTLS")
    func answer(_ text: String) -> String { short(goAhead(Array(text.utf8)[...])) }
    #expect(answer("<proceed/>x") == "10" && answer("<proceed></proceed>x") == "19")
    #expect(answer("<proceed>") == "more" && answer("<proceed") == "more")
    #expect(answer("<failure/>") == "refused: xmpp answered with a failure")
    #expect(answer("<stream:error>") == "refused: xmpp answered with a stream error")
    #expect(answer("<x/>") == "foreign: this is not xmpp" && answer(" ") == "foreign: this is not xmpp")
  }
}
