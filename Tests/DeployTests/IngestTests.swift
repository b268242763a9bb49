// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// `ingest_check_results` on a real PostgreSQL: what is stored, and what each row is told.
@Suite struct IngestTests {
  /// A second run of the migration changes nothing, and neither touches what was there.
  @Test func migrationRunsAgain() async throws {
    try await withBackend { backend in
      try await backend.seed()
      try await backend.query(
        "insert into check_results (monitoring_check_id, status) values ('\(id(1))', 'timeout')")
      let everything = "select row_to_json(r) from check_results r"
      let before = try await backend.query(everything)
      let first = try await dump(backend, "first")
      try await backend.migrate()
      try await backend.migrate()
      #expect(try await dump(backend, "second") == first)
      #expect(first.contains("ingest_check_results"))
      #expect(try await backend.query(everything) == before)
      #expect(try await backend.query("select count(*) from agent_key_scopes") == "1")
    }
  }

  private func dump(_ backend: Backend, _ name: String) async throws -> String {
    let file = backend.folder.appending(path: name)
    try await backend.run(
      "\(Backend.programs)/pg_dump",
      ["-h", backend.folder.path, "-U", "postgres", "--schema-only", "-f", file.path])
    // Newer releases write a random word around the dump.
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      .filter { !$0.contains("restrict ") }.joined(separator: "\n")
  }

  @Test func everyRowGetsItsOwnVerdict() async throws {
    let cases: [(code: String, change: [String: String])] = [
      ("22P02", ["status": "\"warning\""]), ("22P02", ["status": "\"up\""]), ("22P02", ["status": "7"]),
      ("23502", ["status": "null"]),
      ("22P02", ["response_time_ms": "12.5"]), ("22P02", ["response_time_ms": "0.4"]),
      ("22P02", ["response_time_ms": "12.0"]), ("22P02", ["response_time_ms": "\"7\""]),
      ("22003", ["response_time_ms": "2147483648"]), ("22003", ["response_time_ms": "-1"]),
      ("22003", ["status_code": "99999999999999999999999999"]),
      ("22003", ["ssl_days_remaining": "-2147483649"]),
      ("23502", ["checked_at": "null"]), ("22007", ["checked_at": "\"yesterday\""]),
      ("22007", ["checked_at": "\"2026-02-30T00:00:00Z\""]), ("22007", ["checked_at": "1767492000"]),
      ("22007", ["checked_at": "\"infinity\""]), ("22007", ["scheduled_at": "\"2026-01-04\""]),
      ("22007", ["ssl_expiry_date": "\"2026-01-04T02:00:00+99:00\""]),
      ("22P02", ["error_message": "{}"]), ("22P02", ["trigger": "\"replay\""]),
      ("22P02", ["state": "\"unknown\""]),
      ("22P02", ["reason": "[]"]), ("22P02", ["maintenance": "\"no\""]),
      ("22P02", ["monitoring_check_id": "\"1\""]), ("22P02", ["monitoring_check_id": "null"]),
      ("23503", ["monitoring_check_id": "\"\(id(777))\""]),
    ]
    try await withBackend { backend in
      try await backend.seed()
      let bad = cases.enumerated().map { row(100 + $0.offset, $0.element.change) }
      let good = [
        row(1), row(2, ["response_time_ms": "null", "status_code": "0"]),
        row(3, ["ssl_days_remaining": "-3", "ssl_expiry_date": "\"2026-01-01T00:00:00+05:30\""]),
        row(4, ["checked_at": "\"2026-01-04T02:00:00Z\"", "something_new": "[1,{}]"]),
        row(5, ["error_message": "\"it''s \\\"quoted\\\" \\\\ and ü\""]),
      ]
      let verdicts = try await backend.ingest(good + bad)
      #expect(verdicts.accepted == good.count)
      #expect(verdicts.total == good.count + bad.count)
      #expect(verdicts.rejected.map(\.id) == cases.indices.map { id(100 + $0) })
      for (rejection, wanted) in zip(verdicts.rejected, cases) {
        #expect(rejection.code == wanted.code, "\(wanted.change): \(rejection.message)")
        #expect(!rejection.message.isEmpty)
      }
      #expect(verdicts.rejected.last?.message.contains("(monitoring_check_id)=(\(id(777)))") == true)
      #expect(try await backend.stored() == good.count)
      let third = try await backend.query(
        """
        select agent, region, trigger, state, maintenance, ssl_days_remaining,
          ssl_expiry_date = '2025-12-31T18:30:00Z', scheduled_at = '2026-01-04T02:00:00Z'
        from check_results where id = '\(id(3))'
        """)
      #expect(third == "london-1|eu-west|schedule|up|f|-3|t|t")
    }
  }

  @Test func wholeBatchesAreRefusedWithACode() async throws {
    try await withBackend { backend in
      try await backend.seed()
      let tooMany = (1...10_001).map { row($0) }
      #expect(try await backend.refusal(Backend.ingest(tooMany), as: "service_role") == "54000")
      #expect(try await backend.refusal(Backend.ingest([row(1), "{}"]), as: "service_role") == "22023")
      #expect(try await backend.refusal(Backend.ingest([row(1), "7"]), as: "service_role") == "22023")
      for agent in ["{}", #"{"name":"a"}"#, #"{"name":"","version":"1"}"#, "[]"] {
        #expect(
          try await backend.refusal(Backend.ingest([row(1)], agent: agent), as: "service_role") == "22023")
      }
      #expect(try await backend.stored() == 0, "nothing of a refused batch stays")
    }
  }

  /// A lost answer: the same rows again, then some of them with new ones, then one twice in a batch.
  @Test func whatIsThereIsADuplicate() async throws {
    try await withBackend { backend in
      try await backend.seed()
      let rows = (1...50).map { row($0) }
      #expect(try await backend.ingest(rows).accepted == 50)
      #expect(try await backend.ingest(rows) == Verdicts(accepted: 0, duplicates: 50, rejected: []))
      let mixed = (41...60).map { row($0, ["status": "\"failure\""]) } + [row(60), row(60)]
      #expect(try await backend.ingest(mixed) == Verdicts(accepted: 10, duplicates: 12, rejected: []))
      #expect(try await backend.stored() == 60)
      let kept = "select count(*) from check_results where status = 'success'"
      #expect(try await backend.query(kept) == "50", "what was stored first stays")
    }
  }

  /// Ten batches at once, overlapping, in different orders, while one of their checks is deleted.
  @Test func concurrentBatchesStoreEachRowOnce() async throws {
    try await withBackend { backend in
      try await backend.seed(checks: 20)
      let verdicts = try await withThrowingTaskGroup(of: Verdicts?.self) { group in
        for batch in 0..<10 {
          group.addTask {
            let rows = (1...200).map { row($0 + batch * 100, check: 1 + ($0 + batch * 100) % 20) }
            return try await backend.ingestAsAnAgent(batch % 2 == 0 ? rows : rows.reversed())
          }
        }
        group.addTask {
          try await backend.query("delete from monitoring_checks where id = '\(id(7))'")
          return nil
        }
        return try await group.reduce(into: [Verdicts]()) { if let verdict = $1 { $0.append(verdict) } }
      }
      #expect(verdicts.count == 10)
      #expect(verdicts.allSatisfy { $0.total == 200 })
      #expect(verdicts.flatMap(\.rejected).allSatisfy { $0.code == "23503" })
      #expect(try await backend.stored() == 1100 - 1100 / 20, "each id once, and none of the deleted check")
    }
  }

  /// A check deleted between two batches, and one whose resource goes while its batch waits.
  @Test func rowsOfADeletedCheckAreRejectedAlone() async throws {
    try await withBackend { backend in
      try await backend.seed()
      try await backend.query("delete from monitoring_checks where id = '\(id(2))'")
      let verdicts = try await backend.ingest((1...500).map { row($0, check: 1 + $0 % 3) })
      #expect(verdicts.accepted == 500 - 167)
      #expect(Set(verdicts.rejected.map(\.code)) == ["23503"])
      #expect(verdicts.rejected.count == 167)
    }
  }

  @Test func tenThousandRowsAtOnce() async throws {
    try await withBackend { backend in
      try await backend.seed(checks: 250)
      let rows = (1...10_000).map { number in
        row(
          number, check: 1 + number % 250,
          ["checked_at": ago(10_000 - number), "status": number % 2 == 0 ? "\"success\"" : "\"timeout\""])
      }
      let start = ContinuousClock.now
      let verdicts = try await backend.ingest(rows)
      print("10,000 rows in one batch: \(start.duration(to: .now)), psql and the transfer included")
      #expect(verdicts == Verdicts(accepted: 10_000, duplicates: 0, rejected: []))
      #expect(try await backend.stored() == 10_000)
      #expect(try await backend.ingest(rows) == Verdicts(accepted: 0, duplicates: 10_000, rejected: []))
      #expect(try await backend.query("select results from monitoring_agents") == "10000")
    }
  }
}
