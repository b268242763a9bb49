// SPDX-License-Identifier: MIT

import Glibc
import Synchronization

/// Since when a thread has been at what it does now. Written by that thread, read by whoever watches it.
package final class ThreadClock: Sendable {
  /// Nanoseconds of CLOCK_MONOTONIC; 0: the thread waits for work.
  private let began = Atomic<Int64>(0)

  package init() {}

  package func begin() { began.store(max(1, now()), ordering: .relaxed) }
  package func end() { began.store(0, ordering: .relaxed) }

  /// Zero while it waits for work.
  package var age: Duration {
    let start = began.load(ordering: .relaxed)
    return start == 0 ? .zero : .nanoseconds(max(0, now() - start))
  }

  private func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

/// A thread that probes depend on, as a watchdog sees it.
package struct WatchedThread: Sendable {
  /// For people.
  package var name: String
  /// How long one turn of its work may take before it counts as stuck.
  package var limit: Duration
  /// How long it has been at the present turn; zero while it waits for work.
  package var age: @Sendable () -> Duration

  package init(_ name: String, limit: Duration, age: @escaping @Sendable () -> Duration) {
    self.name = name
    self.limit = limit
    self.age = age
  }

  /// Nil: it is well.
  package var stuckFor: Duration? {
    let age = age()
    return age > limit ? age : nil
  }
}
