// SPDX-License-Identifier: MIT

import Agent
import Basics
import Monitoring
import Network
import Synchronization
import TestSupport
import Testing

@testable import QuartzAgent

/// What `doctor` says of the API: of its answer, and of this machine's clock against the API's.
@Suite(.timeLimit(.minutes(1))) struct APIFindingsTests {
  /// Noon, on the wall clock of this machine.
  private static let noon = Timestamp(seconds: 1_767_528_000)

  /// One answer of the API after the other, and what is found.
  private func findings(_ answers: [(status: String, headers: String, body: String)]) async throws
    -> [[Notice]]
  {
    let answer = Mutex("")
    let system = TimeSource.system
    let time = TimeSource(
      wall: { Self.noon }, instant: system.instant, reading: system.reading,
      wait: { try await system.sleep(until: $0) })
    let script: @Sendable (LoopbackConnection) -> Void = { connection in
      _ = connection.read(until: "\r\n\r\n")
      connection.write(answer.withLock { $0 })
    }
    return try await withLoopbackServer(script: script) { server in
      let quartz = QuartzSettings(
        url: try HTTPURL("http://127.0.0.1:\(server.port)/v1"), apiKey: Redacted("k"))
      return try await withProbeEngine(egress: ProbeEgress(), time: time) { engine in
        var all: [[Notice]] = []
        for (status, headers, body) in answers {
          answer.withLock {
            $0 =
              "HTTP/1.1 \(status)\r\n\(headers)Content-Length: \(body.utf8.count)\r\n"
              + "Connection: close\r\n\r\n\(body)"
          }
          all.append(await NetworkFindings(engine: engine).api(quartz))
        }
        return all
      }
    }
  }

  /// Each status has a verdict of its own; 200 alone is none.
  @Test func theAnswer() async throws {
    let found = try await findings([
      ("200 OK", "", #"{"success":true,"data":[]}"#), ("200 OK", "", #"{"success":false}"#),
      ("200 OK", "", "<html>sign in</html>"), ("401 No", "", ""), ("403 No", "", ""), ("404 No", "", ""),
      ("429 Slow", "", ""), ("500 Broken", "", ""),
    ])
    let portal = Notice.critical(
      "api", "answered 200, but not as the Quartz API does",
      hint: "a proxy or captive portal may answer in its place; see quartz.url")
    func refused(_ status: Int) -> Notice {
      .critical(
        "api", "the key is refused with \(status)", hint: "see quartz.api_key, and the key's rights in Quartz"
      )
    }
    #expect(
      found == [
        [.fine("api", "reachable, and the key is accepted")], [portal], [portal], [refused(401)],
        [refused(403)],
        [
          .critical(
            "api", "answered 404", hint: "quartz.url must end in the version, such as …/public-api/v1")
        ],
        [
          .warning(
            "api", "the rate limit is reached (429)", hint: "another agent may use the same key")
        ], [.warning("api", "answered 500", hint: "see the API's own status")],
      ])
  }

  /// The Date of an answer is cut to the second: two seconds are nothing, and more than a minute is trouble.
  @Test func theClock() async throws {
    let dates: [(String, Notice.Severity, String)] = [
      ("12:00:00", .fine, ""), ("11:59:57", .fine, ""), ("12:00:02", .fine, ""),
      ("11:59:56", .warning, "3 s ahead of"), ("12:00:03", .warning, "3 s behind"),
      ("11:58:59", .warning, "60 s ahead of"), ("12:01:00", .warning, "60 s behind"),
      ("11:58:58", .critical, "61 s ahead of"), ("12:01:01", .critical, "61 s behind"),
    ]
    let body = #"{"success":true,"data":[]}"#
    let found = try await findings(
      dates.map { ("200 OK", "Date: Sun, 04 Jan 2026 \($0.0) GMT\r\n", body) })
    for (date, notices) in zip(dates, found) {
      #expect(notices.count == 2, "\(date.0)")
      let words =
        date.1 == .fine ? "within 2 s of the API's" : "this machine is \(date.2) the API's Date"
      #expect(notices.last?.what == words && notices.last?.severity == date.1)
      #expect(notices.last?.place == "clock skew")
    }
    let none = try await findings([("200 OK", "Date: yesterday\r\n", body), ("200 OK", "", body)])
    #expect(none.map(\.count) == [1, 1])
  }
}
