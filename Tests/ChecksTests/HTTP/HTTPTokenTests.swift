// SPDX-License-Identifier: MIT

import Basics
import Checks
import Curl
import Foundation
import Monitoring
import Network
import NetworkTestSupport
import Synchronization
import TestSupport
import Testing

/// The client credentials grant: where the token comes from, how long it serves, and what a failure says.
@Suite(.timeLimit(.minutes(2))) struct HTTPTokenTests {
  /// Gives out tokens at `/token` and asks for the last one everywhere else.
  private final class Guard: Sendable {
    let log = Mutex<[String]>([])
    let answer: @Sendable (_ request: String, _ number: Int) -> String
    /// Tokens given out, and those that stopped being good.
    let tokens = Mutex<(given: Int, revoked: Int)>((0, 0))

    init(_ answer: @escaping @Sendable (String, Int) -> String) { self.answer = answer }

    func serve(_ link: LoopbackConnection) {
      var request = link.read(until: "\r\n\r\n")
      if request.hasPrefix("POST /token") {
        while !request.contains("grant_type=") {
          let more = link.read()
          if more.isEmpty { break }
          request += String(decoding: more, as: UTF8.self)
        }
        let number = tokens.withLock { tokens in
          tokens.given += 1
          return tokens.given
        }
        // Before the answer: whoever has that may look at the log.
        log.withLock { $0.append(request) }
        link.write(answer(request, number))
      } else {
        let state = tokens.withLock { $0 }
        let isGood =
          state.given > state.revoked
          && request.contains("Authorization: Bearer canary-token-\(state.given)\r\n")
        let body = "you sent \(request)"
        log.withLock { $0.append(request) }
        link.write("HTTP/1.1 \(isGood ? 200 : 401) X\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
      }
      link.waitForEnd()
    }
  }

  private static func json(_ text: String, status: Int = 200) -> String {
    "HTTP/1.1 \(status) X\r\nContent-Type: application/json\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
  }

  private static func token(_ number: Int, expires: String = ", \"expires_in\": 3600") -> String {
    json("{\"access_token\": \"canary-token-\(number)\", \"token_type\": \"Bearer\"\(expires)}")
  }

  private func definition(_ port: UInt16, tokenURL: String? = nil) throws -> MonitoringCheck {
    try httpCheck("http://good.test:\(port)/") {
      var oauth2 = OAuth2Definition()
      oauth2.tokenURL = tokenURL ?? "http://127.0.0.1:\(port)/token"
      oauth2.clientID = "the id"
      oauth2.clientSecret = Redacted("se:cret/1")
      oauth2.scopes = ["read", "write:all"]
      $0.auth.oauth2 = oauth2
      $0.http.expect.bodyContains = ["you sent"]
    }
  }

  /// Runs attempts with one probe, so that its memory counts.
  private func attempts(
    _ count: Int, _ server: Guard, tokenURL: String? = nil, between: (Guard) -> Void = { _ in }
  ) async throws -> ([ProbeOutcome], [String]) {
    try await withLoopbackServer(script: { server.serve($0) }) { loopback in
      let check = try definition(loopback.port, tokenURL: tokenURL)
      return try await withCurlEngine { engine in
        let finder = TargetFinder(resolver: NameTable.loopback, policy: EgressPolicy())
        let probe = HTTPProbe(engine: engine, reactor: try Reactor(), finder: finder, userAgent: "test")
        var outcomes: [ProbeOutcome] = []
        for _ in 0..<count {
          outcomes.append(try await probe.attempt(check, deadline: .now + .seconds(10)))
          between(server)
        }
        return (outcomes, server.log.withLock { $0 })
      }
    }
  }

  @Test func aTokenIsFetchedOnceAndServesAll() async throws {
    let (outcomes, log) = try await attempts(3, Guard { _, number in Self.token(number) })
    #expect(outcomes.allSatisfy { $0.verdict == .ok })
    #expect(outcomes.allSatisfy { $0.hops.count == 1 })
    #expect(log.count { $0.hasPrefix("POST /token") } == 1)
    let asked = try #require(log.first)
    #expect(asked.contains("grant_type=client_credentials&scope=read+write%3Aall"))
    // RFC 6749 appendix B, then RFC 7617: "the+id:se%3Acret%2F1".
    #expect(asked.contains("Authorization: Basic dGhlK2lkOnNlJTNBY3JldCUyRjE=\r\n"))
    #expect(log.last?.contains("se:cret") == false)
  }

  @Test func withoutALifetimeItServesOnce() async throws {
    let (outcomes, log) = try await attempts(2, Guard { _, number in Self.token(number, expires: "") })
    #expect(outcomes.allSatisfy { $0.verdict == .ok })
    #expect(log.count { $0.hasPrefix("POST /token") } == 2)
  }

  @Test func aTokenTheServerRefusesIsFetchedAgain() async throws {
    let server = Guard { _, number in Self.token(number) }
    let (outcomes, log) = try await attempts(2, server) { server in
      server.tokens.withLock { $0.revoked = $0.given }
    }
    #expect(outcomes.map(\.verdict) == [.ok, .ok])
    #expect(outcomes.last?.hops.map(\.statusCode) == [401, 200])
    #expect(log.count { $0.hasPrefix("POST /token") } == 2)
  }

  /// Whether the endpoint gives the same token again or another one.
  @Test(arguments: [true, false]) func aTokenThatNeverDoesIsAskedForTwiceAnAttempt(isNew: Bool) async throws {
    let (outcomes, log) = try await attempts(1, Guard { _, number in Self.token(isNew ? 100 + number : 99) })
    #expect(outcomes[0].verdict.reason == .httpStatus)
    #expect(outcomes[0].statusCode == 401)
    #expect(log.count == 4)
    // An answer that repeats the token does not bring it into the result.
    #expect("\(outcomes[0])".contains("canary-token") == false)
  }

  @Test func aHopThatLeadsToTheTokenDoesNotShowIt() async throws {
    let outcome = try await withLoopbackServer(script: { link in
      let request = link.read(until: "\r\n\r\n")
      if request.hasPrefix("POST /token") {
        link.write(Self.token(1))
      } else {
        let head = request.hasPrefix("GET / ") ? "302 X\r\nLocation: /of/canary-token-1/x" : "404 X"
        link.write("HTTP/1.1 \(head)\r\nContent-Length: 0\r\n\r\n")
      }
      link.waitForEnd()
    }) { server in
      try await ProbeBench().http(try definition(server.port))
    }
    #expect(outcome.hops.last?.url.hasSuffix("/of/<redacted>/x") == true)
    #expect("\(outcome)".contains("canary-token") == false)
  }

  /// RFC 6749 section 5.2 lets a server say so with 401 or with 400.
  @Test(arguments: [401, 400]) func aServerThatWantsTheSecretInTheBodyGetsItThere(status: Int) async throws {
    let server = Guard { request, number in
      request.contains("client_secret=se%3Acret%2F1") && request.contains("client_id=the+id")
        ? Self.token(number) : Self.json("{\"error\": \"invalid_client\"}", status: status)
    }
    let (outcomes, log) = try await attempts(1, server)
    #expect(outcomes[0].verdict == .ok)
    #expect(log.count == 3)
  }

  @Test(arguments: [
    (json("{\"error\": \"invalid_scope\"}", status: 400), "status 400, invalid_scope"),
    (json("{\"error\": \"canary remote text\"}", status: 400), "status 400"),
    (json("not json"), "an answer that is no JSON"), (json("{}"), "no usable access_token"),
    (json("{\"access_token\": \"a b\"}"), "no usable access_token"),
    (json("{\"access_token\": \"x\", \"token_type\": \"mac\"}"), "a token that is no bearer token"),
    ("HTTP/1.1 302 X\r\nLocation: http://good.test/\r\nContent-Length: 0\r\n\r\n", "status 302"),
  ])
  func aRefusalIsSaidInWords(answer: String, words: String) async throws {
    let (outcomes, log) = try await attempts(1, Guard { _, _ in answer })
    #expect(outcomes[0].verdict.reason == .authToken)
    #expect(outcomes[0].verdict.phase == .transfer)
    #expect(outcomes[0].verdict.message?.hasSuffix(": " + words) == true, "\(outcomes[0].verdict)")
    #expect(outcomes[0].assertions.allSatisfy { !$0.ok })
    // The target was never asked.
    #expect(log.allSatisfy { $0.hasPrefix("POST /token") })
  }

  @Test func anEndpointThatCannotBeReachedIsToldWithItsPhase() async throws {
    let dead = try freePort()
    let (refused, _) = try await attempts(1, Guard { _, _ in "" }, tokenURL: "http://127.0.0.1:\(dead)/")
    #expect(refused[0].verdict.reason == .authToken)
    #expect(refused[0].verdict.phase == .connect)
    #expect(refused[0].verdict.message?.hasSuffix("connection refused") == true)
    let (unknown, _) = try await attempts(1, Guard { _, _ in "" }, tokenURL: "https://nowhere.test/token")
    #expect(unknown[0].verdict.reason == .authToken)
    #expect(unknown[0].verdict.phase == .dns)
    let (denied, _) = try await attempts(1, Guard { _, _ in "" }, tokenURL: "https://169.254.169.254/token")
    #expect(denied[0].verdict.reason == .policyDenied)
    #expect(denied[0].verdict.state == .unknown)
  }

  @Test func anEndpointWithABadCertificateGetsNoSecret() async throws {
    try await withTemporaryDirectory { folder in
      let identity = try TestAuthority(in: folder).issue("good")
      try await withNginx(
        in: folder, [NginxSite(["return 200;", "access_log \(folder.path)/access.log;"], identity: identity)]
      ) { ports in
        let url = "https://good.test:\(ports[0])/token"
        let (outcomes, _) = try await attempts(1, Guard { _, _ in "" }, tokenURL: url)
        #expect(outcomes[0].verdict.reason == .authToken)
        #expect(outcomes[0].verdict.phase == .tls)
        let log = try String(contentsOf: folder.appending(path: "access.log"), encoding: .utf8)
        #expect(log.isEmpty)
      }
    }
  }
}
