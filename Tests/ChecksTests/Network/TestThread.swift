// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import TestSupport
import Testing

@testable import Checks

/// A thread for what blocks, or for what belongs to one thread only, such as a network namespace.
final class TestThread: Sendable {
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  func start() { Thread { [body] in body() }.start() }
}

/// Network namespaces need root, or user namespaces with it.
enum NetworkNamespace {
  static let isAvailable: Bool = {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/unshare")
    process.arguments = ["-n", "/sbin/ip", "link", "set", "lo", "up"]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()

  /// A reactor whose sockets live in an empty network namespace that was set up by the shell lines. Threads inherit
  /// the namespace of the thread that makes them, and the namespace ends with its last thread and socket.
  static func reactor(_ lines: [String]) async throws -> Reactor { try await run(lines) { try Reactor() } }

  static func run<Value: Sendable>(
    _ lines: [String], _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      TestThread {
        let result = Result {
          guard unshareNetwork() else { throw POSIXFailure("unshare", errno) }
          for line in lines { try shell(line) }
          return try body()
        }
        joinHome()
        continuation.resume(with: result)
      }.start()
    }
  }

  /// Runs in the namespace of the calling thread: a child process inherits it from the thread that forks.
  static func shell(_ line: String) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-ec", line]
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw SetUpFailed(line: line) }
  }
}

/// Brings the threads of the cooperative pool back after each test whose engine or reactor lives in a namespace. A
/// thread in there that finishes an await may have to start a thread of the pool, which then inherits the namespace,
/// and with it whatever the test did to its packets: the tests that follow would run in there.
struct ReturnsHome: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    do { try await function() } catch {
      await Self.bringHome()
      throw error
    }
    await Self.bringHome()
  }

  /// More tasks than the pool has threads, each holding its own for a moment, so that every thread gets one.
  private static func bringHome() async {
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<32 {
        group.addTask {
          let isHome = joinHome()
          usleep(500)
          return isHome
        }
      }
      for await isHome in group { #expect(isHome) }
    }
  }
}

extension Trait where Self == ReturnsHome {
  static var returnsHome: Self { Self() }
}

/// The namespace of the process's first thread, which no test moves.
private let homeNetwork = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC)

/// Puts the calling thread back into the namespace of the process (setns(2)).
@discardableResult
private func joinHome() -> Bool {
  typealias SetNamespace = @convention(c) (Int32, Int32) -> Int32
  guard let symbol = dlsym(nil, "setns") else { return false }
  return unsafeBitCast(symbol, to: SetNamespace.self)(homeNetwork, 0x4000_0000) == 0
}

struct SetUpFailed: Error { let line: String }

private func unshareNetwork() -> Bool {
  // CLONE_NEWNET; `unshare` itself is hidden behind _GNU_SOURCE.
  typealias Unshare = @convention(c) (Int32) -> Int32
  guard let symbol = dlsym(nil, "unshare") else { return false }
  return unsafeBitCast(symbol, to: Unshare.self)(0x4000_0000) == 0
}
