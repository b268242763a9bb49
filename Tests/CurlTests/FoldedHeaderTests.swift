// SPDX-License-Identifier: MIT

import Basics
import Curl
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Curl

/// Folded header lines where libcurl 7.88.1 writes to freed memory when a handle serves a second transfer
/// (curl 11101): a violation ends the process, so it is enough to go on living.
@Suite(.timeLimit(.minutes(2))) struct FoldedHeaderTests {
  /// Long enough that libcurl's copy of the line cannot stay where it was.
  private static let folded = " B: \(String(repeating: "B", count: 3000))\r\n"
  private static let good = "HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 2\r\n\r\nok"

  struct Answer: Sendable, CustomTestStringConvertible {
    let name: String
    let text: String

    var testDescription: String { name }
  }

  static let answers: [Answer] = [
    Answer(
      name: "the first line of the answer", text: "HTTP/1.1 200 OK\r\n\(folded)Content-Length: 2\r\n\r\nok"),
    Answer(
      name: "the first line behind an interim answer",
      text:
        "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\n\(folded)Content-Length: 2\r\n\r\nok"),
    Answer(
      name: "the first line of an interim answer",
      text: "HTTP/1.1 103 Early Hints\r\n\(folded)\r\nHTTP/1.1 200 OK\r\n\(folded)\r\n"
    ),
    Answer(
      name: "the first line of a trailer",
      text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\(folded)\(folded)\r\n"),
    Answer(name: "the first line of nothing", text: "HTTP/1.1 200 OK\r\n\(folded)"),
  ]

  /// Every second answer leaves a header line behind, the others begin with a folded one: the engine lives, and each
  /// transfer ends by itself.
  @Test(arguments: answers)
  func neverTouchesTheTransferBefore(_ answer: Answer) async throws {
    let count = Mutex(0)
    try await withLoopbackServer(script: { link in
      let isOdd = count.withLock { count in
        count += 1
        return count % 2 == 1
      }
      link.read(until: "\r\n\r\n")
      link.write(isOdd ? Self.good : answer.text)
    }) { server in
      try await withCurlEngine { engine in
        for round in 0..<Machine.rounds(300) {
          let report = try await engine.perform(request(server.port))
          if round % 2 == 0 { #expect(report.outcome == .complete) }
          #expect(report.failure?.kind != .timeout)
        }
      }
    }
  }

  /// The defect was in every version before 8.1.1, whose number has one byte for each part.
  @Test(arguments: [0x07_58_01, 0x08_01_00, 0x08_01_01, 0x09_00_00] as [UInt32])
  func usesAHandleAgainWhereItIsMended(version: UInt32) {
    #expect(EasyHandle.mayServeAgain(version: version) == (version > 0x08_01_00))
  }

  /// The same of a proxy's answer to CONNECT, on handles that served it before.
  @Test func neverTouchesTheTransferBeforeBehindAProxy() async throws {
    try await withLoopbackServer(script: { link in
      link.read(until: "\r\n\r\n")
      link.write("HTTP/1.1 200 OK\r\n\(Self.folded)A: b\r\n\(Self.folded)\r\n")
    }) { server in
      try await withCurlEngine { engine in
        for _ in 0..<Machine.rounds(200) {
          var asked = request(server.port, scheme: "https")
          asked.proxy = ProxySettings(scheme: .http, endpoint: Endpoint(host: "proxy.test", port: 3128))
          let report = try await engine.perform(asked)
          #expect(report.failure?.phase == .proxy || report.failure?.phase == .tls)
        }
      }
    }
  }
}
