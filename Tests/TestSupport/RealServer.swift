// SPDX-License-Identifier: MIT

import Foundation
import Glibc

/// A folder that goes away with the closure.
package func withTemporaryDirectory<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
  let folder = FileManager.default.temporaryDirectory.appending(path: "quartz-test-\(UUID().uuidString)")
  try FileManager.default.createDirectory(
    at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  defer { try? FileManager.default.removeItem(at: folder) }
  return try await body(folder)
}

/// A program from Debian, started for a test, ended with it by its own process id.
package final class RealServer {
  private let process = Process()
  private let log: URL

  /// - Parameters:
  ///   - program: absolute path; a missing one is a failed test that names the package to install.
  ///   - debianPackage: what to install when it is missing.
  ///   - log: where its output goes, shown when it does not come up.
  package init(_ program: String, _ arguments: [String], debianPackage: String, log: URL) throws {
    guard FileManager.default.isExecutableFile(atPath: program) else {
      throw MissingServer(program: program, debianPackage: debianPackage)
    }
    self.log = log
    _ = FileManager.default.createFile(atPath: log.path, contents: nil)
    let handle = try FileHandle(forWritingTo: log)
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardOutput = handle
    process.standardError = handle
    process.standardInput = FileHandle.nullDevice
    try process.run()
  }

  /// Waits until something accepts on the port, as long as the process lives, 10 s at most.
  package func waitUntilListening(port: UInt16) async throws {
    let deadline = ContinuousClock.now + .seconds(10)
    while ContinuousClock.now < deadline, process.isRunning {
      if canConnect(port) { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    let output = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
    throw ServerDidNotStart(program: process.executableURL?.lastPathComponent ?? "", output: output)
  }

  /// SIGKILL, because a child started from the cooperative pool inherits that pool's mask: SIGTERM is blocked.
  package func stop() {
    guard process.isRunning else { return }
    kill(process.processIdentifier, SIGKILL)
    // Waits for the end without taking the status away from Foundation, whose own wait needs a run loop.
    var information = siginfo_t()
    waitid(P_PID, id_t(process.processIdentifier), &information, WEXITED | WNOWAIT)
  }

  deinit { stop() }
}

package struct MissingServer: Error, CustomStringConvertible {
  package let program: String
  package let debianPackage: String
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
