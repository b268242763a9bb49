// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Groups of agents and places on a real PostgreSQL: whose word moves a status, and how many places make one.
@Suite struct LocationTests {
  private static let failing = ["status": "\"failure\"", "state": "\"down\""]

  private func member(_ name: String, _ location: String = "london") -> String {
    #"{"name":"\#(name)","version":"1.2.3","location":"\#(location)"}"#
  }

  private func change(_ age: Int, rev: Int?, isDown: Bool = false) -> [String: String] {
    var change = isDown ? Self.failing : [:]
    change["checked_at"] = ago(age)
    if let rev { change["owner_rev"] = "\(rev)" }
    return change
  }

  /// An agent that stood still goes on with a check that another one has by now.
  @Test func whoHadTheCheckBeforeMovesNothing() async throws {
    try await withBackend { backend in
      try await backend.seed(checks: 1)
      try await backend.query(
        "update agent_key_scopes set locations = array['london', 'paris', 'ny', 'tokyo']")
      let (one, two) = (member("london-1"), member("london-2"))
      _ = try await backend.ingest([row(1, change(200, rev: 5))], agent: one)
      #expect(try await backend.status() == "up")
      _ = try await backend.ingest([row(2, change(100, rev: 9, isDown: true))], agent: two)
      #expect(try await backend.status() == "down")
      #expect(try await backend.failures() == "1")
      let late = try await backend.ingest([row(3, change(50, rev: 5))], agent: one)
      #expect(late == Verdicts(accepted: 1, duplicates: 0, rejected: []), "it is history all the same")
      #expect(try await backend.status() == "down")
      #expect(try await backend.failures() == "1")
      let stored = "select owner_rev, location from check_results where id = '\(id(3))'"
      #expect(try await backend.query(stored) == "5|london")
      // The same revision goes on, and one that stands in for it has none.
      _ = try await backend.ingest([row(4, change(40, rev: 9))], agent: two)
      #expect(try await backend.status() == "up")
      _ = try await backend.ingest([row(5, change(30, rev: nil, isDown: true))], agent: one)
      #expect(try await backend.status() == "down")
      // A place has its own store: its revisions are not these.
      _ = try await backend.ingest([row(6, change(20, rev: 2))], agent: member("paris-1", "paris"))
      #expect(try await backend.status() == "up", "the latest of any place")
    }
  }

  /// What the new owner found comes after what the old one found later: the new one's word holds.
  @Test func theNewOwnersWordComesLate() async throws {
    try await withBackend { backend in
      try await backend.seed(checks: 1)
      try await backend.query(
        "update agent_key_scopes set locations = array['london', 'paris', 'ny', 'tokyo']")
      _ = try await backend.ingest([row(1, change(20, rev: 5))], agent: member("london-1"))
      _ = try await backend.ingest([row(2, change(60, rev: 9, isDown: true))], agent: member("london-2"))
      #expect(try await backend.status() == "down")
    }
  }

  /// A group gets another store, and its revisions begin again: after three runs and a minute nobody remembers the old ones.
  @Test func revisionsMayBeginAnew() async throws {
    try await withBackend { backend in
      try await backend.seed(checks: 1)
      try await backend.query(
        "update agent_key_scopes set locations = array['london', 'paris', 'ny', 'tokyo']")
      _ = try await backend.ingest([row(1, change(400, rev: 900, isDown: true))], agent: member("london-1"))
      #expect(try await backend.status() == "down")
      _ = try await backend.ingest([row(2, change(200, rev: 3))], agent: member("london-1"))
      #expect(try await backend.status() == "down")
      _ = try await backend.ingest([row(3, change(100, rev: 3))], agent: member("london-1"))
      #expect(try await backend.status() == "up")
      _ = try await backend.ingest([row(4, change(90, rev: 3, isDown: true))], agent: member("london-1"))
      #expect(try await backend.status() == "down", "and the new ones count")
    }
  }

  /// `needed` of the places that report; fewer make it degraded; where fewer report, the latest word.
  @Test func placesAreCountedWhereConfigured() async throws {
    try await withBackend { backend in
      try await backend.seed(checks: 1)
      try await backend.query(
        "update agent_key_scopes set locations = array['london', 'paris', 'ny', 'tokyo']")
      try await backend.query(
        "insert into check_confirmations values ('\(id(1))', 2, array['london', 'paris', 'ny'])")
      var number = 0
      func post(_ place: String, _ age: Int, isDown: Bool) async throws -> String {
        number += 1
        let row = row(number, change(age, rev: 5, isDown: isDown))
        #expect(try await backend.ingest([row], agent: member("\(place)-1", place)).accepted == 1)
        return try await backend.status()
      }
      #expect(try await post("london", 300, isDown: true) == "down", "nobody else reports: its own word")
      #expect(try await post("paris", 290, isDown: false) == "degraded", "one of two places")
      #expect(try await post("ny", 280, isDown: false) == "degraded")
      #expect(try await post("tokyo", 275, isDown: true) == "degraded", "it has no say")
      #expect(try await post("paris", 270, isDown: true) == "down", "two of three")
      #expect(try await post("london", 260, isDown: false) == "degraded")
      #expect(try await post("paris", 250, isDown: false) == "up")
      // A place that is gone has no say any more.
      try await backend.query(
        "update check_locations set checked_at = now() - interval '2 hours' where location <> 'london'")
      #expect(try await post("london", 240, isDown: true) == "down")
    }
  }

  /// One key for the agents of a group, and no other agent.
  @Test func aGroupsKey() async throws {
    try await withBackend { backend in
      try await backend.seed(checks: 1)
      try await backend.query(
        "update agent_key_scopes set locations = array['london', 'paris', 'ny', 'tokyo']")
      try await backend.query("update agent_key_scopes set agent_names = array['london-1', 'london-2']")
      for name in ["london-1", "london-2"] {
        #expect(try await backend.ingest([], agent: member(name)).total == 0)
      }
      func refusal(_ name: String) async throws -> String? {
        try await backend.refusal(Backend.ingest([row(1)], agent: member(name)), as: "service_role")
      }
      #expect(try await refusal("paris-1") == "42501")
      try await backend.query("update agent_key_scopes set agent_name = 'ny-1'")
      #expect(try await backend.ingest([], agent: member("ny-1")).total == 0)
      #expect(try await backend.ingest([], agent: member("london-2")).total == 0)
      try await backend.query("update agent_key_scopes set agent_names = null")
      #expect(try await refusal("london-2") == "42501")
      let scope = "select agent_key_scope('\(agentKey)') -> 'agent_names'"
      #expect(try await backend.query(scope, as: "service_role") == "null")
    }
  }

  @Test func whatIsNoRevisionIsRejected() async throws {
    try await withBackend { backend in
      try await backend.seed(checks: 1)
      try await backend.query(
        "update agent_key_scopes set locations = array['london', 'paris', 'ny', 'tokyo']")
      let bad = ["-1", "1.5", "\"7\"", "9999999999999999999", "{}"].enumerated().map {
        row(10 + $0.offset, ["owner_rev": $0.element])
      }
      let rows = bad + [row(1, ["owner_rev": "null"])]
      let verdicts = try await backend.ingest(rows, agent: member("london-1"))
      #expect(verdicts.accepted == 1 && verdicts.rejected.allSatisfy { $0.code == "22P02" })
    }
  }
}
