// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import NetworkTestSupport
import TestSupport
import Testing

@testable import Checks
@testable import Network

/// The meaning of a connection's end, by how far its conversation got; without a socket.
@Suite struct PortRulesTests {
  private func session() throws -> TLSSession {
    try TLSSession(host: "db.test", options: TLSOptions(), store: TrustStore().store(caFile: nil))
  }

  private func report(_ end: FlowReport.End, lateness: Duration = .zero) -> FlowReport {
    let start = Instant.now
    return FlowReport(
      end: end, started: start, connected: start, ended: start, deadline: start + .seconds(5),
      lateness: lateness)
  }

  private func verdict(
    _ conversation: PortConversation, _ end: FlowReport.End = .closed, lateness: Duration = .zero
  ) -> Verdict? {
    PortVerdict(
      conversation: conversation, report: report(end, lateness: lateness), tls: conversation.tls,
      timeout: .seconds(5), place: "192.0.2.1:5432"
    ).failure
  }

  /// A conversation that was opened and heard so much.
  private func plain(_ steps: [DialogStep], _ heard: String = "") -> PortConversation {
    var conversation = PortConversation(
      startTLS: nil, session: nil, dialog: SpokenDialog(DialogConversationTests.steps(steps)))
    _ = conversation.opened(at: .now)
    if !heard.isEmpty { _ = conversation.received(Array(heard.utf8)[...], from: nil, at: .now) }
    return conversation
  }

  private func heard(_ bytes: UInt8...) -> ArraySlice<UInt8> { bytes[...] }

  /// Behind a go-ahead comes a record of the handshake or an alert; everything else is plain text (RFC 8446 5.1).
  @Test(
    arguments: [
      (0, true), (20, true), (21, false), (22, false), (23, true), (24, true), (0x45, true), (0x53, true),
      (255, true),
    ] as [(UInt8, Bool)])
  func whatMayFollowTheGoAhead(first: UInt8, isInjected: Bool) throws {
    var conversation = PortConversation(
      startTLS: .startTLS(.postgres, host: "db.test"), session: try session(), dialog: .silent)
    // SSLRequest: the length and 80877103.
    #expect(conversation.opened(at: .now).send == [0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f])
    #expect(conversation.stage == .startTLS)
    let hello = conversation.received(heard(0x53), from: nil, at: .now)
    #expect(hello.send?.first == 22 && !hello.isDone && conversation.stage == .handshake)
    let step = conversation.received(heard(first, 3, 3, 0, 2, 2, 40), from: nil, at: .now)
    #expect(conversation.isInjected == isInjected)
    #expect(conversation.stage == (isInjected ? .startTLS : .handshake))
    if isInjected { #expect(step.isDone) }
    if first == 21 {
      let refused = verdict(conversation)
      #expect(refused?.reason == .tlsHandshake && refused?.phase == .tls)
      #expect(refused?.message?.hasPrefix("192.0.2.1:5432: ") == true)
    }
    if isInjected {
      #expect(
        verdict(conversation)
          == Verdict(
            .starttlsRefused, phase: .starttls,
            message: "192.0.2.1:5432 sent plain text after its go-ahead and before the tls handshake"))
    }
  }

  /// Only the first byte behind the go-ahead is looked at, and what comes along with the go-ahead is plain text.
  @Test func whatComesWithTheGoAhead() throws {
    var early = PortConversation(
      startTLS: .startTLS(.postgres, host: "db.test"), session: try session(), dialog: .silent)
    _ = early.opened(at: .now)
    let step = early.received(heard(0x53, 22), from: nil, at: .now)
    #expect(early.isInjected && step.isDone && step.send == nil)
    var split = PortConversation(
      startTLS: .startTLS(.postgres, host: "db.test"), session: try session(), dialog: .silent)
    _ = split.opened(at: .now)
    _ = split.received(heard(0x53), from: nil, at: .now)
    _ = split.received(heard(22), from: nil, at: .now)
    _ = split.received(heard(3), from: nil, at: .now)
    #expect(!split.isInjected && split.stage == .handshake)
  }

  /// A step that the time or the connection ended before, in words.
  @Test func stepsThatWereNotDone() {
    let steps: [DialogStep] = [.expect(.literal("a")), .expect(.literal("b"))]
    let first = "192.0.2.1:5432: step 1 (expect \"a\")"
    let second = "192.0.2.1:5432: step 2 (expect \"b\")"
    #expect(
      verdict(plain(steps), .timedOut)
        == Verdict(
          .firstByteTimeout, phase: .dialog, message: "\(first): nothing came within the timeout of 5s"))
    #expect(
      verdict(plain(steps, "xyz"), .timedOut)
        == Verdict(
          .transferTimeout, phase: .dialog,
          message: "\(first): not found in the 3 bytes that came within the timeout of 5s"))
    #expect(
      verdict(plain(steps, "a"), .timedOut)?.message == "\(second): nothing came within the timeout of 5s")
    #expect(
      verdict(plain(steps, "a"), .closed)
        == Verdict(
          .connectionClosed, phase: .dialog,
          message: "\(second): the server closed the connection before its answer was complete"))
    // 104 is ECONNRESET.
    #expect(
      verdict(plain(steps), .failed(104))
        == Verdict(.connectionReset, phase: .dialog, message: "\(first): connection reset by peer"))
    // 101 is ENETUNREACH, and no step's fault.
    #expect(
      verdict(plain(steps), .failed(101))?.message == "no route from this machine to 192.0.2.1:5432")
    for end in [FlowReport.End.timedOut, .closed, .done, .failed(104)] {
      #expect(verdict(plain(steps, "ab"), end) == nil, "\(end)")
    }
    // Our own lateness by more than a fifth of the time is no word about the target.
    #expect(verdict(plain(steps), .timedOut, lateness: .seconds(1))?.reason == .firstByteTimeout)
    let late = verdict(plain(steps), .timedOut, lateness: .milliseconds(1001))
    #expect(late?.reason == .localFault && late?.phase == .dialog)
  }

  /// A step that failed: what the check asked for and cannot be done is no fault of the target's.
  @Test func stepsThatFailed() {
    let capture: [DialogStep] = [.expect(.pattern("a(x)?b")), .send(Redacted(#"\(1)"#))]
    #expect(
      verdict(plain(capture, "ab"))
        == Verdict(
          .unsupported, phase: .dialog,
          message: "192.0.2.1:5432: step 2 (send): it names something that was not captured"))
    let flood = plain([.expect(.literal("a"))], String(repeating: "x", count: 16_385))
    #expect(
      verdict(flood, .done)
        == Verdict(
          .dialog, phase: .dialog,
          message: "192.0.2.1:5432: step 1 (expect \"a\"): not found in the first 16 KiB"))
  }

  /// A handshake that did not end, and a greeting that is no go-ahead.
  @Test func handshakesThatWereNotDone() throws {
    func secure(_ front: SpokenDialog?, _ heard: String = "") throws -> PortConversation {
      var conversation = PortConversation(startTLS: front, session: try session(), dialog: .silent)
      _ = conversation.opened(at: .now)
      if !heard.isEmpty { _ = conversation.received(Array(heard.utf8)[...], from: nil, at: .now) }
      return conversation
    }
    #expect(
      try verdict(secure(nil), .timedOut)
        == Verdict(
          .tlsTimeout, phase: .tls,
          message: "192.0.2.1:5432: connected, but the tls handshake did not end within the timeout of 5s"))
    #expect(
      try verdict(secure(nil), .closed)
        == Verdict(
          .connectionClosed, phase: .tls,
          message: "192.0.2.1:5432: the server closed the connection in the tls handshake"))
    #expect(try verdict(secure(nil), .failed(104))?.phase == .tls)
    let smtp = SpokenDialog.startTLS(.smtp, host: "db.test")
    #expect(
      try verdict(secure(smtp, "554 no\r\n"), .done)
        == Verdict(
          .starttlsRefused, phase: .starttls, message: "192.0.2.1:5432: step 1 (greeting): smtp answered 554")
    )
    #expect(try verdict(secure(smtp), .timedOut)?.reason == .firstByteTimeout)
    #expect(try verdict(secure(smtp, "220 "), .timedOut)?.reason == .transferTimeout)
    #expect(try verdict(secure(smtp), .closed)?.phase == .starttls)
  }

  // MARK: Captures

  /// A group is kept to a KiB, and of the last pattern by its number; a name outlives it.
  @Test func capturesOfPatterns() throws {
    var captures = Captures()
    let bytes = Array("abcdef".utf8) + [UInt8](repeating: 0x7a, count: 2000)
    captures.take([0..<6, 0..<1, nil, 3..<6], names: ["one": 1, "none": 2, "beyond": 9], from: bytes)
    #expect(captures["1"] == [0x61] && captures["3"] == Array("def".utf8) && captures["one"] == [0x61])
    for name in ["0", "2", "4", "-1", "none", "beyond", "other"] { #expect(captures[name] == nil, "\(name)") }
    captures.take([6..<2006, 6..<2006], names: [:], from: bytes)
    #expect(captures["1"]?.count == 1024 && captures["3"] == nil && captures["one"] == [0x61])
    let text = try DialogText(parsing: #"<\(one)\x00>"#)
    #expect(captures.resolve(text) == [0x3c, 0x61, 0, 0x3e])
    let unknown = try DialogText(parsing: #"\(two)"#)
    #expect(captures.resolve(unknown) == nil)
  }

  /// What comes before TLS is addressed to the server name that the check gives, else to its host.
  @Test func theNameBeforeTLS() throws {
    func opening(_ name: String?, _ kind: String? = "xmpp") throws -> String? {
      let check = try makeCheck("tcp") {
        ($0.host, $0.port, $0.startTLS, $0.tls.serverName) = ("a.test", 5222, kind, name)
      }
      guard case .tcp(let settings) = check.kind, let front = PortVisit.front(of: settings) else {
        return nil
      }
      guard case .bytes(let bytes)? = front.steps[0].say else { return "" }
      return String(decoding: bytes, as: UTF8.self)
    }
    #expect(try opening(nil)?.contains(" to='a.test' ") == true)
    #expect(try opening("chat.test")?.contains(" to='chat.test' ") == true)
    #expect(try opening("chat.test", nil) == nil)
  }

  /// The server name that the handshake asks for has no final dot (RFC 6066 section 3), and an address is none.
  @Test func theNameInTheHandshake() throws {
    func asks(_ host: String, for name: String) throws -> Bool {
      let session = try TLSSession(
        host: host, options: TLSOptions(), store: TrustStore().store(caFile: nil))
      let length = UInt8(name.utf8.count)
      return session.start(at: .now).firstRange(of: [0, 0, length] + Array(name.utf8)) != nil
    }
    #expect(try asks("db.test", for: "db.test") && asks("db.test.", for: "db.test"))
    #expect(try !asks("db.test.", for: "db.test.") && !asks("192.0.2.1", for: "192.0.2.1"))
  }
}
