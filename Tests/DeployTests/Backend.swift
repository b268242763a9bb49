// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Monitoring
import Synchronization
import TestSupport

/// A real PostgreSQL with the tables of the Quartz backend, and what `deploy/quartz` adds to them.
struct Backend: Sendable {
  let folder: URL
  static let programs = "/usr/lib/postgresql/15/bin"
  static let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  static let migration = repository.appending(path: "deploy/quartz/ingest.sql")
  static let schema = repository.appending(path: "Tests/DeployTests/Backend/schema.sql")

  /// Runs SQL as the owner and returns its unaligned rows; `role` asks as another.
  @discardableResult
  func query(_ sql: String, as role: String? = nil) async throws -> String {
    let name = UUID().uuidString
    let script = folder.appending(path: "\(name).sql")
    let output = folder.appending(path: "\(name).out")
    let text = (role.map { "set role \($0);\n" } ?? "") + sql
    try text.write(to: script, atomically: true, encoding: .utf8)
    try await run("/usr/bin/psql", psql + ["-o", output.path, "-f", script.path])
    return try String(contentsOf: output, encoding: .utf8).trimmingCharacters(in: .newlines)
  }

  /// The SQLSTATE of the error that the SQL ends with; nil when it works.
  func refusal(_ sql: String, as role: String? = nil) async throws -> String? {
    do {
      try await query(sql, as: role)
      return nil
    } catch let failure as ToolFailed {
      let words = failure.output.split { " :".contains($0) }
      return words.firstIndex(of: "ERROR").map { String(words[$0 + 1]) } ?? failure.output
    }
  }

  /// Applies the migration as its own comment says.
  func migrate() async throws {
    try await run("/usr/bin/psql", psql + ["--single-transaction", "-f", Self.migration.path])
  }

  private var psql: [String] {
    [
      "-h", folder.path, "-U", "postgres", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-v",
      "VERBOSITY=verbose",
    ]
  }

  func run(_ program: String, _ arguments: [String]) async throws {
    let folder = folder
    try await onThread { Result { try runTool(program, arguments, in: folder) } }.get()
  }
}

/// Runs `body` with a server that lives exactly as long, on a Unix socket only, migrated once.
func withBackend<Value>(_ body: (Backend) async throws -> Value) async throws -> Value {
  let made = try await MadeBackend.shared.data()
  return try await withTemporaryDirectory { folder in
    let backend = try Backend(in: folder)
    try await backend.run("/bin/cp", ["-a", made.path, backend.data])
    return try await backend.serve { try await body(backend) }
  }
}

/// The files that each server begins with, made once a run: `initdb`, tables and migration take longer than a test.
private actor MadeBackend {
  static let shared = MadeBackend()
  private var making: Task<URL, any Error>?

  func data() async throws -> URL {
    if let making { return try await making.value }
    let task = Task { try await Self.make() }
    making = task
    return try await task.value
  }

  private static func make() async throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "quartz-backend-\(getpid())")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    madeFolder.withLock { $0 = folder }
    atexit(removeMadeFolder)
    let backend = try Backend(in: folder)
    try await backend.create()
    try await backend.serve {
      try await backend.run(
        "/usr/bin/psql",
        ["-h", folder.path, "-U", "postgres", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", Backend.schema.path])
      try await backend.migrate()
    }
    return URL(filePath: backend.data)
  }
}

private let madeFolder = Mutex<URL?>(nil)

private func removeMadeFolder() {
  madeFolder.withLock { folder in
    if let folder { try? FileManager.default.removeItem(at: folder) }
    folder = nil
  }
}

/// `nobody`, who owns nothing.
private let unprivileged: uid_t = 65_534

extension Backend {
  fileprivate init(in folder: URL) throws {
    guard FileManager.default.isExecutableFile(atPath: "\(Self.programs)/initdb") else {
      throw MissingServer(program: "\(Self.programs)/initdb", debianPackage: "postgresql-15")
    }
    if geteuid() == 0 { chown(folder.path, unprivileged, gid_t.max) }
    self.init(folder: folder)
  }

  fileprivate var data: String { folder.appending(path: "data").path }

  /// The server refuses root; setpriv becomes the program, so its process id is the server's.
  private var way: [String] {
    geteuid() == 0 ? ["/usr/bin/setpriv", "--reuid", "\(unprivileged)", "--clear-groups", "--"] : []
  }

  fileprivate func create() async throws {
    let words =
      way + [
        "\(Self.programs)/initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C",
        "--no-sync", "--wal-segsize=1",
      ]
    try await run(words[0], Array(words.dropFirst()))
  }

  fileprivate func serve<Value>(_ body: () async throws -> Value) async throws -> Value {
    let words =
      way + [
        "\(Self.programs)/postgres", "-D", data, "-k", folder.path, "-c", "listen_addresses=", "-c",
        "fsync=off", "-c", "timezone=America/St_Johns", "-c", "jit=off",
      ]
    let server = try RealServer(
      words[0], Array(words.dropFirst()), debianPackage: "postgresql-15",
      log: folder.appending(path: "postgres.log"))
    // Its own way to end at once: a kill would leave its shared memory behind.
    defer { server.stop(SIGINT) }
    // pg_ctl(1) waits for the same line.
    let lockFile = URL(filePath: "\(data)/postmaster.pid")
    try await server.wait {
      let lines = (try? String(contentsOf: lockFile, encoding: .utf8))?.split(separator: "\n") ?? []
      return lines.last.map { $0.hasPrefix("ready") } ?? false
    }
    return try await body()
  }
}
