// SPDX-License-Identifier: MIT

import Basics
import Testing

@Suite struct ThreadClockTests {
  /// Whether the clock gets beyond an age while it is looked at, without a wait.
  private func counts(_ clock: ThreadClock, beyond age: Duration = .zero) -> Bool {
    (0..<1_000_000).contains { _ in clock.age > age }
  }

  /// A clock counts from its begin, or from when it was asked to wake, and not while it waits for work.
  @Test func itCountsWhileThereIsWork() {
    let clock = ThreadClock()
    #expect(clock.age == .zero)
    for start in [clock.begin, clock.wake] {
      start()
      #expect(counts(clock))
      clock.end()
      #expect(clock.age == .zero)
    }
  }

  /// One that is asked to wake while it works goes on counting.
  @Test func wakingDoesNotBeginAnew() {
    let clock = ThreadClock()
    clock.begin()
    #expect(counts(clock, beyond: .milliseconds(2)))
    clock.wake()
    #expect(clock.age > .milliseconds(2))
  }

  /// A thread is stuck beyond its limit, and not at it.
  @Test(arguments: [(999, nil), (1000, nil), (1001, 1001)] as [(Int64, Int64?)])
  func stuck(age: Int64, stuck: Int64?) {
    let thread = WatchedThread("loop", limit: .milliseconds(1000)) { .milliseconds(age) }
    #expect(thread.stuckFor == stuck.map { .milliseconds($0) })
  }
}
