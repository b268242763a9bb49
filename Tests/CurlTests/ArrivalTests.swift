// SPDX-License-Identifier: MIT

import Curl
import Foundation
import TestSupport
import Testing

/// Latency is the target's, not that of the thread that gets to its answer late.
@Suite(.timeLimit(.minutes(1))) struct ArrivalTests {
  @Test func theWaitBeforeTheFirstByteIsMeasured() async throws {
    try await withLoopbackServer(script: { link in
      link.read(until: "\r\n\r\n")
      usleep(100_000)
      link.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
      usleep(100_000)
      link.write("ok")
      link.waitForEnd()
    }) { server in
      let times = try await transfer(request(server.port)).times
      let first = try #require(times.firstByte) - (times.requestStart ?? .zero)
      let rest = try #require(times.lastByte) - (times.firstByte ?? .zero)
      #expect(first >= .milliseconds(99))
      #expect(rest >= .milliseconds(90))
      let headers = try #require(times.headersEnd) - (times.firstByte ?? .zero)
      #expect(headers >= .zero && headers < rest)
    }
  }

  /// RFC 9110 section 15.2: an interim answer is not the one that was asked for.
  @Test(arguments: ["GET", "POST"])
  func anInterimAnswerIsNotTheFirstByte(method: String) async throws {
    try await withLoopbackServer(script: { link in
      link.read(until: "\r\n\r\n")
      link.write("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n")
      usleep(300_000)
      link.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      link.waitForEnd()
    }) { server in
      var asked = request(server.port)
      asked.method = method
      let times = try await transfer(asked).times
      let first = try #require(times.firstByte) - (times.requestStart ?? .zero)
      #expect(first >= .milliseconds(299))
    }
  }

  /// A server that speaks HTTP/2 begins with its settings (RFC 9113 section 3.4).
  @Test func settingsAreNotTheFirstByte() async throws {
    try await withLoopbackServer(script: { link in
      link.write([0, 0, 0, 4, 0, 0, 0, 0, 0])
      link.read(until: "\r\n\r\n")
      usleep(300_000)
      // The headers of stream 1 and the end of it: status 204.
      link.write([0, 0, 1, 1, 5, 0, 0, 0, 1, 0x89])
      link.waitForEnd()
    }) { server in
      var asked = request(server.port)
      asked.httpVersion = .http2
      let report = try await transfer(asked)
      #expect(report.statusCode == 204)
      let first = try #require(report.times.firstByte) - (report.times.requestStart ?? .zero)
      #expect(first >= .milliseconds(299))
    }
  }

  @Test func headersInPartsEndWithTheLastPart() async throws {
    try await withLoopbackServer(script: { link in
      link.read(until: "\r\n\r\n")
      link.write("HTTP/1.1 200 OK\r\n")
      usleep(1_000_000)
      link.write("Content-Length: 0\r\n\r\n")
      link.waitForEnd()
    }) { server in
      let times = try await transfer(request(server.port, goal: .headers)).times
      let first = try #require(times.firstByte)
      let end = try #require(times.headersEnd)
      #expect(end - first >= .milliseconds(100))
      #expect(times.ended == end)
    }
  }

  @Test func aHandshakeIsNotTakenForAnAnswer() async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      try await withLoopbackServer(script: { link in
        link.read(until: "\r\n\r\n")
        usleep(100_000)
        link.write("HTTP/1.1 204 No Content\r\n\r\n")
        link.waitForEnd()
      }) { slow in
        // The tickets of TLS 1.3 arrive long before the answer does.
        let site = NginxSite(
          ["ssl_protocols TLSv1.3;", "location / { proxy_pass http://127.0.0.1:\(slow.port); }"],
          identity: try authority.issue("good"))
        try await withNginx(in: folder, [site]) { ports in
          let times = try await transfer(
            request(ports[0], scheme: "https"), trust: TrustStore(bundle: authority.rootFile)
          ).times
          let first = try #require(times.firstByte) - (times.requestStart ?? .zero)
          #expect(first >= .milliseconds(99))
        }
      }
    }
  }
}
