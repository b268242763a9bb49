// SPDX-License-Identifier: MIT

import Basics
import Checks
import Curl
import Foundation
import Monitoring
import TestSupport
import Testing

/// Bodies over HTTP/2 (RFC 9113) that break, and what libcurl 7.88 can tell of it.
@Suite(.timeLimit(.minutes(2))) struct HTTP2BodyEndTests {
  private static func frame(_ type: UInt8, _ flags: UInt8, _ stream: UInt8, _ payload: [UInt8]) -> [UInt8] {
    [0, 0, UInt8(payload.count), type, flags, 0, 0, 0, stream] + payload
  }

  enum End: String, CaseIterable, Sendable {
    case whole, closed, reset, cancelled, noError
  }

  /// `:status: 200` and a part of a body, or all of it; no length says how much there is.
  private static func serve(_ link: LoopbackConnection, _ end: End) {
    link.write(frame(4, 0, 0, []))
    _ = link.read()
    link.write(frame(1, 4, 1, [0x88]))
    link.write(frame(0, end == .whole ? 1 : 0, 1, Array("a needle".utf8)))
    usleep(50_000)
    switch end {
    case .whole: link.waitForEnd()
    case .closed: break
    case .reset: link.resetOnClose()
    case .cancelled:
      link.write(frame(3, 0, 1, [0, 0, 0, 8]))
      link.waitForEnd()
    case .noError:
      link.write(frame(3, 0, 1, [0, 0, 0, 0]))
      link.waitForEnd()
    }
  }

  /// A broken connection and a stream that is cancelled are down, with a condition on the body and without. A stream
  /// that ends with NO_ERROR before its body did is what docs/checks.md says cannot be told from a whole one.
  @Test(arguments: End.allCases, [true, false])
  func whatBreaksIsDown(end: End, isJudged: Bool) async throws {
    let outcome = try await faultOutcome(
      limit: .seconds(5),
      change: {
        $0.httpVersion = "2"
        if isJudged { $0.http.expect.bodyContains = ["needle"] }
      }, script: { Self.serve($0, end) })
    #expect(outcome.verdict.isSuccess == (end == .whole || end == .noError), "\(outcome.verdict)")
    if !outcome.verdict.isSuccess { #expect(outcome.verdict.phase == .transfer) }
  }
}
