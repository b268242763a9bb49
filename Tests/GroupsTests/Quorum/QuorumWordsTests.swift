// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Network
import NetworkTestSupport
import Testing

@testable import Groups

/// An etcd's words about the places' keys, in readings and in watches.
@Suite struct QuorumWordsTests {
  private static let check = UniqueID(high: 7, low: 1)
  private static let vote = Vote(.down, .connectRefused)
  private static let path = QuorumKey.vote(check: check, place: "paris")

  private func withStore(_ body: (EtcdQuorum) throws -> Void) async throws {
    try await withCurlEngine { engine in
      let client = EtcdClient(EtcdSettings(endpoints: []), over: .test(engine))
      try body(EtcdQuorum(client: client, prefix: "/q/"))
    }
  }

  private func json(_ text: String) throws -> JSONValue { try JSONValue.parse(Array(text.utf8)) }

  private func row(_ key: String, _ rest: String) -> String {
    "{\"key\":\"\(Base64.text(key.utf8))\",\(rest)}"
  }

  private var paris: String { "/q/v/\(Self.path.path)" }
  private var value: String { "\"value\":\"\(Base64.text(Self.vote.json))\"" }

  private func page(_ rows: [String], _ rest: String = "") -> String {
    #"{"header":{"cluster_id":"7","revision":"12"},"kvs":[\#(rows.joined(separator: ","))]\#(rest)}"#
  }

  /// The keys of a page with what they hold; those that no agent writes are counted beside them.
  @Test func keysOfAPage() async throws {
    let rows = [
      row(paris, "\"mod_revision\":\"9\",\"lease\":\"3\",\(value)"),
      row("/q/v/doctor", "\"mod_revision\":\"8\",\"lease\":\"3\",\(value)"),
      row("/q/w/\(Self.path.path)", "\"mod_revision\":\"7\",\"lease\":\"3\",\(value)"),
      row("/q/v/\(Self.check)/i", "\"mod_revision\":\"6\",\"lease\":\"3\",\"value\":\"?\""),
      row("/q/v/\(Self.check)/i", "\"mod_revision\":\"5\""),
    ]
    try await withStore { (store: EtcdQuorum) throws in
      let answer = try json(page(rows))
      let part = try #require(EtcdPage(answer, after: []))
      let read = store.page(part, at: 0)
      #expect(
        read.rows.entries == [
          QuorumEntry(Self.path, Self.vote.json, revision: 9, lease: 3),
          QuorumEntry(.incident(check: Self.check), [], revision: 5, lease: 0),
        ])
      #expect(read.rows.strange.count == 3 && read.rows.strange.example == "/q/v/doctor")
      #expect(read.rows.growth == 5 && read.rows.revision == 12 && read.next == nil && read.cluster == 7)
      #expect(store.page(part, at: 10).rows.revision == 10)
      let headless = try json(#"{"kvs":[]}"#)
      #expect(EtcdPage(headless, after: []) == nil)
    }
  }

  /// Where the next part begins: right behind the last key, which is none before the first that was asked for.
  @Test func whereAPageEnds() throws {
    let rows = [row("a", "\"mod_revision\":\"9\""), row("b", "\"mod_revision\":\"8\"")]
    func next(_ rows: [String], _ more: String, after start: String) throws -> String {
      let found = EtcdPage(try json(page(rows, more)), after: Array(start.utf8))
      return found.map { $0.next.map { "\($0)" } ?? "the end" } ?? "no page"
    }
    let more = #","more":true"#
    #expect(try next(rows, more, after: "a") == "[98, 0]")
    #expect(try next(rows, more, after: "b") == "[98, 0]")
    #expect(try next(rows, more, after: "c") == "no page")
    #expect(try next([], more, after: "a") == "no page")
    #expect(try next(rows, #","more":false"#, after: "c") == "the end")
    #expect(try next([], "", after: "a") == "the end")
  }

  private func line(_ events: [String]) -> [UInt8] {
    Array(
      #"{"result":{"header":{"cluster_id":"7"},"watch_id":"1","events":[\#(events.joined(separator: ","))]}}"#
        .utf8)
  }

  /// A key that is made, changed and deleted, and by how many there are more.
  @Test func changesOfAWatch() async throws {
    func event(_ key: String, _ rest: String) -> String { "{\"kv\":\(row(key, rest))}" }
    func end(_ key: String, _ rest: String) -> String {
      "{\"type\":\"DELETE\",\"kv\":\(row(key, rest))}"
    }
    let made = event(
      paris, "\"create_revision\":\"5\",\"mod_revision\":\"5\",\"lease\":\"3\",\(value)")
    let changed = event(
      paris, "\"create_revision\":\"5\",\"mod_revision\":\"6\",\"lease\":\"4\",\(value)")
    let gone = end(paris, #""mod_revision":"7","lease":"4""#)
    let strange = event("/q/v/x", #""create_revision":"4","mod_revision":"4""#)
    let strangeGone = end("/q/v/x", #""mod_revision":"8""#)
    let json = Self.vote.json
    let (first, second, third) = (
      QuorumEntry(Self.path, json, revision: 5, lease: 3),
      QuorumEntry(Self.path, json, revision: 6, lease: 4),
      QuorumEntry(Self.path, nil, revision: 7, lease: 0)
    )
    try await withStore { (store: EtcdQuorum) throws in
      for (events, entries, growth, revision, odd) in [
        ([], [], 0, 0, 0), ([made], [first], 1, 5, 0), ([changed], [second], 0, 6, 0),
        ([gone], [third], -1, 7, 0), ([made, changed, gone], [first, second, third], 0, 7, 0),
        ([gone, made], [third, first], 0, 7, 0), ([strange], [], 1, 4, 1), ([strangeGone], [], -1, 8, 0),
      ] as [([String], [QuorumEntry], Int, Int64, Int)] {
        guard case .changes(1, let changes, 7) = WatchLine(line(events)) else {
          Issue.record("\(events) is no change")
          continue
        }
        let rows = store.rows(changes)
        #expect(rows.entries == entries && rows.growth == growth, "\(events)")
        #expect(rows.revision == revision && rows.strange.count == odd, "\(events)")
      }
    }
  }
}
