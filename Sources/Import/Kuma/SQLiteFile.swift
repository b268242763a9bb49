// SPDX-License-Identifier: MIT

import Basics

/// A database of SQLite in memory, read-only, which anybody may have made: only plain columns of tables are read.
///
/// No file is opened, locked, or played back from a journal: `WriteAheadLog` has put in what a running Uptime Kuma has not yet
/// moved into the database.
final class SQLiteFile {
  /// Bytes of one value: more is no setting.
  private static let valueBytes: Int32 = 1 << 20
  /// Instructions of SQLite for the whole database: less than a second.
  private static let budget = 10_000_000
  private static let stepsPerCall = 10_000

  private let library: SQLiteLibrary
  private let database: OpaquePointer
  /// The database's pages, as long as the connection lives.
  private let pages: UnsafeMutableBufferPointer<UInt8>
  /// Calls of the watch that are left.
  private let left: UnsafeMutablePointer<Int>
  private var weight = ForeignWeight()

  /// - Throws: why it cannot be read.
  init(_ bytes: [UInt8]) throws(ImportProblem) {
    try SQLitePages.checkSchema(bytes)
    let library = try SQLiteLibrary()
    var opened: OpaquePointer?
    // SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY
    guard library.open(":memory:", &opened, 0x2 | 0x80, nil) == 0, let database = opened else {
      _ = library.close(opened)
      throw ImportProblem("no memory left to read it")
    }
    pages = .allocate(capacity: bytes.count)
    _ = pages.initialize(from: bytes)
    // Written and read as 1, no write-ahead log is looked for.
    if bytes.count > 19 { (pages[18], pages[19]) = (1, 1) }
    left = .allocate(capacity: 1)
    left.initialize(to: Self.budget / Self.stepsPerCall)
    (self.library, self.database) = (library, database)
    harden()
    let isTaken = pages.baseAddress.map {
      // SQLITE_DESERIALIZE_READONLY
      library.deserialize(database, "main", $0, Int64(bytes.count), Int64(bytes.count), 4) == 0
    }
    guard isTaken == true else { throw ImportProblem("is no database that can be opened") }
    for setting in ["PRAGMA query_only=ON", "PRAGMA cell_size_check=ON", "PRAGMA mmap_size=0"] {
      _ = try rows(setting)
    }
  }

  deinit {
    _ = library.close(database)
    pages.deallocate()
    left.deallocate()
  }

  private func harden() {
    // DEFENSIVE on; ENABLE_TRIGGER, ENABLE_LOAD_EXTENSION, WRITABLE_SCHEMA, DQS_DML, DQS_DDL, ENABLE_VIEW and
    // TRUSTED_SCHEMA off.
    for (option, value) in [
      (1010, 1), (1003, 0), (1005, 0), (1011, 0), (1013, 0), (1014, 0), (1015, 0), (1017, 0),
    ] as [(Int32, Int32)] {
      _ = library.configure(database, option, value, nil)
    }
    // LENGTH, SQL_LENGTH, COLUMN, EXPR_DEPTH, COMPOUND_SELECT, VDBE_OP, FUNCTION_ARG, ATTACHED, LIKE_PATTERN_LENGTH,
    // VARIABLE_NUMBER, TRIGGER_DEPTH, WORKER_THREADS
    let limits: [Int32] = [Self.valueBytes, 16_384, 500, 50, 10, 25_000, 8, 0, 100, 10, 1, 0]
    for (index, most) in limits.enumerated() { _ = library.limit(database, Int32(index), most) }
    library.setWatch(database, Int32(Self.stepsPerCall), sqliteWatch, UnsafeMutableRawPointer(left))
  }

  /// The rows of a table, each a map of its columns; nulls are left out. `nil` where there is no such table.
  ///
  /// - Throws: that something else has its name, or that the database is damaged or too large.
  func table(_ name: String, order: String? = nil) throws(ImportProblem) -> [ForeignNode]? {
    let known = try rows("SELECT type, rootpage FROM sqlite_schema WHERE lower(name) = '\(name)'")
    guard let entry = known.first else { return nil }
    // A virtual table has no page of its own.
    guard entry["type"]?.text == "table", entry["rootpage"]?.number ?? 0 > 0 else {
      let kind = entry["type"]?.text == "table" ? "virtual table" : entry["type"]?.text ?? "thing"
      throw ImportProblem(
        "\"\(name)\" is a \(kind.printable(maxBytes: 40)) and no table: nothing is read from it",
        hint: "give the kuma.db that Uptime Kuma made, or a backup in JSON")
    }
    var columns: [String] = []
    for column in try rows("PRAGMA table_xinfo(\"\(name)\")") {
      guard let text = column["name"]?.text else { continue }
      guard column["hidden"]?.text == "0" else {
        throw ImportProblem(
          "\"\(name)\" has the computed column \"\(text.printable(maxBytes: 80))\": nothing is computed for a file",
          hint: "give the kuma.db that Uptime Kuma made, or a backup in JSON")
      }
      columns.append("\"\(text.replacing("\"", with: "\"\""))\"")
    }
    let sorted = order.map { columns.contains("\"\($0)\"") ? " ORDER BY \"\($0)\"" : "" } ?? ""
    return try rows("SELECT \(columns.joined(separator: ", ")) FROM \"\(name)\" NOT INDEXED\(sorted)")
  }

  private func rows(_ query: String) throws(ImportProblem) -> [ForeignNode] {
    var statement: OpaquePointer?
    let code = library.prepare(database, query, -1, &statement, nil)
    guard code == 0 else { throw problem(code) }
    defer { _ = library.finalize(statement) }
    var rows: [ForeignNode] = []
    while true {
      // SQLITE_ROW, SQLITE_DONE
      let result = library.step(statement)
      if result == 101 { return rows }
      guard result == 100 else { throw problem(result) }
      guard rows.count < ForeignLimits.checks else {
        throw ImportProblem("a table has more than \(ForeignLimits.checks) rows")
      }
      var row: [(name: String, value: ForeignNode)] = []
      for index in 0..<library.columns(statement) {
        if let column = try column(statement, index) { row.append(column) }
      }
      rows.append(ForeignNode(content: .map(row), line: 0))
    }
  }

  private func column(
    _ statement: OpaquePointer?, _ index: Int32
  ) throws(ImportProblem) -> (name: String, value: ForeignNode)? {
    // 1 and 2 are numbers, 5 is null.
    let kind = library.type(statement, index)
    guard kind != 5, let name = library.name(statement, index), let start = library.text(statement, index)
    else { return nil }
    let count = Int(library.size(statement, index))
    weight.add(ForeignWeight(values: 1, bytes: count))
    guard weight.values <= ForeignLimits.values * 10, weight.bytes <= ForeignLimits.bytes else {
      throw ImportProblem(
        "its settings are more than \(ForeignLimits.bytes >> 20) MiB, or \(ForeignLimits.values * 10) values")
    }
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    return (String(cString: name), ForeignNode(content: .scalar(text, isPlain: kind < 3), line: 0))
  }

  /// Meaning of a result code of SQLite here. Its own words may quote the file, and are not used.
  private func problem(_ code: Int32) -> ImportProblem {
    switch code & 0xff {
    // SQLITE_INTERRUPT
    case 9:
      ImportProblem(
        "takes more than \(Self.budget / 1_000_000) million steps to read",
        hint: "give the kuma.db that Uptime Kuma made, or a backup in JSON")
    // SQLITE_TOOBIG
    case 18:
      ImportProblem("a value is larger than \(Self.valueBytes >> 20) MiB, or a definition than 16 KiB")
    case 7: ImportProblem("no memory left to read it")
    // SQLITE_ERROR: the query does not fit the schema.
    case 1: ImportProblem("is damaged, or not of Uptime Kuma")
    default:
      ImportProblem(
        "the database is damaged (code \(code))", hint: "look at it: sqlite3 FILE 'PRAGMA integrity_check'")
    }
  }
}

/// Called by SQLite every so many instructions; anything but 0 ends the query.
nonisolated private func sqliteWatch(_ context: UnsafeMutableRawPointer?) -> Int32 {
  guard let left = context?.assumingMemoryBound(to: Int.self) else { return 1 }
  left.pointee -= 1
  return left.pointee < 0 ? 1 : 0
}
