// SPDX-License-Identifier: MIT

import Basics
import Checks
import Foundation
import Monitoring
import NetworkTestSupport
import Synchronization
import TestSupport
import Testing

/// `Expect: 100-continue` of a check's own (RFC 9110 section 10.1.1): sent, and obeyed.
@Suite(.timeLimit(.minutes(2))) struct ExpectationTests {
  private final class Heard: Sendable {
    let texts = Mutex<[String]>([])
    func note(_ text: String) { texts.withLock { $0.append(text) } }
  }

  private func post(
    expecting: Bool = true, limit: Duration = .seconds(10),
    _ script: @escaping @Sendable (LoopbackConnection, Heard) -> Void
  ) async throws -> (ProbeOutcome, [String], Int) {
    let heard = Heard()
    return try await withLoopbackServer(script: { script($0, heard) }) { server in
      let outcome = try await ProbeBench(limit: limit).http(
        try httpCheck("http://good.test:\(server.port)/") {
          $0.method = "POST"
          $0.http.body = Redacted("the body")
          $0.expect.status = ["200", "417"]
          if expecting { $0.headers = [("Expect", Redacted("100-continue"))] }
        })
      return (outcome, heard.texts.withLock { $0 }, server.accepted)
    }
  }

  private static let fine = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

  /// The body waits for the interim 100, and for nothing longer.
  @Test func theBodyWaitsForThe100() async throws {
    let (outcome, heard, _) = try await post { link, heard in
      heard.note(link.read(until: "\r\n\r\n"))
      usleep(150_000)
      heard.note(link.hasInput ? "body before the 100" : "waits")
      link.write("HTTP/1.1 100 Continue\r\n\r\n")
      heard.note(link.read(until: "the body"))
      link.write(Self.fine)
      link.waitForEnd()
    }
    #expect(outcome.verdict == .ok)
    #expect(heard.first?.contains("\r\nExpect: 100-continue\r\n") == true)
    #expect(heard.dropFirst() == ["waits", "the body"])
    // Not the second that is waited where no 100 comes.
    #expect(try #require(outcome.responseTime) < .milliseconds(900))
  }

  /// Where no 100 comes the body is sent after a second, which the time to the first byte has.
  @Test func withoutA100TheBodyIsSentAfterASecond() async throws {
    let (outcome, heard, _) = try await post { link, heard in
      heard.note(link.read(until: "\r\n\r\nthe body"))
      link.write(Self.fine)
      link.waitForEnd()
    }
    #expect(outcome.verdict == .ok)
    #expect(heard.first?.hasSuffix("the body") == true)
    let first = try #require(outcome.timings.firstByte)
    #expect(first >= .milliseconds(950))
  }

  /// A 417 is the answer: the check asked for the expectation, and nothing is asked a second time.
  @Test(arguments: ["", "Connection: close\r\n"]) func a417IsTheAnswer(more: String) async throws {
    let (outcome, heard, connections) = try await post { link, heard in
      heard.note(link.read(until: "\r\n\r\n"))
      link.write("HTTP/1.1 417 Expectation Failed\r\n\(more)Content-Length: 2\r\n\r\nno")
      heard.note(link.readToEnd())
    }
    #expect(outcome.verdict == .ok && outcome.statusCode == 417, "\(outcome.verdict)")
    #expect(connections == 1 && outcome.hops.count == 1)
    // A client that waits for the second sends the body then.
    #expect(heard.dropFirst().joined() == "")
  }

  /// An answer that needs no body gets none.
  @Test(arguments: [200, 204, 403]) func aFinalAnswerSparesTheBody(status: Int) async throws {
    let (outcome, heard, _) = try await post { link, heard in
      heard.note(link.read(until: "\r\n\r\n"))
      link.write("HTTP/1.1 \(status) X\r\n" + (status == 204 ? "\r\n" : "Content-Length: 2\r\n\r\nno"))
      heard.note(link.readToEnd())
    }
    #expect(outcome.statusCode == status)
    #expect(outcome.verdict.reason == (status == 200 ? .ok : .httpStatus), "\(outcome.verdict)")
    // A client that waits for the second sends the body then.
    #expect(heard.dropFirst().joined() == "")
  }

  /// Nobody expects anything by itself.
  @Test func noExpectationOfOurOwn() async throws {
    let (outcome, heard, _) = try await post(expecting: false) { link, heard in
      heard.note(link.read(until: "the body"))
      link.write(Self.fine)
      link.waitForEnd()
    }
    #expect(outcome.verdict == .ok)
    #expect(heard.first?.lowercased().contains("expect") == false)
  }

  /// It is about a body, has one value, and is obeyed over HTTP/1.1.
  @Test(
    arguments: [
      ("100-continue", nil, nil, "has no effect without a body"),
      ("200-ok", "x", nil, "must be 100-continue"),
      ("100-continue", "x", "2", "over HTTP/1.1 only"), ("100-Continue", "x", "1.0", "over HTTP/1.1 only"),
      ("100-Continue", "x", "1.1", nil),
    ] as [(String, String?, String?, String?)])
  func whatItMayBe(value: String, body: String?, version: String?, problem: String?) throws {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.url) = ("a", "http", "https://a.example/")
    definition.method = "POST"
    definition.headers = [("Expect", Redacted(value))]
    definition.http.body = body.map(Redacted.init)
    definition.httpVersion = version
    do throws(InvalidCheck) {
      _ = try MonitoringCheck(definition)
      #expect(problem == nil)
    } catch {
      #expect(error.problems.count == 1)
      #expect(problem.map { error.problems[0].message.contains($0) } == true, "\(error.problems)")
    }
  }
}

extension LoopbackConnection {
  /// Whether bytes are there, or the end of the stream is.
  fileprivate var hasInput: Bool {
    var place = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&place, 1, 0) > 0
  }

  /// All that still comes.
  fileprivate func readToEnd() -> String {
    var all: [UInt8] = []
    while true {
      let more = read()
      if more.isEmpty { return String(decoding: all, as: UTF8.self) }
      all += more
    }
  }
}
