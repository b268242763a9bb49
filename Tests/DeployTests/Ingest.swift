// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// Ids that read well in a failed test.
func id(_ number: Int) -> String {
  "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - "\(number)".count) + "\(number)"
}

let shop = id(900_001)
let office = id(900_002)
let agentKey = id(800_001)

/// A row as an agent posts it; `change` replaces members, with JSON text.
func row(_ number: Int, check: Int = 1, _ change: [String: String] = [:]) -> String {
  var members = [
    "id": "\"\(id(number))\"", "monitoring_check_id": "\"\(id(check))\"", "status": "\"success\"",
    "response_time_ms": "12", "status_code": "200", "error_message": "null", "ssl_expiry_date": "null",
    "ssl_days_remaining": "null", "checked_at": "\"2026-01-04T02:00:00.123Z\"",
    "scheduled_at": "\"2026-01-04T02:00:00.000Z\"", "trigger": "\"schedule\"", "state": "\"up\"",
    "reason": "\"ok\"", "maintenance": "false",
  ]
  for (name, value) in change { members[name] = value }
  return "{" + members.sorted { $0.key < $1.key }.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
}

/// An instant of the server's clock, so many seconds ago, as JSON text.
func ago(_ seconds: Int) -> String {
  let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
  return "\"\(Date(timeIntervalSinceNow: -Double(seconds)).formatted(style))\""
}

struct Verdicts: Decodable, Equatable {
  struct Rejection: Decodable, Equatable {
    var id: String
    var code: String
    var message: String
  }
  var accepted: Int
  var duplicates: Int
  var rejected: [Rejection]

  var total: Int { accepted + duplicates + rejected.count }
}

extension Backend {
  /// Two resources with checks 1 to `checks` in the first and 501 to 503 in the second, and a key that may post.
  func seed(checks: Int = 3) async throws {
    try await query(
      """
      insert into resources (id, name, resource_type) values
        ('\(shop)', 'Shop', 'website'), ('\(office)', 'Office', 'server');
      insert into monitoring_checks (id, resource_id, check_type, url)
        select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid,
          case when n < 500 then '\(shop)' else '\(office)' end::uuid, 'http', 'https://shop.example/'
        from (select generate_series(1, \(checks)) union select generate_series(501, 503)) as s (n);
      insert into api_keys (id, name, key_hash, key_prefix) values ('\(agentKey)', 'agent', 'hash', 'qtz_');
      insert into agent_key_scopes (api_key_id) values ('\(agentKey)');
      """)
  }

  /// One more key that may post for everything.
  func addKey(_ key: String) async throws {
    try await query(
      """
      insert into api_keys (id, name, key_hash, key_prefix) values ('\(key)', 'other', 'hash-\(key)', 'qtz_');
      insert into agent_key_scopes (api_key_id) values ('\(key)');
      """)
  }

  /// Until the query says so; the test's own time limit ends it.
  func waitFor(_ sql: String, _ answer: String) async throws {
    try await until("\(answer) of \(sql)") { try await query(sql) == answer }
  }

  /// The statement that posts a batch.
  static func ingest(_ rows: [String], key: String = agentKey, agent: String = defaultAgent) -> String {
    "select public.ingest_check_results('\(key)', '\(agent)', $rows$[\(rows.joined(separator: ","))]$rows$);"
  }

  static let defaultAgent = #"{"name":"london-1","region":"eu-west","version":"1.2.3"}"#

  /// On a slow machine a batch waits longer for others than it may, and is sent again, as agents do.
  func ingestAsAnAgent(_ rows: [String]) async throws -> Verdicts {
    for _ in 0..<20 {
      do {
        return try await ingest(rows)
      } catch {
        guard "\(error)".contains("55P03") else { throw error }
      }
    }
    return try await ingest(rows)
  }

  func ingest(
    _ rows: [String], key: String = agentKey, agent: String = defaultAgent
  ) async throws -> Verdicts {
    let text = try await query(Self.ingest(rows, key: key, agent: agent), as: "service_role")
    return try JSONDecoder().decode(Verdicts.self, from: Data(text.utf8))
  }

  func status(of resource: String = shop) async throws -> String {
    try await query("select status from resources where id = '\(resource)'")
  }

  func failures(of check: Int = 1) async throws -> String {
    try await query("select current_failure_count from monitoring_checks where id = '\(id(check))'")
  }

  func stored() async throws -> Int { Int(try await query("select count(*) from check_results")) ?? -1 }
}
