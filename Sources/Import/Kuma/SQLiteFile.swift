// SPDX-License-Identifier: MIT

import Basics
import Glibc

/// A database of SQLite, read through the machine's own library, which is asked for when there is one to read: the agent
/// neither links it (1.5 MB) nor depends on its package.
///
/// The file is opened immutable: nothing is locked, no journal is made or played back. What a running Uptime Kuma has not
/// yet moved from its write-ahead log into the database is not seen.
struct SQLiteFile: ~Copyable {
  private typealias Open =
    @convention(c) (
      UnsafePointer<CChar>, UnsafeMutablePointer<OpaquePointer?>, Int32, UnsafePointer<CChar>?
    ) -> Int32
  private typealias Prepare =
    @convention(c) (
      OpaquePointer?, UnsafePointer<CChar>, Int32, UnsafeMutablePointer<OpaquePointer?>,
      UnsafeMutablePointer<UnsafePointer<CChar>?>?
    ) -> Int32
  private typealias OneNumber = @convention(c) (OpaquePointer?) -> Int32
  private typealias TwoNumber = @convention(c) (OpaquePointer?, Int32) -> Int32
  private typealias Text = @convention(c) (OpaquePointer?, Int32) -> UnsafePointer<CChar>?
  private typealias Limit = @convention(c) (OpaquePointer?, Int32, Int32) -> Int32

  private let library: UnsafeMutableRawPointer
  private let database: OpaquePointer

  /// - Throws: why it cannot be read.
  init(path: String) throws(ImportProblem) {
    guard let library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL) else {
      throw ImportProblem(
        "reading a database needs the library libsqlite3, which is not here",
        hint: "install libsqlite3-0, or import a backup in JSON")
    }
    var database: OpaquePointer?
    guard let open = Self.function("sqlite3_open_v2", in: library, as: Open.self),
      // SQLITE_OPEN_READONLY, SQLITE_OPEN_URI
      open("file:\(Self.escaped(path))?immutable=1", &database, 0x1 | 0x40, nil) == 0, let database
    else {
      if let close = Self.function("sqlite3_close", in: library, as: OneNumber.self) { _ = close(database) }
      throw ImportProblem("is no database that can be opened")
    }
    (self.library, self.database) = (library, database)
    // A value of at most 1 MiB (SQLITE_LIMIT_LENGTH): more is no setting.
    if let limit = Self.function("sqlite3_limit", in: library, as: Limit.self) {
      _ = limit(database, 0, 1 << 20)
    }
  }

  deinit {
    if let close = Self.function("sqlite3_close", in: library, as: OneNumber.self) { _ = close(database) }
  }

  /// The rows of a query, each a map of its columns; nulls are left out.
  ///
  /// - Throws: that the database is damaged, or has no such table.
  func rows(_ query: String) throws(ImportProblem) -> [ForeignNode] {
    guard let prepare = Self.function("sqlite3_prepare_v2", in: library, as: Prepare.self),
      let step = Self.function("sqlite3_step", in: library, as: OneNumber.self),
      let finalize = Self.function("sqlite3_finalize", in: library, as: OneNumber.self),
      let count = Self.function("sqlite3_column_count", in: library, as: OneNumber.self)
    else { throw ImportProblem("the library libsqlite3 here is another one") }
    var statement: OpaquePointer?
    guard prepare(database, query, -1, &statement, nil) == 0 else {
      throw ImportProblem("is damaged, or not of Uptime Kuma")
    }
    defer { _ = finalize(statement) }
    var rows: [ForeignNode] = []
    while true {
      // SQLITE_ROW, SQLITE_DONE
      let result = step(statement)
      if result == 101 { return rows }
      guard result == 100 else { throw ImportProblem("the database is damaged (code \(result))") }
      guard rows.count < ForeignLimits.checks else {
        throw ImportProblem("more than \(ForeignLimits.checks) rows")
      }
      let columns = (0..<count(statement)).compactMap { column(statement, $0) }
      rows.append(ForeignNode(content: .map(columns), line: 0))
    }
  }

  private func column(_ statement: OpaquePointer?, _ index: Int32) -> (name: String, value: ForeignNode)? {
    guard let type = Self.function("sqlite3_column_type", in: library, as: TwoNumber.self),
      let text = Self.function("sqlite3_column_text", in: library, as: Text.self),
      let name = Self.function("sqlite3_column_name", in: library, as: Text.self)
    else { return nil }
    // 1 and 2 are numbers, 5 is null.
    let kind = type(statement, index)
    guard kind != 5, let name = name(statement, index), let value = text(statement, index) else { return nil }
    return (
      String(cString: name), ForeignNode(content: .scalar(String(cString: value), isPlain: kind < 3), line: 0)
    )
  }

  private static func function<Function>(
    _ name: String, in library: UnsafeMutableRawPointer, as type: Function.Type
  ) -> Function? {
    dlsym(library, name).map { unsafeBitCast($0, to: type) }
  }

  /// A path inside a URI of SQLite.
  private static func escaped(_ path: String) -> String {
    path.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
  }
}
