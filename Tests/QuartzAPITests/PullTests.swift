// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network
import QuartzAPI
import Synchronization
import TestSupport
import Testing

@Suite struct PullTests {
  private let fake = FakeQuartz(now: { 0 })

  private func client(_ exchange: any HTTPExchanging, keys: KeyRing = KeyRing(Redacted(FakeQuartz.key)))
    throws -> APIClient
  {
    let wire = Wire(exchange: exchange, now: { dawn }) { _ throws(CancellationError) in }
    return APIClient(base: try HTTPURL("https://api.test/v1"), keys: keys, over: wire)
  }

  private func pull(_ exchange: any HTTPExchanging) async throws -> APIClient.PullResult {
    try await client(exchange).pullChecks()
  }

  private func trouble(_ body: String, status: Int = 200) async throws -> Notice? {
    let exchange = Scripted { _ in .response(OutboundAnswer(status: status, body: Array(body.utf8))) }
    guard case .unchanged(let trouble, _) = try await pull(exchange) else { return nil }
    return trouble
  }

  static func rows(_ numbers: ClosedRange<Int>) -> [FakeCheck] {
    numbers.map {
      FakeCheck(id: checkID($0).description, members: #""check_type":"http","url":"https://a.test/""#)
    }
  }

  /// Bulk imports share created_at, and the default order loses rows; 250 checks in three requests all the same.
  @Test(arguments: [0, 1, 99, 100, 101, 250])
  func everyEnabledCheckOnce(count: Int) async throws {
    fake.checks =
      (count == 0 ? [] : Self.rows(1...count)) + [
        FakeCheck(id: checkID(9999).description, members: #""check_type":"http""#, isEnabled: false)
      ]
    guard case .snapshot(let snapshot) = try await pull(InProcess(fake: fake)) else {
      Issue.record("a good list is a snapshot")
      return
    }
    #expect(snapshot.checks.map(\.id).sorted() == (0..<count).map { checkID($0 + 1) })
    #expect(fake.requests.count == max(1, (count + 99) / 100))
    #expect(fake.requests.allSatisfy { $0.request.query["is_enabled"] == "true" })
  }

  @Test("A15: a check is created between two pages; the walk is repeated once and fits")
  func pagesThatShiftAreReadAgain() async throws {
    fake.checks = Self.rows(2...150)
    let exchange = Interfering(fake: fake) { fake, request in
      if request == 1 { fake.checks = Self.rows(1...150) }
    }
    guard case .snapshot(let snapshot) = try await pull(exchange) else {
      Issue.record("the second walk fits")
      return
    }
    #expect(snapshot.checks.count == 150)
    #expect(fake.requests.count == 4)
  }

  @Test func listThatNeverHoldsStillKeepsTheOldOne() async throws {
    fake.checks = Self.rows(1...150)
    let exchange = Interfering(fake: fake) { fake, request in fake.checks = Self.rows(1...(150 + request)) }
    guard case .unchanged(let trouble, _) = try await pull(exchange) else {
      Issue.record("no two pages fit together")
      return
    }
    #expect(trouble.what == "the list of checks is not consistent: the number of checks changed meanwhile")
    #expect(fake.requests.count == 4)
  }

  /// A server that gives the same page for ever: two requests a walk, whatever it promises.
  @Test("A14: the page that repeats", arguments: [3, 10_000]) func repeatedPageEndsTheWalk(total: Int)
    async throws
  {
    let rows = Self.rows(1...min(total - 1, 100)).map(\.text).joined(separator: ",")
    let pages = (total + 99) / 100 + 1
    let page = #"{"success":true,"data":[\#(rows)],"meta":{"total":\#(total),"total_pages":\#(pages)}}"#
    let seen = Mutex(0)
    let exchange = Scripted { _ in
      seen.withLock { $0 += 1 }
      return .response(OutboundAnswer(status: 200, body: Array(page.utf8)))
    }
    guard case .unchanged = try await pull(exchange) else {
      Issue.record("one page is not all")
      return
    }
    #expect(seen.withLock { $0 } == 4)
  }

  /// What it would cost to look is what the results could use.
  @Test(
    "A14: a list that says it is absurdly long is not read",
    arguments: [(1_000_000_000, 10_000_000), (100_001, 1001), (200, 200), (3, Int.max)])
  func absurdTotals(total: Int, pages: Int) async throws {
    let rows = Self.rows(1...100).map(\.text).joined(separator: ",")
    let page = #"{"success":true,"data":[\#(rows)],"meta":{"total":\#(total),"total_pages":\#(pages)}}"#
    let seen = Mutex(0)
    let exchange = Scripted { _ in
      seen.withLock { $0 += 1 }
      return .response(OutboundAnswer(status: 200, body: Array(page.utf8)))
    }
    guard case .unchanged(let trouble, _) = try await pull(exchange) else {
      Issue.record("no such list is applied")
      return
    }
    let absurd =
      "it says that it has \(total) checks, and more than 100000 are not believed (20 times "
      + "limits.remote_checks, at least 100000)"
    let why = total > 100_000 ? absurd : "it says that \(total) checks take \(pages) pages"
    #expect(trouble.what == "the list of checks is refused: \(why)")
    #expect(seen.withLock { $0 } == 1)
  }

  /// New rows on each of many pages, and then a total that does not fit: not read twice in one pull.
  @Test("A14: a long walk that does not fit is not repeated at once") func longWalkIsNotRepeated()
    async throws
  {
    fake.checks = Self.rows(1...2500)
    let exchange = Interfering(fake: fake) { fake, request in
      if request == 24 { fake.checks = Self.rows(1...2600) }
    }
    guard case .unchanged = try await pull(exchange) else {
      Issue.record("the total changed")
      return
    }
    #expect(fake.requests.count == 25)
  }

  @Test func pageCapEndsAnEndlessList() async throws {
    let exchange = Scripted { request in
      let page =
        Int(request.url.query?.split(separator: "&").first { $0.hasPrefix("page=") }?.dropFirst(5) ?? "") ?? 0
      let rows = Self.rows((page * 100 + 1)...(page * 100 + 100)).map(\.text).joined(separator: ",")
      let body = #"{"success":true,"data":[\#(rows)],"meta":{"total":100000,"total_pages":1000}}"#
      return .response(OutboundAnswer(status: 200, body: Array(body.utf8)))
    }
    guard case .snapshot(let snapshot) = try await pull(exchange) else {
      Issue.record("the first 20,000 are a snapshot")
      return
    }
    #expect(snapshot.checks.count == 20_000)
    #expect(snapshot.isCut)
  }

  @Test(
    "A11, A12: what is no list of checks changes nothing",
    arguments: [
      "", "[]", "{}", "<html>", #"{"success":true}"#,
      #"{"success":false,"data":[],"meta":{"total":0,"total_pages":0}}"#,
      #"{"success":true,"data":[],"meta":{"total":-1,"total_pages":0}}"#,
      #"{"success":true,"data":[],"meta":{"total":1e400,"total_pages":1}}"#,
      #"{"success":true,"data":[],"meta":{"total":NaN,"total_pages":1}}"#,
      #"{"success":true,"success":true,"data":[],"meta":{"total":0,"total_pages":0}}"#,
      #"{"success":true,"data":[{}],"meta":{"total":1,"total_pages":1}}"#,
      #"{"success":true,"data":["x"],"meta":{"total":1,"total_pages":1}}"#,
      "{\"success\":true,\"data\":[\"\\ud800\"],\"meta\":{\"total\":1,\"total_pages\":1}}",
      String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000),
    ])
  func garbageChangesNothing(body: String) async throws {
    #expect(try await trouble(body) != nil)
  }

  @Test(arguments: [
    (#""port":"80""#, "port"), (#""port":8.5"#, "port"), (#""port":3000000000"#, "port"),
    (#""check_interval_seconds":true"#, "check_interval_seconds"), (#""url":7"#, "url"),
    (#""check_type":null"#, "check_type"),
    (#""is_enabled":"true""#, "is_enabled"), (#""retry_count":[]"#, "retry_count"),
  ])
  func columnOfAWrongTypeRefusesTheList(member: String, column: String) async throws {
    var members = ["resource_id": "\"\(checkID(5))\"", "check_type": "\"http\"", "is_enabled": "true"]
    let sides = member.split(separator: ":", maxSplits: 1).map(String.init)
    members[String(sides[0].dropFirst().dropLast())] = sides[1]
    let row = "{\"id\":\"\(checkID(1))\"," + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    let body = #"{"success":true,"data":[\#(row)],"meta":{"total":1,"total_pages":1}}"#
    #expect(
      try await trouble(body)?.what
        == "the list of checks is refused: check \(checkID(1)) has a \(column) of the wrong type")
  }

  @Test(arguments: [
    (302, "the quartz api answered with a redirect (302), which is never followed with a key"),
    (401, "the quartz api does not accept the key: 401"), (404, "there is no such list at quartz.url: 404"),
    (429, "the quartz api asks for fewer requests (429)"), (500, "the quartz api has trouble: 500"),
  ])
  func refusalsInWords(status: Int, message: String) async throws {
    #expect(try await trouble("", status: status)?.what == message)
  }

  /// A 401 reads the key again, so the next pull may work; the backend also says it while its database is down.
  @Test func refusedKeyIsReadAgain() async throws {
    let keys = KeyRing(Redacted("old")) { Redacted(FakeQuartz.key) }
    let client = try client(InProcess(fake: fake), keys: keys)
    guard case .unchanged = try await client.pullChecks() else {
      Issue.record("the old key is refused")
      return
    }
    #expect(try await client.pullChecks() == .snapshot(CheckSnapshot(checks: [])))
  }

  private struct Scripted: HTTPExchanging {
    let answer: @Sendable (APIRequest) -> APIReply
    func exchange(_ request: APIRequest) async throws(CancellationError) -> APIReply { answer(request) }
  }

  /// Changes the backend after each answer.
  private struct Interfering: HTTPExchanging {
    let fake: FakeQuartz
    let meddle: @Sendable (FakeQuartz, Int) -> Void
    func exchange(_ request: APIRequest) async throws(CancellationError) -> APIReply {
      defer { meddle(fake, fake.requests.count) }
      return try await InProcess(fake: fake).exchange(request)
    }
  }
}

extension FakeCheck {
  /// As a row of the list.
  var text: String {
    "{\"id\":\"\(id)\",\"is_enabled\":\(isEnabled),\"resource_id\":\"\(checkID(5))\",\(members)}"
  }
}
