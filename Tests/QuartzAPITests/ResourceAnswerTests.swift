// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network
import Synchronization
import TestSupport
import Testing

@testable import QuartzAPI

/// The request that writes a resource's status, what each answer to it means, and what is kept on disk.
@Suite struct ResourceAnswerTests {
  private let shop = UniqueID(high: 0x4000, low: 0xaaaa)
  private let office = UniqueID(high: 0x4000, low: 0xbbbb)

  private func check(_ number: Int, of resource: UniqueID?, enabled: Bool = true) throws -> MonitoringCheck {
    var definition = CheckDefinition()
    (definition.name, definition.id) = ("Check \(number)", checkID(number).description)
    (definition.type, definition.host, definition.port) = ("tcp", "shop.example", 443)
    (definition.resource, definition.plan.enabled) = (resource?.description, enabled)
    return try MonitoringCheck(definition)
  }

  private func at(_ seconds: Int64) -> Timestamp { dawn.advanced(by: .seconds(seconds)) }

  /// Runs an updater with one check that is up until the first request is answered, and to the end of what follows.
  private func run(
    _ book: RequestBook, file: MemoryBytes = MemoryBytes(), keys: KeyRing = KeyRing(Redacted("qtz_key"))
  ) async throws -> (status: ResourceUpdateStatus, pause: Duration) {
    let clock = FakeClock()
    let updater = ResourceUpdater(
      base: try HTTPURL("https://api.test/v1"), keys: keys, over: book.wire, time: SteadyTime(clock.time),
      file: file, generator: longest)
    let check = try check(1, of: shop)
    updater.apply([check])
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await updater.run() }
      await clock.someoneSleeps()
      updater.note(check.id, .up, at: dawn)
      while book.requests.isEmpty { await Task.yield() }
      await clock.advanceToNext()
      await clock.someoneSleeps()
      group.cancelAll()
    }
    return (updater.status, clock.elapsed)
  }

  @Test(.timeLimit(.minutes(1))) func theRequest() async throws {
    let (book, file) = (RequestBook(200, #"{"success":true}"#), MemoryBytes())
    let (status, pause) = try await run(book, file: file)
    let place = "https://api.test/v1/resources/\(shop)"
    #expect(book.events == ["admitted resource", "PUT \(place)", "saw 200"])
    let request = try #require(book.requests.first)
    #expect(request.shownHeaders == ["X-API-Key: qtz_key", "Content-Type: application/json"])
    #expect(request.text == #"{"status":"up","last_checked_at":"2026-01-04T02:00:00.000Z"}"#)
    #expect(status.told == 1 && status.trouble == nil && status.pending == 0 && pause == .seconds(300))
    #expect(
      String(decoding: file.bytes ?? [], as: UTF8.self)
        == #"{"version":1,"from":"https://api.test/v1","told":{"\#(shop)":"up"}}"#)
  }

  private static let key = "check quartz.api_key; the backend also says this while its database is down"

  private static let growing = "it is retried after growing pauses, up to an hour"

  /// What is told and how long it waits; a resource that is refused is left alone, all else is tried again.
  @Test(
    .timeLimit(.minutes(1)),
    arguments: [
      (200, #"{"success":false}"#, "the quartz api answered 200, but not as it does", nil, 300, 2),
      (204, "", "the quartz api answered 204, but not as it does", nil, 300, 2),
      (302, "", "the quartz api answered 302, but not as it does", nil, 300, 2),
      (399, "", "the quartz api answered 399, but not as it does", nil, 300, 2),
      (401, "", "the quartz api does not accept the key: 401", key, 300, 2),
      (
        403, "", "the quartz api accepts the key, but not for writing the states of resources: 403",
        "give the key the right to update resources; the states are written again then", 300, 2
      ),
      (429, "", "the quartz api has trouble: 429", nil, 1, 2),
      (502, "", "the quartz api has trouble: 502", nil, 1, 2),
      (503, "", "the quartz api has trouble: 503", nil, 1, 2),
      (504, #"{"message":"m"}"#, "the quartz api has trouble: 504 m", nil, 1, 2),
      (400, "", "a resource's status is refused: 400", "it is tried again in an hour", 300, 1),
      (404, "", "a resource's status is refused: 404", "it is tried again in an hour", 300, 1),
      (408, "", "a resource's status is refused: 408", Self.growing, 10, 2),
      (500, "", "a resource's status is refused: 500", Self.growing, 10, 2),
      (501, "", "a resource's status is refused: 501", Self.growing, 10, 2),
    ] as [(Int, String, String, String?, Int, Int)])
  func answers(status: Int, body: String, what: String, hint: String?, seconds: Int, requests: Int)
    async throws
  {
    let book = RequestBook(status, body)
    let count = Mutex(0)
    let keys = KeyRing(Redacted("qtz_key")) {
      count.withLock { $0 += 1 }
      return nil
    }
    let found = try await run(book, keys: keys)
    #expect(found.pause == .seconds(seconds) && book.requests.count == requests, "\(found)")
    #expect(found.status.trouble?.what == what && found.status.trouble?.hint == hint)
    #expect(found.status.told == 0 && count.withLock(\.self) == (status == 401 ? requests : 0))
    #expect(book.events.count { $0 == "admitted resource" } == requests)
    #expect(book.events.count { $0 == "saw \(status)" } == requests)
  }

  @Test(.timeLimit(.minutes(1))) func waitsOfTheServer() async throws {
    let patient = RequestBook(503, "", [("Retry-After", "90")])
    #expect(try await run(patient).pause == .seconds(90))
    let silent = RequestBook { _ in .failure("no\nroute") }
    let found = try await run(silent)
    #expect(found.pause == .seconds(1) && silent.requests.count == 2)
    #expect(found.status.trouble == .warning(.resources, "cannot reach the quartz api: no\\u{a}route"))
  }

  /// What was told is on disk by resource, of one API; what is no such file says that nothing was told.
  @Test func theBoardOnDisk() throws {
    var board = ResourceBoard(told: [office: "up", shop: "down"])
    let text = #"{"version":1,"from":"a","told":{"\#(shop)":"down","\#(office)":"up"}}"#
    #expect(String(decoding: board.encoded(base: "a"), as: UTF8.self) == text)
    #expect(ResourceBoard(restoring: Array(text.utf8), base: "a") == board)
    #expect(ResourceBoard(restoring: Array(text.utf8), base: "b") == ResourceBoard())
    let later = text.replacing("\"version\":1", with: "\"version\":2")
    for bad in ["", "[]", later, #"{"version":1,"from":"a"}"#] {
      #expect(ResourceBoard(restoring: Array(bad.utf8), base: "a") == ResourceBoard())
    }
    #expect(ResourceBoard(restoring: nil, base: "a") == ResourceBoard())
    let odd = #"{"version":1,"from":"a","told":{"x":"up","\#(shop)":7,"\#(office)":"up"}}"#
    #expect(ResourceBoard(restoring: Array(odd.utf8), base: "a").told == [office: "up"])
    board.distrust()
    #expect(board.told.isEmpty)
  }

  /// What belongs to checks that are gone, off or of no resource is forgotten; updates are in the order of the ids.
  @Test func whatTheListLeaves() throws {
    var board = ResourceBoard(told: [shop: "up", office: "up"])
    let checks = [
      try check(1, of: shop), try check(2, of: office), try check(3, of: nil),
      try check(4, of: shop, enabled: false),
    ]
    board.apply(checks)
    #expect(board.told == [shop: "up", office: "up"])
    for number in [1, 2, 3, 4] { board.note(checkID(number), .down, at: at(Int64(number))) }
    #expect(
      board.due == [
        .init(resource: shop, status: "down", checkedAt: at(1)),
        .init(resource: office, status: "down", checkedAt: at(2)),
      ])
    board.apply(Array(checks.dropFirst()))
    #expect(board.told == [office: "up"] && board.due.map(\.resource) == [office])
    // Its states were forgotten with it.
    board.apply(checks)
    #expect(board.due.map(\.resource) == [office])
  }

  /// The time of a resource is that of its latest verdict, in whatever order they come; no verdict has none.
  @Test func theTimeOfAResource() throws {
    var board = ResourceBoard()
    board.apply([try check(1, of: shop), try check(2, of: shop)])
    board.note(checkID(1), .unknown, at: at(90))
    board.note(checkID(1), .up, at: at(60))
    board.note(checkID(9), .up, at: at(95))
    #expect(board.due.isEmpty)
    board.note(checkID(2), .degraded, at: at(30))
    #expect(board.due == [.init(resource: shop, status: "degraded", checkedAt: at(60))])
    board.note(checkID(2), .up, at: at(61))
    #expect(board.due == [.init(resource: shop, status: "up", checkedAt: at(61))])
  }
}
