// SPDX-License-Identifier: MIT

import Basics
import Checks
import Foundation
import Monitoring
import TestSupport
import Testing

/// Folded header lines of an answer: RFC 9112 section 5.2.
@Suite(.timeLimit(.minutes(2))) struct FoldedHeaderTests {
  private func outcome(
    _ lines: String, _ change: (inout CheckDefinition) -> Void = { _ in }
  ) async throws -> ProbeOutcome {
    try await faultOutcome(
      limit: .seconds(5), change: change,
      script: answering("HTTP/1.1 200 OK\r\n\(lines)Content-Length: 2\r\n\r\nok"))
  }

  /// What was folded is judged as one line, with a blank for each end of line.
  @Test(
    arguments: [
      ("X-A: one\r\n two\r\n", "one two"), ("X-A: one \t\r\n\t \ttwo\r\n three\r\n", "one two three"),
      ("X-A:\r\n one\r\n", "one"), ("X-A: one\r\n \r\n", "one"),
      ("X-A: one\r\n : two\r\nX-B: c\r\n", "one : two"),
      ("X-B: c\r\nX-A: one\r\n two: three\r\n", "one two: three"), ("X-A: one\n two\n", "one two"),
    ])
  func foldedLinesAreOne(lines: String, value: String) async throws {
    let outcome = try await outcome(lines) { $0.expect.headers = [("X-A", value)] }
    #expect(outcome.verdict == .ok, "\(outcome.verdict) \(outcome.assertions)")
  }

  /// A folded Location is followed, and a folded Set-Cookie kept.
  @Test func whatIsFoldedCounts() async throws {
    let outcome = try await faultOutcome(limit: .seconds(5)) { link in
      let request = link.read(until: "\r\n\r\n")
      if request.hasPrefix("GET / ") {
        link.write(
          "HTTP/1.1 302 Found\r\nLocation:\r\n /next\r\nSet-Cookie: a=b;\r\n Path=/\r\nContent-Length: 0\r\n\r\n"
        )
      } else {
        let isRight = request.hasPrefix("GET /next ") && request.contains("Cookie: a=b\r\n")
        link.write("HTTP/1.1 \(isRight ? 204 : 500) X\r\nContent-Length: 0\r\n\r\n")
      }
      link.waitForEnd()
    }
    #expect(outcome.verdict == .ok, "\(outcome.verdict)")
    #expect(outcome.statusCode == 204)
  }

  /// With no field before it there is nothing that a folded line could go on with (section 2.2), and of a field that
  /// says where the body ends libcurl would read the first line only. Both are no HTTP, and break nothing else.
  @Test(arguments: [
    " B: BBBB\r\n", "\tX\r\n", " \r\n", "Transfer-Encoding: gzip,\r\n chunked\r\n",
    "Transfer-Encoding:\r\n chunked\r\n", "Content-Length:\r\n 2\r\n",
  ])
  func whatContinuesNothingIsNoHTTP(lines: String) async throws {
    try await withLoopbackServer(
      script: answering("HTTP/1.1 200 OK\r\n\(lines)Content-Length: 2\r\n\r\nok")
    ) { server in
      try await withProbe { probe in
        let check = try httpCheck("http://good.test:\(server.port)/")
        // A handle that was used before is where libcurl 7.88.1 writes to freed memory.
        for _ in 0..<8 {
          let outcome = try await probe.attempt(check, deadline: .now + .seconds(5))
          #expect(outcome.verdict.reason == .httpProtocol, "\(outcome.verdict)")
          #expect(outcome.verdict.state == .down)
        }
      }
    }
  }
}
