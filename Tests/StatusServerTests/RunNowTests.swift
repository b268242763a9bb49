// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring
import Status
@testable import StatusServer
import StatusSupport
import Testing

/// The one route that does something.
@Suite struct RunNowTests {
  private let token = "0123456789abcdef"

  private func post(
    _ address: ListenAddress, _ target: String, headers: String = "Content-Length: 0\r\n"
  ) async throws -> RawResponse {
    try await exchange(
      address, "POST \(target) HTTP/1.1\r\nHost: localhost\r\n\(headers)Connection: close\r\n\r\n")
  }

  private func authorized(_ value: String) -> String { "Content-Length: 0\r\nAuthorization: \(value)\r\n" }

  private func source(_ outcome: RunNowOutcome = .noSuchCheck, token: String? = nil) throws -> FixedSource {
    var source = try sampleSource()
    source.outcome = outcome
    source.token = token.map { Redacted($0) }
    return source
  }

  @Test func withoutATokenInTheConfigurationNobodyMay() async throws {
    let check = try makeCheck("Shop front")
    let source = try source(.done(makeResult(check, minute: 1, state: .up)))
    try await withServer(source) { address in
      let answer = try await post(
        address, "/api/v1/checks/\(check.id)/run", headers: authorized("Bearer \(token)"))
      #expect(answer.status == 403)
      #expect(answer.body.contains("status.run_now_token"))
    }
  }

  @Test(arguments: [
    "", "Bearer ", "Bearer 0123456789abcdeg", "Bearer 0123456789abcde", "Bearer 0123456789abcdef0",
    "Basic 0123456789abcdef", "0123456789abcdef",
    // The token as a password, which a browser would send along whoever asks.
    "Basic OjAxMjM0NTY3ODlhYmNkZWY=",
  ])
  func aWrongTokenRunsNothing(_ value: String) async throws {
    let check = try makeCheck("Shop front")
    let source = try source(.done(makeResult(check, minute: 1, state: .up)), token: token)
    try await withServer(source) { address in
      let headers = value.isEmpty ? "Content-Length: 0\r\n" : authorized(value)
      let answer = try await post(address, "/api/v1/checks/\(check.id)/run", headers: headers)
      #expect(answer.status == 401)
      #expect(!answer.body.contains("success\":true"))
    }
  }

  @Test func theTokenRunsTheCheckAndShowsTheResult() async throws {
    let check = try makeCheck("Shop front")
    let result = makeResult(check, minute: 1, state: .down)
    try await withServer(try source(.done(result), token: token)) { address in
      let answer = try await post(
        address, "/api/v1/checks/\(check.id)/run", headers: authorized("bearer \(token)"))
      #expect(answer.status == 200)
      let document = try JSONValue.parse(Array(answer.body.utf8))
      #expect(document["data"]?["check"]?.string == "Shop front")
      #expect(document["data"]?["state"]?.string == "down")
      // A GET there is nothing.
      let get = try await get(address, "/api/v1/checks/\(check.id)/run")
      #expect(get.status == 405)
    }
  }

  @Test(
    arguments: [
      (.noSuchCheck, 404), (.busy("a run is under way"), 409), (.stopping, 503),
    ] as [(RunNowOutcome, Int)])
  func whatDoesNotRunSaysWhy(_ outcome: RunNowOutcome, _ status: Int) async throws {
    let check = try makeCheck("Shop front")
    try await withServer(try source(outcome, token: token)) { address in
      let answer = try await post(
        address, "/api/v1/checks/\(check.id)/run", headers: authorized("Bearer \(token)"))
      #expect(answer.status == status)
    }
  }

  @Test func everythingElseStaysReadOnly() async throws {
    try await withServer(try source(token: token)) { address in
      for target in ["/", "/api/v1/checks", "/api/v1/checks/x/results", "/api/v1/checks/x/run/more"] {
        let answer = try await post(address, target, headers: authorized("Bearer \(token)"))
        #expect(answer.status == 405)
      }
      let body = try await exchange(
        address,
        "POST /api/v1/checks/x/run HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc"
      )
      #expect(body.status == 413)
    }
  }

  /// The answer to a run by hand, in one line.
  @Test func wordsOfARun() throws {
    let check = try makeCheck("Shop")
    var up = makeResult(check, minute: 1, state: .up)
    up.responseTime = .milliseconds(42)
    let down = makeResult(check, minute: 1, state: .down, message: "status 503")
    let rows: [(RunNowOutcome, String)] = [
      (.done(up), "● UP 42 ms"), (.done(down), "✕ DOWN http_status: status 503"),
      (.noSuchCheck, "no enabled check has this id"), (.busy("four others run"), "not now: four others run"),
      (.stopping, "the agent is ending"),
    ]
    for (outcome, words) in rows { #expect(outcome.words == words) }
  }
}
