// SPDX-License-Identifier: MIT

import Basics
import Curl
import Foundation
import Monitoring
import NetworkTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Groups

/// One client for all readers: one sign-in and one watch.
@Suite struct EtcdClientTests {
  private func client(_ server: LoopbackServer, _ engine: CurlEngine, user: String? = nil) throws
    -> EtcdClient
  {
    EtcdClient(
      EtcdSettings(
        endpoints: [try HTTPURL("http://127.0.0.1:\(server.port)")], user: user,
        password: user.map { Redacted($0) }),
      over: .test(engine))
  }

  /// Head and body of a request.
  private static func request(_ connection: LoopbackConnection) -> String {
    var text = connection.read(until: "\r\n\r\n")
    let head = text.range(of: "\r\n\r\n").map { text[..<$0.lowerBound].lowercased() } ?? ""
    let length =
      head.split(separator: "content-length: ").dropFirst().first
      .flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
    while text.utf8.count < head.utf8.count + 4 + length {
      let more = connection.read()
      if more.isEmpty { break }
      text += String(decoding: more, as: UTF8.self)
    }
    return text
  }

  /// Gives out one token after the other, of which the last is valid.
  private final class Door: Sendable {
    let signIns = Mutex(0)
    let refusals = Mutex(0)
    let valid = Mutex(1)

    func serve(_ connection: LoopbackConnection) {
      let request = EtcdClientTests.request(connection)
      let valid = valid.withLock(\.self)
      if request.contains("auth/authenticate") {
        signIns.withLock { $0 += 1 }
        return answer(connection, 200, #"{"token":"t\#(valid)"}"#)
      }
      guard request.contains("uthorization: t\(valid)\r") else {
        refusals.withLock { $0 += 1 }
        return answer(connection, 401, #"{"error":"etcdserver: invalid auth token","code":16}"#)
      }
      answer(connection, 200, #"{"header":{"cluster_id":"7","revision":"5"},"count":"0"}"#)
    }

    private func answer(_ connection: LoopbackConnection, _ status: Int, _ body: String) {
      connection.write(
        "HTTP/1.1 \(status) X\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)")
    }
  }

  /// Requests of all readers need one sign-in together, at the start and after the token was lost.
  @Test(.timeLimit(.minutes(1))) func oneSignIn() async throws {
    let door = Door()
    try await withLoopbackServer(script: { door.serve($0) }) { server in
      try await withCurlEngine { engine in
        let store = EtcdQuorum(client: try client(server, engine, user: "a"), prefix: "/q/")
        for round in 1...3 {
          door.valid.withLock { $0 = round }
          let answers = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
              group.addTask { if case .success = await store.audit() { true } else { false } }
            }
            return await group.reduce(into: [Bool]()) { $0.append($1) }
          }
          #expect(answers == Array(repeating: true, count: 8))
          #expect(door.signIns.withLock(\.self) == round)
        }
        #expect((2...16).contains(door.refusals.withLock(\.self)))
      }
    }
  }

  /// Number of readers in each stream, and the changes that are told to the third of them.
  private final class Streams: Sendable {
    let sizes = Mutex<[Int]>([])
    let keys: [String]

    init(_ keys: [String]) { self.keys = keys }

    func serve(_ connection: LoopbackConnection) {
      let readers = EtcdClientTests.request(connection).split(separator: "create_request").count - 1
      connection.write("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n")
      for reader in 1...max(1, readers) {
        line(connection, reader, "\"created\":true")
        guard readers == keys.count else { continue }
        let key = Base64.text(keys[reader - 1].utf8)
        line(connection, reader, #""events":[{"kv":{"key":"\#(key)","mod_revision":"\#(10 + reader)"}}]"#)
      }
      sizes.withLock { $0.append(readers) }
      connection.waitForEnd()
    }

    private func line(_ connection: LoopbackConnection, _ reader: Int, _ rest: String) {
      connection.write(
        #"{"result":{"header":{"cluster_id":"7","revision":"20"},"watch_id":"\#(reader)",\#(rest)}}"# + "\n")
    }
  }

  private final class Told: Sendable {
    let words = Mutex<[String]>([])
    func add(_ name: String, _ revision: Int64?) { words.withLock { $0.append("\(name) \(revision ?? 0)") } }
  }

  /// Three readers are in one stream, each told its own; with the last of them it ends.
  @Test(.timeLimit(.minutes(1))) func oneWatch() async throws {
    let check = UniqueID(high: 7, low: 1)
    let streams = Streams(["/q/g/m/a", "/q/v/\(check)/i", "/q/g/open/\(check)"])
    let told = Told()
    try await withLoopbackServer(script: { streams.serve($0) }) { server in
      try await withCurlEngine { engine in
        let client = try client(server, engine)
        let group = EtcdStore(client: client, keys: EtcdKeys(prefix: "/q/", group: "g"), name: "a")
        let votes = EtcdQuorum(client: client, prefix: "/q/")
        let incidents = EtcdIncidents(client: client, prefix: "/q/", group: "g")
        let members = Task { try? await group.watch(after: 3) { told.add("members", $0.first?.revision) } }
        try await until("a stream of one") { streams.sizes.withLock { $0 == [1] } }
        let quorum = Task { await votes.watchQuorum(after: 4) { told.add("votes", $0.revision) } }
        try await until("a stream of both") { streams.sizes.withLock { $0 == [1, 2] } }
        let open = Task {
          await incidents.watchIncidents(after: 5) { told.add("incidents", $0.first?.changed) }
        }
        try await until("three changes told") { told.words.withLock { $0.count == 3 } }
        #expect(streams.sizes.withLock(\.self) == [1, 2, 3])
        #expect(told.words.withLock(\.self) == ["members 11", "votes 12", "incidents 13"])
        // All that changed in the store was told.
        var position = StorePosition()
        position.read(StoreMark(cluster: 7, revision: 10), asked: 0)
        #expect(client.isIdle(position, StoreMark(cluster: 7, revision: 13)))
        #expect(!client.isIdle(position, StoreMark(cluster: 7, revision: 14)))
        quorum.cancel()
        #expect(await quorum.value == .over)
        members.cancel()
        open.cancel()
        #expect(await members.value == nil)
        #expect(await open.value == .over)
        #expect(!client.isIdle(position, StoreMark(cluster: 7, revision: 13)), "no reader is left")
      }
    }
  }
}
