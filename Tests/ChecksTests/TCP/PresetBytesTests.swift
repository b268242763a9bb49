// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Checks

/// The words and answers of presets, byte by byte, as the protocols have them; without a socket.
@Suite struct PresetBytesTests {
  private typealias Run = DialogConversationTests.Run

  private func run(
    _ preset: DialogPreset, after kind: StartTLSProtocol? = nil, _ answers: [[UInt8]] = []
  ) -> Run {
    let dialog = SpokenDialog(preset, afterStartTLS: kind)
    var run = Run(dialog.steps, farewell: dialog.farewell)
    run.feed(answers)
    return run
  }

  private func failure(_ preset: DialogPreset, _ answers: [UInt8]...) -> String? {
    run(preset, answers).conversation.failure?.message
  }

  private func text(_ run: Run) -> String { String(decoding: run.sent, as: UTF8.self) }

  /// The first words: the startup of protocol 3.0, an anonymous bind, and CONNECT of MQTT 3.1.1.
  @Test func firstWords() {
    let startup = Array(
      "user\0quartz-agent\0database\0postgres\0application_name\0quartz-agent\0\0".utf8)
    #expect(run(.postgres).sent == [0, 0, 0, UInt8(8 + startup.count), 0, 3, 0, 0] + startup)
    // BindRequest of version 3, no name, simple and empty (RFC 4511 4.2).
    #expect(run(.ldap).sent == [0x30, 12, 2, 1, 1, 0x60, 7, 2, 1, 3, 4, 0, 0x80, 0])
    let connect = run(.mqtt).sent
    #expect(connect.first == 0x10 && Int(connect[1]) == connect.count - 2)
    #expect(connect[2...11] == [0, 4, 0x4d, 0x51, 0x54, 0x54, 4, 2, 0, 30])
    #expect(connect[12] == 0 && Int(connect[13]) == connect.count - 14)
    #expect(connect[14...].starts(with: "quartz".utf8))
    #expect(run(.mqtt).sent != connect)
    let lines: [(DialogPreset, String)] = [
      (.redis, "PING\r\n"), (.memcached, "version\r\n"), (.smtp, ""), (.imap, ""), (.pop3, ""), (.ftp, ""),
      (.ssh, ""), (.mysql, ""),
    ]
    for (preset, words) in lines { #expect(text(run(preset)) == words, "\(preset)") }
    let upgraded: [(DialogPreset, StartTLSProtocol, String)] = [
      (.smtp, .smtp, "EHLO quartz-agent.invalid\r\n"), (.imap, .imap, "a1 CAPABILITY\r\n"),
      (.pop3, .pop3, "CAPA\r\n"), (.ftp, .ftp, "NOOP\r\n"),
    ]
    for (preset, kind, words) in upgraded { #expect(text(run(preset, after: kind)) == words, "\(preset)") }
  }

  /// The whole of a dialog with a server that works, and the farewell that goes with it.
  @Test func wholeDialogs() {
    let rows: [(DialogPreset, [String], said: String)] = [
      (.smtp, ["220 a\r\n", "250 a\r\n"], "EHLO quartz-agent.invalid\r\nQUIT\r\n"),
      (.imap, ["* OK a\r\n", "* CAPABILITY IMAP4rev1\r\na1 OK\r\n"], "a1 CAPABILITY\r\na2 LOGOUT\r\n"),
      (.imap, ["* preauth a\r\n", "a1 OK\r\n"], "a1 CAPABILITY\r\na2 LOGOUT\r\n"),
      (.pop3, ["+OK a\r\n", "+OK\r\nTOP\r\n.\r\n"], "CAPA\r\nQUIT\r\n"),
      (.ftp, ["220-a\r\n230 x\r\n220 b\r\n", "200 a\r\n"], "NOOP\r\nQUIT\r\n"),
      (.ftp, ["120 wait\r\n220 b\r\n", "500 a\r\n"], "NOOP\r\nQUIT\r\n"),
      (.redis, ["+PONG\r\n"], "PING\r\nQUIT\r\n"), (.memcached, ["VERSION 1\r\n"], "version\r\nquit\r\n"),
    ]
    for (preset, answers, said) in rows {
      let run = run(preset, answers.map { Array($0.utf8) })
      #expect(run.conversation.finishedAt != nil && run.conversation.failure == nil, "\(preset)")
      #expect(text(run) == said, "\(preset)")
    }
    let bind = run(.ldap, [[0x30, 12, 2, 1, 1, 0x61, 7, 0x0a, 1, 0, 4, 0, 4, 0]])
    #expect(bind.sent.suffix(7) == [0x30, 5, 2, 1, 2, 0x42, 0])
    #expect(run(.mqtt, [[0x20, 2, 0, 0]]).sent.suffix(2) == [0xe0, 0])
  }

  /// The farewell of a check that wanted the handshake only.
  @Test func farewells() {
    let words: [StartTLSProtocol: String] = [
      .smtp: "QUIT\r\n", .imap: "a2 LOGOUT\r\n", .pop3: "QUIT\r\n", .ftp: "QUIT\r\n",
      .xmpp: "</stream:stream>",
    ]
    for kind in StartTLSProtocol.allCases {
      let dialog = SpokenDialog.parting(after: kind)
      #expect(dialog.steps.isEmpty)
      let expected: [UInt8]? =
        switch kind {
        case .ldap: [0x30, 5, 2, 1, 2, 0x42, 0]
        case .postgres: nil
        case .mysql: SpokenDialog.mysqlLoginBytes(sequence: 2, overTLS: true)
        default: words[kind].map { Array($0.utf8) }
        }
      #expect(dialog.farewell == expected, "\(kind)")
      #expect(SpokenDialog(nil, afterStartTLS: kind).farewell == expected)
    }
    #expect(SpokenDialog(nil, afterStartTLS: nil).farewell == nil)
  }

  // MARK: Codes

  @Test func codesOfLDAPAndMQTT() {
    for code in UInt8(0)...90 {
      let words = code == 51 || code == 52 ? "ldap answered result \(code)" : nil
      #expect(failure(.ldap, [0x30, 12, 2, 1, 1, 0x61, 7, 0x0a, 1, code, 4, 0, 4, 0]) == words)
    }
    for code in UInt8(0)...8 {
      let words: String? =
        code == 3
        ? "mqtt answered return code 3, server unavailable" : code > 5 ? "this is not mqtt" : nil
      #expect(failure(.mqtt, [0x20, 2, 1, code]) == words, "\(code)")
    }
    #expect(failure(.mqtt, [0x30]) == "this is not mqtt" && failure(.mqtt, [0x20, 3]) == "this is not mqtt")
    #expect(failure(.mqtt, [0x20, 2, 0]) == nil)
    // Another message, another id, another operation, and the notice of disconnection.
    for (place, byte) in [(0, 0x31), (2, 3), (4, 2), (5, 0x65), (7, 9)] as [(Int, UInt8)] {
      var answer: [UInt8] = [0x30, 12, 2, 1, 1, 0x61, 7, 0x0a, 1, 0, 4, 0, 4, 0]
      answer[place] = byte
      #expect(failure(.ldap, answer) == "this is not ldap", "\(place)")
    }
    #expect(
      failure(.ldap, [0x30, 12, 2, 1, 0, 0x78, 7, 0x0a, 1, 52, 4, 0, 4, 0])
        == "ldap ended the session with result 52")
  }

  /// Lengths in one byte or in up to four behind their number (X.690 8.1.3), to the limit and no further.
  @Test func lengthsOfElements() {
    func count(_ bytes: [UInt8], limit: Int = 8192) -> Int? {
      guard case .element(let content, let count) = BasicEncoding.element(bytes[...], tag: 4, limit: limit)
      else { return nil }
      return content.count == bytes.count - (count - content.count) ? count : -1
    }
    func body(_ count: Int) -> [UInt8] { [UInt8](repeating: 7, count: count) }
    #expect(count([4, 0]) == 2 && count([4, 127] + body(127)) == 129)
    #expect(count([4, 0x81, 128] + body(128)) == 131 && count([4, 0x82, 1, 2] + body(258)) == 262)
    #expect(count([4, 0x84, 0, 0, 0, 3] + body(3)) == 9)
    #expect(count([4, 0x82, 0x20, 0] + body(8192)) == 8196)
    // Another tag, an open end, a length of five bytes, beyond the limit, and not all of it.
    let spoilt: [[UInt8]] = [
      [5, 0], [4, 0x80], [4, 0x85, 0, 0, 0, 0, 0], [4, 0x82, 0x20, 1] + body(8193), [4, 3, 1, 2], [4], [],
      [4, 0x82, 1],
    ]
    for bytes in spoilt { #expect(count(bytes) == nil, "\(bytes.prefix(8))") }
    #expect(count([4, 5] + body(5), limit: 5) == 7 && count([4, 6] + body(6), limit: 5) == nil)
  }

  /// SSH's banner (RFC 4253 4.2) and the first packet behind it (section 6): its length and what it is.
  @Test func bannersOfSSH() {
    func run(_ banner: String, _ packet: [UInt8] = []) -> Run {
      self.run(.ssh, [Array(banner.utf8), packet])
    }
    let packet: [UInt8] = [0, 0, 0, 12, 4, 20]
    for banner in ["SSH-2.0-x\r\n", "SSH-1.99-x\n", "hello\r\nSSH-2.0-x y\r\n"] {
      let whole = run(banner, packet)
      #expect(whole.conversation.finishedAt != nil && text(whole) == "SSH-2.0-quartz_agent\r\n", "\(banner)")
    }
    #expect(run("SSH-1.5-x\r\n").conversation.failure?.message == "ssh speaks a version before 2.0")
    let bad = "ssh begins without a key exchange"
    let packets: [([UInt8], String?)] = [
      ([0, 0, 0, 11, 4, 20], bad), ([0, 0, 0x88, 0xb8, 4, 20], nil), ([0, 0, 0x88, 0xb9, 4, 20], bad),
      ([0, 0, 0, 12, 4, 21], bad), ([1, 0, 0, 12, 4, 20], bad), ([0, 0, 0, 12, 4], nil),
    ]
    for (bytes, words) in packets {
      #expect(run("SSH-2.0-x\r\n", bytes).conversation.failure?.message == words, "\(bytes)")
    }
  }

  /// Lines that redis and memcached may answer with.
  @Test func linesOfCaches() {
    let rows: [(DialogPreset, String, String?)] = [
      (.redis, "+PONG", nil), (.redis, "+PONG ", "this is not redis"), (.redis, "+pong", "this is not redis"),
      (.redis, "-NOAUTH x", nil), (.redis, "-MASTERDOWN x", "redis answered -MASTERDOWN"),
      (.redis, "-x", "redis answered -"), (.memcached, "VERSION ", nil),
      (.memcached, "VERSION", "this is not memcached"), (.memcached, "ERROR", nil),
      (.memcached, "CLIENT_ERROR x", nil), (.memcached, "version 1", "this is not memcached"),
    ]
    for (preset, line, words) in rows {
      let found = failure(preset, Array((line + "\r\n").utf8))
      #expect(found == words, "\(preset) \(line)")
    }
  }
}
