// SPDX-License-Identifier: MIT

import Synchronization

/// How long a thread has been at what it does now, without coming back to see what else there is to do. Written by that
/// thread and by who wakes it, read by who watches over it.
package final class ThreadClock: Sendable {
  /// Nanoseconds of the monotonic clock; zero: it waits for work.
  private let began = Atomic<Int64>(0)

  package init() {}

  /// The thread has woken, or goes on to the next round.
  package func begin() { began.store(Self.now, ordering: .relaxed) }

  /// It is to wake: who asked counts from here, also when it never does.
  package func wake() {
    _ = began.compareExchange(expected: 0, desired: Self.now, ordering: .relaxed)
  }

  /// It is about to wait.
  package func end() { began.store(0, ordering: .relaxed) }

  /// Zero while it waits for work.
  package var age: Duration {
    let start = began.load(ordering: .relaxed)
    return start == 0 ? .zero : .nanoseconds(max(0, Self.now - start))
  }

  /// Never zero.
  private static var now: Int64 { max(1, SystemClock.monotonic.nanoseconds) }
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

  /// `nil` while the thread is not stuck.
  package var stuckFor: Duration? {
    let age = age()
    return age > limit ? age : nil
  }
}
