// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Checks

/// One rule for what a service says to a client it does not know: that it refuses this client shows that it works; that
/// it cannot serve at all is down.
@Suite struct PresetRefusalTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let preset: DialogPreset
    let answers: [UInt8]
    /// Nil: up.
    let words: String?
    var testDescription: String {
      "\(preset.rawValue): \(String(decoding: answers.prefix(40), as: UTF8.self))"
    }

    init(_ preset: DialogPreset, _ answers: String, _ words: String? = nil) {
      self.init(preset, Array(answers.utf8), words)
    }

    init(_ preset: DialogPreset, _ answers: [UInt8], _ words: String? = nil) {
      (self.preset, self.answers, self.words) = (preset, answers, words)
    }
  }

  /// An error packet in the place of MySQL's greeting.
  private static func mysqlError(_ code: UInt16) -> [UInt8] {
    let body = [0xff, UInt8(code & 255), UInt8(code >> 8)] + Array("no".utf8)
    return [UInt8(body.count), 0, 0, 0] + body
  }

  /// PostgreSQL's ErrorResponse with a state of five letters.
  private static func postgresError(_ state: String, _ message: String = "no") -> [UInt8] {
    let fields = Array("SFATAL\0VFATAL\0C\(state)\0M\(message)\0\0".utf8)
    return Array("E".utf8) + SpokenDialog.bigEndian(UInt32(fields.count + 4)) + fields
  }

  /// Words of PgBouncer with which it serves no client, all of them under 08P01.
  private static let poolerFull = [
    "no more connections allowed (max_client_conn)",
    "client connections exceeded (max_user_client_connections)",
    "server login has been failing, try again later (server_login_retry)",
    "pgbouncer cannot connect to server",
    "server login failed: FATAL password authentication failed for user \"app\"", "bouncer config error",
    "bouncer resources exhaustion", "no memory for pool", "query_wait_timeout", "server shutting down",
    "client_login_timeout (server down)", "the database system is shutting down", "",
  ]

  /// Words of PgBouncer to a client that it does not know.
  private static let poolerRefusals = [
    "no such user: quartz-agent", "no such user", "no such database: postgres",
    "password authentication failed",
    "\"trust\" authentication failed", "login rejected", "database \"postgres\" is disabled", "SSL required",
    "SASL authentication failed", "certificate authentication failed", "username too long",
  ]

  /// States of PostgreSQL and codes of MySQL: what is wrong with this user is not wrong with the server.
  private static let codes: [Case] =
    ["53200", "53300", "57P01", "57P02", "57P03", "58000", "58030", "XX000", "XX001"].map {
      Case(.postgres, postgresError($0), "postgres answered error \($0)")
    }
    + ["28000", "28P01", "3D000", "0A000", "42501"].map { Case(.postgres, postgresError($0)) }
    + poolerFull.map { Case(.postgres, postgresError("08P01", $0), "postgres answered error 08P01") }
    + poolerRefusals.map { Case(.postgres, postgresError("08P01", $0)) }
    + [1037, 1038, 1040, 1041, 1053, 1135, 1203, 1226, 2003, 2013, 3032, 3168].map {
      Case(.mysql, mysqlError($0), "mysql answered error \($0)")
    } + [1044, 1045, 1129, 1130, 1251].map { Case(.mysql, mysqlError($0)) }

  static let cases = [
    Case(.smtp, "220 a\r\n250 a\r\n"),
    Case(.smtp, "220 a\r\n502 what?\r\n250 a\r\n"),
    Case(.smtp, "220 a\r\n500-what?\r\n500 what?\r\n250 a\r\n"),
    Case(.smtp, "220 a\r\n550 go away\r\n550 go away\r\n"),
    Case(.smtp, "220 a\r\n501 5.5.2 no such name\r\n501 5.5.2 no such name\r\n"),
    Case(.smtp, "220 a\r\n504 5.5.2 no full name\r\n504 5.5.2 no full name\r\n"),
    Case(.smtp, "220 a\r\n554 access denied\r\n554 access denied\r\n"),
    // Postfix with smtpd_delay_reject = no, at each of its steps.
    Case(.smtp, "554 5.7.1 <unknown[192.0.2.1]>: Client host rejected: Access denied\r\n"),
    Case(.smtp, "450 4.7.25 Client host rejected: cannot find your hostname, [192.0.2.1]\r\n"),
    Case(.smtp, "220 a\r\n554 5.7.1 <a>: Helo command rejected: Access denied\r\n"),
    Case(.smtp, "220 a\r\n450 4.7.1 <a>: Helo command rejected: Host not found\r\n"),
    Case(.smtp, "220 a\r\n502 what?\r\n503 5.7.0 access denied\r\n"),
    Case(.smtp, "421 4.7.0 too many connections\r\n", "smtp answered 421"),
    Case(.smtp, "220 a\r\n450 4.3.2 no system resources\r\n", "smtp answered 450"),
    Case(.smtp, "220 a\r\n502 what?\r\n502 what?\r\n", "smtp answered 502"),
    Case(.smtp, "220 a\r\n502 what?\r\n503 what?\r\n", "smtp answered 503"),
    Case(.smtp, "220 a\r\n421 too busy\r\n", "smtp answered 421"),
    Case(.smtp, "554 no service here\r\n", "smtp answered 554"),
    Case(.redis, "+PONG\r\n"), Case(.redis, "-NOAUTH Authentication required.\r\n"),
    Case(.redis, "-NOPERM this user has no permissions to run the 'ping' command\r\n"),
    Case(.redis, "-WRONGPASS invalid username-password pair\r\n"),
    Case(.redis, "-DENIED Redis is running in protected mode\r\n"),
    Case(.redis, "-LOADING Redis is loading the dataset in memory\r\n", "redis answered -LOADING"),
    Case(.redis, "-ERR max number of clients reached\r\n", "redis answered -ERR"),
    Case(.redis, "-ERR max number of clients + cluster connections reached\r\n", "redis answered -ERR"),
    Case(.redis, "-ERR unknown command 'PING', with args beginning with: \r\n"),
    Case(.redis, "-ERR unknown command `PING`\r\n"), Case(.redis, "-ERR operation not permitted\r\n"),
    Case(.redis, "-MISCONF Redis is configured to save RDB snapshots\r\n", "redis answered -MISCONF"),
    Case(.redis, "-ERROR\r\n", "redis answered -ERROR"), Case(.redis, "ERR\r\n", "this is not redis"),
    Case(.memcached, "VERSION 1.6.18\r\n"), Case(.memcached, "CLIENT_ERROR unauthenticated\r\n"),
    Case(.memcached, "ERROR\r\n"),
    Case(.memcached, "SERVER_ERROR out of memory\r\n", "memcached answered SERVER_ERROR"),
    Case(.memcached, "ERROR Too many open connections\r\n", "memcached answered ERROR"),
    Case(.mysql, mysqlError(1130)), Case(.mysql, mysqlError(1129)),
    Case(.mysql, mysqlError(1040), "mysql answered error 1040"),
    Case(.pop3, "+OK a\r\n-ERR what?\r\n"), Case(.pop3, "-ERR too busy\r\n", "pop3 answered -ERR"),
    Case(.imap, "* BYE too busy\r\n", "imap greets with BYE"),
    Case(.ftp, "220 a\r\n530 log in first\r\n"), Case(.ftp, "421 too busy\r\n", "ftp answered 421"),
    Case(.ldap, [0x30, 0x0c, 2, 1, 1, 0x61, 7, 0x0a, 1, 8, 4, 0, 4, 0]),
    Case(.ldap, [0x30, 0x0c, 2, 1, 1, 0x61, 7, 0x0a, 1, 51, 4, 0, 4, 0], "ldap answered result 51"),
    Case(.mqtt, [0x20, 2, 0, 5]),
    Case(.mqtt, [0x20, 2, 0, 3], "mqtt answered return code 3, server unavailable"),
  ]

  @Test(arguments: cases + codes) func refusals(example: Case) {
    let dialog = SpokenDialog(example.preset, afterStartTLS: nil)
    var run = DialogConversationTests.Run(dialog.steps, farewell: dialog.farewell)
    // A step's answer comes after it was asked for.
    for line in pieces(example) { run.feed([line]) }
    run.wait()
    #expect(run.conversation.failure?.message == example.words)
    #expect((run.conversation.finishedAt != nil) == (example.words == nil))
  }

  /// Of all classes of states of PostgreSQL, five are those of a server that cannot serve.
  @Test func classesOfPostgres() {
    let characters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    let states: [String] = characters.flatMap { first in characters.map { "\(first)\($0)P01" } }
    let refused: [String] = states.compactMap { state in
      var run = DialogConversationTests.Run(SpokenDialog.postgres.steps)
      run.feed([Self.postgresError(state)])
      return run.conversation.failure?.message
    }
    #expect(refused == ["08P01", "53P01", "57P01", "58P01", "XXP01"].map { "postgres answered error \($0)" })
  }

  /// The postmaster's words when it cannot start a process have neither a length nor a code.
  @Test(
    arguments: [
      ("Ecould not fork new process for connection: Cannot allocate memory\n\0", oldError),
      ("EFATAL:  sorry, too many clients already\n\0", oldError), ("Ecould not fork", nil),
      ("ERROR\r\n", "this is not postgres"), ("E\0\0\0\u{3}", "this is not postgres"),
      ("E" + String(repeating: "x", count: 8192), "this is not postgres"),
      ("Rcould not fork new process\n\0", "this is not postgres"),
    ] as [(String, String?)])
  func errorsWithoutALength(answer: String, words: String?) {
    var run = DialogConversationTests.Run(SpokenDialog.postgres.steps)
    run.feed([Array(answer.utf8)])
    #expect(run.conversation.failure?.message == words)
    #expect(run.conversation.finishedAt == nil)
  }

  private static let oldError =
    "postgres answered with an error without a code, as when it cannot start a process"

  /// Lines, or all of a protocol without them.
  private func pieces(_ example: Case) -> [[UInt8]] {
    guard example.answers.last == 10 else { return [example.answers] }
    return example.answers.split(separator: 10).map { $0 + [10] }
  }

  @Test func heloIsSaidWhereEHLOIsRefused() {
    var run = DialogConversationTests.Run(SpokenDialog(.smtp, afterStartTLS: nil).steps)
    run.feed("220 a\r\n")
    run.feed("502 what?\r\n")
    run.feed("250 a\r\n")
    #expect(
      String(decoding: run.sent, as: UTF8.self)
        == "EHLO quartz-agent.invalid\r\nHELO quartz-agent.invalid\r\n")
    #expect(run.conversation.steps.map(\.what) == ["greeting", "EHLO", "HELO"])
  }
}
