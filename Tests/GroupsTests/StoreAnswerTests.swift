// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Network
import NetworkTestSupport
import Testing

@testable import Groups

/// Each answer of an etcd and its meaning for a member, row by row.
@Suite struct StoreAnswerTests {
  private static let header = #""header":{"cluster_id":"7","revision":"12"}"#

  private func withClient(_ body: (EtcdClient) throws -> Void) async throws {
    try await withCurlEngine { engine in
      try body(
        EtcdClient(EtcdSettings(endpoints: []), over: .test(engine)))
    }
  }

  private func withStore(_ body: (EtcdStore) throws -> Void) async throws {
    try await withClient { client in
      try body(EtcdStore(client: client, keys: EtcdKeys(prefix: "/q/", group: "g"), name: "a"))
    }
  }

  private func json(_ text: String) throws -> JSONValue { try JSONValue.parse(Array(text.utf8)) }

  private func garbled(_ what: String) -> StoreAnswer {
    .trouble(StoreTrouble(.garbled, "etcd's answer is not understood as \(what)"))
  }

  private func card() -> MemberCard {
    var card = MemberCard()
    card.boot = UniqueID(high: 1, low: 2)
    (card.home, card.version) = (card.boot, "1.2")
    return card
  }

  private func row(
    _ key: String, _ value: [UInt8]? = nil, created: Int64 = 3, changed: Int64 = 9, lease: Int64 = 0
  ) -> String {
    let text = value.map { ",\"value\":\"\(Base64.text($0))\"" } ?? ""
    return """
      {"key":"\(Base64.text(key.utf8))","create_revision":"\(created)","mod_revision":"\(changed)",\
      "lease":"\(lease)"\(text)}
      """
  }

  @Test func leases() async throws {
    try await withStore { (store: EtcdStore) throws in
      for (text, answer) in [
        (#"{"ID":"7"}"#, .granted(lease: 7)), (#"{"ID":-7}"#, .granted(lease: -7)),
        (#"{"ID":"0"}"#, garbled("a lease")), ("{}", garbled("a lease")),
        (#"{"ID":"x"}"#, garbled("a lease")),
      ] as [(String, StoreAnswer)] {
        #expect(try store.granted(json(text)) == answer, "\(text)")
      }
      for (text, answer) in [
        (#"{"result":{"TTL":"1"}}"#, nil), (#"{"result":{"TTL":"0"}}"#, .dead),
        (#"{"result":{"TTL":true}}"#, garbled("a renewal")), (#"{"error":{"code":5}}"#, .dead),
        (
          #"{"error":{"code":14,"message":"no leader"}}"#,
          .trouble(StoreTrouble(.noQuorum, "etcd: no leader"))
        ),
      ] as [(String, StoreAnswer?)] {
        #expect(try store.renewed(json(text)) == answer, "\(text)")
      }
    }
  }

  /// The name is ours, another's, or free again.
  @Test func claims() async throws {
    let (own, other) = (row("/q/g/m/a", card().json, lease: 4), row("/q/g/m/a", card().json))
    try await withStore { (store: EtcdStore) throws in
      func claimed(_ rest: String) throws -> StoreAnswer {
        store.claimed(try json("{\(Self.header)\(rest)}"))
      }
      func responses(_ rows: String) -> String {
        #","responses":[{"response_range":{"kvs":[\#(rows)],"count":"1"}}]"#
      }
      #expect(try claimed(#","succeeded":true"#) == .claimed(revision: 12))
      #expect(
        try claimed(responses(own)) == .occupied(.init(name: "a", card: card(), revision: 9)))
      #expect(try claimed(responses(other)) == .occupied(.init(name: "a", card: nil, revision: 9)))
      #expect(try claimed(responses("")) == .lost)
      #expect(try claimed("") == garbled("a claim"))
      #expect(try claimed(#","succeeded":false,"responses":[{}]"#) == garbled("a claim"))
      #expect(try store.claimed(json(#"{"succeeded":true}"#)) == garbled("a claim"))
      #expect(try store.putDone(json("{\(Self.header),\"succeeded\":true}")) == .put(revision: 12))
      #expect(try store.putDone(json("{\(Self.header)}")) == .lost)
      #expect(try store.putDone(json(#"{"succeeded":true}"#)) == garbled("a put"))
    }
  }

  /// Members, the head of the list, and keys that are neither.
  @Test func readings() async throws {
    let head = ListHead(version: 5, parts: 2, sha256: String(repeating: "a", count: 64), revision: 8)
    let long = "/q/g/m/" + String(repeating: "n", count: 101)
    try await withStore { (store: EtcdStore) throws in
      func read(_ rows: [String]) throws -> StoreAnswer {
        store.reading(try json("{\(Self.header),\"kvs\":[\(rows.joined(separator: ","))]}"))
      }
      var wanted = StoreReading(
        cluster: 7, revision: 12,
        members: [
          .init(name: "a", card: card(), revision: 9), .init(name: "b", card: nil, revision: 10),
          .init(name: "c", card: nil, revision: 11),
        ], head: head)
      wanted.strays = 2
      let rows = [
        row("/q/g/c/head", head.json, changed: 8), row("/q/g/m/a", card().json, lease: 4),
        row("/q/g/m/b", card().json, changed: 10), row("/q/g/m/c", Array("{}".utf8), changed: 11, lease: 4),
        row(long, card().json, lease: 4), row("/q/g/m/", card().json, lease: 4), row("/q/g/n/a", card().json),
      ]
      #expect(try read(rows) == .read(wanted))
      wanted = StoreReading(cluster: 7, revision: 12, members: [])
      #expect(try read([]) == .read(wanted))
      wanted.headRevision = 8
      #expect(try read([row("/q/g/c/head", [1], changed: 8)]) == .read(wanted))
      for header in [#"{"cluster_id":"7","revision":"0"}"#, #"{"cluster_id":"7"}"#, "{}"] {
        #expect(try store.reading(json("{\"header\":\(header)}")) == garbled("a range"), "\(header)")
      }
    }
  }

  /// As many as there are, and the newest of them, which a count alone does not tell.
  @Test func audits() async throws {
    try await withStore { (store: EtcdStore) throws in
      func audited(_ rest: String) throws -> StoreAnswer {
        store.audited(try json("{\(Self.header)\(rest)}"))
      }
      let rows = #","kvs":[\#(row("/q/g/m/a")),\#(row("/q/g/m/b", changed: 4))],"count":"5""#
      #expect(
        try audited(rows) == .alive(StoreAudit(cluster: 7, revision: 12, members: 5, newest: 9)))
      #expect(
        try audited(#","count":"5""#)
          == .alive(StoreAudit(cluster: 7, revision: 12, members: 5, newest: 0)))
      #expect(try audited("") == .alive(StoreAudit(cluster: 7, revision: 12, members: 0, newest: 0)))
      #expect(try audited(#","count":"-1""#) == garbled("a range"))
    }
  }

  /// Numbers are texts or digits, and zero is left out; what is no number of its width is none.
  @Test func numbers() throws {
    let row = try json(
      """
      {"a":"-9223372036854775808","b":12,"c":"9223372036854775808","d":null,"e":"18446744073709551615",\
      "f":"-1","g":-1,"h":"AQI=","i":"AQI","j":7}
      """)
    #expect(["a", "b", "x"].map { row.etcdNumber($0) } == [.min, 12, 0])
    #expect(["c", "d", "h"].allSatisfy { row.etcdNumber($0) == nil })
    #expect(["b", "e", "x"].map { row.etcdUnsigned($0) } == [12, .max, 0])
    #expect(["d", "f", "g"].allSatisfy { row.etcdUnsigned($0) == nil })
    #expect(row.etcdBytes("h", limit: 2) == [1, 2] && row.etcdBytes("x", limit: 0) == [])
    #expect(row.etcdBytes("h", limit: 1) == nil && row.etcdBytes("i", limit: 9) == nil)
    #expect(row.etcdBytes("j", limit: 9) == nil)
    #expect(try EtcdPair(json(#"{"key":"YQ==","mod_revision":"-1"}"#)) == nil)
    let whole = try json(
      #"{"key":"YQ==","create_revision":"1","mod_revision":"2","lease":"3","value":"AQI="}"#)
    let pair = try #require(EtcdPair(whole))
    #expect(pair.key == [97] && pair.value == [1, 2])
    #expect([pair.created, pair.changed, pair.lease] == [1, 2, 3])
    let greatest = try json(#"{"header":{"cluster_id":"18446744073709551615"}}"#)
    let header = try #require(StoreMark(greatest))
    #expect(header.cluster == .max && header.revision == 0)
    #expect(try StoreMark(json(#"{"header":{"revision":"-1"}}"#)) == nil)
  }

  private func line(_ events: [String], gone: Bool = false) -> [UInt8] {
    let type = gone ? #""type":"DELETE","# : ""
    let all = events.map { "{\(type)\"kv\":\($0)}" }.joined(separator: ",")
    return Array("{\"result\":{\(Self.header),\"watch_id\":\"1\",\"events\":[\(all)]}}".utf8)
  }

  private func events(_ rows: [String], gone: Bool = false) throws -> [EtcdEvent] {
    guard case .changes(1, let events, 7) = WatchLine(line(rows, gone: gone)) else { throw Unexpected() }
    return events
  }

  private struct Unexpected: Error {}

  /// Changes of a watch: cards, keys that are none, and the head.
  @Test func changes() async throws {
    let head = ListHead(version: 5, parts: 2, sha256: String(repeating: "a", count: 64), revision: 9)
    let (member, stray) = ("/q/g/m/a", "/q/g/m/")
    try await withStore { (store: EtcdStore) throws in
      for (rows, changes) in [
        ([], []), ([row("/q/g/c/0", [1])], []),
        (
          [row(member, card().json, lease: 4), row(member, card().json, changed: 10)],
          [
            .card(.init(name: "a", card: card(), revision: 9)),
            .card(.init(name: "a", card: nil, revision: 10)),
          ]
        ),
        ([row(stray, [1], created: 9)], [.stray(added: 1, revision: 9)]),
        ([row(stray, [1], created: 8)], [.stray(added: 0, revision: 9)]),
        ([row("/q/g/c/head", head.json)], [.head(head, revision: 9)]),
        ([row("/q/g/c/head", [1])], [.strangeHead(revision: 9)]),
      ] as [([String], [StoreChange])] {
        #expect(try store.changes(events(rows)) == changes, "\(rows)")
      }
      for (key, change) in [
        (member, .gone(name: "a", revision: 9)), (stray, .stray(added: -1, revision: 9)),
        ("/q/g/c/head", .noHead(revision: 9)),
      ] as [(String, StoreChange)] {
        #expect(try store.changes(events([row(key)], gone: true)) == [change], "\(key)")
      }
    }
  }

  /// Open incidents by check; a key of another name is passed over.
  @Test func incidents() async throws {
    let check = UniqueID(high: 7, low: 1)
    try await withClient { (client: EtcdClient) throws in
      for (folder, root) in [(EtcdIncidents.Folder.open, "/q/g/open/"), (.state, "/q/g/state/")] {
        let store = EtcdIncidents(client: client, prefix: "/q/", group: "g", folder)
        let rows = [row("\(root)\(check)", [1]), row("\(root)x", [1]), row("/q/g/m/\(check)", [1])]
        #expect(
          try store.entries(events(rows)) == [IncidentEntry(check, [1], created: 3, changed: 9)])
        #expect(
          try store.entries(events([row("\(root)\(check)")]))
            == [IncidentEntry(check, [], created: 3, changed: 9)])
        #expect(
          try store.entries(events(rows, gone: true))
            == [IncidentEntry(check, nil, created: 3, changed: 9)])
      }
    }
  }

  /// An etcd before 3.4 is too old; one that says nothing is not.
  @Test(arguments: [
    ("3.3.27", true), ("2.9.9", true), ("3.4.0", false), ("3.10.0", false), ("4.0.0", false), ("3.4", false),
    ("", false), ("3", false), ("x.y", false),
  ])
  func oldVersions(version: String, isOld: Bool) {
    let look = EtcdClient.Look(version: version, hasLeader: true, complaints: [], took: .zero, ahead: nil)
    #expect(look.isTooOld == isOld)
  }

  /// The next step of a person, for each trouble.
  @Test(
    arguments: [
      (.unreachable, "look whether etcd runs"), (.handshake, "group.store.tls: ca_file must have signed"),
      (.noQuorum, "most of etcd's members must run"),
      (.unauthenticated, "compare group.store.user and password"),
      (.denied, "give the user's role the prefix"), (.noSpace, "etcd's quota is used up"),
      (.garbled, "look whether group.store.etcd names an etcd of version 3.4 or newer"),
      (.refused, "look at etcd's own log"),
    ] as [(StoreTrouble.Kind, String)])
  func hints(kind: StoreTrouble.Kind, start: String) {
    #expect(StoreTrouble(kind, "a").hint.hasPrefix(start))
  }
}
