// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Checks

/// Which codes of an answer each step of a dialog takes: all of them, one by one.
@Suite struct PresetCodeTests {
  private typealias Run = DialogConversationTests.Run

  private func run(_ preset: DialogPreset, _ answers: [String], after kind: StartTLSProtocol? = nil) -> Run {
    let dialog = SpokenDialog(preset, afterStartTLS: kind)
    var run = Run(dialog.steps, farewell: dialog.farewell)
    for answer in answers { run.feed(answer) }
    return run
  }

  private func said(_ run: Run) -> String { String(decoding: run.sent, as: UTF8.self) }

  /// Codes with which the dialog goes to its end, of 100 to 599; of the others the words.
  private func codes(_ preset: DialogPreset, _ before: [String], after kind: StartTLSProtocol? = nil) -> [Int]
  {
    (100...599).filter { code in
      let run = run(preset, before + ["\(code) x\r\n"], after: kind)
      let message = run.conversation.failure?.message
      #expect(message == nil || message == "\(preset.rawValue) answered \(code)", "\(code)")
      return message == nil
    }
  }

  @Test func codesOfSMTP() {
    #expect(codes(.smtp, []) == [220])
    // Behind EHLO all of the fives lead to HELO.
    #expect(codes(.smtp, ["220 a\r\n"]) == [250] + Array(500...599))
    #expect(codes(.smtp, [], after: .smtp) == [250] + Array(500...599))
    #expect(codes(.smtp, ["220 a\r\n", "502 a\r\n"]) == [250, 501, 504, 530, 550, 554])
  }

  /// An FTP server (vsftpd) answers EHLO and HELO with a code of SMTP, and with its own commands.
  @Test func anFTPServerIsNoSMTP() {
    let login = "530 Please login with USER and PASS.\r\n"
    #expect(
      run(.smtp, ["220 (vsFTPd 3.0.3)\r\n", login, login]).conversation.failure?.message
        == "this is not smtp")
    for words in ["530 Authentication required\r\n", "530 no such user\r\n"] {
      #expect(run(.smtp, ["220 a\r\n", "502 a\r\n", words]).conversation.failure == nil, "\(words)")
    }
  }

  @Test func codesOfFTP() {
    #expect(codes(.ftp, []) == [120, 220])
    #expect(codes(.ftp, ["120 a\r\n"]) == [220])
    #expect(codes(.ftp, ["220 a\r\n"]) == Array(200...299) + Array(500...509) + [530])
  }

  /// A greeting that takes this client goes on, whatever status stands beside it; and of a refusal the status counts, but
  /// for 421.
  @Test(
    arguments: [
      ("220 4.7.0 hello", "EHLO quartz-agent.invalid\r\n", nil),
      ("220 5.7.1 hello", "EHLO quartz-agent.invalid\r\n", nil),
      ("400 4.7.1 no", "QUIT\r\n", nil), ("554 5.7.1 no", "QUIT\r\n", nil),
      ("554 5.6.1 no", "QUIT\r\n", "smtp answered 554"), ("554 4.7", "QUIT\r\n", "smtp answered 554"),
      ("554 5,7.1 no", "QUIT\r\n", "smtp answered 554"), ("421 5.7.1 no", "QUIT\r\n", "smtp answered 421"),
      ("354 5.7.1 no", "QUIT\r\n", "smtp answered 354"),
    ] as [(String, String, String?)])
  func statusOfAGreeting(line: String, words: String, failure: String?) {
    let run = run(.smtp, [line + "\r\n"])
    #expect(run.conversation.failure?.message == failure)
    if failure == nil { #expect(said(run) == words) }
  }

  /// The HELO step too, and the words that are said before it.
  @Test func statusOfHELO() {
    let refused = run(.smtp, ["220 a\r\n", "502 a\r\n", "503 5.7.0 no\r\n"])
    #expect(refused.conversation.failure == nil && refused.conversation.finishedAt != nil)
    #expect(said(refused) == "EHLO quartz-agent.invalid\r\nHELO quartz-agent.invalid\r\nQUIT\r\n")
    let ended = run(.smtp, ["220 a\r\n", "502 a\r\n", "421 4.7.0 no\r\n"])
    #expect(ended.conversation.failure?.message == "smtp answered 421")
  }

  /// Words of caches, each by itself: those about this client are answers, others are not.
  @Test(
    arguments: [
      (.redis, "-NOAUTH", nil), (.redis, "-NOPERM", nil), (.redis, "-WRONGPASS", nil),
      (.redis, "-DENIED", nil),
      (.redis, "-ERR", nil), (.redis, "-ERRX", "redis answered -ERRX"),
      (.redis, "-BUSY x", "redis answered -BUSY"),
      (.redis, "-READONLY", "redis answered -READONLY"), (.redis, "-err", "redis answered -"),
      (.redis, "-ERR max number of clients", "redis answered -ERR"), (.redis, "-ERR max number of", nil),
      (.redis, "-A_B9", "redis answered -A_B"),
      (
        .redis, "-" + String(repeating: "A", count: 40),
        "redis answered -" + String(repeating: "A", count: 32)
      ),
      (.redis, ":1", "this is not redis"), (.redis, "$-1", "this is not redis"),
      (.memcached, "SERVER_ERROR", "memcached answered SERVER_ERROR"),
      (.memcached, "CLIENT_ERROR", nil), (.memcached, "ERROR", nil),
      (.memcached, "ERROR x", "memcached answered ERROR"),
      (.memcached, "XERROR", "memcached answered XERROR"),
      (.memcached, "ERRORS", "this is not memcached"), (.memcached, "VERSIONS 1", "this is not memcached"),
    ] as [(DialogPreset, String, String?)])
  func wordsOfCaches(preset: DialogPreset, line: String, words: String?) {
    #expect(run(preset, [line + "\r\n"]).conversation.failure?.message == words)
  }

  /// Greetings of IMAP and POP3, in any case of their letters where the protocol has it so.
  @Test(
    arguments: [
      (.imap, "* OK", "a1 CAPABILITY\r\n", nil), (.imap, "* ok x", "a1 CAPABILITY\r\n", nil),
      (.imap, "* PREAUTH", "a1 CAPABILITY\r\n", nil), (.imap, "* BYE x", "", "imap greets with BYE"),
      (.imap, "* NO", "", "this is not imap"), (.imap, "a OK", "", "this is not imap"),
      (.pop3, "+OK", "CAPA\r\n", nil), (.pop3, "-ERR x", "", "pop3 answered -ERR"),
      (.pop3, "+ok", "", "this is not pop3"), (.pop3, "OK", "", "this is not pop3"),
    ] as [(DialogPreset, String, String, String?)])
  func greetings(preset: DialogPreset, line: String, words: String, failure: String?) {
    let run = run(preset, [line + "\r\n"])
    #expect(run.conversation.failure?.message == failure)
    if failure == nil { #expect(said(run) == words) }
    let preauth = SpokenDialog.imapGreeting(allowsPreauth: false)(Array("* PREAUTH x\r\n".utf8)[...])
    guard case .refused(let why) = preauth else { return #expect(Bool(false), "it must be refused") }
    #expect(why == "imap greets with PREAUTH, which rules STARTTLS out")
  }
}
