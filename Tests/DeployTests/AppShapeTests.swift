// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// What the published iOS app requires of each answer, with its own decoders: the fields, their types, and its date formats.
@Suite struct AppShapeTests {
  // As azuremonitor/Models of the app, at 5235a98.
  private struct Alert: Decodable, Equatable {
    let id: UUID, message: String, severity: String, resourceId: UUID?, triggeredAt: Date
    let acknowledgedAt: Date?, resolvedAt: Date?, resourceName: String?
    let isActive: Bool?, isAcknowledged: Bool?
  }

  private struct Check: Decodable {
    let id: UUID, resourceId: UUID, name: String, checkType: String?, isEnabled: Bool?, interval: Int?
    let createdAt: Date?
  }

  private struct Result: Decodable {
    let id: UUID, checkId: UUID, status: String, responseTimeMs: Int?, statusCode: Int?, checkedAt: Date?
  }

  private struct Rule: Decodable {
    let id: UUID, name: String, ruleType: String, isEnabled: Bool?, severity: String, resourceId: UUID?
    let threshold: Double?, thresholdOperator: String?, createdAt: Date?, updatedAt: Date?
  }

  private struct Summary: Decodable, Equatable {
    let clientsCount: Int, resourcesCount: Int, activeAlertsCount: Int, openIncidentsCount: Int
    let resourceStatus: Counts
  }

  private struct Counts: Decodable, Equatable { let up: Int, down: Int?, degraded: Int?, unknown: Int? }

  private struct User: Decodable { let id: UUID, fullName: String?, roles: [String], createdAt: Date? }

  private struct Key: Decodable {
    let keyId: UUID, keyName: String, keyPrefix: String, isEnabled: Bool, createdAt: Date
    let lastUsedAt: Date?, requestCount: Int, expiresAt: Date?
  }

  private struct Page<Row: Decodable>: Decodable { let rows: [Row], total: Int }

  /// The first of its formats; the others are not for answers of ours.
  private static func date(_ decoder: any Decoder) throws -> Date {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let date = ISO8601DateFormatter().date(from: text) else { throw Unread(text: text) }
    return date
  }

  private struct Unread: Error { let text: String }

  private func ask<Value: Decodable>(
    _ backend: Backend, _ call: String, _ type: Value.Type
  ) async throws -> Value {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .custom(Self.date)
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(type, from: Data(try await backend.query("select \(call)").utf8))
  }

  @Test func theAppReadsEachAnswer() async throws {
    try await withBackend { backend in
      let repository = Backend.repository
      let psql = ["-h", backend.folder.path, "-U", "postgres", "-X", "-q", "-v", "ON_ERROR_STOP=1"]
      try await backend.run(
        "/usr/bin/psql",
        psql + ["-f", repository.appending(path: "Tests/DeployTests/Backend/alerts.sql").path])
      try await backend.run(
        "/usr/bin/psql",
        psql + ["--single-transaction", "-f", repository.appending(path: "deploy/quartz/install.sql").path])
      try await backend.seed()
      try await backend.query(
        """
        update quartz_agent.settings set alerts = 'on', last_tick = now();
        insert into alert_rules (resource_id, rule_type, threshold_value) values ('\(shop)', 'downtime', 100);
        """)
      let failing = row(1, ["status": "\"failure\"", "state": "\"down\"", "checked_at": ago(30)])
      #expect(try await backend.ingest([failing]).accepted == 1)

      let alerts = try await ask(backend, "app_alerts()", Page<Alert>.self)
      #expect(alerts.total == 1)
      let alert = try #require(alerts.rows.first)
      #expect(alert.isActive == true && alert.severity == "critical")
      #expect(alert.resourceId == UUID(uuidString: shop))
      #expect(alert.resourceName?.isEmpty == false)
      #expect(try await ask(backend, "app_alert('\(alert.id)')", Alert.self) == alert)
      let acked = try await ask(backend, "app_alert('\(alert.id)', 'acknowledge')", Alert.self)
      #expect(acked.acknowledgedAt != nil)
      let checks = try await ask(backend, "app_checks('\(shop)')", Page<Check>.self)
      #expect(!checks.rows.isEmpty && checks.rows.allSatisfy { !$0.name.isEmpty && $0.interval != nil })
      let results = try await ask(backend, "app_results('\(id(1))')", [Result].self)
      #expect(results.map(\.status) == ["down"])
      #expect(try await ask(backend, "app_rules()", [Rule].self).map(\.name) == ["downtime gte 100"])
      let summary = try await ask(backend, "app_dashboard()", Summary.self)
      #expect(summary.activeAlertsCount == 1 && summary.openIncidentsCount == 1)
      #expect(summary.resourceStatus.unknown != nil && summary.resourceStatus.degraded != nil)
      #expect(try await ask(backend, "app_me('\(agentKey)')", User.self).roles == ["viewer"])
      #expect(try await ask(backend, "app_me('\(agentKey)')", Key.self).isEnabled)
    }
  }
}
