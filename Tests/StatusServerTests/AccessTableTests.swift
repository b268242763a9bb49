// SPDX-License-Identifier: MIT

import Basics
import Foundation
import History
import Monitoring
import StatusServer
import StatusSupport
import TestSupport
import Testing
@testable import Status

/// Every token with every kind of page.
@Suite struct AccessTableTests {
  private enum Shown: String, CaseIterable { case nothing, wrong, read, run, member }

  private static let tokens: [Shown: String] = [
    .wrong: "wrong-0123456789", .read: "read-0123456789", .run: "run-0123456789",
    .member: "member-0123456789",
  ]

  private func source(readable: Bool, hasMember: Bool) throws -> FixedSource {
    var source = try sampleSource()
    source.access.readToken = readable ? nil : Self.tokens[.read].map(Redacted.init)
    source.access.memberToken = hasMember ? Self.tokens[.member].map(Redacted.init) : nil
    source.token = Self.tokens[.run].map(Redacted.init)
    return source
  }

  private static func status(
    _ address: ListenAddress, _ method: String, _ target: String, _ shown: Shown, _ basic: Bool
  )
    async throws -> Int
  {
    let header = tokens[shown].map { token in
      basic
        ? "Authorization: Basic \(Data("any:\(token)".utf8).base64EncodedString())\r\n"
        : "Authorization: Bearer \(token)\r\n"
    }
    return try await exchange(
      address,
      "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n\(header ?? "")Content-Length: 0\r\nConnection: close\r\n\r\n"
    ).status
  }

  /// Pages, with what they answer to who may read them.
  private func pages(_ id: UniqueID) -> [(target: String, found: Int)] {
    [
      ("/", 200), ("/wall", 200), ("/report", 200), ("/api/v1/report.csv", 200), ("/metrics", 200),
      ("/checks/\(id)", 200), ("/api/v1/summary", 200),
      ("/api/v1/checks", 200),
      ("/api/v1/checks/\(id)", 200), ("/api/v1/checks/\(id)/results", 200), ("/api/v1/spool", 404),
      ("/api/v1/status.txt", 200), ("/api/v1/openapi.json", 200), ("/none", 404),
      ("/api/v1/checks/\(id)/shared", 404),
      ("/share", 404),
    ]
  }

  /// The group's token reads what members add up, and no page else; the others read all; health needs none.
  @Test(arguments: [false, true], [false, true]) func tokensAndPages(readable: Bool, hasMember: Bool)
    async throws
  {
    let source = try source(readable: readable, hasMember: hasMember)
    let id = try #require(source.status.checks.first?.id)
    let pages = pages(id)
    try await withServer(source) { address in
      for shown in Shown.allCases {
        for basic in [false, true] {
          for (target, found) in pages {
            let status = try await Self.status(address, "GET", target, shown, basic)
            let mayRead = readable || shown == .read || shown == .run
            #expect(status == (mayRead ? found : 401), "\(shown) \(target)")
          }
          let share = try await Self.status(address, "GET", "/api/v1/checks/\(id)/share?at=0", shown, basic)
          let mayShare = readable || [.read, .run].contains(shown) || hasMember && shown == .member
          #expect(share == (mayShare ? 200 : 401), "\(shown) share")
          for target in ["/livez", "/readyz"] {
            #expect(try await Self.status(address, "GET", target, shown, basic) == 200)
          }
        }
      }
    }
  }

  /// Only the token to run runs, and only as a program shows it or a person has typed it.
  @Test(arguments: [false, true]) func tokensAndActs(readable: Bool) async throws {
    let check = try makeCheck("Shop front", host: "shop.example", tags: ["team:shop", "prod"])
    var source = try source(readable: readable, hasMember: true)
    source.outcome = .done(makeResult(check, minute: 1, state: .up))
    let id = try #require(source.status.checks.first?.id)
    try await withServer(source) { address in
      for shown in Shown.allCases {
        let status = try await Self.status(address, "POST", "/api/v1/checks/\(id)/run", shown, false)
        #expect(status == (shown == .run ? 200 : 401), "\(shown)")
        let share = try await Self.status(address, "POST", "/api/v1/checks/\(id)/share", shown, false)
        #expect(share != 200, "\(shown)")
      }
    }
  }
}
