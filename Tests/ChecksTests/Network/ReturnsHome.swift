// SPDX-License-Identifier: MIT

import Glibc
import TestSupport
import Testing

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
