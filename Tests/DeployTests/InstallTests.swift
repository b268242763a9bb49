// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// What the migration leaves open to accounts of the web application, and how it is upgraded and undone.
@Suite struct InstallTests {
  /// Every function, table and policy that it adds, by PostgreSQL's own catalogue.
  @Test func nothingIsOpenToEverybody() async throws {
    try await withBackend { backend in
      try await backend.seed()
      let reachable = """
        select string_agg(p.oid::regprocedure::text || ' ' || role, ', ')
        from pg_proc p join pg_namespace n on n.oid = p.pronamespace
        cross join unnest(array['anon', 'authenticated', 'service_role']) as role
        where (n.nspname = 'quartz_agent' or p.proname in ('ingest_check_results', 'agent_key_scope'))
          and has_function_privilege(role, p.oid, 'execute')
          and not (n.nspname = 'public' and role = 'service_role')
        """
      #expect(try await backend.query(reachable) == "")
      let schema = """
        select count(*) from unnest(array['anon', 'authenticated', 'service_role']) as role
        where has_schema_privilege(role, 'quartz_agent', 'usage')
        """
      #expect(try await backend.query(schema) == "0")
      let open = """
        select string_agg(c.relname, ', ') from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
          and c.relname in ('agent_key_scopes', 'monitoring_agents', 'check_locations', 'check_confirmations')
          and (not c.relrowsecurity or has_table_privilege('anon', c.oid, 'select'))
        """
      #expect(try await backend.query(open) == "")
      // Of a definer's function the path is fixed, with temporary objects last.
      let paths = """
        select string_agg(distinct (select s from unnest(p.proconfig) s where s like 'search_path=%'), ', ')
        from pg_proc p where p.prosecdef and p.proname in ('ingest_check_results', 'agent_key_scope')
        """
      #expect(try await backend.query(paths) == "search_path=pg_catalog, pg_temp")
    }
  }

  /// A viewer may insert results, as before, but in no agent's or group's name.
  @Test func aViewerIsNoAgent() async throws {
    try await withBackend { backend in
      try await backend.seed()
      let user = try await backend.query("insert into auth.users default values returning id")
      try await backend.query("insert into user_roles (user_id, role) values ('\(user)', 'viewer')")
      func insert(_ column: String?, _ value: String = "") -> String {
        """
        set request.jwt.claim.sub = '\(user)';
        insert into check_results (monitoring_check_id, status\(column.map { ", \($0)" } ?? ""))
        values ('\(id(1))', 'success'\(column == nil ? "" : ", \(value)"));
        """
      }
      #expect(try await backend.refusal(insert(nil), as: "authenticated") == nil)
      for (column, value) in [
        ("agent", "'london-1'"), ("location", "'london'"), ("owner_rev", "7"),
        ("agent_key_id", "'\(agentKey)'"),
      ] {
        #expect(try await backend.refusal(insert(column, value), as: "authenticated") == "42501", "\(column)")
      }
      for call in [
        Backend.ingest([row(1)]), "select agent_key_scope('\(agentKey)');",
        "update agent_key_scopes set locations = null;",
        "insert into check_confirmations values ('\(id(1))', 1);",
      ] {
        _ = try await backend.refusal("set request.jwt.claim.sub = '\(user)'; \(call)", as: "authenticated")
      }
      #expect(try await backend.stored() == 1)
      #expect(try await backend.query("select count(*) from check_confirmations") == "0")
    }
  }

  /// Over an install of the version before, whose rows say nothing of keys: what it stored stays known.
  @Test func anEarlierInstallIsUpgraded() async throws {
    try await withBackend { backend in
      try await backend.seed()
      #expect(try await backend.ingest([row(1), row(2)]).accepted == 2)
      try await backend.query(
        """
        drop policy "Only agents name agents" on check_results;
        alter table check_results drop column agent_key_id;
        alter table agent_key_scopes drop column locations;
        """)
      try await backend.migrate()
      #expect(
        try await backend.ingest([row(1), row(2), row(3)])
          == Verdicts(accepted: 1, duplicates: 2, rejected: []))
      #expect(try await backend.query("select count(*) from agent_key_scopes where locations is null") == "1")
    }
  }

  /// The lines of README.md under Undo: the backend is as it was, and can be migrated again.
  @Test func whatReadmeSaysUndoesIt() async throws {
    try await withBackend { backend in
      try await backend.seed()
      #expect(try await backend.ingest([row(1)]).accepted == 1)
      let readme = try String(
        contentsOf: Backend.repository.appending(path: "deploy/quartz/README.md"), encoding: .utf8)
      let undo = try #require(
        readme.components(separatedBy: "## Undo").last?.components(separatedBy: "```sql\n").dropFirst().first?
          .components(separatedBy: "```").first)
      try await backend.query(undo)
      let left = """
        select count(*) from pg_class where relname in ('agent_key_scopes', 'monitoring_agents', 'check_locations',
          'check_confirmations', 'monitoring_agents_health');
        select count(*) from pg_proc where proname in ('ingest_check_results', 'agent_key_scope');
        select count(*) from pg_namespace where nspname = 'quartz_agent';
        select count(*) from pg_policy where polname like '%gents%' or polname like '%locations%';
        """
      #expect(try await backend.query(left) == "0\n0\n0\n0")
      #expect(try await backend.stored() == 1, "results stay")
      try await backend.migrate()
      try await backend.query("insert into agent_key_scopes (api_key_id) values ('\(agentKey)')")
      #expect(try await backend.ingest([row(1)]).duplicates == 1)
    }
  }
}
