// SPDX-License-Identifier: MIT

import Basics
import Curl
import Foundation
import Monitoring
import Network
import NetworkTestSupport
import QuartzAPI
import TestSupport
import Testing

/// The route of the edge function: its types, its answers, and the agent's own transport against it and a real
/// database.
@Suite struct RouteTests {
  /// Strict type checking, and the JavaScript that node runs.
  private func compile(in folder: URL) throws -> URL {
    let sources = ["check-results", "app-compat"].map {
      Backend.repository.appending(path: "deploy/quartz/\($0).ts").path
    }
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/tsc") else {
      throw MissingServer(program: "/usr/bin/tsc", debianPackage: "node-typescript")
    }
    try runTool(
      "/usr/bin/tsc",
      [
        "--strict", "--noUnusedLocals", "--noUnusedParameters", "--noImplicitReturns",
        "--exactOptionalPropertyTypes",
        "--target", "es2022", "--module", "es2022", "--lib", "es2022,dom", "--outDir", folder.path,
      ] + sources, in: folder)
    for name in ["check-results", "app-compat"] {
      try FileManager.default.moveItem(
        at: folder.appending(path: "\(name).js"), to: folder.appending(path: "\(name).mjs"))
    }
    return folder.appending(path: "check-results.mjs")
  }

  /// Against a database that answers as told: statuses, codes, limits, and text that PostgreSQL cannot hold.
  @Test func answersByTheDatabasesCode() async throws {
    try await withTemporaryDirectory { folder in
      _ = try compile(in: folder)
      let script = Backend.repository.appending(path: "Tests/DeployTests/Backend/route.test.mjs")
      let copy = folder.appending(path: "route.test.mjs")
      try FileManager.default.copyItem(at: script, to: copy)
      try runTool("/usr/bin/node", [copy.path], in: folder)
    }
  }

  /// The agent's transport, the route, the function, the tables: all of them real.
  @Test func agentPostsThroughTheRouteIntoTheDatabase() async throws {
    try await withBackend { backend in
      try await backend.seed()
      try await withRoute(backend) { base in
        try await withCurlEngine(trust: TrustStore()) { engine in
          let exchange = OriginExchange(to: base, over: .test(engine))
          let wire = Wire(exchange: exchange, now: { .now() }) { _ throws(CancellationError) in }
          let keys = KeyRing(Redacted("qtz_agent"))
          let transport = QuartzTransport(
            QuartzSettings(url: base, apiKey: keys.key), keys: keys,
            agent: Sender(name: "london-1", region: "eu-west", version: "1.2.3"), over: wire)
          let records = try (1...600).map { try self.record($0, check: $0 == 300 ? 777 : 1 + $0 % 3) }
          let first = try await transport.deliver(records)
          let gone = Acknowledgement.Rejection(id: records[299].id, code: "23503")
          #expect(
            first.outcome == .acknowledged(Acknowledgement(accepted: 599, duplicates: 0, rejected: [gone])))
          let again = try await transport.deliver(records)
          #expect(
            again.outcome == .acknowledged(Acknowledgement(accepted: 0, duplicates: 599, rejected: [gone])))
          #expect(try await backend.stored() == 599)
          #expect(try await backend.status() == "up")

          try await backend.query("update monitoring_agents set last_seen = 'epoch'")
          let sign = try await transport.deliver([])
          #expect(sign.outcome == .acknowledged(Acknowledgement(accepted: 0, duplicates: 0)))
          #expect(try await backend.query("select is_silent from monitoring_agents_health") == "f")

          try await backend.query("delete from agent_key_scopes")
          let refused = try await transport.deliver(records)
          guard case .unauthorized(let trouble) = refused.outcome else {
            Issue.record("\(refused.outcome)")
            return
          }
          #expect(trouble.what.contains("but not for writing results"))
          #expect(trouble.what.contains("42501"))
        }
      }
    }
  }

  /// A key with a scope lists its own checks and nothing else.
  @Test func agentKeyReadsItsOwnChecksOnly() async throws {
    try await withBackend { backend in
      try await backend.seed(checks: 120)
      try await backend.query(
        """
        update agent_key_scopes set resource_ids = array['\(shop)'::uuid];
        insert into maintenance_windows (resource_id, title, starts_at, ends_at, is_recurring, recurrence_pattern) values
          ('\(shop)', 'Patch night', '2026-01-04T02:00:00Z', '2026-01-04T04:00:00Z', true, 'weekly'),
          ('\(office)', 'Another client', '2026-01-04T02:00:00Z', '2026-01-04T04:00:00Z', null, null);
        """)
      try await withRoute(backend) { base in
        try await withCurlEngine(trust: TrustStore()) { engine in
          let exchange = OriginExchange(to: base, over: .test(engine))
          let wire = Wire(exchange: exchange, now: { .now() }) { _ throws(CancellationError) in }
          let client = APIClient(base: base, keys: KeyRing(Redacted("qtz_agent")), over: wire)
          guard case .snapshot(let snapshot) = try await client.pullChecks() else {
            Issue.record("no list")
            return
          }
          #expect(snapshot.checks.count == 120)
          #expect(Set(snapshot.checks.map(\.resourceID)) == [try #require(UniqueID(shop))])
          let windows = try await client.pullWindows().get()
          #expect(windows.map(\.title) == ["Patch night"])
          #expect(
            windows.first.flatMap { Timestamp(rfc3339: $0.starts) }
              == Timestamp(rfc3339: "2026-01-04T02:00:00Z"))
          #expect(windows.first?.recurrence == "weekly")
          let one = APIRequest(
            .get, base.appending("monitoring-checks/\(id(501))"),
            headers: [HeaderField("X-API-Key", "qtz_agent")])
          guard case .response(let response) = try await exchange.exchange(one) else {
            Issue.record("no answer")
            return
          }
          #expect(response.status == 403)
        }
      }
    }
  }

  private func withRoute(_ backend: Backend, _ body: (HTTPURL) async throws -> Void) async throws {
    let module = try compile(in: backend.folder)
    let script = Backend.repository.appending(path: "Tests/DeployTests/Backend/serve.mjs")
    let portFile = backend.folder.appending(path: "port")
    let server = try RealServer(
      "/usr/bin/node", [script.path, module.path, backend.folder.path, portFile.path, "qtz_agent", agentKey],
      debianPackage: "nodejs", log: backend.folder.appending(path: "node.log"))
    defer { server.stop() }
    try await server.waitUntilThere(portFile)
    try await body(HTTPURL("http://127.0.0.1:\(String(contentsOf: portFile, encoding: .utf8))/v1"))
  }

  private func record(_ number: Int, check: Int) throws -> DeliveryRecord {
    let start = Timestamp.now().advanced(by: .seconds(number - 600))
    return DeliveryRecord(
      id: UniqueID(high: 0x7000, low: UInt64(number)), checkID: try #require(UniqueID(id(check))),
      agent: "test",
      scheduledAt: start, startedAt: start, trigger: .schedule, status: .success, state: .up, reason: .ok,
      phase: nil, statusCode: 200, responseTime: .microseconds(12_400), timings: Timings(),
      certificateNotAfter: nil, message: nil, flags: .post)
  }
}
