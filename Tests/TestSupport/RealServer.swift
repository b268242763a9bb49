// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import Synchronization

/// A folder that goes away with the closure.
package func withTemporaryDirectory<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
  let folder = FileManager.default.temporaryDirectory.appending(path: "quartz-test-\(UUID().uuidString)")
  try FileManager.default.createDirectory(
    at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  defer { try? FileManager.default.removeItem(at: folder) }
  return try await body(folder)
}

/// A program from Debian, started for a test, ended with it by its own process id.
///
/// Not by Foundation's `Process`: that takes a socket's closing for the child's end and then waits for the child on
/// the one thread that serves every `Process`. A server that closes what it inherits, as sshd does, would hold up all.
package final class RealServer: Sendable {
  private let program: String
  private let identifier: pid_t
  private let log: URL
  /// Whether the child was waited for: from then on its id may be another process's.
  private let reaped = Mutex(false)

  /// - Parameters:
  ///   - program: absolute path; a missing one is a failed test that names the package to install.
  ///   - debianPackage: what to install when it is missing.
  ///   - log: where its output goes, shown when it does not come up.
  package init(_ program: String, _ arguments: [String], debianPackage: String, log: URL) throws {
    guard FileManager.default.isExecutableFile(atPath: program) else {
      throw MissingServer(program: program, debianPackage: debianPackage)
    }
    self.program = program
    self.log = log
    identifier = try spawn([program] + arguments, output: log.path)
  }

  /// Waits until something accepts on the port, as long as the process lives, a minute at most: all tests start at once.
  package func waitUntilListening(port: UInt16) async throws { try await wait { canConnect(port) } }

  /// For a server that writes one as soon as all its sockets listen.
  package func waitUntilThere(_ file: URL) async throws {
    try await wait { FileManager.default.fileExists(atPath: file.path) }
  }

  /// As long as the process lives, a minute at most.
  package func wait(_ isReady: () -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline, isRunning {
      if isReady() { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    let output = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
    throw ServerDidNotStart(program: URL(filePath: program).lastPathComponent, output: output)
  }

  private var isRunning: Bool {
    reaped.withLock { reaped in
      if !reaped { reaped = waitpid(identifier, nil, WNOHANG) == identifier }
      return !reaped
    }
  }

  /// - Parameter signal: another than SIGKILL for a server that leaves something behind otherwise; it is waited for.
  package func stop(_ signal: Int32 = SIGKILL) {
    reaped.withLock { reaped in
      guard !reaped else { return }
      kill(identifier, signal)
      waitpid(identifier, nil, 0)
      reaped = true
    }
  }

  deinit { stop() }
}

/// Starts a child with its output in a file, no input, no descriptor of ours and no signal blocked.
private func spawn(_ arguments: [String], output: String) throws -> pid_t {
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
  // Whether open or not, glibc ignores those that are not; a list of the open ones would be old when it is used.
  for descriptor in 3..<min(getdtablesize(), 4096) {
    posix_spawn_file_actions_addclose(&actions, descriptor)
  }
  var attributes = posix_spawnattr_t()
  posix_spawnattr_init(&attributes)
  defer { posix_spawnattr_destroy(&attributes) }
  // The cooperative pool's threads block signals, and a child inherits the mask.
  var none = sigset_t()
  sigemptyset(&none)
  posix_spawnattr_setsigmask(&attributes, &none)
  posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
  let words = arguments.map { strdup($0) } + [nil]
  defer { words.forEach { free($0) } }
  var identifier: pid_t = 0
  let code = posix_spawn(&identifier, arguments[0], &actions, &attributes, words, environ)
  guard code == 0 else { throw POSIXFailure("posix_spawn", code) }
  return identifier
}

package struct MissingServer: Error, CustomStringConvertible {
  package let program: String
  package let debianPackage: String

  package init(program: String, debianPackage: String) {
    self.program = program
    self.debianPackage = debianPackage
  }

  package var description: String {
    "\(program) is missing: apt-get install \(debianPackage), or run ./scripts/test"
  }
}

package struct ServerDidNotStart: Error, CustomStringConvertible {
  package let program: String
  package let output: String
  package var description: String { "\(program) did not come up: \(output)" }
}

private func canConnect(_ port: UInt16) -> Bool {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  guard descriptor >= 0 else { return false }
  defer { close(descriptor) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
  return withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
    }
  }
}
