// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// What a batch does beside its rows: status of resources, failure counts, the list of agents, and who may.
@Suite struct EffectTests {
  private static let failing = ["status": "\"failure\"", "state": "\"down\""]

  @Test func resourceStatusFollowsTheLatestResultOfEachCheck() async throws {
    try await withBackend { backend in
      try await backend.seed()
      var number = 0
      func post(_ check: Int, _ age: Int, _ change: [String: String] = [:]) async throws -> String {
        number += 1
        let row = row(number, check: check, change.merging(["checked_at": ago(age)]) { $1 })
        #expect(try await backend.ingest([row]).accepted == 1)
        return try await backend.status()
      }
      #expect(try await backend.status() == "unknown")
      #expect(try await post(1, 100) == "up")
      #expect(try await post(2, 99, Self.failing) == "degraded", "one of two fails")
      #expect(
        try await post(1, 98, ["status": "\"timeout\"", "state": "\"down\""]) == "down",
        "a timeout is a failure")
      #expect(try await post(1, 97) == "degraded")
      #expect(try await post(2, 96) == "up")
      #expect(try await post(2, 95, ["state": "\"degraded\""]) == "degraded", "a warning counts as one")
      #expect(try await post(2, 94, ["trigger": "\"manual\""]) == "up", "so does a run somebody asked for")
      #expect(try await post(1, 93, Self.failing.merging(["maintenance": "true"]) { $1 }) == "up")
      #expect(try await post(1, 5000, Self.failing) == "up", "history fills in behind")
      #expect(try await post(1, -600, Self.failing) == "up", "a clock ten minutes ahead moves nothing")
      try await backend.query("update monitoring_checks set is_enabled = false where id = '\(id(2))'")
      #expect(try await post(1, 90, Self.failing) == "down", "a disabled check says nothing")
      #expect(try await backend.status(of: office) == "unknown")
      let seen =
        "select extract(epoch from now() - last_checked_at)::integer between 85 and 200 from resources"
      #expect(try await backend.query("\(seen) where id = '\(shop)'") == "t")
    }
  }

  @Test func failureCountIsThatOfTheLastFailuresInARow() async throws {
    try await withBackend { backend in
      try await backend.seed()
      _ = try await backend.ingest([
        row(3, ["checked_at": ago(70)]), row(1, Self.failing.merging(["checked_at": ago(80)]) { $1 }),
        row(4, ["checked_at": ago(60), "status": "\"timeout\""]),
        row(5, Self.failing.merging(["checked_at": ago(50)]) { $1 }),
        row(6, check: 2, Self.failing.merging(["checked_at": ago(50)]) { $1 }),
      ])
      #expect(try await backend.failures() == "2", "the success before them does not count, the timeout does")
      #expect(try await backend.failures(of: 2) == "1")
      _ = try await backend.ingest([row(7, Self.failing.merging(["checked_at": ago(40)]) { $1 })])
      #expect(try await backend.failures() == "3")
      _ = try await backend.ingest([row(7, Self.failing.merging(["checked_at": ago(40)]) { $1 })])
      #expect(try await backend.failures() == "3", "a duplicate counts for nothing")
      _ = try await backend.ingest([
        row(8, ["checked_at": ago(4000)]), row(9, ["checked_at": ago(30), "trigger": "\"manual\""]),
        row(10, ["checked_at": ago(30), "maintenance": "true"]), row(11, ["checked_at": ago(-900)]),
      ])
      #expect(
        try await backend.failures() == "3",
        "history, manual runs, maintenance and the future count for nothing")
      _ = try await backend.ingest([row(12, ["checked_at": ago(20)])])
      #expect(try await backend.failures() == "0")
      try await backend.query(
        "update monitoring_checks set current_failure_count = null where id = '\(id(1))'")
      _ = try await backend.ingest([row(13, Self.failing.merging(["checked_at": ago(10)]) { $1 })])
      #expect(try await backend.failures() == "1")
    }
  }

  /// Concurrent batches of one check: neither a deadlock nor a count beyond the failures there were.
  @Test func concurrentFailuresOfOneCheck() async throws {
    try await withBackend { backend in
      try await backend.seed()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for check in 1...3 {
          for number in 1...4 {
            let row = row(
              check * 10 + number, check: check, Self.failing.merging(["checked_at": ago(60 - number)]) { $1 }
            )
            group.addTask { _ = try await backend.ingestAsAnAgent([row]) }
          }
        }
        try await group.waitForAll()
      }
      // A batch that came in after a later one fills in history; each other one counted once.
      let counts = try await backend.query(
        """
        select bool_and(current_failure_count between 1 and 4) from monitoring_checks where resource_id = '\(shop)'
        """)
      #expect(counts == "t")
      #expect(try await backend.status() == "down")
      #expect(try await backend.stored() == 12)
    }
  }

  @Test func emptyBatchIsASignOfLife() async throws {
    try await withBackend { backend in
      try await backend.seed()
      let report =
        #"{"name":"london-1","region":"eu-west","version":"1.2.3","spool_depth":7,"oldest_s":31,"#
        + #""config_version":"a1b2","lag_s":0}"#
      #expect(
        try await backend.ingest([], agent: report) == Verdicts(accepted: 0, duplicates: 0, rejected: []))
      let health = """
        select name, region, version, results, spool_depth, oldest_s, lag_s, config_version, is_silent,
          last_result_at is null from monitoring_agents_health
        """
      #expect(try await backend.query(health) == "london-1|eu-west|1.2.3|0|7|31|0|a1b2|f|t")
      try await backend.query("update monitoring_agents set last_seen = now() - interval '1 hour'")
      #expect(try await backend.query("select is_silent from monitoring_agents_health") == "t")
      _ = try await backend.ingest([row(1)])
      #expect(try await backend.query(health) == "london-1|eu-west|1.2.3|1|7|31|0|a1b2|f|f")
      _ = try await backend.ingest(
        [],
        agent:
          #"{"name":"paris-1","version":"1","spool_depth":"many","lag_s":-4,"lost_from":999999999999999}"#)
      #expect(
        try await backend.query("select count(*), count(spool_depth), count(lag_s) from monitoring_agents")
          == "2|1|1",
        "a report that makes no sense refuses nothing")
      let lost =
        "select lost, extract(epoch from lost_from)::bigint, lost_to is null from monitoring_agents_health"
        + " where name = 'london-1'"
      let losing = #"{"name":"london-1","version":"1.2.3","lost":42,"lost_from":1700000000}"#
      _ = try await backend.ingest([], agent: losing)
      #expect(try await backend.query(lost) == "42|1700000000|t")
      _ = try await backend.ingest([row(2)])
      #expect(
        try await backend.query(lost) == "42|1700000000|t", "an agent that says nothing of it changes nothing"
      )
      _ = try await backend.ingest([], agent: #"{"name":"london-1","version":"1.2.3","lost":0}"#)
      #expect(try await backend.query(lost) == "0||t")
    }
  }

  @Test func keyNeedsAScopeAndStaysWithinIt() async throws {
    try await withBackend { backend in
      try await backend.seed()
      let other = id(800_002)
      try await backend.query(
        "insert into api_keys (id, name, key_hash, key_prefix) values ('\(other)', 'web', 'hash2', 'qtz_')")
      let post = Backend.ingest([row(1), row(2, check: 501)], key: other)
      #expect(try await backend.refusal(post, as: "service_role") == "42501", "no scope, no right")
      try await backend.query(
        "insert into agent_key_scopes values ('\(other)', true, 'london-1', array['\(shop)'::uuid])")
      let text = try await backend.query(post, as: "service_role")
      let verdicts = try JSONDecoder().decode(Verdicts.self, from: Data(text.utf8))
      #expect(verdicts.accepted == 1)
      #expect(verdicts.rejected.map(\.code) == ["42501"])
      #expect(verdicts.rejected.map(\.id) == [id(2)], "another client's check")
      let asOther = Backend.ingest([row(3)], key: other, agent: #"{"name":"paris-1","version":"1"}"#)
      #expect(try await backend.refusal(asOther, as: "service_role") == "42501", "the key is london-1's")
      try await backend.query("update agent_key_scopes set may_post = false where api_key_id = '\(other)'")
      #expect(try await backend.refusal(post, as: "service_role") == "42501")
      try await backend.query("delete from api_keys where id = '\(other)'")
      #expect(
        try await backend.query("select count(*) from monitoring_agents") == "0",
        "a key takes its agents along")
    }
  }

  /// Neither a visitor nor a team member gets past the edge function.
  @Test(arguments: ["anon", "authenticated"])
  func onlyTheEdgeFunctionMayCall(role: String) async throws {
    try await withBackend { backend in
      try await backend.seed()
      #expect(try await backend.refusal(Backend.ingest([row(1)]), as: role) == "42501")
      #expect(try await backend.refusal("select agent_key_scope('\(agentKey)')", as: role) == "42501")
      #expect(try await backend.refusal("select quartz_agent.to_uuid('1')", as: role) == "42501")
      let anyone =
        "insert into monitoring_agents (api_key_id, name, version) values ('\(agentKey)', 'x', '1')"
      #expect(try await backend.refusal(anyone, as: role) == "42501")
      guard role == "authenticated" else {
        #expect(try await backend.refusal("select * from monitoring_agents", as: role) == "42501")
        return
      }
      _ = try await backend.ingest([])
      let see = "select count(*) from monitoring_agents_health"
      #expect(try await backend.query(see, as: role) == "0", "an account without a role sees no agents")
      let user = try await backend.query("insert into auth.users default values returning id")
      try await backend.query("insert into user_roles (user_id, role) values ('\(user)', 'viewer')")
      let asUser = "set request.jwt.claim.sub = '\(user)'; "
      #expect(try await backend.query(asUser + see, as: role) == "1")
      #expect(try await backend.query(asUser + "select count(*) from agent_key_scopes", as: role) == "0")
      try await backend.query("update user_roles set role = 'admin'")
      #expect(try await backend.query(asUser + "select count(*) from agent_key_scopes", as: role) == "1")
    }
  }
}
