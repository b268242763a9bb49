// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network
import QuartzAPI
import Testing

/// Requests to Supabase: the sign-in and the rows, with their headers, and how long a session holds.
@Suite struct SupabaseRequestTests {
  private func transport(
    _ book: RequestBook, apiKey: String? = "anon", _ login: SupabaseSettings.Login? = nil,
    withMessages: Bool = false
  ) throws -> SupabaseTransport {
    let settings = SupabaseSettings(
      url: try HTTPURL("https://project.test"), apiKey: apiKey.map { Redacted($0) },
      login: login ?? .password(email: "a@b.test", password: Redacted("hunter2")))
    return SupabaseTransport(settings, withMessages: withMessages, over: book.wire)
  }

  /// A sign-in is answered with a token, rows are taken.
  private func book(life: Int64 = 600, token: String = "t") -> RequestBook {
    RequestBook { number in
      .response(
        number == 1
          ? OutboundAnswer(
            status: 200, body: Array(#"{"access_token":"\#(token)","expires_in":\#(life)}"#.utf8))
          : OutboundAnswer(status: 201, headers: [HeaderField("Content-Range", "*/*")]))
    }
  }

  private let signIn = "POST https://project.test/auth/v1/token?grant_type=password"
  private let rows = "POST https://project.test/rest/v1/check_results?on_conflict=id"

  @Test func theSignInAndTheRows() async throws {
    let book = book()
    let transport = try transport(book)
    #expect(try await transport.deliver(records(2)).outcome == .acknowledged(Acknowledgement()))
    #expect(book.events == ["admitted session", signIn, rows])
    let (first, second) = (try #require(book.requests.first), try #require(book.requests.last))
    #expect(first.shownHeaders == ["apikey: anon", "Content-Type: application/json"])
    #expect(first.text == #"{"email":"a@b.test","password":"hunter2"}"# && first.hasSecretBody)
    #expect(first.timeout == .seconds(30))
    #expect(
      second.shownHeaders == [
        "apikey: anon", "Authorization: Bearer t", "Content-Type: application/json",
        "Prefer: resolution=ignore-duplicates,return=minimal",
      ])
    #expect(second.timeout == .seconds(60) && !second.hasSecretBody)
    let list = records(2).map { row in
      var json = JSONWriter()
      WireRow(row, withMessage: false).write(into: &json, agentFields: false)
      return json.text
    }
    #expect(second.text == "[\(list.joined(separator: ","))]")
  }

  @Test func messagesLeaveWhereTheFileSaysSo() async throws {
    for withMessages in [false, true] {
      let book = book()
      let row = record(1) { ($0.reason, $0.message) = (.body, "no match") }
      _ = try await transport(book, withMessages: withMessages).deliver([row])
      #expect(book.requests.last?.text.contains("no match") == withMessages)
    }
  }

  /// A token is used for four fifths of its life, and for a day at most.
  @Test(
    arguments: [(1, 800), (600, 480_000), (108_000, 86_400_000), (200_000, 86_400_000)] as [(Int64, Int64)])
  func howLongATokenIsUsed(life: Int64, milliseconds: Int64) async throws {
    let book = book(life: life)
    let transport = try transport(book)
    _ = try await transport.deliver([])
    book.move(to: dawn.advanced(by: .milliseconds(milliseconds - 1)))
    _ = try await transport.deliver([])
    #expect(book.events == ["admitted session", signIn, rows, rows])
    book.move(to: dawn.advanced(by: .milliseconds(milliseconds)))
    _ = try await transport.deliver([])
    #expect(book.events.dropFirst(4).prefix(2) == ["admitted session", signIn])
  }

  /// An answer without a token, or with one that is over at once, is no sign-in.
  @Test(
    arguments: [
      (200, #"{"access_token":"t","expires_in":0}"#), (200, #"{"access_token":"t","expires_in":-1}"#),
      (200, #"{"access_token":"","expires_in":600}"#), (200, #"{"access_token":"t"}"#),
      (200, #"{"expires_in":600}"#), (200, #"{"access_token":7,"expires_in":600}"#), (200, "<html>"),
      (201, #"{"access_token":"t","expires_in":600}"#),
    ])
  func whatIsNoSignIn(status: Int, body: String) async throws {
    let book = RequestBook(status, body)
    let report = try await transport(book).deliver(records(1))
    guard case .transient(let trouble, nil, false) = report.outcome else {
      Issue.record("\(report.outcome)")
      return
    }
    #expect(trouble.what == "supabase answered \(status), but not as the receiver does")
    #expect(book.events == ["admitted session", signIn] && report.response?.status == status)
  }

  @Test func refusedSignIns() async throws {
    let book = RequestBook(401, "{}")
    let report = try await transport(book).deliver(records(1))
    #expect(
      report.outcome
        == .unauthorized(
          .warning(
            .delivery, "supabase refuses the sign-in (401)",
            hint: "check quartz.supabase.email, password and api_key")))
    let silent = RequestBook { _ in .failure("no route") }
    let none = try await transport(silent).deliver(records(1))
    #expect(
      none.outcome
        == .transient(
          .warning(.delivery, "cannot reach supabase: no route"), wait: nil, blamesBatch: false))
    #expect(none.response == nil)
  }

  /// A session that is forgotten is made again; a key of the service is no session.
  @Test func sessionsAreForgotten() async throws {
    let book = book()
    let transport = try transport(book)
    _ = try await transport.deliver([])
    #expect(try await transport.renewCredentials())
    _ = try await transport.deliver([])
    #expect(book.events.count { $0 == signIn } == 2)
    for (apiKey, gateway) in [("anon", "anon"), (nil, "service")] as [(String?, String)] {
      let plain = RequestBook(201, "", [("Content-Range", "*/*")])
      let other = try self.transport(plain, apiKey: apiKey, .serviceKey(Redacted("service")))
      #expect(try await other.deliver([]).outcome == .acknowledged(Acknowledgement()))
      #expect(try await other.renewCredentials() == false)
      #expect(plain.events == [rows])
      #expect(
        plain.requests.first?.shownHeaders.prefix(2) == [
          "apikey: \(gateway)", "Authorization: Bearer service",
        ])
    }
  }
}
