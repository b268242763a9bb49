// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Groups

/// What a member asks its etcd, word by word, and what it makes of a refusal.
@Suite struct EtcdRequestTests {
  typealias Answer = EtcdRecorder.Answer

  private static let done = Answer("{\(EtcdRecorder.header),\"succeeded\":true}")
  private static let missing = Answer(#"{"error":"lease not found","code":5}"#, status: 404)
  private static let leaderless = Answer(#"{"error":"no leader","code":14}"#, status: 503)

  private func store(_ client: EtcdClient) -> EtcdStore {
    EtcdStore(client: client, keys: EtcdKeys(prefix: "/q/", group: "g"), name: "a")
  }

  private func count(_ members: Int) -> Answer {
    Answer("{\(EtcdRecorder.header),\"count\":\"\(members)\"}")
  }

  private static let renewed = Answer("{\"result\":{\(EtcdRecorder.header),\"TTL\":\"5\"}}")

  private var own: String { base64("/q/g/m/a") }
  private var span: String { "\"key\":\"\(base64("/q/g/m/"))\",\"range_end\":\"\(base64("/q/g/m0"))\"" }

  private func condition(_ target: String, _ field: String, _ value: Int) -> String {
    #"[{"key":"\#(own)","result":"EQUAL","target":"\#(target)","\#(field)":"\#(value)"}]"#
  }

  private func put(_ card: MemberCard, lease: Int) -> String {
    #"[{"request_put":{"key":"\#(own)","value":"\#(Base64.text(card.json))","lease":"\#(lease)"}}]"#
  }

  @Test func leases() async throws {
    try await withEtcd([Answer(#"{"ID":"7"}"#), Answer("{}")]) {
      (client: EtcdClient, recorder: EtcdRecorder) async throws in
      let store = store(client)
      #expect(try await store.ask(.grant(seconds: 5)) == .granted(lease: 7))
      #expect(try await store.ask(.revoke(lease: 7)) == .revoked)
      #expect(recorder.take() == [#"lease/grant {"TTL":"5"}"#, #"lease/revoke {"ID":"7"}"#])
      #expect(store.root == "/q/g/")
    }
  }

  /// A name is taken where there is none, or in place of the record of one revision; otherwise what is there
  /// is told.
  @Test func claims() async throws {
    let card = MemberBench.other(1)
    try await withEtcd([Self.done, Self.done]) { (client: EtcdClient, recorder: EtcdRecorder) async throws in
      let store = store(client)
      #expect(
        try await store.ask(.claim(lease: 4, card: card, replacing: nil)) == .claimed(revision: 12))
      #expect(try await store.ask(.claim(lease: 4, card: card, replacing: 9)) == .claimed(revision: 12))
      let rest =
        #""success":\#(put(card, lease: 4)),"failure":[{"request_range":{"key":"\#(own)"}}]}"#
      #expect(
        recorder.take() == [
          #"kv/txn {"compare":\#(condition("CREATE", "create_revision", 0)),\#(rest)"#,
          #"kv/txn {"compare":\#(condition("MOD", "mod_revision", 9)),\#(rest)"#,
        ])
    }
  }

  @Test func cardsAndReadings() async throws {
    let card = MemberBench.other(1)
    try await withEtcd([Self.done, Answer("{\(EtcdRecorder.header)}")]) {
      (client: EtcdClient, recorder: EtcdRecorder) async throws in
      let store = store(client)
      #expect(try await store.ask(.put(lease: 4, card: card)) == .put(revision: 12))
      #expect(try await store.ask(.read) == .read(StoreReading(cluster: 7, revision: 12, members: [])))
      let end = #""range_end":"\#(base64("/q/g/m0"))""#
      #expect(
        recorder.take() == [
          #"kv/txn {"compare":\#(condition("LEASE", "lease", 4)),"success":\#(put(card, lease: 4))}"#,
          #"kv/range {"key":"\#(base64("/q/g/c/head"))",\#(end)}"#,
        ])
    }
  }

  /// A renewal counts the cards, unless the store has not changed since everything was known.
  @Test func renewals() async throws {
    var known = StorePosition()
    known.read(StoreMark(cluster: 7, revision: 12), asked: 0)
    var other = StorePosition()
    other.read(StoreMark(cluster: 7, revision: 11), asked: 0)
    let answers = [Self.renewed, Self.renewed, count(3), Self.renewed, count(3)]
    try await withEtcd(answers) { [known, other] (client: EtcdClient, recorder: EtcdRecorder) async throws in
      let store = store(client)
      let audit = StoreAnswer.alive(StoreAudit(cluster: 7, revision: 12, members: 3, newest: 0))
      #expect(
        try await store.ask(.keepAlive(lease: 4, known: known))
          == .idle(StoreMark(cluster: 7, revision: 12)))
      #expect(recorder.take() == [#"lease/keepalive {"ID":"4"}"#])
      for position in [other, nil] {
        #expect(try await store.ask(.keepAlive(lease: 4, known: position)) == audit)
        let newest = #""sort_order":"DESCEND","sort_target":"MOD","limit":"1","keys_only":true}"#
        #expect(recorder.take() == [#"lease/keepalive {"ID":"4"}"#, "kv/range {\(span),\(newest)"])
      }
    }
  }

  /// Of a group of more than fifty one look in sixteen asks for the newest card, as the first does.
  @Test(arguments: [(50, Array(1...17)), (51, [1, 16])])
  func howCloselyAGroupIsLookedAt(members: Int, whole: [Int]) async throws {
    let answers = (0..<17).flatMap { _ in [Self.renewed, count(members)] }
    try await withEtcd(answers) { (client: EtcdClient, recorder: EtcdRecorder) async throws in
      let store = store(client)
      var found: [Int] = []
      for look in 1...17 {
        _ = try await store.ask(.keepAlive(lease: 4))
        let body = recorder.take().last ?? ""
        if body.contains("keys_only") {
          found.append(look)
        } else {
          #expect(body == "kv/range {\(span),\"count_only\":true}")
        }
      }
      #expect(found == whole)
    }
  }

  /// What it means that there is no such lease, and that the store has no leader.
  @Test func refusals() async throws {
    let card = MemberBench.other(1)
    let away = StoreAnswer.trouble(StoreTrouble(.noQuorum, "x: no leader"))
    func place(_ answer: StoreAnswer) -> StoreAnswer {
      guard case .trouble(var trouble) = answer else { return answer }
      trouble.words = trouble.words.replacing(/^.*: no leader$/, with: "x: no leader")
      return .trouble(trouble)
    }
    for (request, answer) in [
      (.claim(lease: 4, card: card, replacing: nil), .dead), (.keepAlive(lease: 4), .dead),
      (.put(lease: 4, card: card), .lost), (.revoke(lease: 4), .revoked),
    ] as [(StoreRequest, StoreAnswer)] {
      try await withEtcd([Self.missing, Self.leaderless]) {
        (client: EtcdClient, recorder: EtcdRecorder) async throws in
        let store = store(client)
        #expect(try await store.ask(request) == answer, "\(request)")
        let found = place(try await store.ask(request))
        #expect(found == away, "\(request)")
        #expect(recorder.take().count == 2)
      }
    }
    for request in [StoreRequest.grant(seconds: 5), .read] {
      try await withEtcd([Self.leaderless]) { (client: EtcdClient, _: EtcdRecorder) async throws in
        let found = place(try await store(client).ask(request))
        #expect(found == away, "\(request)")
      }
    }
    // The lease is renewed, and the count that has to follow fails.
    try await withEtcd([Self.renewed, Self.leaderless]) {
      (client: EtcdClient, recorder: EtcdRecorder) async throws in
      let found = place(try await store(client).ask(.keepAlive(lease: 4)))
      #expect(found == away && recorder.take().count == 2)
    }
  }

  /// Each request says that it wants a member with a leader, and that it is JSON.
  @Test func heads() async throws {
    try await withEtcd([Answer(#"{"token":"t1"}"#), Answer(#"{"ID":"7"}"#)], user: "u") {
      (client: EtcdClient, recorder: EtcdRecorder) async throws in
      _ = try await store(client).ask(.grant(seconds: 5))
      let heads = recorder.allHeads
      #expect(heads.count == 2 && heads.allSatisfy { $0.hasPrefix("post /v3/") })
      #expect(heads.allSatisfy { $0.contains("\r\ncontent-type: application/json") })
      #expect(heads.allSatisfy { $0.contains("\r\ngrpc-metadata-hasleader: true") })
      #expect(heads.map { $0.contains("\r\nauthorization: t1") } == [false, true])
      #expect(recorder.take().first == #"auth/authenticate {"name":"u","password":"sesame"}"#)
    }
  }

  /// An etcd without authentication takes every user; one that refuses says so in words of our own.
  @Test(
    arguments: [
      (Answer(#"{"token":"t"}"#), "true"), (Answer(#"{"error":"off","code":9}"#, status: 400), "false"),
      (Answer(#"{"error":"bad","code":3}"#, status: 400), "does not take the user and password"),
      (Answer(#"{"error":"bad","code":16}"#, status: 401), "does not take the user and password"),
      (Answer(#"{"error":"bad","code":7}"#, status: 403), ": bad"),
      (Answer(#"{"token":""}"#), "etcd's answer to the sign-in has no token"),
      (Answer(#"{"token":"a b"}"#), "etcd's answer to the sign-in has no token"),
      (Answer("{}"), "etcd's answer to the sign-in has no token"),
      (Answer("{\"token\":\"\(String(repeating: "t", count: 8192))\"}"), "true"),
      (
        Answer("{\"token\":\"\(String(repeating: "t", count: 8193))\"}"),
        "etcd's answer to the sign-in has no token"
      ),
    ])
  func signIns(answer: Answer, meaning: String) async throws {
    try await withEtcd([answer], user: "u") { (client: EtcdClient, _: EtcdRecorder) async throws in
      switch try await client.signIn(at: 0) {
      case .success(let hasToken): #expect("\(hasToken)" == meaning)
      case .failure(let failure):
        #expect(failure.trouble.words.hasSuffix(meaning), "\(failure.trouble.words)")
        let isRefused = meaning.hasSuffix("password")
        #expect((failure.trouble.kind == .unauthenticated) == isRefused)
      }
    }
    try await withEtcd([]) { (client: EtcdClient, recorder: EtcdRecorder) async throws in
      #expect(try await client.signIn(at: 0) == .success(false))
      #expect(recorder.take() == [], "without a user none is signed in")
    }
  }
}
