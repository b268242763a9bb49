// SPDX-License-Identifier: MIT

import Import
import Testing

/// Databases that look like Uptime Kuma's and were made to run something, to be large, or to be damaged.
@Suite struct HostileDatabaseTests {
  private func read(_ bytes: [UInt8]) throws(ImportProblem) -> Imported {
    try Importer.read(.uptimeKuma, [ImportFile(name: "kuma.db", bytes: bytes)])
  }

  private func refusal(_ sql: String, _ change: (inout [UInt8]) -> Void = { _ in }) throws -> ImportProblem? {
    var bytes = try DatabaseMaker.make(sql)
    change(&bytes)
    do throws(ImportProblem) {
      let made = try read(bytes)
      Issue.record("\(made.checks.count) checks were made")
      return nil
    } catch { return error }
  }

  private static let monitor =
    "INSERT INTO monitor VALUES (1, 'a', 'http', 'https://a.example/', 60, 1);"
  private static let hint = "give the kuma.db that Uptime Kuma made, or a backup in JSON"

  @Test func tagsAreJoinedByTheirIDs() throws {
    let made = try read(
      DatabaseMaker.make(
        DatabaseMaker.schema + Self.monitor + """
          INSERT INTO monitor VALUES (2, 'b', 'http', 'https://b.example/', 60, 1);
          INSERT INTO tag VALUES (7, 'team'), (8, 'prod');
          INSERT INTO monitor_tag VALUES (1, 2, 7, 'web'), (2, 1, 8, ''), (3, 2, 8, NULL), (4, 2, 99, 'gone');
          INSERT INTO notification VALUES (1, 'mail', '{"password":"hunter2"}');
          PRAGMA user_version = 3;
          """))
    #expect(made.checks.map(\.name) == ["a", "b"])
    func tags(_ check: ImportedCheck) -> [String] {
      guard case .list(let items)? = check["tags"] else { return [] }
      return items.compactMap(\.word)
    }
    #expect(made.checks.map(tags) == [["prod"], ["team:web", "prod"]])
    #expect(!"\(made.notes)".contains("hunter2"))
  }

  /// A database in the mode in which Uptime Kuma runs it, without its log beside it.
  @Test func aDatabaseWithAWriteAheadLogIsRead() throws {
    var bytes = try DatabaseMaker.make(DatabaseMaker.schema + Self.monitor)
    (bytes[18], bytes[19]) = (2, 2)
    #expect(try read(bytes).checks.map(\.name) == ["a"])
  }

  @Test(arguments: [
    (
      "CREATE VIEW monitor AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id FROM n;",
      "\"monitor\" is a view and no table: nothing is read from it"
    ),
    (
      "CREATE VIRTUAL TABLE monitor USING fts5(id, name, type, url);",
      "\"monitor\" is a virtual table and no table: nothing is read from it"
    ),
    (
      "CREATE TABLE m (id); CREATE INDEX monitor ON m (id);",
      "\"monitor\" is a index and no table: nothing is read from it"
    ),
    (
      """
      CREATE TABLE monitor (id INTEGER PRIMARY KEY, name TEXT, type TEXT AS (hex(zeroblob(500000))) VIRTUAL);
      INSERT INTO monitor (id) VALUES (1);
      """,
      "\"monitor\" has the computed column \"type\": nothing is computed for a file"
    ),
    (
      """
      CREATE TABLE monitor (id INTEGER PRIMARY KEY, name TEXT, type TEXT AS (name) STORED);
      INSERT INTO monitor (id) VALUES (1);
      """,
      "\"monitor\" has the computed column \"type\": nothing is computed for a file"
    ),
    (
      DatabaseMaker.schema
        + "DROP TABLE tag; CREATE VIEW tag AS SELECT 1 AS id, load_extension('/tmp/x') AS name;",
      "\"tag\" is a view and no table: nothing is read from it"
    ),
  ]) func onlyTablesAreRead(sql: String, words: String) throws {
    #expect(try refusal(sql) == ImportProblem("kuma.db: \(words)", hint: Self.hint))
  }

  /// Triggers and expressions of indices are never run by a reader.
  @Test func triggersAndIndicesAreNotRun() throws {
    let made = try read(
      DatabaseMaker.make(
        DatabaseMaker.schema + Self.monitor + """
          CREATE INDEX slow ON monitor (hex(name));
          CREATE UNIQUE INDEX ids ON monitor (id DESC) WHERE type = 'http';
          CREATE TRIGGER t AFTER INSERT ON monitor BEGIN DELETE FROM tag; END;
          """))
    #expect(made.checks.map(\.name) == ["a"])
  }

  @Test func whatIsTooMuchIsRefused() throws {
    let rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 10001)"
    #expect(
      try refusal(
        DatabaseMaker.schema + "\(rows) INSERT INTO monitor (id, name) SELECT i, 'm' FROM n;")?.message
        == "kuma.db: a table has more than 10000 rows")
    #expect(
      try refusal(
        DatabaseMaker.schema + "INSERT INTO monitor (id, name) VALUES (1, printf('%.*c', 1100000, 'a'));")?
        .message
        == "kuma.db: a value is larger than 1 MiB, or a definition than 16 KiB")
    #expect(
      try refusal(
        DatabaseMaker.schema
          + "\(rows.replacing("10001", with: "20")) INSERT INTO monitor (id, name) SELECT i, zeroblob(1000000) FROM n;"
      )?
      .message
        == "kuma.db: its settings are more than 16 MiB, or 2000000 values")
    let columns = (0..<600).map { "c\($0)" }.joined(separator: ", ")
    #expect(
      try refusal("CREATE TABLE monitor (id INTEGER PRIMARY KEY, \(columns));")?.message
        == "kuma.db: the database is damaged (code 11)")
  }

  /// Ten thousand rows of 499 columns without a value are allowed each, and together are work.
  @Test func theStepsAreCounted() throws {
    let rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 10000)"
    let columns = (0..<498).map { "c\($0)" }.joined(separator: ", ")
    let wide = "CREATE TABLE monitor (id INTEGER, name, \(columns));"
    #expect(
      try refusal(wide + "\(rows) INSERT INTO monitor (id, name) SELECT i, 'm' FROM n;")?.message
        == "kuma.db: takes more than 10 million steps to read")
  }

  /// SQLite takes the square of a table's triggers to read them, before any query of ours.
  @Test func definitionsAreCounted() throws {
    func schema(_ count: Int) -> String {
      DatabaseMaker.schema + Self.monitor + """
        PRAGMA writable_schema = ON;
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT \(count))
        INSERT INTO sqlite_schema SELECT 'trigger', 't' || i, 'monitor', 0,
          'CREATE TRIGGER t' || i || ' AFTER INSERT ON monitor BEGIN SELECT 1; END' FROM n;
        """
    }
    #expect(
      try refusal(schema(200_000))
        == ImportProblem("kuma.db: its schema has more than 1000 definitions", hint: Self.hint))
    #expect(try refusal(schema(997))?.message == "kuma.db: its schema has more than 1000 definitions")
    #expect(try read(DatabaseMaker.make(schema(996))).checks.count == 1)
  }

  /// A tree whose every branch leads back to its root.
  @Test func pagesThatLeadInACircleEnd() throws {
    let problem = try refusal(DatabaseMaker.schema) { bytes in
      bytes[100] = 0x05
      bytes.replaceSubrange(103..<105, with: [0, 1])
      bytes.replaceSubrange(108..<114, with: [0, 0, 0, 1, 0x01, 0x00])
      bytes.replaceSubrange(256..<260, with: [0, 0, 0, 1])
    }
    #expect(problem?.message == "kuma.db: the database is damaged (its schema)")
  }

  @Test func damageIsNamed() throws {
    let sql = DatabaseMaker.schema + Self.monitor
    let damaged = try refusal(sql) { bytes in for index in 4096..<bytes.count { bytes[index] = 0xff } }
    #expect(
      damaged
        == ImportProblem(
          "kuma.db: the database is damaged (code 11)",
          hint: "look at it: sqlite3 FILE 'PRAGMA integrity_check'"))
    let schema = "kuma.db: the database is damaged (its schema)"
    #expect(try refusal(sql) { $0 = Array($0[..<100]) }?.message == schema)
    #expect(try refusal(sql) { $0 = Array($0[..<16]) }?.message == schema)
    #expect(try refusal(sql) { $0[16] = 0 }?.message == schema)
    #expect(
      try refusal("CREATE TABLE other (id);")?.message
        == "kuma.db: has no table \"monitor\": it is not of Uptime Kuma")
  }

  /// What a file says is in no refusal of it.
  @Test func aRefusalQuotesNoValue() throws {
    for sql in [
      "CREATE TABLE monitor (id INTEGER PRIMARY KEY, basic_auth_pass TEXT CHECK (basic_auth_pass <> 'hunter2' || (",
      DatabaseMaker.schema + Self.monitor
        + "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'hunter2' WHERE name = 'tag';",
    ] {
      guard let bytes = try? DatabaseMaker.make(sql) else { continue }
      do throws(ImportProblem) { _ = try read(bytes) } catch {
        #expect(!error.message.contains("hunter2") && error.hint?.contains("hunter2") != true)
      }
    }
  }
}
