// SPDX-License-Identifier: MIT

import Basics
import Checks
import Curl
import Foundation
import Monitoring
import TestSupport
import Testing

/// A body is read to its end, also where no condition is about it: one that breaks is down.
@Suite(.timeLimit(.minutes(2))) struct BodyEndTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let reason: Reason
    let status: ResultStatus
    var limit: Duration = .seconds(10)
    /// After the headers, which say what is here.
    let headers: String
    let rest: @Sendable (LoopbackConnection) -> Void

    var testDescription: String { name }
  }

  static let broken: [Case] = [
    Case(name: "reset", reason: .connectionReset, status: .failure, headers: "Content-Length: 100") { link in
      link.write("half a body")
      usleep(50_000)
      link.resetOnClose()
    },
    Case(name: "short", reason: .connectionClosed, status: .failure, headers: "Content-Length: 100") {
      $0.write("half a body")
    },
    Case(
      name: "no last chunk", reason: .connectionClosed, status: .failure,
      headers: "Transfer-Encoding: chunked"
    ) { $0.write("5\r\nhello\r\n") },
    Case(
      name: "a chunk that is none", reason: .httpProtocol, status: .failure,
      headers: "Transfer-Encoding: chunked"
    ) { $0.write("zz\r\nhello\r\n") },
    Case(
      name: "a coding nobody asked for", reason: .httpProtocol, status: .failure,
      headers: "Transfer-Encoding: gzip, chunked"
    ) { $0.write("0\r\n\r\n") },
    Case(
      name: "dripping", reason: .transferTimeout, status: .timeout, limit: .milliseconds(900),
      headers: "Content-Length: 1000000"
    ) { link in while link.write("x") { usleep(20_000) } },
    Case(
      name: "dripping without an end", reason: .transferTimeout, status: .timeout, limit: .milliseconds(900),
      headers: "X-A: b"
    ) { link in while link.write("x") { usleep(20_000) } },
    Case(
      name: "never begun", reason: .transferTimeout, status: .timeout, limit: .milliseconds(900),
      headers: "Content-Length: 10000000000"
    ) { $0.waitForEnd() },
  ]

  private func outcome(
    _ example: Case, change: (inout CheckDefinition) -> Void = { _ in }
  ) async throws -> ProbeOutcome {
    try await faultOutcome(limit: example.limit, change: change) { link in
      link.read(until: "\r\n\r\n")
      link.write("HTTP/1.1 200 OK\r\n\(example.headers)\r\n\r\n")
      example.rest(link)
    }
  }

  /// Reset, short, dripping or endless: down with the true reason, although only a status was asked for.
  @Test(arguments: broken) func aBodyThatBreaksIsDown(example: Case) async throws {
    let outcome = try await outcome(example)
    #expect(outcome.verdict.reason == example.reason, "\(outcome.verdict)")
    #expect(outcome.verdict.phase == .transfer)
    #expect(outcome.verdict.status == example.status)
    #expect(outcome.verdict.state == .down)
    #expect(outcome.statusCode == 200 && !outcome.truncated)
  }

  /// `read_body: false` stops after the headers: nothing behind them is looked at.
  @Test(arguments: broken) func withoutReadBodyNobodySees(example: Case) async throws {
    let outcome = try await outcome(example) { $0.http.readBody = false }
    #expect(outcome.verdict == .ok)
    #expect(outcome.statusCode == 200)
  }

  /// A stream goes on for as long as somebody listens: its headers are the answer, unless the check says otherwise.
  @Test(
    arguments: [
      "text/event-stream", "Text/Event-Stream ; charset=utf-8", "multipart/x-mixed-replace;boundary=frame",
    ])
  func aStreamIsNotWaitedFor(type: String) async throws {
    let stream = Case(
      name: "a stream", reason: .ok, status: .success, limit: .milliseconds(900),
      headers: "Content-Type: \(type)"
    ) { link in while link.write("data: x\n\n") { usleep(20_000) } }
    #expect(try await outcome(stream).verdict == .ok)
    #expect(try await outcome(stream, change: { $0.http.readBody = true }).verdict.reason == .transferTimeout)
    let judged = try await outcome(stream, change: { $0.http.expect.bodyContains = ["data"] })
    #expect(judged.verdict.reason == .transferTimeout)
  }

  /// HEAD has no body to wait for, whatever its headers announce.
  @Test func headHasNoBody() async throws {
    let outcome = try await faultOutcome(
      limit: .seconds(5), change: { $0.method = "HEAD" },
      script: answering("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"))
    #expect(outcome.verdict == .ok)
  }

  /// A body longer than `max_body` is read so far and no further, which is no failure where nobody judges it.
  @Test(arguments: ["Content-Length: 10000000000", "Transfer-Encoding: chunked", "X-A: b"])
  func whatIsBeyondMaxBodyIsLeft(headers: String) async throws {
    let isChunked = headers.contains("chunked")
    let long = Case(name: "long", reason: .ok, status: .success, headers: headers) { link in
      let text = String(repeating: "a", count: 0x4000)
      while link.write(isChunked ? "4000\r\n\(text)\r\n" : text) {}
    }
    let outcome = try await outcome(long) { $0.maxBody = 100_000 }
    #expect(outcome.verdict == .ok)
    #expect(outcome.truncated)
    let judged = try await self.outcome(long) {
      $0.maxBody = 100_000
      $0.http.expect.bodyContains = ["needle"]
    }
    #expect(judged.verdict.reason == .bodyTooLarge)
  }

  /// A body of exactly `max_body` is whole.
  @Test(arguments: [(99, false), (100, false), (101, true)])
  func maxBodyIsInclusive(size: Int, isCut: Bool) async throws {
    let text = "HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n" + String(repeating: "a", count: size)
    let outcome = try await faultOutcome(change: { $0.maxBody = 100 }, script: answering(text))
    #expect(outcome.verdict == .ok)
    #expect(outcome.truncated == isCut)
  }

  /// The body of an answer that leads on is nobody's to read.
  @Test func aRedirectsBodyIsLeft() async throws {
    let outcome = try await faultOutcome(limit: .seconds(5)) { link in
      let isFirst = link.read(until: "\r\n\r\n").hasPrefix("GET / ")
      link.write(
        isFirst
          ? "HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 1000\r\n\r\nhalf"
          : "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      link.waitForEnd()
    }
    #expect(outcome.verdict == .ok)
    #expect(outcome.hops.count == 2)
  }

  /// The response time goes on to the last byte, and the transfer's part has what the body took.
  @Test func theTimeGoesOnToTheLastByte() async throws {
    let outcome = try await faultOutcome { link in
      link.read(until: "\r\n\r\n")
      link.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst")
      usleep(120_000)
      link.write(" last")
      link.waitForEnd()
    }
    #expect(outcome.verdict == .ok)
    #expect(try #require(outcome.timings.transfer) >= .milliseconds(110))
    #expect(try #require(outcome.responseTime) >= .milliseconds(110))
    // What the server does behind its last byte, which is to wait for our end, is not waited for.
    #expect(outcome.statusCode == 200)
  }
}
