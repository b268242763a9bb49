// SPDX-License-Identifier: MIT

import Basics
import Curl
import Groups
import Network
import NetworkTestSupport
import TestSupport
import Testing

/// Whatever the store says: an answer or a trouble, in bounded time and memory, and never the end of the agent.
@Suite struct HostileStoreTests {
  private static let header = #""header":{"cluster_id":"7","member_id":"9","revision":"12","raft_term":"2"}"#

  private static let bodies: [String] = [
    "", "null", "[]", "{}", "0", "\"\"", "{", #"{"header":1}"#, #"{"header":{}}"#,
    #"{"header":{"cluster_id":"99999999999999999999","revision":"1"}}"#,
    #"{"header":{"cluster_id":"-1","revision":"-1"},"count":"-5","kvs":[{}]}"#,
    #"{"ID":"9223372036854775808","TTL":"5"}"#, #"{"ID":{},"TTL":[]}"#, #"{"ID":"0"}"#,
    #"{"result":null}"#, #"{"result":{"TTL":"99999999999999999999"}}"#, #"{"result":{"TTL":"-3"}}"#,
    #"{"result":{"canceled":true,"compact_revision":"-9"}}"#, #"{"error":{"code":"x","message":7}}"#,
    "{\(header),\"count\":\"99999999999\"}", "{\(header),\"kvs\":{}}", "{\(header),\"kvs\":[1,null,\"x\"]}",
    "{\(header),\"kvs\":[{\"key\":\"!!!!\",\"mod_revision\":\"1\"}]}",
    "{\(header),\"kvs\":[{\"key\":\"L3F1YXJ0ei9sb25kb24vbS8=\",\"mod_revision\":\"1\"}]}",
    "{\(header),\"kvs\":[{\"key\":\"L3F1YXJ0ei9sb25kb24vbS9h\",\"value\":\"e30=\",\"mod_revision\":\"1\"}]}",
    "{\(header),\"kvs\":[{\"key\":\"L3F1YXJ0ei9sb25kb24vYy9oZWFk\",\"value\":\"eyJuIjotMX0=\",\"mod_revision\":\"1\"}]}",
    "{\(header),\"succeeded\":true}", "{\(header),\"succeeded\":\"yes\",\"responses\":[]}",
    "{\(header),\"responses\":[{\"response_range\":{\"kvs\":[{\"key\":\"YQ==\",\"mod_revision\":\"-4\"}]}}]}",
    "{\(header),\"responses\":[{\"response_range\":{\"kvs\":[{\"key\":\"YQ==\",\"value\":\"====\"}],\"count\":\"1\"}}]}",
    String(repeating: "[", count: 100_000),
    String(repeating: "{\"a\":", count: 33) + "1" + String(repeating: "}", count: 33),
    #"{"a":"# + String(repeating: "9", count: 200_000) + "}",
    "{\"result\":{\(header),\"events\":[{\"type\":\"DELETE\",\"kv\":{\"key\":\"YQ==\",\"mod_revision\":\"x\"}}]}}\n",
    "{\"result\":{\(header),\"events\":[{\"type\":7,\"kv\":{}}]}}\n",
    "{\"result\":{\(header),\"events\":3}}\n",
    "\u{feff}{}", "<html>captive portal</html>", "{\"token\":\"a b\"}", "\u{0}",
  ]

  private func card() -> MemberCard { MemberCard() }

  private func ask(_ store: EtcdStore) async throws -> [StoreAnswer] {
    var answers: [StoreAnswer] = []
    for request in [
      .grant(seconds: 5), .claim(lease: 1, card: card(), replacing: nil), .read, .keepAlive(lease: 1),
      .put(lease: 1, card: card()), .revoke(lease: 1),
    ] as [StoreRequest] {
      answers.append(try await store.ask(request))
    }
    return answers
  }

  @Test func everyAnswerIsSurvived() async throws {
    try await withCurlEngine { engine in
      for body in Self.bodies {
        for status in [200, 500] {
          try await withLoopbackServer { connection in
            _ = connection.read(until: "\r\n\r\n")
            connection.write(
              "HTTP/1.1 \(status) X\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
            )
          } _: { server in
            let client = EtcdClient(
              EtcdSettings(endpoints: [try HTTPURL("http://127.0.0.1:\(server.port)")]), over: .test(engine))
            let store = EtcdStore(
              client: client, keys: EtcdKeys(prefix: "/quartz/", group: "london"), name: "a")
            for answer in try await ask(store) {
              if case .trouble(let trouble) = answer { #expect(trouble.words.utf8.count < 400) }
              if case .read(let reading) = answer { #expect(reading.members.allSatisfy { $0.card == nil }) }
            }
            let end = try await store.watch(after: 3) { _ in }
            #expect(end != .over)
            let head = ListHead(version: 1, parts: 1, sha256: String(repeating: "a", count: 64))
            guard case .failure = try await store.readList(head) else {
              Issue.record("a list out of \(body.prefix(80))")
              return
            }
          }
        }
      }
    }
  }

  @Test func cardsOfStrangersAreBounded() {
    #expect(MemberCard(json: Array("{}".utf8)) == nil)
    #expect(MemberCard(json: Array(String(repeating: "x", count: 5000).utf8)) == nil)
    var card = MemberCard()
    card.version = "1\n2"
    card.url = String(repeating: "u", count: 1000)
    let read = MemberCard(json: card.json)
    #expect(read?.version.contains("\n") == false)
    #expect((read?.url?.utf8.count ?? 0) <= 200)
    for weight in ["-1", "1001", "1e3", "\"1\"", "99999999999999999999"] {
      let json = "{\"boot\":\"00000000-0000-0000-0000-000000000000\",\"weight\":\(weight),\"applied\":0}"
      #expect(MemberCard(json: Array(json.utf8)) == nil)
    }
    #expect(ListHead(json: Array(#"{"version":1,"n":99999999,"sha256":""}"#.utf8), revision: 1) == nil)
  }

  /// A revision of 0 says that a check is not ours: a store that says it for all must not stop the member.
  @Test func aStoreWithoutRevisionsStopsNothing() throws {
    var now = ClockReading(boot: Instant(nanoseconds: 0), wall: .epoch)
    var card = MemberCard()
    card.boot = UniqueID(high: 1, low: 1)
    var member = GroupMember(.init(name: "a", ttl: .seconds(5)), card: card, at: now)
    let check = UniqueID(high: 1, low: 2)
    var actions = member.handle(.checks([.init(check, .api)]), at: now)
    let reading = StoreReading(
      cluster: 7, revision: 0, members: [.init(name: "a", card: card, revision: 0)])
    for answer in [.granted(lease: 4), .claimed(revision: 0), .read(reading)] as [StoreAnswer] {
      now.boot = now.boot + .milliseconds(1)
      let asked = actions.compactMap { if case .ask(let number, _) = $0 { number } else { nil } }
      // What comes with the question about the view is the first proof of the lease.
      actions = member.handle(.answer(try #require(asked.first), answer), at: now)
    }
    #expect(member.assignment.revisions == [check: 1])
  }

  /// Thousands of members, of which some are anything.
  @Test func aFloodOfMembersIsBounded() {
    var reading = StoreReading(cluster: 1, revision: 9, members: [])
    for number in 0..<5000 {
      reading.members.append(
        .init(name: "m\(number)", card: number % 2 == 0 ? MemberCard() : nil, revision: 9))
    }
    let view = GroupView(reading)
    #expect(view.members.count + view.garbled.count <= StoreBounds.members)
  }
}
