// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Monitoring
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
  try await withTemporaryDirectory { folder in
    let isRoot = geteuid() == 0
    if isRoot { chown(folder.path, unprivileged, gid_t.max) }
    // It refuses root; setpriv becomes the program, so its process id is the server's.
    let way = isRoot ? ["/usr/bin/setpriv", "--reuid", "\(unprivileged)", "--clear-groups", "--"] : []
    let data = folder.appending(path: "data").path
    let backend = Backend(folder: folder)
    let create =
      way + [
        "\(Backend.programs)/initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C",
        "--no-sync",
      ]
    guard FileManager.default.isExecutableFile(atPath: "\(Backend.programs)/initdb") else {
      throw MissingServer(program: "\(Backend.programs)/initdb", debianPackage: "postgresql-15")
    }
    try await backend.run(create[0], Array(create.dropFirst()))
    let serve =
      way + [
        "\(Backend.programs)/postgres", "-D", data, "-k", folder.path, "-c", "listen_addresses=", "-c",
        "fsync=off",
        "-c", "timezone=America/St_Johns", "-c", "jit=off",
      ]
    let server = try RealServer(
      serve[0], Array(serve.dropFirst()), debianPackage: "postgresql-15",
      log: folder.appending(path: "postgres.log"))
    // Its own way to end at once: a kill would leave its shared memory behind.
    defer { server.stop(SIGINT) }
    try await backend.comesUp()
    try await backend.run(
      "/usr/bin/psql",
      ["-h", folder.path, "-U", "postgres", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", Backend.schema.path])
    try await backend.migrate()
    return try await body(backend)
  }
}

/// `nobody`, who owns nothing.
private let unprivileged: uid_t = 65_534

extension Backend {
  fileprivate func comesUp() async throws {
    for attempt in 0... {
      do {
        return try await run("\(Self.programs)/pg_isready", ["-h", folder.path, "-t", "1"])
      } catch  where attempt < 600 {
        try await Task.sleep(for: .milliseconds(100))
      }
    }
  }
}
