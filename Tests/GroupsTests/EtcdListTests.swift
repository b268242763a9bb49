// SPDX-License-Identifier: MIT

import Basics
import Network
import Testing

@testable import Groups

/// The list of checks in an etcd, request by request, how one endpoint does, and which endpoint is asked.
@Suite struct EtcdListTests {
  typealias Answer = EtcdRecorder.Answer

  private static let header = EtcdRecorder.header

  private func store(_ client: EtcdClient) -> EtcdStore {
    EtcdStore(client: client, keys: EtcdKeys(prefix: "/q/", group: "g"), name: "a")
  }

  private func head(_ version: Int64, _ parts: [[UInt8]]) -> ListHead {
    ListHead(version: version, parts: parts.count, sha256: sha256Text(parts.flatMap(\.self)))
  }

  private func answer(_ parts: [[UInt8]]) -> Answer {
    let rows = parts.map { #"{"key":"YQ==","mod_revision":"9","value":"\#(Base64.text($0))"}"# }
    return Answer("{\(Self.header),\"kvs\":[\(rows.joined(separator: ","))]}")
  }

  private func part(_ number: Int) -> String { base64("/q/g/c/0000000000000005/00000\(number)") }

  /// Each request begins behind what was read, and ends behind the last part.
  @Test func readingInSeveralAnswers() async throws {
    let parts: [[UInt8]] = [[1], [2], [3]]
    let head = head(5, parts)
    try await withEtcd([answer([[1], [2]]), answer([[3]])]) {
      (client: EtcdClient, recorder: EtcdRecorder) async throws in
      #expect(try await store(client).readList(head) == .success(parts))
      #expect(
        recorder.take()
          == [0, 2].map {
            #"kv/range {"key":"\#(part($0))","range_end":"\#(part(3))","limit":"16"}"#
          })
    }
  }

  /// More parts than the head says, other ones, none, or one that is too long: the list is not there.
  @Test func listsThatAreNone() async throws {
    let parts: [[UInt8]] = [[1], [2]]
    let long = [UInt8](repeating: 7, count: StoreBounds.value + 1)
    let whole = "the list: its parts are not those of its head"
    let rows: [(Answer, String)] = [
      (answer([[1], [2], [3]]), whole), (answer([[1], [4]]), whole), (answer([]), "the list"),
      (answer([[1], long]), "the list"), (Answer("{}"), "a range"),
    ]
    for (answer, what) in rows {
      try await withEtcd([answer]) { (client: EtcdClient, _: EtcdRecorder) async throws in
        #expect(
          try await store(client).readList(head(5, parts))
            == .failure(StoreTrouble(.garbled, "etcd's answer is not understood as \(what)")))
      }
    }
    try await withEtcd([]) { (client: EtcdClient, recorder: EtcdRecorder) async throws in
      #expect(try await store(client).readList(head(5, [])) == .success([]) && recorder.take() == [])
    }
  }

  private func put(_ number: Int, _ value: String) -> String {
    #"kv/put {"key":"\#(part(number))","value":"\#(value)"}"#
  }

  private func txn(_ target: String, _ head: ListHead) -> String {
    let key = base64("/q/g/c/head")
    return #"kv/txn {"compare":[{"key":"\#(key)","result":"EQUAL",\#(target)}],"success":[{"request_put":"#
      + #"{"key":"\#(key)","value":"\#(Base64.text(head.json))","prev_kv":true}}]}"#
  }

  /// The parts, then the head on its condition, and then what was before the version before it goes.
  @Test(arguments: [(4, true), (5, false), (6, false), (nil, false)] as [(Int64?, Bool)])
  func publishing(before: Int64?, deletes: Bool) async throws {
    let parts: [[UInt8]] = [[1], [2]]
    let head = head(5, parts)
    let kept = before.map { self.head($0, parts).json }
    let row = kept.map { #"{"key":"YQ==","mod_revision":"9","value":"\#(Base64.text($0))"}"# } ?? "null"
    let put = #"{"response_put":{"prev_kv":\#(row)}}"#
    let answers = [
      Answer("{}"), Answer("{}"), Answer("{\(Self.header),\"succeeded\":true,\"responses\":[\(put)]}"),
      Answer("{}"),
    ]
    try await withEtcd(answers) { (client: EtcdClient, recorder: EtcdRecorder) async throws in
      #expect(
        try await store(client).publishList(head, parts, replacing: before == nil ? 0 : 9) == .success(true))
      let target =
        before == nil ? #""target":"CREATE","create_revision":"0""# : #""target":"MOD","mod_revision":"9""#
      let end = base64("/q/g/c/0000000000000004/")
      let gone = #"kv/deleterange {"key":"\#(base64("/q/g/c/0"))","range_end":"\#(end)"}"#
      #expect(
        recorder.take()
          == [self.put(0, "AQ=="), self.put(1, "Ag=="), txn(target, head)] + (deletes ? [gone] : []))
    }
  }

  /// Another member was first, or a part could not be put: nothing more is asked.
  @Test func publishingThatFails() async throws {
    let parts: [[UInt8]] = [[1], [2]]
    let full = Answer(#"{"error":"database space exceeded","code":8}"#, status: 400)
    try await withEtcd([Answer("{}"), Answer("{}"), Answer("{\(Self.header)}")]) {
      (client: EtcdClient, recorder: EtcdRecorder) async throws in
      #expect(try await store(client).publishList(head(5, parts), parts, replacing: 9) == .success(false))
      #expect(recorder.take().count == 3)
    }
    for count in [1, 2, 3] {
      try await withEtcd(Array(repeating: Answer("{}"), count: count - 1) + [full]) {
        (client: EtcdClient, recorder: EtcdRecorder) async throws in
        guard
          case .failure(let trouble) = try await store(client).publishList(
            head(5, parts), parts, replacing: 9)
        else {
          Issue.record("it was published")
          return
        }
        #expect(trouble.kind == .noSpace && recorder.take().count == count)
      }
    }
  }

  /// Two readings of the clocks, two seconds apart; what comes after them is the second one.
  private func clocks() -> TimeSource {
    let second = ClockReading(
      boot: Instant(nanoseconds: 5_000_000_000), wall: Timestamp(seconds: 1_767_571_205))
    let first = ClockReading(
      boot: Instant(nanoseconds: 3_000_000_000), wall: Timestamp(seconds: 1_767_571_203))
    let readings = Readings([first, second])
    return TimeSource(
      wall: { second.wall }, instant: { second.boot }, reading: { readings.next() }, wait: { _ in })
  }

  /// What one endpoint says of itself. Its date, 00:00:07, is half a second more on average; it was asked
  /// from 00:00:03 to 00:00:05.
  @Test func aLookAtAnEndpoint() async throws {
    let errors = (0..<9).map { "\"e\($0)\"" }.joined(separator: ",")
    let answers = [
      Answer(#"{"version":"3.5.1","leader":"8","errors":[\#(errors)]}"#), Answer(#"{"leader":"0"}"#),
      Answer("{}"), Answer(#"{"error":"no","code":14}"#, status: 503),
    ]
    try await withEtcd(answers) { (client: EtcdClient, recorder: EtcdRecorder) async throws in
      let look = try await client.look(at: 0, time: clocks()).get()
      #expect(look.version == "3.5.1" && look.hasLeader && look.took == .seconds(2))
      #expect(look.ahead == .milliseconds(3500))
      #expect(look.complaints == (0..<8).map { "e\($0)" })
      #expect(recorder.take() == ["maintenance/status {}"])
      for _ in 0..<2 {
        let other = try await client.look(at: 0, time: clocks()).get()
        #expect(!other.hasLeader && other.version == "" && other.complaints == [])
      }
      guard case .failure(let failure) = try await client.look(at: 0, time: clocks()) else {
        Issue.record("a look at what refuses")
        return
      }
      #expect(failure.trouble.kind == .noQuorum)
    }
  }

  /// The status is asked for without a token, and with one where it is refused so.
  @Test func aLookThatNeedsATokenSignsIn() async throws {
    let refused = Answer(#"{"error":"who","code":16}"#, status: 401)
    let answers = [refused, Answer(#"{"token":"t1"}"#), Answer(#"{"version":"3.5.1","leader":"8"}"#)]
    try await withEtcd(answers, user: "u") { (client: EtcdClient, recorder: EtcdRecorder) async throws in
      #expect(try await client.look(at: 0, time: clocks()).get().version == "3.5.1")
      #expect(
        recorder.take().map { $0.prefix(18) } == [
          "maintenance/status", "auth/authenticate ", "maintenance/status",
        ])
      #expect(recorder.allHeads.map { $0.contains("authorization") } == [false, false, true])
    }
    try await withEtcd([refused]) { (client: EtcdClient, recorder: EtcdRecorder) async throws in
      guard case .failure(let failure) = try await client.look(at: 0, time: clocks()) else {
        Issue.record("a look without a user")
        return
      }
      #expect(failure.trouble.kind == .unauthenticated && recorder.take().count == 1)
    }
  }

  /// Only a request that found the current endpoint wanting goes to the next one; after the last comes the
  /// first.
  @Test func theNextEndpoint() async throws {
    try await withEtcd([]) { (client: EtcdClient, _: EtcdRecorder) async throws in
      client.leave(0)
      #expect(client.current == 0, "there is one")
      #expect(client.place(0).hasPrefix("etcd at 127.0.0.1:") && client.place(1) == "etcd")
    }
    let url = try HTTPURL("http://127.0.0.1:9")
    try await withEngine { (engine: Outbound) async throws in
      let client = EtcdClient(EtcdSettings(endpoints: [url, url, url]), over: engine)
      var places = [client.current]
      for index in [0, 0, 2, 1, 2] {
        client.leave(index)
        places.append(client.current)
      }
      #expect(places == [0, 1, 1, 1, 2, 0])
    }
  }
}
