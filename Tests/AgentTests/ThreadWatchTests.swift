// SPDX-License-Identifier: MIT

import Basics
import Logging
import Monitoring
import Status
import Synchronization
import Testing
@testable import Agent

/// Who looks after the threads that probes depend on.
@Suite(.timeLimit(.minutes(1))) struct ThreadWatchTests {
  private func watched(_ name: String, _ age: DurationBox) -> WatchedThread {
    WatchedThread(name, limit: .seconds(10)) { age.value.withLock { $0 } }
  }

  /// A thread beyond its limit is told once in the log and named while it lasts; one within it is not.
  @Test func aStuckThreadIsToldOnce() {
    let (engine, probes) = (DurationBox(.zero), DurationBox(.seconds(9)))
    let lines = LogLines()
    let watch = ThreadWatch(log: Logger(label: "test") { _ in lines })
    watch.start([watched("curl", engine), watched("probes", probes)])
    watch.stop()
    watch.look()
    #expect(watch.stuck.isEmpty && watch.notice == nil)
    engine.value.withLock { $0 = .seconds(11) }
    watch.look()
    watch.look()
    #expect(watch.stuck == ["curl"])
    #expect(watch.notice?.what == "stuck: curl" && watch.notice?.isCritical == true)
    #expect(lines.all.count { $0.contains("a thread is stuck") } == 1)
    engine.value.withLock { $0 = .zero }
    watch.look()
    #expect(watch.stuck.isEmpty)
    #expect(lines.all.count { $0.contains("a stuck thread runs again") } == 1)
  }

  /// The clock of a thread that waits for work stands at zero, and that of one at work does not.
  @Test func aClockTellsTheAgeOfATurn() {
    let clock = ThreadClock()
    #expect(clock.age == .zero)
    clock.begin()
    while clock.age == .zero {}
    clock.end()
    #expect(clock.age == .zero)
  }
}

/// A lock that closures can share.
private final class DurationBox: Sendable {
  let value: Mutex<Duration>
  init(_ value: Duration) { self.value = Mutex(value) }
}
