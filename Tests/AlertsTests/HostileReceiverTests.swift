// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Network
import NetworkTestSupport
import TestSupport
import Testing

@testable import Alerts

/// Whatever a receiver answers: nothing traps, grows or stalls, and only an answer of 2xx is a delivery.
@Suite(.timeLimit(.minutes(2))) struct HostileReceiverTests {
  /// The outcomes of one message to each of these answers, and the lines that an operator reads.
  private func outcomes(_ answers: [[UInt8]]) async throws -> [(outcome: SendOutcome, line: String?)] {
    let noon = Timestamp(seconds: 1_767_528_000)
    let message = AlertMessage(
      id: UniqueID(high: 1, low: 1), incident: UniqueID(high: 1, low: 1), kind: .test, severity: .low,
      title: "test", at: noon, begin: noon, agent: "a")
    return try await withCurlEngine { engine in
      let sender = ChannelSender(.test(engine), .egress(EgressSettings()))
      var found: [(outcome: SendOutcome, line: String?)] = []
      for answer in answers {
        try await withLoopbackServer(script: { connection in
          _ = connection.read()
          _ = connection.write(answer)
        }) { server in
          let url = try HTTPURL("http://127.0.0.1:\(server.port)/T0KENT0KEN")
          var channel = AlertChannel(name: "c", kind: .webhook(WebhookChannel(url: url, format: .json)))
          channel.timeout = .seconds(5)
          let (outcome, line) = await sender.attempt(message, by: channel)
          found.append((outcome, line))
        }
      }
      return found
    }
  }

  /// Retry-After of all kinds (RFC 9110 section 10.2.3): seconds and dates are obeyed up to an hour, the rest asks for nothing.
  @Test func waits() async throws {
    let date = "Date: Fri, 04 Jan 2036 02:00:00 GMT\r\n"
    let rows: [(String, Duration?)] = [
      ("Retry-After: 17", .seconds(17)), ("Retry-After:   3600  ", .seconds(3600)),
      ("Retry-After: 3601", .seconds(3600)),
      ("Retry-After: 99999999999999999999999999", .seconds(3600)), ("Retry-After: 0", nil),
      ("Retry-After: -5", nil),
      ("Retry-After: 1.5", nil), ("Retry-After: 0x10", nil), ("Retry-After: soon", nil),
      ("Retry-After:", nil),
      (date + "Retry-After: Fri, 04 Jan 2036 02:00:40 GMT", .seconds(40)),
      (date + "Retry-After: Fri, 04 Jan 2036 01:59:40 GMT", nil),
      (date + "Retry-After: Fri, 04 Jan 2037 02:00:40 GMT", .seconds(3600)),
      (date + "Retry-After: Friday, 04-Jan-36 02:00:20 GMT", .seconds(20)),
      (date + "Retry-After: Fri Jan  4 02:00:30 2036", .seconds(30)),
    ]
    for status in [429, 503] {
      let answers = rows.map { Array("HTTP/1.1 \(status) No\r\n\($0.0)\r\nContent-Length: 0\r\n\r\n".utf8) }
      for (row, found) in zip(rows, try await outcomes(answers)) {
        guard case .failed(_, let wait, let isUnreachable) = found.outcome else {
          Issue.record("\(row.0): \(found.outcome)")
          continue
        }
        #expect(wait == row.1 && !isUnreachable, "\(row.0)")
      }
    }
  }

  /// Too much of everything, and what is no HTTP.
  @Test func tooMuch() async throws {
    let head = "HTTP/1.1 200 OK\r\n"
    func answer(_ text: String) -> [UInt8] { Array(text.utf8) }
    let rows: [(String, [UInt8], isTaken: Bool)] = [
      (
        "1 MB of header fields",
        answer(head + String(repeating: "X-A: \(String(repeating: "y", count: 90))\r\n", count: 10_000)),
        false
      ),
      ("a field of 1 MB", answer(head + "X: " + String(repeating: "y", count: 1 << 20) + "\r\n\r\n"), false),
      (
        "interim answers without end", answer(String(repeating: "HTTP/1.1 103 Early\r\n\r\n", count: 5_000)),
        false
      ),
      ("no head", answer("SSH-2.0-OpenSSH_9.2\r\n"), false),
      ("zeros", [UInt8](repeating: 0, count: 100_000), false),
      ("a status of four digits", answer("HTTP/1.1 2000 OK\r\n\r\n"), false),
      ("another protocol", answer("ICY 200 OK\r\n\r\n"), false),
      ("a body of 8 MB", answer(head + "\r\n" + String(repeating: "z", count: 8 << 20)), true),
      ("chunks that are none", answer(head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n"), true),
      (
        "a coding that is none", answer(head + "Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\nxyz"), true
      ),
    ]
    for (row, found) in zip(rows, try await outcomes(rows.map(\.1))) {
      #expect((found.outcome == .delivered) == row.isTaken, "\(row.0): \(found.outcome)")
      if !row.isTaken, case .failed = found.outcome {
      } else if !row.isTaken {
        Issue.record("\(row.0): \(found.outcome)")
      }
    }
  }

  /// Drawn again in each run: pieces of answers in any order. What begins with 2xx is taken, and nothing else is.
  @Test func drawn() async throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("receivers from the seed \(seed)")
    let chance = Counter(state: seed)
    let pieces = [
      "HTTP/1.1 200 OK\r\n", "HTTP/1.1 500 No\r\n", "HTTP/1.0 302 Go\r\n", "HTTP/1.1 422 \u{1b}[2m\r\n",
      "HTTP/2 204\r\n", "\r\n", "\n",
      "Retry-After: 99\r\n", "Location: http://127.0.0.1:9/\r\n", "Content-Length: -1\r\n",
      "Content-Length: 5\r\n", "T0KENT0KEN",
      "Transfer-Encoding: chunked\r\n", "5\r\nhello\r\n", "0\r\n\r\n", "Connection: close\r\n", "\u{0}", "ÿ",
      "X: y\r\n z\r\n",
    ]
    let answers = (0..<150).map { _ in
      Array(
        (0..<Int(chance.next() % 8)).map { _ in pieces[Int(chance.next() % UInt64(pieces.count))] }.joined()
          .utf8)
    }
    for (answer, found) in zip(answers, try await outcomes(answers)) {
      let text = String(decoding: answer, as: UTF8.self)
      let mayBeTaken = text.contains("HTTP/1.1 200") || text.contains("HTTP/2 204")
      if found.outcome == .delivered { #expect(mayBeTaken, "\(seed): \(text.debugDescription)") }
      if text.hasPrefix("HTTP/1.1 200 OK\r\n\r\n") {
        #expect(found.outcome == .delivered, "\(seed): \(text.debugDescription)")
      }
      let words = "\(found.outcome) \(found.line ?? "")"
      #expect(!words.contains("T0KEN") && words.utf8.count < 1000, "\(seed): \(words)")
      #expect(!words.utf8.contains { $0 < 0x20 }, "\(seed): \(words.debugDescription)")
    }
  }
}
