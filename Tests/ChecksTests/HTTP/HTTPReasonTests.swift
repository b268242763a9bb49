// SPDX-License-Identifier: MIT

import Basics
import Checks
import Curl
import Foundation
import Glibc
import Monitoring
import TestSupport
import Testing

/// Every reason the http probe gives on its own, each brought about by a server.
@Suite(.timeLimit(.minutes(2))) struct HTTPReasonTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let reason: Reason
    let phase: Phase?
    var limit: Duration = .seconds(10)
    var scheme = "http"
    var change: @Sendable (inout CheckDefinition) -> Void = { _ in }
    let script: @Sendable (LoopbackConnection) -> Void

    var testDescription: String { name }
  }

  private static func answer(_ text: String) -> @Sendable (LoopbackConnection) -> Void {
    { link in
      link.read(until: "\r\n\r\n")
      link.write(text)
      link.waitForEnd()
    }
  }

  private static let wantsBody: @Sendable (inout CheckDefinition) -> Void = {
    $0.http.expect.bodyContains = ["needle"]
    $0.maxBody = 100
  }

  static let cases: [Case] = [
    Case(name: "ok", reason: .ok, phase: nil, script: answer("HTTP/1.1 204 No Content\r\n\r\n")),
    Case(
      name: "wrong status", reason: .httpStatus, phase: .assertion,
      script: answer("HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n")),
    Case(
      name: "word missing", reason: .body, phase: .assertion, change: wantsBody,
      script: answer("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhay")),
    Case(
      name: "word present", reason: .body, phase: .assertion,
      change: { $0.http.expect.bodyNotContains = ["hay"] },
      script: answer("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhay")),
    Case(
      name: "pattern missing", reason: .body, phase: .assertion,
      change: { $0.http.expect.bodyMatches = ["^needle$"] },
      script: answer("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nneedles\n")),
    Case(
      name: "pattern that gives up", reason: .body, phase: .assertion,
      change: { $0.http.expect.bodyNotMatches = ["^(a+)+$"] },
      script: answer(
        "HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n" + String(repeating: "a", count: 39) + "!")),
    Case(
      name: "header missing", reason: .header, phase: .assertion,
      change: { $0.expect.headers = [("X-Id", "!= 0")] },
      script: answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")),
    Case(
      name: "header otherwise", reason: .header, phase: .assertion,
      change: { $0.expect.headers = [("Content-Type", "~ ^application/json\\b")] },
      script: answer("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 0\r\n\r\n")),
    Case(
      name: "json otherwise", reason: .json, phase: .assertion,
      change: { $0.expect.json = [("$.n", "< 9007199254740993")] },
      script: answer("HTTP/1.1 200 OK\r\nContent-Length: 22\r\n\r\n{\"n\":9007199254740993}")),
    Case(
      name: "no json", reason: .json, phase: .assertion, change: { $0.expect.json = [("$.ok", "!= false")] },
      script: answer("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>")),
    Case(
      name: "another URL", reason: .finalURL, phase: .assertion, change: { $0.expect.finalURL = "~ /home$" },
      script: { link in
        let isFirst = link.read(until: "\r\n\r\n").hasPrefix("GET / ")
        link.write(
          isFirst
            ? "HTTP/1.1 302 Found\r\nLocation: /login\r\nContent-Length: 0\r\n\r\n"
            : "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        link.waitForEnd()
      }),
    Case(
      name: "an older HTTP", reason: .httpVersion, phase: .assertion,
      change: { $0.expect.httpVersion = ">= 1.1" },
      script: answer("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n")),
    Case(
      name: "body over its limit", reason: .bodyTooLarge, phase: .transfer, change: wantsBody,
      script: answer("HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n" + String(repeating: "a", count: 101))),
    Case(name: "header bomb", reason: .headersTooLarge, phase: .transfer) { link in
      link.read(until: "\r\n\r\n")
      link.write("HTTP/1.1 200 OK\r\n")
      while link.write("X: \(String(repeating: "a", count: 900))\r\n") {}
    },
    Case(name: "garbage", reason: .httpProtocol, phase: .transfer) { link in
      link.write("SSH-2.0-OpenSSH_9.2\r\n")
      link.waitForEnd()
    },
    Case(name: "silence", reason: .firstByteTimeout, phase: .firstByte, limit: .milliseconds(800)) {
      $0.waitForEnd()
    },
    Case(
      name: "half a body", reason: .transferTimeout, phase: .transfer, limit: .milliseconds(800),
      change: wantsBody,
      script: answer("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nneedle")),
    Case(
      name: "silence in the handshake", reason: .tlsTimeout, phase: .tls, limit: .milliseconds(800),
      scheme: "https"
    ) { $0.waitForEnd() },
    Case(name: "no tls at all", reason: .tlsHandshake, phase: .tls, scheme: "https") { link in
      link.write("220 ready\r\n")
      link.waitForEnd()
    },
    Case(name: "reset", reason: .connectionReset, phase: .firstByte) { link in
      link.read(until: "\r\n\r\n")
      link.resetOnClose()
    },
    Case(name: "closed", reason: .connectionClosed, phase: .firstByte) { link in link.read(until: "\r\n\r\n")
    },
    Case(
      name: "endless redirects", reason: .httpRedirectLimit, phase: .transfer,
      change: { $0.maxRedirects = 3 },
      script: { link in
        let path = link.read(until: "\r\n\r\n").split(separator: " ").dropFirst().first ?? "/"
        link.write("HTTP/1.1 302 Found\r\nLocation: \(path)a\r\n\r\n")
      }),
    Case(
      name: "a circle", reason: .httpRedirectLimit, phase: .transfer,
      script: answer("HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n")),
    Case(
      name: "a redirect with user info twice", reason: .httpRedirectRefused, phase: .transfer,
      script: answer("HTTP/1.1 302 Found\r\nLocation: http://me:secret@other@good.test/\r\n\r\n")),
    Case(
      name: "a redirect to a file", reason: .httpRedirectRefused, phase: .transfer,
      script: answer("HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\n\r\n")),
    Case(
      name: "a redirect to cloud metadata", reason: .httpRedirectRefused, phase: .transfer,
      script: answer("HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/latest/\r\n\r\n")),
    Case(
      name: "a redirect to a name that is none", reason: .dnsNXDomain, phase: .dns,
      script: answer("HTTP/1.1 302 Found\r\nLocation: http://nowhere.test/\r\n\r\n")),
    Case(
      name: "an unreadable ca file", reason: .localFault, phase: .prepare, scheme: "https",
      change: { $0.tls.caFile = "/nonexistent/ca.pem" }, script: { $0.waitForEnd() }),
  ]

  @Test(arguments: cases)
  func endsInItsReason(of example: Case) async throws {
    try await withLoopbackServer(script: example.script) { server in
      let check = try httpCheck("\(example.scheme)://good.test:\(server.port)/", example.change)
      let outcome = try await ProbeBench(limit: example.limit).http(check)
      #expect(outcome.verdict.reason == example.reason, "\(outcome.verdict)")
      #expect(outcome.verdict.phase == example.phase)
      // Every condition is reported, whatever happened; on a failure to get there, as not fulfilled.
      #expect(outcome.assertions.first?.what == "status")
      #expect(outcome.assertions.count == 1 + (check.conditions?.count ?? 0))
    }
  }

  @Test func nobodyListens() async throws {
    let outcome = try await ProbeBench().http(try httpCheck("http://good.test:\(try freePort())/"))
    #expect(outcome.verdict.reason == .connectRefused)
    #expect(outcome.verdict.phase == .connect)
    #expect(outcome.assertions == [Assertion(what: "status", expected: "200-299", actual: "", ok: false)])
    // Where the time went is told also when it went nowhere.
    #expect(outcome.timings.connect != nil)
    #expect(outcome.responseTime != nil)
  }

  @Test func theNetworkSwallowsTheConnection() async throws {
    // A listener whose queue is full drops what comes without a word.
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    let port = try bindLoopback(listener)
    try #require(listen(listener, 0) == 0)
    var fillers: [Int32] = []
    defer { for filler in fillers { close(filler) } }
    for _ in 0..<3 { fillers.append(try connectWithoutWaiting(port)) }
    let outcome = try await ProbeBench(limit: .milliseconds(400)).http(
      try httpCheck("http://good.test:\(port)/"))
    #expect(outcome.verdict.reason == .connectTimeout)
    #expect(outcome.verdict.status == .timeout)
  }

  @Test func aNameWithoutAddressKeepsTheResolversVerdict() async throws {
    let outcome = try await ProbeBench().http(try httpCheck("http://nowhere.test/"))
    #expect(outcome.verdict.reason == .dnsNXDomain)
    #expect(outcome.assertions.map(\.ok) == [false])
  }

  @Test func aDeniedTargetIsNotAnOutage() async throws {
    let outcome = try await ProbeBench().http(
      try httpCheck("http://good.test/") { $0.origin = .api })
    #expect(outcome.verdict.reason == .policyDenied)
    #expect(outcome.verdict.state == .unknown)
    #expect(outcome.responseTime == nil)
    #expect(outcome.timings == Timings())
  }

  @Test func whatMustNotAnswerAnswers() async throws {
    try await withAnswer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") { server in
      try await withProbe { probe in
        let runner = CheckRunner(http: probe, tcp: probe, dns: probe, tls: probe, ping: probe)
        let slot = ProbeSlot(scheduledAt: .now(), trigger: .manual)
        for (port, reason) in [(server.port, Reason.negated), (try freePort(), .ok)] {
          let check = try httpCheck("http://good.test:\(port)/") {
            $0.negate = true
            $0.retries = 0
          }
          let result = try await runner.run(check, slot: slot)
          #expect(result.reason == reason, "\(result.message ?? "")")
        }
      }
    }
  }

  private func connectWithoutWaiting(_ port: UInt16) throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { throw POSIXFailure("socket", errno) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    return descriptor
  }
}

extension MonitoringCheck {
  /// Besides the status.
  fileprivate var conditions: [String]? {
    guard case .http(let http) = kind else { return nil }
    let expect = http.expect
    return expect.bodyContains + expect.bodyNotContains + expect.bodyMatches + expect.bodyNotMatches
      + expect.headers.map(\.name) + expect.json.map(\.path.description)
      + [expect.finalURL, expect.httpVersion].compactMap { $0?.description }
  }
}
