// SPDX-License-Identifier: MIT

import Glibc
import Import
import Testing

/// What SQLite itself has left in a log beside a database.
@Suite struct WriteAheadLogTests {
  private typealias Open =
    @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<OpaquePointer?>) -> Int32
  private typealias Execute =
    @convention(c) (
      OpaquePointer?, UnsafePointer<CChar>, UnsafeRawPointer?, UnsafeRawPointer?, UnsafeRawPointer?
    ) -> Int32
  private typealias Close = @convention(c) (OpaquePointer?) -> Int32

  /// The database and its log, as they lie on the disk while a program has them open.
  private func files(_ first: String, _ then: [String]) throws -> (database: [UInt8], log: [UInt8]) {
    let library = dlopen("libsqlite3.so.0", RTLD_NOW)
    func function<Function>(_ name: String, as type: Function.Type) throws -> Function {
      unsafeBitCast(try #require(dlsym(library, "sqlite3_\(name)")), to: type)
    }
    var template = Array("/tmp/quartz-wal-XXXXXX".utf8CString)
    let folder = String(cString: try #require(mkdtemp(&template)))
    let path = "\(folder)/kuma.db"
    defer {
      for end in ["", "-wal", "-shm"] { unlink(path + end) }
      rmdir(folder)
    }
    var database: OpaquePointer?
    #expect(try function("open", as: Open.self)(path, &database) == 0)
    let execute = try function("exec", as: Execute.self)
    for sql in [first, "PRAGMA journal_mode=WAL", "PRAGMA wal_autocheckpoint=0"] + then {
      #expect(execute(database, sql, nil, nil, nil) == 0, "\(sql)")
    }
    let found = (try readAll(path), try readAll(path + "-wal"))
    _ = try function("close", as: Close.self)(database)
    return found
  }

  private func names(_ database: [UInt8]) throws -> [String] {
    try Importer.read(nil, [ImportFile(name: "kuma.db", bytes: database)]).checks.map(\.name)
  }

  private static let insert = "INSERT INTO monitor(name, type, url, interval, active) VALUES"

  @Test func theLastCommitIsSeen() throws {
    let (database, log) = try files(
      DatabaseMaker.schema + "\(Self.insert) ('a', 'http', 'http://a', 60, 1);",
      [
        "\(Self.insert) ('b', 'http', 'http://b', 60, 1)", "UPDATE monitor SET name = 'A' WHERE name = 'a'",
        "BEGIN; CREATE TABLE big (x); \(String(repeating: "INSERT INTO big VALUES (zeroblob(9000));", count: 40)) COMMIT",
        "\(Self.insert) ('c', 'http', 'http://c', 60, 1)",
      ])
    #expect(try names(database) == ["a"])
    let whole = try WriteAheadLog.played(log, into: database)
    #expect(try names(whole) == ["A", "b", "c"])
  }

  /// Frames behind the last commit, and what is left of an older log, are no part of the database.
  @Test func whatIsNotCommittedIsNotSeen() throws {
    let (database, log) = try files(
      DatabaseMaker.schema,
      ["\(Self.insert) ('b', 'http', 'http://b', 60, 1)", "\(Self.insert) ('c', 'http', 'http://c', 60, 1)"])
    let size = Int(log[10]) << 8 | Int(log[11])
    let frames = (log.count - 32) / (24 + size)
    #expect(frames == 2)
    let cut = Array(log.prefix(log.count - size / 2))
    #expect(try names(try WriteAheadLog.played(cut, into: database)) == ["b"])
    var changed = log
    changed[changed.count - 1] ^= 1
    #expect(try names(try WriteAheadLog.played(changed, into: database)) == ["b"])
    var salted = log
    salted[32 + (frames - 1) * (24 + size) + 8] ^= 1
    #expect(try names(try WriteAheadLog.played(salted, into: database)) == ["b"])
  }

  @Test func aLogOfSomethingElseIsRefused() throws {
    let (database, log) = try files(DatabaseMaker.schema, ["\(Self.insert) ('b', 'http', 'http://b', 60, 1)"])
    #expect(try WriteAheadLog.played([], into: database) == database)
    #expect(try WriteAheadLog.played(Array(log.prefix(32)), into: database) == database)
    var header = log
    header[20] ^= 1
    #expect(try WriteAheadLog.played(header, into: database) == database)
    for (place, byte) in [(0, UInt8(9)), (4, 9)] {
      var other = log
      other[place] = byte
      #expect(throws: ImportProblem.self) { try WriteAheadLog.played(other, into: database) }
    }
    var pages = database
    (pages[16], pages[17]) = (0x02, 0)
    #expect(throws: ImportProblem.self) { try WriteAheadLog.played(log, into: pages) }
  }
}
