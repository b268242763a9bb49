// SPDX-License-Identifier: MIT

import Basics
import Curl
import Foundation
import Groups
import Network
import NetworkTestSupport
import Synchronization
import TestSupport
import Testing

/// The client and the keys against Debian's own etcd.
@Suite(.serialized) struct EtcdTests {
  private func settings(_ server: EtcdServer) throws -> EtcdSettings {
    EtcdSettings(endpoints: try server.urls.map { try HTTPURL($0) })
  }

  private func store(
    _ settings: EtcdSettings, _ engine: CurlEngine, _ name: String = "a", group: String = "london"
  ) -> EtcdStore {
    let client = EtcdClient(settings, over: .test(engine))
    return EtcdStore(client: client, keys: EtcdKeys(prefix: "/quartz/", group: group), name: name)
  }

  private func card(_ number: UInt64) -> MemberCard {
    var card = MemberCard()
    (card.boot, card.home) = (UniqueID(high: 1, low: number), UniqueID(high: 2, low: number))
    card.version = "0.1.0"
    return card
  }

  private func lease(_ store: EtcdStore) async throws -> Int64 {
    guard case .granted(let lease) = try await store.ask(.grant(seconds: 5)) else { throw Unexpected() }
    return lease
  }

  private struct Unexpected: Error {}

  @Test func aLifeInTheStore() async throws {
    try await EtcdServer.with { server in
      try await withCurlEngine { engine in
        let store = store(try settings(server), engine), other = self.store(try settings(server), engine)
        let lease = try await lease(store)
        guard
          case .claimed(let revision) = try await store.ask(
            .claim(lease: lease, card: card(1), replacing: nil))
        else { throw Unexpected() }
        guard case .read(let reading) = try await store.ask(.read) else { throw Unexpected() }
        #expect(reading.members == [.init(name: "a", card: card(1), revision: revision)])
        #expect(reading.revision == revision)
        // The name is taken, by whom is told; of the same revision it can be replaced.
        let second = try await self.lease(other)
        #expect(
          try await other.ask(.claim(lease: second, card: card(2), replacing: nil))
            == .occupied(.init(name: "a", card: card(1), revision: revision)))
        guard case .claimed = try await other.ask(.claim(lease: second, card: card(2), replacing: revision))
        else { throw Unexpected() }
        #expect(try await store.ask(.put(lease: lease, card: card(1))) == .lost)
        guard case .put(let newest) = try await other.ask(.put(lease: second, card: card(2))) else {
          throw Unexpected()
        }
        #expect(
          try await other.ask(.keepAlive(lease: second))
            == .alive(StoreAudit(cluster: reading.cluster, revision: newest, members: 1, newest: newest)))
        #expect(try await other.ask(.revoke(lease: second)) == .revoked)
        #expect(try await other.ask(.keepAlive(lease: second)) == .dead)
        #expect(try await other.ask(.claim(lease: second, card: card(2), replacing: nil)) == .dead)
        guard case .read(let after) = try await store.ask(.read) else { throw Unexpected() }
        #expect(after.members.isEmpty)
      }
    }
  }

  @Test func aWatchTellsEveryChangeAndACompactedOneSaysSo() async throws {
    try await EtcdServer.with { server in
      try await withCurlEngine { engine in
        let store = store(try settings(server), engine)
        let told = Mutex<[StoreChange]>([])
        let watch = Task { try? await store.watch(after: 1) { changes in told.withLock { $0 += changes } } }
        let lease = try await lease(store)
        _ = try await store.ask(.claim(lease: lease, card: card(1), replacing: nil))
        _ = try await store.ask(.put(lease: lease, card: card(1)))
        _ = try await store.ask(.revoke(lease: lease))
        try await until("three changes told") { told.withLock(\.count) == 3 }
        guard case .gone("a", let revision) = told.withLock({ $0.last }) else { throw Unexpected() }
        watch.cancel()
        _ = await watch.value
        try await server.control(["compact", String(revision)])
        #expect(try await store.watch(after: 1) { _ in } == .compacted)
      }
    }
  }

  @Test func theNextEndpointIsTriedAtOnceAndAQuorumIsMissed() async throws {
    var options = EtcdServer.Options()
    options.members = 3
    try await EtcdServer.with(options) { server in
      try await withCurlEngine { engine in
        let store = store(try settings(server), engine)
        let lease = try await lease(store)
        server.kill(0)
        guard
          case .claimed = try await retried({
            try await store.ask(.claim(lease: lease, card: card(1), replacing: nil))
          })
        else { throw Unexpected() }
        server.kill(1)
        let start = ContinuousClock.now
        guard case .trouble = try await store.ask(.read) else { throw Unexpected() }
        #expect(ContinuousClock.now - start < .seconds(14), "two seconds each, not etcd's own seven")
        // A watch at a member without a leader ends by itself.
        let end = try await store.watch(after: 1) { _ in }
        guard case .trouble = end else { throw Unexpected() }
        try await server.restart(1)
        guard case .read(let reading) = try await retried({ try await store.ask(.read) }) else {
          throw Unexpected()
        }
        #expect(reading.members.map(\.name) == ["a"])
      }
    }
  }

  private func retried(_ ask: () async throws -> StoreAnswer) async throws -> StoreAnswer {
    let deadline = ContinuousClock.now + .seconds(30)
    while true {
      let answer = try await ask()
      guard case .trouble = answer, ContinuousClock.now < deadline else { return answer }
    }
  }

  /// The lines of docs/groups.md, and what they leave out.
  @Test func aUserHasItsPrefixAndNothingElse() async throws {
    try await EtcdServer.with { server in
      try await server.allowLondon()
      try await withCurlEngine { engine in
        var settings = try settings(server)
        guard case .trouble(let unknown) = try await store(settings, engine).ask(.read) else {
          throw Unexpected()
        }
        #expect([.unauthenticated, .denied].contains(unknown.kind))
        (settings.user, settings.password) = ("quartz-london", Redacted("wrong"))
        guard case .trouble(let wrong) = try await store(settings, engine).ask(.read) else {
          throw Unexpected()
        }
        #expect(wrong.kind == .unauthenticated)
        #expect(!wrong.words.contains("wrong"))
        settings.password = Redacted("sesame")
        let store = store(settings, engine)
        let lease = try await lease(store)
        guard case .claimed = try await store.ask(.claim(lease: lease, card: card(1), replacing: nil)) else {
          throw Unexpected()
        }
        guard case .alive = try await store.ask(.keepAlive(lease: lease)) else { throw Unexpected() }
        guard case .trouble(let denied) = try await self.store(settings, engine, group: "paris").ask(.read)
        else { throw Unexpected() }
        #expect(denied.kind == .denied)
        // Its token is void: a new one is asked for.
        try await server.control(["role", "add", "other"], as: "root:root")
        try await server.restart(0)
        guard case .read = try await retried({ try await store.ask(.read) }) else { throw Unexpected() }
      }
    }
  }

  @Test func certificatesOfBothSides() async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      var leaf = TestAuthority.Leaf()
      leaf.extensions = ["extendedKeyUsage = serverAuth,clientAuth"]
      let identity = try authority.issue("etcd", leaf)
      var options = EtcdServer.Options()
      options.tls = (identity.certificate, identity.key, authority.rootFile)
      try await EtcdServer.with(options) { server in
        try await withCurlEngine { engine in
          var settings = try settings(server)
          settings.tls = TLSOptions(
            caFile: authority.rootFile, clientCertificate: identity.certificate, clientKey: identity.key)
          guard
            case .granted = try await retried({ try await store(settings, engine).ask(.grant(seconds: 5)) })
          else { throw Unexpected() }
          settings.tls = TLSOptions(caFile: authority.rootFile)
          guard case .trouble(let refused) = try await store(settings, engine).ask(.grant(seconds: 5)) else {
            throw Unexpected()
          }
          #expect(refused.kind == .handshake)
        }
      }
    }
  }

  @Test func aListIsReadWholeOrNotAtAll() async throws {
    try await EtcdServer.with { server in
      try await withCurlEngine { engine in
        let store = store(try settings(server), engine)
        let parts = (0..<40).map { number in [UInt8](repeating: UInt8(number), count: 20_000) }
        let head = ListHead(version: 5, parts: parts.count, sha256: sha256Text(parts.flatMap(\.self)))
        #expect(try await store.publishList(head, parts, replacing: 0) == .success(true))
        #expect(try await store.publishList(head, parts, replacing: 0) == .success(false))
        guard case .read(let reading) = try await store.ask(.read), let found = reading.head else {
          throw Unexpected()
        }
        #expect(try await store.readList(found) == .success(parts))
        for version in [6, 7] as [Int64] {
          var next = head
          next.version = version
          guard case .read(let now) = try await store.ask(.read), let current = now.head else {
            throw Unexpected()
          }
          #expect(try await store.publishList(next, parts, replacing: current.revision) == .success(true))
        }
        // The one before is still there, older ones are not.
        var before = head
        before.version = 6
        #expect(try await store.readList(before) == .success(parts))
        guard case .failure = try await store.readList(found) else { throw Unexpected() }
        try await server.control(["put", "/quartz/london/c/0000000000000007/000003", "x"])
        before.version = 7
        guard case .failure(let trouble) = try await store.readList(before) else { throw Unexpected() }
        #expect(trouble.kind == .garbled)
      }
    }
  }

  /// Versions are times, and no two follow one another.
  @Test func theVersionBeforeStaysWhateverItsNumber() async throws {
    try await EtcdServer.with { server in
      try await withCurlEngine { engine in
        let store = store(try settings(server), engine)
        let parts = [[UInt8](repeating: 7, count: 100)]
        let heads = (1...3 as ClosedRange<Int64>).map {
          ListHead(version: $0 << 40, parts: 1, sha256: sha256Text(parts.flatMap(\.self)))
        }
        var revision: Int64 = 0
        for head in heads {
          #expect(try await store.publishList(head, parts, replacing: revision) == .success(true))
          guard case .read(let reading) = try await store.ask(.read) else { throw Unexpected() }
          revision = reading.headRevision
        }
        #expect(try await store.readList(heads[1]) == .success(parts))
        guard case .failure = try await store.readList(heads[0]) else { throw Unexpected() }
      }
    }
  }

  /// A head that nobody understands is replaced all the same; a card that no lease holds is no member.
  @Test func whatOthersWroteBelowTheGroupsKeysIsSeenAsItIs() async throws {
    try await EtcdServer.with { server in
      try await withCurlEngine { engine in
        let store = store(try settings(server), engine)
        try await server.control(["put", "/quartz/london/c/head", "strange"])
        let ghost = String(decoding: MemberCard().json, as: UTF8.self)
        try await server.control(["put", "/quartz/london/m/ghost", ghost])
        try await server.control(["put", "/quartz/london/m/" + String(repeating: "x", count: 120), "{}"])
        guard case .read(let reading) = try await store.ask(.read) else { throw Unexpected() }
        #expect(reading.head == nil && reading.headRevision > 0)
        #expect(reading.members.map(\.name) == ["ghost"])
        #expect(reading.members.allSatisfy { $0.card == nil })
        #expect(reading.strays == 1)
        let head = ListHead(version: 5, parts: 1, sha256: sha256Text([7]))
        #expect(try await store.publishList(head, [[7]], replacing: 0) == .success(false))
        #expect(try await store.publishList(head, [[7]], replacing: reading.headRevision) == .success(true))
      }
    }
  }

  @Test func aFullDatabaseIsNamed() async throws {
    var options = EtcdServer.Options()
    options.quota = 1 << 20
    try await EtcdServer.with(options) { server in
      try await withCurlEngine { engine in
        let store = store(try settings(server), engine)
        let part = [UInt8](repeating: 7, count: 40_000)
        var trouble: StoreTrouble?
        for version in 1...100 as ClosedRange<Int64> where trouble == nil {
          let head = ListHead(version: version, parts: 1, sha256: String(repeating: "0", count: 64))
          if case .failure(let found) = try await store.publishList(head, [part], replacing: -1) {
            trouble = found
          }
        }
        #expect(trouble?.kind == .noSpace)
      }
    }
  }
}
