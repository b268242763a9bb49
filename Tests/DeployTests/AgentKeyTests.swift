// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// `ingest_check_results` as the holder of a key attacks it: other keys' results, locations and time.
@Suite struct AgentKeyTests {
  private static let failing = ["status": "\"failure\"", "state": "\"down\""]
  private static let other = id(800_002)

  private func rejected(_ number: Int, _ code: String, _ message: String) -> Verdicts.Rejection {
    Verdicts.Rejection(id: id(number), code: code, message: message)
  }

  private func taken(_ number: Int) -> Verdicts.Rejection {
    rejected(number, "23505", "the id is another result's")
  }

  /// Of two keys of one location the first to post an id gets it, and the other one is told: never that its own result is
  /// stored. Whoever takes the id with another check takes nothing: what comes is stored under an id of its own.
  @Test func anIDTakenByAnotherKeyIsARejection() async throws {
    try await withBackend { backend in
      try await backend.seed()
      try await backend.addKey(Self.other)
      let sent = row(1, Self.failing)
      // Squatted with another check, and with the same check and another verdict.
      _ = try await backend.ingest([row(1, check: 501)], key: Self.other)
      _ = try await backend.ingest([row(2)], key: Self.other)
      let verdicts = try await backend.ingest([sent, row(2, Self.failing), row(3)])
      #expect(verdicts == Verdicts(accepted: 2, duplicates: 0, rejected: [taken(2)]))
      let words = verdicts.rejected.map(\.message).joined()
      #expect(!words.contains(id(501)) && !words.contains(Self.other), "nor whose it is")
      #expect(try await backend.query("select status from check_results where id = '\(id(2))'") == "success")
      // It is on record who did it.
      let by = "select agent_key_id from check_results where id = '\(id(1))'"
      #expect(try await backend.query(by) == Self.other)
      let own =
        "select status from check_results where agent_key_id = '\(agentKey)' and id not in ('\(id(2))', '\(id(3))')"
      #expect(try await backend.query(own) == "failure")
      #expect(try await backend.ingest([sent]) == Verdicts(accepted: 0, duplicates: 1, rejected: []))
      #expect(try await backend.query(own) == "failure", "and not twice")
    }
  }

  /// The same check from another location, and what a person inserted: neither may speak for this slot.
  @Test func anIDIsNotTakenFromElsewhere() async throws {
    try await withBackend { backend in
      try await backend.seed()
      try await backend.addKey(Self.other)
      func agent(_ place: String) -> String { #"{"name":"a","version":"1","location":"\#(place)"}"# }
      _ = try await backend.ingest([row(1)], key: Self.other, agent: agent("paris"))
      try await backend.query(
        """
        insert into check_results (id, monitoring_check_id, status, checked_at)
        values ('\(id(2))', '\(id(1))', 'success', '2026-01-01T00:00:00Z')
        """)
      let rows = [row(1, Self.failing), row(2, Self.failing)]
      let all = Verdicts(accepted: 2, duplicates: 0, rejected: [])
      #expect(try await backend.ingest(rows, agent: agent("london")) == all)
      let again = Verdicts(accepted: 0, duplicates: 2, rejected: [])
      #expect(try await backend.ingest(rows, agent: agent("london")) == again)
      let stored = "select count(*) from check_results where location = 'london' and status = 'failure'"
      #expect(try await backend.query(stored) == "2")
    }
  }

  /// A new key for the same agent, and an agent that posted through PostgREST before: what says the same is there.
  @Test func aReplayIsADuplicateAfterAChangeOfKeys() async throws {
    try await withBackend { backend in
      try await backend.seed()
      try await backend.addKey(Self.other)
      let rows = [row(1), row(2, Self.failing), row(3, check: 501)]
      #expect(try await backend.ingest(rows).accepted == 3)
      let replay = try await backend.ingest(rows, key: Self.other)
      #expect(replay == Verdicts(accepted: 0, duplicates: 3, rejected: []))
      try await backend.query("delete from api_keys where id = '\(agentKey)'")
      #expect(try await backend.ingest(rows, key: Self.other).duplicates == 3)
      try await backend.query(
        """
        insert into check_results (id, monitoring_check_id, status, checked_at)
        values ('\(id(4))', '\(id(1))', 'success', '2026-01-04T02:00:00.123Z')
        """)
      #expect(try await backend.ingest([row(4)], key: Self.other).duplicates == 1)
    }
  }

  @Test func anIDTwiceInABatchIsJudgedRowByRow() async throws {
    try await withBackend { backend in
      try await backend.seed()
      let verdicts = try await backend.ingest([
        row(1), row(1, check: 2), row(2, check: 777), row(2), row(3), row(3),
      ])
      let gone = "Key (monitoring_check_id)=(\(id(777))) is not present in table \"monitoring_checks\"."
      #expect(
        verdicts
          == Verdicts(accepted: 3, duplicates: 1, rejected: [rejected(2, "23503", gone), taken(1)]))
      #expect(try await backend.ingest([row(1, check: 2)]).rejected == [taken(1)], "its own key as well")
    }
  }

  /// Two keys post one id at the same moment: the second waits for the first, is to come again, and is stored.
  @Test func twoPostsOfOneIDAtOnce() async throws {
    try await withBackend { backend in
      try await backend.seed()
      try await backend.addKey(Self.other)
      let holding =
        "begin; " + Backend.ingest([row(1, check: 501)], key: Self.other) + """
          select pg_advisory_lock(1);
          do $$ begin
            while not exists (select from pg_locks where not granted) loop perform pg_sleep(0.01); end loop;
          end $$;
          commit;
          """
      async let first = backend.query(holding)
      // It has its row, and waits for the second.
      try await backend.waitFor(
        "select count(*) from pg_locks where locktype = 'advisory' and objid = 1", "1")
      let rows = [row(1, Self.failing), row(2)]
      async let second = backend.refusal(Backend.ingest(rows), as: "service_role")
      let (late, early) = try await (second, first)
      #expect(late == "40001")
      #expect(early.contains("\"accepted\": 1"))
      #expect(try await backend.ingest(rows) == Verdicts(accepted: 2, duplicates: 0, rejected: []))
    }
  }

  /// What is not the key's is not told apart from what is not there, and not locked.
  @Test func otherChecksAreNeitherShownNorHeldUp() async throws {
    try await withBackend { backend in
      try await backend.seed()
      try await backend.query("update agent_key_scopes set resource_ids = array['\(shop)'::uuid, null]")
      // A lock leaves its transaction there; the rows of checks left theirs.
      let resource = "select xmax from resources where id = '\(office)'"
      let before = try await backend.query(resource)
      let rows = [row(1, check: 501), row(2, check: 777), row(3)]
      let verdicts = try await backend.ingest(rows)
      let words = "the check is gone, or this key may not post for its resource"
      #expect(verdicts.rejected == [rejected(1, "42501", words), rejected(2, "42501", words)])
      let locked = "select count(*) from monitoring_checks where xmax <> 0 and resource_id = "
      #expect(try await backend.query(locked + "'\(office)'") == "0")
      #expect(try await backend.query(locked + "'\(shop)'") == "1")
      #expect(try await backend.query(resource) == before)
    }
  }

  /// A key speaks for the locations that it is for; without any listed, for the first one it names.
  @Test func aKeyIsNotThreePlaces() async throws {
    try await withBackend { backend in
      try await backend.seed(checks: 1)
      try await backend.query("insert into check_confirmations values ('\(id(1))', 2, null)")
      func place(_ name: String) -> String { #"{"name":"a","version":"1","location":"\#(name)"}"# }
      func refusal(_ name: String) async throws -> String? {
        try await backend.refusal(
          Backend.ingest([row(9, Self.failing)], agent: place(name)), as: "service_role")
      }
      #expect(
        try await backend.ingest([row(1, ["checked_at": ago(60)])], agent: place("london")).accepted == 1)
      let bound = "select locations from agent_key_scopes"
      #expect(try await backend.query(bound) == "{london}")
      for name in ["paris", "London", "london ", "london,paris", "%", "{london}"] {
        #expect(try await refusal(name) == "42501", "\(name)")
      }
      #expect(try await backend.query("select count(*) from check_locations") == "1")
      #expect(try await backend.status() == "up")
      try await backend.query("update agent_key_scopes set locations = array['london', 'paris']")
      #expect(try await refusal("paris") == nil)
      #expect(try await refusal("tokyo") == "42501")
      try await backend.query("update agent_key_scopes set locations = '{}'")
      #expect(try await refusal("london") == "42501", "an empty list is for agents on their own")
      #expect(try await backend.ingest([row(10)]).accepted == 1)
    }
  }

  /// A revision that no store has by now would silence every other agent of its group.
  @Test func aRevisionFarAheadIsRejected() async throws {
    try await withBackend { backend in
      try await backend.seed(checks: 1)
      func post(_ number: Int, _ rev: String, age: Int) async throws -> String? {
        let row = row(number, ["owner_rev": rev, "checked_at": ago(age)])
        let agent = #"{"name":"a","version":"1","location":"london"}"#
        return try await backend.ingest([row], agent: agent).rejected.first?.code
      }
      #expect(try await post(1, "1000000000001", age: 90) == "22003", "31 years of 1,000 writes a second")
      #expect(try await post(2, "900", age: 80) == nil)
      #expect(try await post(3, "2000000901", age: 70) == "22003")
      #expect(try await post(4, "1000000900", age: 60) == nil, "a restored store")
      #expect(try await post(5, "1e17", age: 50) == "22003")
      let kept = "select owner_rev from check_locations"
      #expect(try await backend.query(kept) == "1000000900")
      try await backend.query("update check_locations set owner_seen = now() - interval '1 hour'")
      #expect(try await post(6, "900000000000", age: 40) == nil, "another store")
    }
  }

  /// A result of next year would be the latest one for a year.
  @Test func timesOfRunsAreOfOurTime() async throws {
    try await withBackend { backend in
      try await backend.seed()
      let bad = [
        ["checked_at": "\"1999-12-31T23:59:59Z\""], ["checked_at": ago(-2 * 86_400)],
        ["checked_at": "\"9999-12-31T23:59:59Z\""], ["scheduled_at": "\"2999-01-01T00:00:00Z\""],
        ["scheduled_at": "\"0001-01-01T00:00:00Z\""],
      ]
      let verdicts = try await backend.ingest(
        bad.enumerated().map { row(10 + $0.offset, $0.element) } + [
          row(1, ["checked_at": ago(-80_000)]), row(2, ["checked_at": "\"2000-01-01T00:00:00Z\""]),
          row(3, ["ssl_expiry_date": "\"9999-12-31T23:59:59Z\""]),
        ])
      #expect(verdicts.accepted == 3)
      #expect(verdicts.rejected.map(\.code) == Array(repeating: "22008", count: bad.count))
      #expect(
        verdicts.rejected.last?.message == "scheduled_at must be between the year 2000 and a day from now")
    }
  }

  /// `1e130000` is nine bytes to send: it may cost no more than any other number.
  @Test func shortNumbersOfManyDigitsCostNothing() async throws {
    try await withBackend { backend in
      try await backend.seed()
      func milliseconds(_ number: String) async throws -> Double {
        let rows = (1...1000).map { row($0, ["response_time_ms": number]) }
        let timed = """
          create table timed as select clock_timestamp() as at;
          \(Backend.ingest(rows))
          insert into timed select clock_timestamp();
          \\o
          """
        try await backend.query(timed)
        let took = try await backend.query("select extract(epoch from max(at) - min(at)) * 1000 from timed")
        try await backend.query("drop table timed; delete from check_results")
        return try #require(Double(took))
      }
      // In turn, the best of each: the machine may stand still in one of them.
      var (plain, many) = (Double.infinity, Double.infinity)
      for _ in 0..<4 {
        plain = min(plain, try await milliseconds("2147483648"))
        many = min(many, try await milliseconds("1e130000"))
      }
      #expect(many < 5 * plain)
      let words = [
        "1e130000": "22003", "-1e130000": "22003", "1e-16000": "22P02", "1e3": nil, "1.0": "22P02", "-0": nil,
      ]
      for (index, word) in words.sorted(by: { $0.key < $1.key }).enumerated() {
        let verdicts = try await backend.ingest([row(2000 + index, ["response_time_ms": word.key])])
        #expect(verdicts.rejected.first?.code == word.value, "\(word.key)")
      }
    }
  }

  @Test func aKeyHasSoManyAgentsAndNoMore() async throws {
    try await withBackend { backend in
      try await backend.seed()
      try await backend.query(
        """
        insert into monitoring_agents (api_key_id, name, version)
        select '\(agentKey)', 'pod-' || n, '1' from generate_series(1, 200) n
        """)
      let new = Backend.ingest([row(1)], agent: #"{"name":"pod-201","version":"1"}"#)
      #expect(try await backend.refusal(new, as: "service_role") == "42501")
      #expect(try await backend.ingest([], agent: #"{"name":"pod-7","version":"1"}"#).total == 0)
      try await backend.query(
        "update monitoring_agents set last_seen = now() - interval '8 days' where name = 'pod-9'")
      #expect(try await backend.refusal(new, as: "service_role") == nil)
      let names = "select count(*), count(*) filter (where name = 'pod-9') from monitoring_agents"
      #expect(try await backend.query(names) == "200|0")
      for agent in [
        #"{"name":{"a":1},"version":"1"}"#, #"{"name":"a","version":1}"#, #"{"name":1e99,"version":"1"}"#,
      ] {
        #expect(try await backend.refusal(Backend.ingest([], agent: agent), as: "service_role") == "22023")
      }
    }
  }

  @Test func aBatchIsBounded() async throws {
    try await withBackend { backend in
      try await backend.seed()
      let text = "\"" + String(repeating: "a", count: 17 << 20) + "\""
      #expect(
        try await backend.refusal(Backend.ingest([row(1, ["error_message": text])]), as: "service_role")
          == "54000")
      #expect(
        try await backend.ingest([
          row(1, ["error_message": "\"" + String(repeating: "a", count: 1 << 20) + "\""])
        ]).accepted == 1)
      #expect(try await backend.query("select length(error_message) from check_results") == "1024")
    }
  }
}
