// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Synchronization

/// How long a thread that serves many has been at work without coming back to see what else there is to do: read by
/// whoever watches over it.
package final class TurnClock: Sendable {
  /// Nanoseconds of the monotonic clock; zero: it sleeps.
  private let began = Atomic<Int64>(0)

  package init() {}

  /// The thread has woken, or goes on to the next round.
  package func begin() { began.store(Self.now, ordering: .relaxed) }

  /// It is to wake: who asked counts from here, also when it never does.
  package func wake() {
    _ = began.compareExchange(expected: 0, desired: Self.now, ordering: .relaxed)
  }

  /// It is about to sleep.
  package func end() { began.store(0, ordering: .relaxed) }

  /// Of the turn that is on; zero while the thread sleeps.
  package var age: Duration {
    let began = began.load(ordering: .relaxed)
    return began == 0 ? .zero : .nanoseconds(max(0, Self.now - began))
  }

  /// Not counting sleep of the machine, which is nobody's work. Never zero.
  private static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return max(1, Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }
}
