// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring
import StatusSupport
import Testing
@testable import Status
@testable import StatusServer

/// The list of checks: which, and which part of them.
@Suite struct ListTests {
  private func names(_ query: String) async throws -> [String] {
    try await withServer(try sampleSource()) { address in
      let answer = try await get(address, "/api/v1/checks\(query)")
      let document = try JSONValue.parse(Array(answer.body.utf8))
      return (document["data"]?.array ?? []).compactMap { $0["name"]?.string }
    }
  }

  /// The next part begins where the one before it ended.
  @Test func partsMakeTheWhole() async throws {
    let all = try await names("")
    #expect(all.count == 5)
    #expect(try await names("?limit=2") == Array(all[..<2]))
    #expect(try await names("?limit=2&offset=2") == Array(all[2..<4]))
    #expect(try await names("?limit=2&offset=4") == [all[4]])
    #expect(try await names("?limit=2&offset=5").isEmpty)
  }

  /// A check that is switched off is in no state.
  @Test func aDisabledCheckIsInNoState() async throws {
    #expect(try await names("?state=unknown") == ["Never ran yet"])
    #expect(try await names("?q=old+site") == ["Old site"])
    #expect(try await names("?state=unknown&q=old+site").isEmpty)
  }

  /// The store's pages: what may be asked for, with the first and the last value of each range beside what lies outside.
  @Test(arguments: [
    ("limit=1", 404), ("limit=0", 400), ("limit=5000", 404), ("limit=5001", 400), ("after=0", 404),
    ("after=-1", 400), ("after=4611686018427387904", 404), ("after=4611686018427387905", 400),
    ("waiting=yes", 400),
    ("waiting=true", 404),
  ])
  func boundsOfStoredResults(query: String, status: Int) async throws {
    try await withServer(try sampleSource()) { address in
      let answer = try await get(address, "/api/v1/spool/results?\(query)")
      #expect(answer.status == status, "404: no store here")
    }
  }

  /// What a list gives where nothing is said, and the first and the last value of each range.
  @Test(
    arguments: [
      ("/", 200, [100, 0]), ("/", 50, [50, 0]), ("/?limit=1", 200, [1, 0]), ("/?limit=200", 200, [200, 0]),
      ("/?limit=0", 200, nil), ("/?limit=201", 200, nil), ("/?offset=1", 200, [100, 1]),
      ("/?offset=0", 200, [100, 0]), ("/?offset=1000000", 200, [100, 1_000_000]), ("/?offset=-1", 200, nil),
      ("/?offset=1000001", 200, nil),
    ] as [(String, Int, [Int]?)])
  func theRange(target: String, maximum: Int, found: [Int]?) throws {
    let path = try #require(RequestPath(target))
    let range = try? routes(try sampleSource()).range(path, maximum: maximum)
    #expect(range.map { [$0.limit, $0.offset] } == found)
  }

  /// What the store is asked, word for word.
  @Test(
    arguments: [
      ([], "/", "summary"), (["quarantine"], "/", "quarantine"), (["check"], "/", "check"),
      (["results"], "/", "results(after: 0, limit: 1000, waiting: false)"),
      (["results"], "/?after=5&limit=7&waiting=true", "results(after: 5, limit: 7, waiting: true)"),
      (
        ["results"], "/?after=4611686018427387904&limit=1",
        "results(after: 4611686018427387904, limit: 1, waiting: false)"
      ),
      (["results"], "/?limit=5000&waiting=0", "results(after: 0, limit: 5000, waiting: false)"),
    ] as [([String], String, String)])
  func whatTheStoreIsAsked(segments: [String], target: String, question: String) async throws {
    let routes = routes(StoreSource(fixed: try sampleSource()))
    let reply = try await routes.spool(segments, try #require(RequestPath(target)))
    #expect(reply.status == 200 && String(decoding: reply.body, as: UTF8.self) == question)
  }

  private func routes(_ source: any StatusSource) -> Routes {
    Routes(source: source, hosts: AllowedHosts(listen: .tcp(host: "127.0.0.1", port: 1)))
  }

  /// A source with a store, whose answer is the question.
  private struct StoreSource: StatusSource {
    let fixed: FixedSource

    var now: Timestamp { fixed.now }
    func snapshot() async -> StatusSnapshot { await fixed.snapshot() }
    func recent(_ checkID: UniqueID) async -> [CheckResult]? { nil }
    func outages(_ checkID: UniqueID, at instant: Timestamp) async -> [Outage]? { nil }
    func series(
      _ checkID: UniqueID, _ period: UptimePeriod, points: Int, at instant: Timestamp
    ) async -> [SeriesPoint]? { nil }
    func metrics() async -> MetricsView { await fixed.metrics() }
    func runNow(_ checkID: UniqueID) async -> RunNowOutcome { .noSuchCheck }
    func spool(_ question: SpoolQuestion) async -> SpoolAnswer { SpoolAnswer("\(question)") }
    func isReady() async -> Bool { true }
  }
}
