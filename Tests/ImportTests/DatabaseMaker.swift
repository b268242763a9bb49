// SPDX-License-Identifier: MIT

import Glibc

/// Makes databases with the machine's libsqlite3, the tool of whoever wants to harm a reader of them.
enum DatabaseMaker {
  private typealias Open =
    @convention(c) (
      UnsafePointer<CChar>, UnsafeMutablePointer<OpaquePointer?>, Int32, UnsafePointer<CChar>?
    ) -> Int32
  private typealias Execute =
    @convention(c) (
      OpaquePointer?, UnsafePointer<CChar>, UnsafeRawPointer?, UnsafeRawPointer?,
      UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    ) -> Int32
  private typealias Serialize =
    @convention(c) (OpaquePointer?, UnsafePointer<CChar>, UnsafeMutablePointer<Int64>, UInt32)
    -> UnsafeMutablePointer<UInt8>?
  private typealias Free = @convention(c) (UnsafeMutableRawPointer?) -> Void
  private typealias Close = @convention(c) (OpaquePointer?) -> Int32

  struct Failed: Error { var what: String }

  /// The columns of Uptime Kuma's tables that the tests need.
  static let schema = """
    CREATE TABLE monitor (id INTEGER PRIMARY KEY, name TEXT, type TEXT, url TEXT, interval INTEGER, active INTEGER);
    CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE monitor_tag (id INTEGER PRIMARY KEY, monitor_id INTEGER, tag_id INTEGER, value TEXT);
    CREATE TABLE notification (id INTEGER PRIMARY KEY, name TEXT, config TEXT);
    """

  /// The pages of a database in which the SQL was run.
  static func make(_ sql: String) throws -> [UInt8] {
    let library = dlopen("libsqlite3.so.0", RTLD_NOW)
    func function<Function>(_ name: String, as type: Function.Type) throws -> Function {
      guard let address = dlsym(library, "sqlite3_\(name)") else { throw Failed(what: name) }
      return unsafeBitCast(address, to: type)
    }
    var database: OpaquePointer?
    let open = try function("open_v2", as: Open.self)
    guard open(":memory:", &database, 0x2 | 0x4 | 0x80, nil) == 0 else { throw Failed(what: "open") }
    let close = try function("close", as: Close.self)
    defer { _ = close(database) }
    var words: UnsafeMutablePointer<CChar>?
    guard try function("exec", as: Execute.self)(database, sql, nil, nil, &words) == 0 else {
      throw Failed(what: words.map { String(cString: $0) } ?? "exec")
    }
    var count: Int64 = 0
    guard let pages = try function("serialize", as: Serialize.self)(database, "main", &count, 0) else {
      throw Failed(what: "serialize")
    }
    let free = try function("free", as: Free.self)
    defer { free(pages) }
    return Array(UnsafeBufferPointer(start: pages, count: Int(count)))
  }
}
