// SPDX-License-Identifier: MIT

import Basics
import Checks
import Curl
import Foundation
import Monitoring
import NetworkTestSupport
import TestSupport
import Testing

/// Whatever stalls, for whatever type of check, is a `timeout`.
@Suite(.timeLimit(.minutes(2))) struct StallTests {
  struct Case: Sendable, CustomStringConvertible {
    let name: String
    let reason: Reason
    let phase: Phase
    let type: String
    var url: String?
    let change: @Sendable (inout CheckDefinition, UInt16) -> Void
    let script: @Sendable (LoopbackConnection) -> Void

    var description: String { name }
  }

  private static let silent: @Sendable (LoopbackConnection) -> Void = { $0.waitForEnd() }

  private static func says(_ text: String) -> @Sendable (LoopbackConnection) -> Void {
    { link in
      link.write(text)
      link.waitForEnd()
    }
  }

  static let cases: [Case] = [
    Case(
      name: "a dialog's step without a word", reason: .firstByteTimeout, phase: .dialog, type: "tcp",
      change: { check, _ in check.dialogSteps = [TCPReasonTests.expect("ready")] }, script: silent),
    Case(
      name: "a dialog's step with half an answer", reason: .transferTimeout, phase: .dialog, type: "tcp",
      change: { check, _ in check.dialogSteps = [TCPReasonTests.expect("ready")] }, script: says("rea")),
    Case(
      name: "a preset's greeting that does not end", reason: .transferTimeout, phase: .dialog, type: "tcp",
      change: { check, _ in check.dialogPreset = "smtp" }, script: says("220-mail.test\r\n")),
    Case(
      name: "a step behind the first", reason: .firstByteTimeout, phase: .dialog, type: "tcp",
      change: { check, _ in
        check.dialogSteps = [TCPReasonTests.expect("hello"), TCPReasonTests.expect("more")]
      }, script: says("hello")),
    Case(
      name: "starttls without a greeting", reason: .firstByteTimeout, phase: .starttls, type: "tcp",
      change: { check, _ in check.startTLS = "smtp" }, script: silent),
    Case(
      name: "starttls with half an answer", reason: .transferTimeout, phase: .starttls, type: "tls",
      change: { check, _ in check.startTLS = "smtp" }, script: says("220-mail.test\r\n")),
    Case(
      name: "a handshake behind starttls", reason: .tlsTimeout, phase: .tls, type: "tls",
      change: { check, _ in check.startTLS = "pop3" },
      script: { link in
        link.write("+OK\r\n")
        link.read(until: "CAPA\r\n")
        link.write("+OK\r\nSTLS\r\n.\r\n")
        link.read(until: "STLS\r\n")
        link.write("+OK begin\r\n")
        link.waitForEnd()
      }),
    Case(
      name: "a handshake of tcp", reason: .tlsTimeout, phase: .tls, type: "tcp",
      change: { check, _ in check.tls.isWanted = true }, script: silent),
    Case(
      name: "a handshake of tls", reason: .tlsTimeout, phase: .tls, type: "tls", change: { _, _ in },
      script: silent),
    Case(
      name: "a handshake of http", reason: .tlsTimeout, phase: .tls, type: "http",
      change: { check, port in check.url = "https://good.test:\(port)/" }, script: silent),
    Case(
      name: "an answer of http", reason: .firstByteTimeout, phase: .firstByte, type: "http",
      change: { check, port in check.url = "http://good.test:\(port)/" }, script: silent),
    Case(
      name: "a body of http", reason: .transferTimeout, phase: .transfer, type: "http",
      change: { check, port in check.url = "http://good.test:\(port)/" },
      script: says("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhalf")),
    Case(
      name: "CONNECT at a proxy", reason: .proxyConnect, phase: .proxy, type: "http",
      change: { check, port in
        check.url = "https://good.test/"
        check.proxy = Redacted("http://127.0.0.1:\(port)")
      }, script: silent),
    Case(
      name: "CONNECT at a proxy that only begins to answer", reason: .proxyConnect, phase: .proxy,
      type: "http",
      change: { check, port in
        check.url = "https://good.test/"
        check.proxy = Redacted("http://127.0.0.1:\(port)")
      }, script: says("HTTP/1.1 200 OK\r\n")),
    Case(
      name: "a SOCKS proxy", reason: .proxyConnect, phase: .proxy, type: "http",
      change: { check, port in
        check.url = "http://good.test/"
        check.proxy = Redacted("socks5h://127.0.0.1:\(port)")
      }, script: silent),
    Case(
      name: "a token's endpoint", reason: .authToken, phase: .firstByte, type: "http",
      change: { check, port in
        check.url = "http://good.test:\(port)/"
        check.auth.oauth2 = token(port)
      }, script: silent),
    Case(
      name: "a token's endpoint in its answer", reason: .authToken, phase: .transfer, type: "http",
      change: { check, port in
        check.url = "http://good.test:\(port)/"
        check.auth.oauth2 = token(port)
      }, script: says("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{")),
    Case(
      name: "dns over tcp", reason: .dnsTimeout, phase: .answer, type: "dns",
      change: { check, port in (check.server, check.transport) = ("127.0.0.1:\(port)", "tcp") },
      script: silent
    ),
    Case(
      name: "dns over tcp with half an answer", reason: .dnsTimeout, phase: .answer, type: "dns",
      change: { check, port in (check.server, check.transport) = ("127.0.0.1:\(port)", "tcp") },
      script: { link in
        link.write([0, 40, 1])
        link.waitForEnd()
      }),
    Case(
      name: "dns over tls in its handshake", reason: .tlsTimeout, phase: .tls, type: "dns",
      change: { check, port in (check.server, check.transport) = ("127.0.0.1:\(port)", "dot") },
      script: silent
    ),
    Case(
      name: "dns over https in its handshake", reason: .tlsTimeout, phase: .tls, type: "dns",
      change: { check, port in (check.server, check.transport) = ("127.0.0.1:\(port)", "doh") },
      script: silent
    ),
  ]

  private static func token(_ port: UInt16) -> OAuth2Definition {
    var oauth2 = OAuth2Definition()
    oauth2.tokenURL = "http://127.0.0.1:\(port)/token"
    oauth2.clientID = "id"
    oauth2.clientSecret = Redacted("secret")
    return oauth2
  }

  /// The time runs out in a step: the status says so, and the phase says in which.
  @Test func whatStallsIsATimeout() async throws {
    try await sideBySide(Self.cases) { try await Self.stalls($0) }
  }

  private static func stalls(_ example: Case) async throws {
    try await withLoopbackServer(script: example.script) { server in
      let check = try makeCheck(example.type) {
        if example.type == "tcp" || example.type == "tls" {
          ($0.host, $0.port) = ("good.test", Int(server.port))
        }
        if example.type == "dns" { $0.queryName = "a.example" }
        example.change(&$0, server.port)
      }
      // Each needs some milliseconds until it stalls, and all of them begin at once.
      let limit = Duration.seconds(4)
      let bench = ProbeBench(limit: limit)
      let outcome =
        switch check.type {
        case .http: try await bench.http(check)
        case .tcp: try await bench.tcp(check)
        case .tls: try await bench.tls(check)
        default: try await dnsAttempt(check, within: limit)
        }
      let words: Comment = "\(example.name): \(outcome.verdict)"
      #expect(outcome.verdict.reason == example.reason, words)
      #expect(outcome.verdict.phase == example.phase, words)
      #expect(outcome.verdict.status == .timeout, words)
      #expect(outcome.verdict.state == .down, words)
    }
  }

  /// A proxy and a token's endpoint that refuse at once are failures with the same reasons.
  @Test func whatRefusesIsAFailure() async throws {
    let port = try freePort()
    let behindProxy = try await ProbeBench().http(
      httpCheck("https://good.test/") { $0.proxy = Redacted("http://127.0.0.1:\(port)") })
    #expect(behindProxy.verdict.reason == .proxyConnect && behindProxy.verdict.status == .failure)
    let withToken = try await ProbeBench().http(
      httpCheck("http://good.test/") { $0.auth.oauth2 = Self.token(port) })
    #expect(withToken.verdict.reason == .authToken && withToken.verdict.status == .failure)
  }
}
