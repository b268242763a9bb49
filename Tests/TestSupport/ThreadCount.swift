// SPDX-License-Identifier: MIT

import Dispatch
import Foundation

/// Threads of a test's own server, which are over when the test is: one that is still in a C library while the process ends
/// would read what is being taken down.
package struct ThreadCount: Sendable {
  private let running = DispatchGroup()

  package init() {}

  package func start(_ body: @escaping @Sendable () -> Void) {
    running.enter()
    let running = running
    Thread {
      body()
      running.leave()
    }.start()
  }

  /// Until all have ended, but no longer than five seconds: what else a script waits for is nothing we know of.
  package func wait() { _ = running.wait(timeout: .now() + 5) }
}
