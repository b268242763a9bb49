// SPDX-License-Identifier: MIT

import Basics
import Curl
import Foundation
import Monitoring
import NetworkTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Checks

/// What servers do wrong around STARTTLS, which no real one does on purpose.
@Suite(.timeLimit(.minutes(3))) struct StartTLSFaultTests {
  /// What a server says, in turn: each line waits for something from us first, but the first where the protocol greets.
  struct Case: Sendable, CustomTestStringConvertible {
    var what: String
    var kind: StartTLSProtocol
    var says: [[UInt8]]
    /// At the end of the message.
    var words: String

    var testDescription: String { "\(kind.rawValue): \(what)" }

    init(_ kind: StartTLSProtocol, _ what: String, _ says: [String], _ words: String) {
      self.init(kind, what, bytes: says.map { Array($0.utf8) }, words)
    }

    init(_ kind: StartTLSProtocol, _ what: String, bytes: [[UInt8]], _ words: String) {
      (self.kind, self.what, self.says, self.words) = (kind, what, bytes, words)
    }

    var greets: Bool { ![.ldap, .postgres, .xmpp].contains(kind) }
  }

  static let features =
    "<?xml version='1.0'?><stream:stream id='1' version='1.0' xmlns='jabber:client'><stream:features>"
  static let offer = "<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/></stream:features>"
  static let injected = "sent plain text after its go-ahead and before the tls handshake"

  static let missing = [
    Case(.smtp, "not offered", ["220 a\r\n", "250-a\r\n250 SIZE\r\n"], "smtp does not offer STARTTLS"),
    Case(
      .imap, "not offered", ["* OK a\r\n", "* CAPABILITY IMAP4rev1\r\ns1 OK\r\n"],
      "imap does not offer STARTTLS"),
    Case(
      .imap, "logged in already", ["* PREAUTH a\r\n"], "imap greets with PREAUTH, which rules STARTTLS out"),
    Case(.pop3, "not offered", ["+OK a\r\n", "+OK\r\nUIDL\r\n.\r\n"], "pop3 does not offer STARTTLS"),
    Case(
      .pop3, "no CAPA", ["+OK a\r\n", "-ERR\r\n"], "pop3 does not know CAPA, so it does not offer STARTTLS"),
    Case(.xmpp, "not offered", [features + "</stream:features>"], "xmpp does not offer STARTTLS"),
    Case(.mysql, "not offered", bytes: [mysqlGreeting(flags: 0)], "mysql does not offer STARTTLS"),
    Case(.postgres, "not offered", ["N"], "postgres does not offer STARTTLS"),
  ]

  static let refused = [
    Case(.smtp, "refused", ["220 a\r\n", "250-a\r\n250 STARTTLS\r\n", "454 no\r\n"], "smtp answered 454"),
    Case(.smtp, "no service", ["554-go\r\n554 away\r\n"], "smtp answered 554"),
    Case(
      .imap, "refused", ["* OK a\r\n", "* CAPABILITY STARTTLS\r\ns1 OK\r\n", "s2 NO\r\n"], "imap answered NO"),
    Case(.pop3, "refused", ["+OK a\r\n", "+OK\r\nSTLS\r\n.\r\n", "-ERR no\r\n"], "pop3 answered -ERR"),
    Case(.ftp, "refused", ["220 a\r\n", "534 no\r\n"], "ftp answered 534"),
    Case(
      .ldap, "refused", bytes: [[0x30, 0x0c, 2, 1, 1, 0x78, 7, 0x0a, 1, 52, 4, 0, 4, 0]],
      "ldap answered result 52"),
    Case(.postgres, "an error", ["Eno\0"], "postgres answered with an error"),
    Case(.mysql, "blocked", bytes: [[5, 0, 0, 0, 0xff, 0x69, 0x04, 65, 66]], "mysql answered error 1129"),
    Case(
      .xmpp, "refused", [features + offer, "<failure xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"],
      "xmpp answered with a failure"),
  ]

  static let foreign = StartTLSProtocol.allCases.map { kind in
    let name = kind == .mysql ? "this is not mysql" : "this is not \(kind.rawValue)"
    return Case(kind, "garbage", ["\u{1}garbage\r\n\r\n"], name)
  }

  static let injections = [
    Case(
      .smtp, "injected", ["220 a\r\n", "250-a\r\n250 STARTTLS\r\n", "220 go\r\n250 evil\r\n"], injected),
    Case(
      .imap, "injected", ["* OK a\r\n", "* CAPABILITY STARTTLS\r\ns1 OK\r\n", "s2 OK\r\n* evil\r\n"], injected
    ),
    Case(.pop3, "injected", ["+OK a\r\n", "+OK\r\nSTLS\r\n.\r\n", "+OK\r\n+OK evil\r\n"], injected),
    Case(.ftp, "injected", ["220 a\r\n", "234 go\r\n230 evil\r\n"], injected),
    Case(
      .ldap, "injected", bytes: [[0x30, 0x0c, 2, 1, 1, 0x78, 7, 0x0a, 1, 0, 4, 0, 4, 0, 0x30]], injected),
    Case(.postgres, "injected", ["SR"], injected),
    Case(.mysql, "injected", bytes: [mysqlGreeting(flags: 0x800) + [7]], injected),
    Case(
      .xmpp, "injected", [features + offer, "<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/><evil/>"],
      injected),
    // After our first message of the handshake instead of before.
    Case(.postgres, "late plain text", ["S", "EVIL"], injected),
  ]

  static func mysqlGreeting(flags: UInt16) -> [UInt8] {
    let fields: [UInt8] =
      [10] + Array("8.0\0".utf8) + [1, 0, 0, 0] + [UInt8](repeating: 65, count: 8) + [0]
      + [UInt8(flags & 0xff), UInt8(flags >> 8)] + [33, 2, 0, 0, 0, 21] + [UInt8](repeating: 0, count: 10)
    return [UInt8(fields.count), 0, 0, 0] + fields
  }

  @Test(
    "L starttls missing, refused, foreign and injected (CVE-2011-0411)",
    arguments: [
      missing, refused, foreign, injections,
    ].flatMap { $0 })
  func endsInItsReason(example: Case) async throws {
    let says = example.says
    let heard = Mutex<[UInt8]>([])
    let script: @Sendable (LoopbackConnection) -> Void = { link in
      for (index, bytes) in says.enumerated() {
        if index > 0 || !example.greets {
          link.read(4096).forEach { byte in heard.withLock { $0.append(byte) } }
        }
        link.write(bytes)
      }
      while true {
        let more = link.read()
        if more.isEmpty { break }
        heard.withLock { $0 += more }
      }
    }
    try await withLoopbackServer(script: script) { server in
      for type in ["tls", "tcp"] {
        let check = try makeCheck(type) {
          ($0.host, $0.port, $0.startTLS) = ("good.test", Int(server.port), example.kind.rawValue)
        }
        let bench = ProbeBench()
        let outcome = try await type == "tls" ? bench.tls(check) : bench.tcp(check)
        #expect(outcome.verdict.reason == Reason.starttlsRefused, "\(outcome.verdict)")
        #expect(outcome.verdict.phase == .starttls)
        #expect(outcome.verdict.message?.hasSuffix(example.words) == true, "\(outcome.verdict)")
        #expect(outcome.verdict.state == .down && outcome.tls == nil)
        #expect(outcome.dialog.allSatisfy { $0.what.hasPrefix("starttls: ") })
      }
    }
    // A refused client says nothing more; least of all a ClientHello (record type 22, version 3.1).
    if example.words != Self.injected {
      #expect(!contains(heard.withLock { $0 }, [22, 3, 1]))
    }
  }

  /// Silence, at each place; and a half answer.
  @Test("T3 L4 a stall in STARTTLS ends at the deadline") func stalls() async throws {
    try await sideBySide(
      [
        ([], Reason.firstByteTimeout, Phase.starttls), (["220 half"], .transferTimeout, .starttls),
        (["220 a\r\n"], .firstByteTimeout, .starttls),
        (["220 a\r\n", "250-a\r\n250 STARTTLS\r\n", "220 go\r\n"], .tlsTimeout, .tls),
      ] as [([String], Reason, Phase)]
    ) { says, reason, phase in
      try await Self.stalls(says: says, reason: reason, phase: phase)
    }
  }

  private static func stalls(says: [String], reason: Reason, phase: Phase) async throws {
    try await withLoopbackServer(script: { link in
      for (index, text) in says.enumerated() {
        if index > 0 { _ = link.read() }
        link.write(text)
      }
      link.waitForEnd()
    }) { server in
      let check = try makeCheck("tls") {
        ($0.host, $0.port, $0.startTLS) = ("good.test", Int(server.port), "smtp")
      }
      let outcome = try await ProbeBench(limit: .seconds(3)).tls(check)
      #expect(
        outcome.verdict.reason == reason && outcome.verdict.phase == phase, "\(says): \(outcome.verdict)")
      #expect(outcome.verdict.status == .timeout, "\(says)")
    }
  }

  @Test("a server that hangs up during STARTTLS", arguments: [true, false])
  func hangsUp(resets: Bool) async throws {
    try await withLoopbackServer(script: { link in
      link.write("220 a\r\n")
      _ = link.read()
      if resets { link.resetOnClose() }
    }) { server in
      let check = try makeCheck("tls") {
        ($0.host, $0.port, $0.startTLS) = ("good.test", Int(server.port), "smtp")
      }
      let outcome = try await ProbeBench().tls(check)
      #expect(outcome.verdict.reason == (resets ? .connectionReset : .connectionClosed), "\(outcome.verdict)")
      #expect(outcome.verdict.phase == .starttls)
      #expect(outcome.dialog.map(\.ok) == [true, false])
    }
  }
}
