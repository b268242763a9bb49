// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network
import Synchronization
import Testing

@testable import Groups

/// The exact words that agents and a store exchange, and what is believed of them.
@Suite struct StoreWordsTests {
  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  /// Requests of the gateway: keys and values in base64, numbers of 64 bits as texts.
  @Test func requests() {
    func body(_ make: (inout JSONWriter) -> Void) -> String { text(EtcdBody.object(make)) }
    #expect(body { EtcdBody.range(&$0, [1]) } == #"{"key":"AQ=="}"#)
    #expect(body { EtcdBody.range(&$0, [1], end: [2]) } == #"{"key":"AQ==","range_end":"Ag=="}"#)
    #expect(
      body { EtcdBody.put(&$0, "a", [1]) } == #"{"request_put":{"key":"YQ==","value":"AQ=="}}"#)
    #expect(
      body { EtcdBody.put(&$0, "a", [1], lease: 5, tellsPrevious: true) }
        == #"{"request_put":{"key":"YQ==","value":"AQ==","lease":"5","prev_kv":true}}"#)
    let start = #"{"compare":[{"key":"YQ==","result":"EQUAL","target":"#
    #expect(
      body { EtcdBody.compare(&$0, "a", .created(0)) } == start + #""CREATE","create_revision":"0"}]}"#)
    #expect(body { EtcdBody.compare(&$0, "a", .changed(7)) } == start + #""MOD","mod_revision":"7"}]}"#)
    #expect(body { EtcdBody.compare(&$0, "a", .lease(9)) } == start + #""LEASE","lease":"9"}]}"#)
    #expect(
      text(EtcdBody.watch(KeySpan(from: [1], to: [2]), after: 7, reader: 3))
        == #"{"create_request":{"key":"AQ==","range_end":"Ag==","start_revision":"8","watch_id":"3"}}"#)
  }

  /// Each thing of a group has its key, in the order of its number, and a member's name is the rest of its key.
  @Test func keys() {
    let keys = EtcdKeys(prefix: "/q/", group: "g")
    #expect([keys.members, keys.member("a"), keys.head] == ["/q/g/m/", "/q/g/m/a", "/q/g/c/head"])
    #expect(keys.part(12, 3) == "/q/g/c/0000000000000012/000003")
    #expect(keys.parts(before: 12) == "/q/g/c/0000000000000012/" && keys.allParts == "/q/g/c/0")
    #expect(EtcdKeys.end(of: "a/") == Array("a0".utf8) && EtcdKeys.end(of: "") == [0])
    func name(_ rest: String) -> String? { keys.name(of: Array((keys.members + rest).utf8)) }
    let long = String(repeating: "n", count: 100)
    #expect(name("a") == "a" && name(long) == long)
    #expect(name("") == nil && name(long + "n") == nil)
    #expect(keys.name(of: Array("/q/g/m".utf8)) == nil && keys.name(of: Array("/q/h/m/a".utf8)) == nil)
    #expect(keys.name(of: Array(keys.members.utf8) + [0xff]) == nil)
    #expect(keys.isBelowMembers(Array("/q/g/m/".utf8)) && !keys.isBelowMembers(Array("/q/g/c/head".utf8)))
  }

  /// The head of a list as it is written, and what is no head.
  @Test func heads() {
    let digest = String(repeating: "a", count: 64)
    func head(_ version: String, _ parts: String, _ sha256: String, spaces: Int = 0) -> ListHead? {
      let text = #"{"version":\#(version),"n":\#(parts),"sha256":"\#(sha256)"}"#
      return ListHead(json: Array(text.utf8) + [UInt8](repeating: 0x20, count: spaces), revision: 9)
    }
    let whole = ListHead(version: 3, parts: 2, sha256: digest, revision: 9)
    #expect(text(whole.json) == #"{"version":3,"n":2,"sha256":"\#(digest)"}"#)
    #expect(ListHead(json: whole.json, revision: 9) == whole)
    #expect(head("1", "0", digest)?.version == 1 && head("1", "4096", digest)?.parts == 4096)
    #expect(head("9007199254740992", "1", digest)?.version == 1 << 53)
    #expect(head("0", "1", digest) == nil && head("9007199254740993", "1", digest) == nil)
    #expect(head("1", "-1", digest) == nil && head("1", "4097", digest) == nil)
    #expect(head("1", "1", digest + "a") == nil && head("1", "1", String(digest.dropLast())) == nil)
    let size = #"{"version":1,"n":1,"sha256":""}"#.utf8.count + 64
    #expect(head("1", "1", digest, spaces: 1024 - size) != nil)
    #expect(head("1", "1", digest, spaces: 1025 - size) == nil)
  }

  /// A vote as it is written; a reason that is not known is replaced, and no vote answers a question before the first.
  @Test func votes() {
    let vote = Vote(.down, .connectRefused, answers: 5)
    #expect(text(vote.json) == #"{"state":"down","reason":"connect_refused","answers":5}"#)
    #expect(Vote(json: vote.json) == vote)
    func read(_ text: String, spaces: Int = 0) -> Vote? {
      Vote(json: Array(text.utf8) + [UInt8](repeating: 0x20, count: spaces))
    }
    #expect(read(#"{"state":"down","reason":"odd","answers":-1}"#) == Vote(.down, .localFault))
    #expect(read(#"{"state":"up","reason":"odd"}"#) == Vote(.up, .ok))
    #expect(read(#"{"reason":"ok"}"#) == nil && read("[]") == nil && read("") == nil)
    let short = #"{"state":"up"}"#
    #expect(read(short, spaces: 1024 - short.utf8.count) == Vote(.up, .ok))
    #expect(read(short, spaces: 1025 - short.utf8.count) == nil)
  }

  /// Keys of votes, questions and incidents, there and back; other paths are none.
  @Test func paths() {
    let check = UniqueID(high: 7, low: 1)
    for (key, path) in [
      (QuorumKey.vote(check: check, place: "paris"), "\(check)/v/paris"),
      (.question(check: check, place: "ny-2"), "\(check)/ask/ny-2"), (.incident(check: check), "\(check)/i"),
    ] as [(QuorumKey, String)] {
      #expect(key.path == path && QuorumKey(path: path) == key && key.check == check)
    }
    for end in ["", "/", "/v", "/i/", "/i/paris", "/v/", "/v/a b", "/v/paris/", "/v/paris/x", "/a/paris"] {
      #expect(QuorumKey(path: "\(check)\(end)") == nil, "\(end)")
    }
    #expect(QuorumKey(path: "x/v/paris") == nil && QuorumKey(path: "") == nil)
  }

  /// A member's card as it is written, whole and with nothing in it.
  @Test func cards() throws {
    var card = MemberCard()
    (card.boot, card.home) = (UniqueID(high: 1, low: 2), UniqueID(high: 3, low: 4))
    (card.version, card.weight, card.url, card.applied) = ("1.2", 3, "a.example", 7)
    (card.waits, card.clock, card.pulls) = (9, 11, true)
    card.pools = MemberCard.Pools(api: "x", file: "y", without: [UniqueID(high: 5, low: 6)])
    let without = UniqueID(high: 5, low: 6)
    #expect(
      text(card.json) == """
        {"boot":"\(card.boot)","home":"\(card.home)","version":"1.2","weight":3,"url":"a.example","applied":7,\
        "waits":9,"clock_ms":11,"pulls":true,"pool_api":"x","pool_file":"y","without":["\(without)"]}
        """)
    #expect(try #require(MemberCard(json: card.json)) == card)
    let none = UniqueID(high: 0, low: 0)
    #expect(
      text(MemberCard().json) == """
        {"boot":"\(none)","home":"\(none)","version":"","weight":1,"applied":0,"clock_ms":0,"pulls":false,\
        "pool_api":"","pool_file":""}
        """)
  }

  /// What a card must have, within its limits; the home of one that names none is its process.
  @Test func limitsOfCards() throws {
    let boot = UniqueID(high: 1, low: 2)
    func read(_ members: String, spaces: Int = 0) -> MemberCard? {
      MemberCard(
        json: Array("{\"boot\":\"\(boot)\",\(members)}".utf8) + [UInt8](repeating: 0x20, count: spaces))
    }
    for (weight, isRead) in [(-1, false), (0, true), (1000, true), (1001, false)] {
      #expect((read("\"weight\":\(weight),\"applied\":0") != nil) == isRead, "\(weight)")
    }
    #expect(read("\"weight\":1,\"applied\":-1") == nil && read("\"weight\":1") == nil)
    #expect(MemberCard(json: Array("{\"weight\":1,\"applied\":0}".utf8)) == nil)
    let plain = try #require(read("\"weight\":1,\"applied\":0,\"waits\":-4"))
    #expect(plain.home == boot && plain.waits == 0 && !plain.pulls && plain.url == nil)
    let size = "{\"boot\":\"\(boot)\",\"weight\":1,\"applied\":0}".utf8.count
    #expect(read("\"weight\":1,\"applied\":0", spaces: 4096 - size) != nil)
    #expect(read("\"weight\":1,\"applied\":0", spaces: 4097 - size) == nil)
  }

  /// What a refusal of etcd means by its code, its status and its words, and whether another member is asked.
  @Test(
    arguments: [
      (401, nil, .unauthenticated, "p: status 401", false), (403, nil, .denied, "p: status 403", false),
      (503, nil, .noQuorum, "p: status 503", true),
      (500, nil, .garbled, "p answers with status 500, and not as etcd does", true),
      (500, #"{"error":"odd"}"#, .garbled, "p: odd", true),
      (400, #"{"error":"a","message":"b","code":16}"#, .unauthenticated, "p: b", false),
      (400, #"{"error":"a","code":7}"#, .denied, "p: a", false),
      (400, #"{"error":"database space exceeded","code":8}"#, .noSpace, "p: database space exceeded", false),
      (400, #"{"error":"too many requests","code":8}"#, .refused, "p: too many requests", false),
      (400, #"{"error":"a","code":14}"#, .noQuorum, "p: a", true),
      (400, #"{"error":"a","code":4}"#, .noQuorum, "p: a", true),
      (400, #"{"error":"invalid auth token","code":3}"#, .unauthenticated, "p: invalid auth token", false),
      (400, #"{"error":"no user name","code":3}"#, .unauthenticated, "p: no user name", false),
      (400, #"{"error":"a","code":3}"#, .refused, "p: a", false),
      (400, #"{"error":"a","code":5}"#, .refused, "p: a", false),
      (
        400, #"{"error":"etcdserver: user name is empty","code":3}"#, .unauthenticated,
        "p asks for a user and password, and none is set", false
      ),
    ] as [(Int, String?, StoreTrouble.Kind, String, Bool)])
  func refusals(status: Int, body: String?, kind: StoreTrouble.Kind, words: String, goesOn: Bool) throws {
    let json = try body.map { try JSONValue.parse(Array($0.utf8)) }
    let failure = EtcdFailure(status: status, json, at: "p")
    #expect(failure.trouble == StoreTrouble(kind, words) && failure.deservesAnother == goesOn)
    let code = json?["code"]?.integer
    #expect(failure.code == code && failure.isMissing == (code == 5))
    #expect(failure.isStaleToken == (kind == .unauthenticated && code != nil))
  }

  /// What the gateway itself says, in plain text.
  @Test func plainTextOfTheGateway() {
    let said =
      "CommonName of client sending a request against gateway will be ignored and not used as expected\n"
    let answers = [said, "Bad Request"].map { EtcdFailure(status: 400, nil, text: $0, at: "p").trouble }
    let words =
      "p refuses a client certificate with a common name (CN) while etcd's authentication is on: make one without"
    #expect(
      answers == [
        StoreTrouble(.handshake, words),
        StoreTrouble(.garbled, "p answers with status 400, and not as etcd does"),
      ])
    let answer = OutboundAnswer(status: 400, body: Array(said.utf8))
    #expect(EtcdClient.read(answer, at: "p") == .failure(EtcdFailure(.handshake, words)))
  }

  /// Which troubles another member of the cluster may not have.
  @Test func otherMembers() {
    let found = StoreTrouble.Kind.allCases.filter { EtcdFailure($0, "a").deservesAnother }
    #expect(found == [.unreachable, .handshake, .noQuorum, .garbled])
  }
}
