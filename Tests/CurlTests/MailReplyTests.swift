// SPDX-License-Identifier: MIT

import Basics
import Foundation
import TestSupport
import Testing

@testable import Curl

/// A refusal is told in the server's own line, whatever the server puts into it.
@Suite(.timeLimit(.minutes(1))) struct MailReplyTests {
  private func mail(_ port: UInt16) -> MailTransfer {
    MailTransfer(
      host: "127.0.0.1", address: SocketAddress(.v4(0x7f00_0001), port: port), security: .none,
      sender: "q@x.test", recipients: ["bad@x.test"], content: Array("Subject: t\r\n\r\nbody\r\n".utf8))
  }

  private func end(_ manners: MailServer.Manners, login: String? = nil) async throws -> MailTransfer.End {
    let server = MailServer(manners)
    return try await withLoopbackServer(script: { server.serve($0) }) { place in
      var transfer = mail(place.port)
      if let login { (transfer.username, transfer.password) = ("bob", Redacted(login)) }
      return await transfer.send(time: FakeClock().time)
    }
  }

  /// What a server says of a recipient, and what is made of it.
  private static let hostile: [(reply: [UInt8], line: String)] = [
    (Array("550 5.1.1 <bad@x.test>: no such user\r\n".utf8), "550 5.1.1 <bad@x.test>: no such user"),
    (
      Array("550-5.1.1 gone\r\n550-5.1.1 since May\r\n550 ask ann\r\n".utf8),
      "550 5.1.1 gone 5.1.1 since May ask ann"
    ),
    (Array("550  \t padded \t \r\n".utf8), "550 padded"),
    (Array("452 later\n".utf8), "452 later"),
    (Array("550\r\n".utf8), "550"),
    // Terminal escapes, a carriage return and a null inside the line.
    (
      Array("550 \u{1b}[2J\u{1b}]0;owned\u{7} a\rb\u{0}c\r\n".utf8),
      "550 \\u{1b}[2J\\u{1b}]0;owned\\u{7} a\\u{d}b\\u{0}c"
    ),
    // 8-bit: UTF-8 as it is, other bytes replaced, what turns a line around shown.
    (Array("550 kein Postfach für Jörg\r\n".utf8), "550 kein Postfach für Jörg"),
    (
      Array("550 f".utf8) + [0xfc] + Array("r J".utf8) + [0xf6, 0xff] + Array("rg\r\n".utf8),
      "550 f\u{fffd}r J\u{fffd}\u{fffd}rg"
    ),
    (Array("550 a\u{202e}b\r\n".utf8), "550 a\\u{202e}b"),
    // A reply of many lines is cut where it is long enough.
    (
      Array((String(repeating: "550-yyyyyyyyy\r\n", count: 20_000) + "550 end\r\n").utf8),
      "550 " + String(String(repeating: "yyyyyyyyy ", count: 20).prefix(193)) + "…"
    ),
  ]

  @Test(arguments: hostile.indices) func aRefusalIsTheServersLine(_ place: Int) async throws {
    let (reply, line) = Self.hostile[place]
    var manners = MailServer.Manners()
    manners.refusal = reply
    guard case .answered(let found) = try await end(manners) else {
      Issue.record("it is no answer")
      return
    }
    #expect(found.line == line && found.code == Int(line.prefix(3)))
  }

  /// A line of a megabyte is no mail that was taken; what is shown of it is bounded.
  @Test(arguments: [UInt8(ascii: "y"), 0x1b, 0xff]) func aMegabyteOfALine(_ byte: UInt8) async throws {
    var manners = MailServer.Manners()
    manners.refusal = Array("550 ".utf8) + [UInt8](repeating: byte, count: 1 << 20) + Array("\r\n".utf8)
    let words =
      switch try await end(manners) {
      case .answered(let reply): reply.line
      case .failed(let why): why
      case .taken: ""
      }
    #expect(!words.isEmpty && words.utf8.count <= MailReply.shown)
    #expect(words.unicodeScalars.allSatisfy { $0.value >= 0x20 }, "\(words)")
  }

  /// Greeting, EHLO, sender: what is refused before a recipient is told in the same way.
  @Test(arguments: [
    ("", "554 no service for you\r\n", "554 no service for you"),
    ("MAIL", "553 5.7.1 q@x.test: sender rejected\r\n", "553 5.7.1 q@x.test: sender rejected"),
    ("MAIL", "421-closing\r\n421 too many\r\n", "421 closing too many"),
  ])
  func beforeARecipient(_ command: String, _ reply: String, _ line: String) async throws {
    var manners = MailServer.Manners()
    if command.isEmpty { manners.greeting = reply } else { manners.replies[command] = reply }
    guard case .answered(let found) = try await end(manners) else {
      Issue.record("it is no answer")
      return
    }
    #expect(found.line == line)
  }

  /// A login that is refused: the server's words, but for those that repeat the password in any form of a login.
  @Test(
    arguments: [
      ("535 5.7.8 authentication failed\r\n", "the login is refused: 535 5.7.8 authentication failed"),
      ("535-no\r\n535 twice\r\n", "the login is refused: 535 no twice"),
      ("535 PASSWORD is wrong\r\n", nil), ("535 AGJvYgBQQVNTV09SRA==\r\n", nil),
      ("535 (AGJvYgBQQVNTV09SRA)\r\n", nil), ("535 failed: UEFTU1dPUkQ=\r\n", nil),
      ("535-failed: UEFT\r\n535-PASSWORD\r\n535 x\r\n", nil),
      ("535 \(String(repeating: "y", count: 195))PASSWORD\r\n", nil),
    ] as [(String, String?)])
  func aLoginThatIsRefused(_ reply: String, _ words: String?) async throws {
    var manners = MailServer.Manners()
    manners.replies = ["EHLO": "250-mail.test\r\n250 AUTH PLAIN\r\n", "AUTH": reply]
    let end = try await end(manners, login: "PASSWORD")
    let masked = "the login is refused: 535, and a text that repeats a secret of the channel"
    #expect(end == .failed(words ?? masked))
  }

  @Test(
    arguments: [
      ("250 ok\r\n", 250), ("250-more\r\n", nil), ("250\r\n", 250), ("250", 250), ("25\r\n", nil), ("", nil),
      ("2x0 ok\r\n", nil), ("250x\r\n", nil), ("٢٥٠ ok\r\n", nil),
    ] as [(String, Int?)])
  func lines(_ line: String, _ code: Int?) {
    let read = Array(line.utf8).withUnsafeBytes { smtpReply($0) }
    #expect(read == code)
  }
}
