// SPDX-License-Identifier: MIT

import Basics
import Curl
import Foundation
import Groups
import NetworkTestSupport
import Synchronization
import TestSupport
import Testing

/// The one watch of several readers against Debian's own etcd.
@Suite(.serialized) struct EtcdWatchTests {
  private struct Unexpected: Error {}

  private final class Told: Sendable {
    let words = Mutex<[String]>([])
  }

  /// Readers share one watch: one that may not read its keys is told so, and the others go on. A token that is void is asked
  /// for again.
  @Test func oneWatchForSeveralReaders() async throws {
    try await EtcdServer.with { server in
      try await server.allowLondon()
      try await withCurlEngine { engine in
        var settings = EtcdSettings(endpoints: try server.urls.map { try HTTPURL($0) })
        (settings.user, settings.password) = ("quartz-london", Redacted("sesame"))
        let client = EtcdClient(settings, over: .test(engine))
        let store = EtcdStore(
          client: client, keys: EtcdKeys(prefix: "/quartz/", group: "london"), name: "a")
        let open = EtcdIncidents(client: client, prefix: "/quartz/", group: "london")
        let told = Told()
        let watch = Task {
          while !Task.isCancelled {
            _ = try? await store.watch(after: 1) { changes in
              told.words.withLock { $0 += changes.map { "members \($0.revision)" } }
            }
            try? await Task.sleep(for: .milliseconds(200))
          }
        }
        defer { watch.cancel() }
        let incidents = Task {
          await open.watchIncidents(after: 1) { entries in
            told.words.withLock { $0 += entries.map { "incident \($0.check)" } }
          }
        }
        defer { incidents.cancel() }
        let denied = await EtcdQuorum(client: client, prefix: "/quartz/").watchQuorum(after: 1) { _ in }
        guard case .trouble(let trouble) = denied else { throw Unexpected() }
        #expect(trouble.kind == .denied)
        let check = UniqueID(high: 7, low: 1)
        guard case .granted(let lease) = try await store.ask(.grant(seconds: 5)),
          case .claimed(let revision) = try await store.ask(
            .claim(lease: lease, card: MemberCard(), replacing: nil)),
          case .success(.some) = await open.write([IncidentChange(check, [1], replacing: 0)])
        else { throw Unexpected() }
        try await until("the member and the incident told") {
          told.words.withLock { $0.contains("members \(revision)") && $0.contains("incident \(check)") }
        }
        told.words.withLock { $0 = [] }
        try await server.restart(0)
        // The watch is refused with the token of before, and begun again with another.
        try await until("told again") { told.words.withLock { $0.contains("members \(revision)") } }
      }
    }
  }
}
