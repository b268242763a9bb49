// SPDX-License-Identifier: MIT

import Basics
import Curl
import Foundation
import Groups
import Monitoring
import Network
import NetworkTestSupport
import Synchronization
import TestSupport
import Testing

/// Three places on a real etcd.
@Suite struct EtcdQuorumTests {
  private final class Told: Sendable {
    let entries = Mutex<[QuorumEntry]>([])
  }

  /// Where a probe fails.
  private final class Broken: Sendable {
    let places = Mutex<Set<String>>([])
  }

  private func withEtcd(_ body: (UInt16) async throws -> Void) async throws {
    try await withTemporaryDirectory { folder in
      let (client, peer) = (try freePort(), try freePort())
      let etcd = try RealServer(
        "/usr/bin/etcd",
        [
          "--data-dir", folder.appending(path: "data").path,
          "--listen-client-urls", "http://127.0.0.1:\(client)",
          "--advertise-client-urls", "http://127.0.0.1:\(client)",
          "--listen-peer-urls", "http://127.0.0.1:\(peer)",
          "--initial-advertise-peer-urls", "http://127.0.0.1:\(peer)",
          "--initial-cluster", "default=http://127.0.0.1:\(peer)",
        ], debianPackage: "etcd-server", log: folder.appending(path: "etcd.log"))
      defer { etcd.stop() }
      try await etcd.waitUntilListening(port: client)
      try await body(client)
    }
  }

  private func client(_ engine: CurlEngine, _ port: UInt16) throws -> EtcdClient {
    let settings = EtcdSettings(endpoints: [try HTTPURL("http://127.0.0.1:\(port)")])
    return EtcdClient(settings, over: .test(engine))
  }

  /// As long as the test.
  private struct LongLease: AgentLease {
    let lease: Int64
    var proof: LeaseProof? { LeaseProof(lease: lease, at: .now) }
    var trouble: StoreTrouble? { nil }
    func ended(_ lease: Int64) {}
  }

  private struct Unexpected: Error {}

  private func members(_ client: EtcdClient) -> EtcdStore {
    EtcdStore(client: client, keys: EtcdKeys(prefix: "/quartz/", group: "g"), name: "a")
  }

  private func grant(_ client: EtcdClient, seconds: Int64 = 60) async throws -> Int64 {
    guard case .granted(let lease) = try await members(client).ask(.grant(seconds: seconds)) else {
      throw Unexpected()
    }
    return lease
  }

  private func makeCheck(_ name: String = "Shop") throws -> MonitoringCheck {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.host, definition.port) = (name, "tcp", "shop.example", 443)
    definition.plan.confirm = ConfirmSettings(from: 2, of: ["london", "paris", "ny"], within: .seconds(2))
    definition.timeout = .seconds(1)
    return try MonitoringCheck(definition, patterns: .unchecked)
  }

  /// What is put is there, is told to who watches, and goes with its lease.
  @Test(.timeLimit(.minutes(1))) func keysComeAndGo() async throws {
    try await withEtcd { port in
      try await withCurlEngine { engine in
        let client = try client(engine, port)
        let (store, members) = (EtcdQuorum(client: client, prefix: "/quartz/"), members(client))
        let check = try makeCheck().id
        let told = Told()
        let watch = Task {
          await store.watchQuorum(after: 0) { rows in told.entries.withLock { $0 += rows.entries } }
        }
        defer { watch.cancel() }
        let lease = try await grant(client, seconds: 5)
        let key = QuorumKey.vote(check: check, place: "paris")
        let vote = Vote(.down, .connectRefused)
        let revision = try #require(try await store.put([(key, vote.json)], lease: lease).get())
        let page = try await store.readQuorum(from: nil, at: 0).get()
        let entry = try #require(page.rows.entries.first)
        #expect(page.rows.entries.count == 1 && page.rows.growth == 1 && page.next == nil)
        #expect(entry.key == key && entry.revision == revision && entry.lease == lease)
        #expect(page.rows.revision >= revision && entry.value.flatMap { Vote(json: $0) } == vote)
        let audit = try await store.audit().get()
        #expect(audit.count == 1 && audit.newest == revision && audit.mark?.revision == revision)
        // Who is second is told so; who is first stays it.
        let other = try await grant(client, seconds: 5)
        let incident = QuorumKey.incident(check: check)
        let first = try #require(try await store.claim(incident, [1], lease: lease).get())
        #expect(try await store.claim(incident, [2], lease: other).get() == nil)
        #expect(try await store.claim(incident, [1], lease: lease).get() == first)
        // Only what is as it was seen is deleted, all or none.
        #expect(try await !store.delete([(incident, first), (key, revision + 100)]).get())
        #expect(try await members.ask(.revoke(lease: lease)) == .revoked)
        #expect(try await members.ask(.keepAlive(lease: lease)) == .dead)
        #expect(try await store.put([(key, [])], lease: lease).get() == nil)
        let second = try #require(try await store.claim(incident, [2], lease: other).get())
        #expect(try await store.delete([(incident, second)]).get())
        let deadline = ContinuousClock.now + .seconds(10)
        while told.entries.withLock({ $0.count }) < 6, ContinuousClock.now < deadline {
          try await Task.sleep(for: .milliseconds(20))
        }
        let all = told.entries.withLock { $0 }
        #expect(all.filter { $0.value == nil }.count == 3, "\(all)")
        #expect(all.map(\.revision) == all.map(\.revision).sorted())
      }
    }
  }

  /// A failure that two places find is confirmed within moments, and told by one of them.
  @Test(.timeLimit(.minutes(1))) func threePlacesDecide() async throws {
    try await withEtcd { port in
      try await withCurlEngine { engine in
        let check = try makeCheck()
        let broken = Broken()
        var desks: [String: QuorumDesk] = [:]
        for place in ["london", "paris", "ny"] {
          let client = try client(engine, port)
          let desk = QuorumDesk(
            place: place, store: EtcdQuorum(client: client, prefix: "/quartz/"),
            lease: LongLease(lease: try await grant(client)), ttl: .seconds(5), time: .system
          ) { _ in
            broken.places.withLock { $0.contains(place) } ? Verdict(.connectRefused, phase: .connect) : .ok
          }
          desk.apply([check])
          desks[place] = desk
        }
        let runs = desks.values.map { desk in Task { await desk.run() } }
        defer { for run in runs { run.cancel() } }
        try await decide(check, desks, broken)
      }
    }
  }

  private func decide(
    _ check: MonitoringCheck, _ desks: [String: QuorumDesk], _ broken: Broken
  ) async throws {
    let london = try #require(desks["london"]), paris = try #require(desks["paris"])
    for desk in desks.values { _ = await settle(desk, check, .ok) }
    // Everybody has said that all is well, and everybody has heard it.
    let deadline = ContinuousClock.now + .seconds(15)
    while ContinuousClock.now < deadline {
      if desks.values.allSatisfy({ $0.verdicts(of: check.id).count { $0.state == .up } == 3 }) { break }
      for desk in desks.values { _ = await settle(desk, check, .ok) }
      try await Task.sleep(for: .milliseconds(50))
    }
    #expect(london.verdicts(of: check.id).map(\.state) == [.up, .up, .up])
    let down = Verdict(.connectRefused, phase: .connect, message: "refused")
    // Alone.
    let alone = await settle(london, check, down)
    #expect(alone.result.state == .degraded && alone.result.reason == .regional)
    _ = await settle(london, check, .ok)
    // Two of three.
    broken.places.withLock { $0 = ["london", "paris"] }
    let settled = await settle(london, check, down)
    #expect(settled.result.state == .down && settled.isOurs, "\(settled.result.message ?? "")")
    #expect(settled.result.confirmation?.outcome == .confirmed)
    let second = await settle(paris, check, down)
    #expect(second.result.state == .down && !second.isOurs)
  }

  private func settle(_ desk: QuorumDesk, _ check: MonitoringCheck, _ verdict: Verdict) async
    -> QuorumDesk.Settled
  {
    let now = Timestamp.now()
    let result = CheckResult(
      id: check.id, check: check, trigger: .schedule, scheduledAt: now, startedAt: now, late: .zero,
      verdict: verdict)
    return await withCheckedContinuation { continuation in
      desk.take(result, of: check) { continuation.resume(returning: $0) }
    }
  }
}
