// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Groups

/// Requests for incidents, votes, places and lists, word by word, and what the answers to them mean.
@Suite struct EtcdFolderTests {
  typealias Answer = EtcdRecorder.Answer

  private static let header = EtcdRecorder.header
  private let check = UniqueID(high: 7, low: 1)

  private func row(_ key: String, _ value: [UInt8]? = nil, changed: Int = 9, lease: Int = 0) -> String {
    let text = value.map { ",\"value\":\"\(Base64.text($0))\"" } ?? ""
    return #"{"key":"\#(base64(key))","mod_revision":"\#(changed)","lease":"\#(lease)"\#(text)}"#
  }

  private func rows(_ rows: [String], _ rest: String = "") -> Answer {
    Answer("{\(Self.header),\"kvs\":[\(rows.joined(separator: ","))]\(rest)}")
  }

  private func range(_ key: String, _ end: String, _ rest: String) -> String {
    #"kv/range {"key":"\#(key)","range_end":"\#(base64(end))",\#(rest)}"#
  }

  // MARK: Incidents and states

  /// Part after part, each of the revision of the first; keys of no agent are counted.
  @Test func incidentsInParts() async throws {
    let (first, second) = (UniqueID(high: 7, low: 1), UniqueID(high: 7, low: 2))
    let start = "/q/g/open/\(first)"
    let last = row("/q/g/open/\(second)", [2], changed: 10)
    let answers = [
      rows([row("/q/g/open/x"), row(start, [1])], #","more":true"#),
      Answer(#"{"header":{"cluster_id":"7","revision":"40"},"kvs":[\#(last)]}"#),
    ]
    try await withEtcd(answers) { (client: EtcdClient, recorder: EtcdRecorder) async throws in
      let reading = try await EtcdIncidents(client: client, prefix: "/q/", group: "g").readIncidents().get()
      #expect(reading.world == 7 && reading.revision == 12 && reading.strange.count == 1)
      #expect(reading.strange.example == "/q/g/open/x")
      #expect(reading.entries.map(\.check) == [first, second] && reading.entries.map(\.changed) == [9, 10])
      let next = Base64.text(Array(start.utf8) + [0])
      #expect(
        recorder.take() == [
          range(base64("/q/g/open/"), "/q/g/open0", #""limit":"1000""#),
          range(next, "/q/g/open0", #""limit":"1000","revision":"12""#),
        ])
    }
  }

  /// A part that cannot be understood is asked for in smaller ones; what is refused is not.
  @Test func smallerParts() async throws {
    let odd = Answer("[]")
    try await withEtcd([odd, odd, rows([])]) { (client: EtcdClient, recorder: EtcdRecorder) async throws in
      let store = EtcdIncidents(client: client, prefix: "/q/", group: "g", .state)
      #expect(try await store.readIncidents().get().entries == [])
      #expect(
        recorder.take()
          == [1000, 100, 10].map { range(base64("/q/g/state/"), "/q/g/state0", "\"limit\":\"\($0)\"") })
    }
    try await withEtcd([odd, odd, odd, odd, rows([])]) {
      (client: EtcdClient, recorder: EtcdRecorder) async throws in
      let store = EtcdIncidents(client: client, prefix: "/q/", group: "g")
      guard case .failure(let trouble) = await store.readIncidents() else {
        Issue.record("it was read")
        return
      }
      #expect(trouble.kind == .garbled && recorder.take().count == 4)
    }
    try await withEtcd([Answer(#"{"error":"no","code":7}"#, status: 403)]) {
      (client: EtcdClient, recorder: EtcdRecorder) async throws in
      let store = EtcdIncidents(client: client, prefix: "/q/", group: "g")
      guard case .failure(let trouble) = await store.readIncidents() else {
        Issue.record("it was read")
        return
      }
      #expect(trouble.kind == .denied && recorder.take().count == 1)
    }
  }

  /// New, changed and deleted entries in one, each on its condition.
  @Test func writesOfIncidents() async throws {
    let other = UniqueID(high: 7, low: 2)
    let answers = [
      Answer("{\(Self.header),\"succeeded\":true}"), Answer("{\(Self.header)}"),
      Answer("{\"succeeded\":true}"),
    ]
    try await withEtcd(answers) { (client: EtcdClient, recorder: EtcdRecorder) async throws in
      let store = EtcdIncidents(client: client, prefix: "/q/", group: "g")
      let changes = [IncidentChange(check, [1], replacing: 0), IncidentChange(other, nil, replacing: 8)]
      #expect(try await store.write(changes).get() == 12)
      let (key, gone) = (base64("/q/g/open/\(check)"), base64("/q/g/open/\(other)"))
      #expect(
        recorder.take() == [
          #"kv/txn {"compare":[{"key":"\#(key)","result":"EQUAL","target":"CREATE","create_revision":"0"},"#
            + #"{"key":"\#(gone)","result":"EQUAL","target":"MOD","mod_revision":"8"}],"#
            + #""success":[{"request_put":{"key":"\#(key)","value":"AQ=="}},"#
            + #"{"request_delete_range":{"key":"\#(gone)"}}]}"#
        ])
      #expect(try await store.write(changes).get() == nil, "one is not as it was meant to be")
      let words = "etcd's answer to v3/kv/txn is not understood"
      #expect(await store.write(changes) == .failure(StoreTrouble(.garbled, words)))
    }
  }

  // MARK: Votes

  @Test func writesOfVotes() async throws {
    let vote = QuorumKey.vote(check: check, place: "paris")
    let incident = QuorumKey.incident(check: check)
    let answers = [
      Answer("{\(Self.header)}"), Answer(#"{"error":"no lease","code":5}"#, status: 404),
      Answer("{\(Self.header),\"succeeded\":true}"), Answer("{\(Self.header)}"),
    ]
    try await withEtcd(answers) { (client: EtcdClient, recorder: EtcdRecorder) async throws in
      let store = EtcdQuorum(client: client, prefix: "/q/")
      #expect(try await store.put([(vote, [1]), (incident, [2])], lease: 3).get() == 12)
      let (one, two) = (base64("/q/v/\(check)/v/paris"), base64("/q/v/\(check)/i"))
      let put = #"{"request_put":{"key":"\#(one)","value":"AQ==","lease":"3"}}"#
      let second = #"{"request_put":{"key":"\#(two)","value":"Ag==","lease":"3"}}"#
      #expect(recorder.take() == [#"kv/txn {"success":[\#(put),\#(second)]}"#])
      #expect(try await store.put([(vote, [1])], lease: 3).get() == nil, "the lease has ended")
      _ = recorder.take()
      #expect(try await store.delete([(vote, 8), (incident, 9)]).get())
      let condition = #""result":"EQUAL","target":"MOD","mod_revision""#
      #expect(
        recorder.take() == [
          #"kv/txn {"compare":[{"key":"\#(one)",\#(condition):"8"},{"key":"\#(two)",\#(condition):"9"}],"#
            + #""success":[{"request_delete_range":{"key":"\#(one)"}},"#
            + #"{"request_delete_range":{"key":"\#(two)"}}]}"#
        ])
      #expect(try await !store.delete([(vote, 8)]).get())
    }
  }

  /// A key is free, this agent's already, another's, or what stands there is not understood.
  @Test(
    arguments: [
      (#","succeeded":true"#, "12"),
      (#","responses":[{"response_range":{"kvs":[{"lease":"3","mod_revision":"10"}]}}]"#, "10"),
      (#","responses":[{"response_range":{"kvs":[{"lease":"4","mod_revision":"10"}]}}]"#, "nil"),
      (#","responses":[{"response_range":{"kvs":[{"lease":"x","mod_revision":"10"}]}}]"#, "garbled"),
      ("", "nil"),
    ])
  func claims(rest: String, meaning: String) async throws {
    try await withEtcd([Answer("{\(Self.header)\(rest)}")]) {
      (client: EtcdClient, recorder: EtcdRecorder) async throws in
      let store = EtcdQuorum(client: client, prefix: "/q/")
      switch await store.claim(.incident(check: check), [1], lease: 3) {
      case .success(let revision): #expect((revision.map { "\($0)" } ?? "nil") == meaning)
      case .failure(let trouble): #expect(trouble.kind.rawValue == meaning)
      }
      let key = base64("/q/v/\(check)/i")
      #expect(
        recorder.take() == [
          #"kv/txn {"compare":[{"key":"\#(key)","result":"EQUAL","target":"LEASE","lease":"0"}],"#
            + #""success":[{"request_put":{"key":"\#(key)","value":"AQ==","lease":"3"}}],"#
            + #""failure":[{"request_range":{"key":"\#(key)"}}]}"#
        ])
    }
  }

  /// How many keys there are, and the revision of the newest; a count of more than 31 bits is none.
  @Test(
    arguments: [
      (#","count":"5","kvs":[{"mod_revision":"9"}]"#, QuorumAudit(count: 5, newest: 9)),
      ("", QuorumAudit(count: 0, newest: 0)),
      (#","count":"2147483647""#, QuorumAudit(count: 2_147_483_647, newest: 0)),
      (#","count":"2147483648""#, nil), (#","count":"-1""#, nil), (#","kvs":[{"mod_revision":"x"}]"#, nil),
    ] as [(String, QuorumAudit?)])
  func audits(rest: String, audit: QuorumAudit?) async throws {
    try await withEtcd([Answer("{\(Self.header)\(rest)}")]) {
      (client: EtcdClient, recorder: EtcdRecorder) async throws in
      let found = try? await EtcdQuorum(client: client, prefix: "/q/").audit().get()
      var wanted = audit
      wanted?.mark = StoreMark(cluster: 7, revision: 12)
      #expect(found == wanted)
      let order = #""sort_order":"DESCEND","sort_target":"MOD","limit":"1","keys_only":true"#
      #expect(recorder.take() == [range(base64("/q/v/"), "/q/v0", order)])
    }
  }

  /// Doctor asks for both permissions, and on a condition that no key meets.
  @Test func permissions() async throws {
    let denied = Answer(#"{"error":"no","code":7}"#, status: 403)
    let fine = Answer("{\(Self.header)}")
    let rows: [([Answer], Int, StoreTrouble.Kind?)] = [
      ([fine, fine], 2, nil), ([denied], 1, .denied), ([fine, denied], 2, .denied),
    ]
    for (answers, count, kind) in rows {
      try await withEtcd(answers) { (client: EtcdClient, recorder: EtcdRecorder) async throws in
        #expect(await EtcdQuorum(client: client, prefix: "/q/").obstacle()?.kind == kind)
        let asked = recorder.take()
        let key = base64("/q/v/doctor")
        #expect(asked.count == count)
        #expect(
          asked.first
            == #"kv/txn {"compare":[{"key":"\#(key)","result":"EQUAL","target":"MOD","mod_revision":"#
            + #""9223372036854775807"}],"success":[{"request_put":{"key":"\#(key)","value":""}}]}"#)
      }
    }
  }

  // MARK: Places

  /// Members of a place with their addresses: those whose card is understood, thirty-two at most.
  @Test func membersOfAPlace() async throws {
    var card = MemberBench.other(1)
    card.url = "a.example:8080"
    let many = (0..<40).map { row("/q/paris/m/n\($0)", MemberBench.other($0).json) }
    let answers = [
      rows([
        row("/q/paris/m/a", card.json), row("/q/paris/m/b", [1]), row("/q/paris/m/", card.json),
        row("/q/paris/m/c", MemberBench.other(2).json),
      ]), rows(many), Answer("[]"), Answer("{}"),
    ]
    try await withEtcd(answers) { (client: EtcdClient, recorder: EtcdRecorder) async throws in
      let places = EtcdPlaces(client: client, prefix: "/q/")
      #expect(
        await places.members(of: "paris") == [
          PlaceMember("a", url: "a.example:8080"), PlaceMember("c", url: nil),
        ])
      #expect(recorder.take() == [range(base64("/q/paris/m/"), "/q/paris/m0", #""limit":"32""#)])
      #expect(await places.members(of: "paris")?.map(\.name) == (0..<32).map { "n\($0)" })
      #expect(await places.members(of: "paris") == nil)
      #expect(await places.members(of: "paris") == nil, "an answer without a header")
    }
  }
}
