// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Logging
import Monitoring
import Synchronization

/// Looks after every thread that probes depend on, from a thread of its own.
///
/// One that is at the same turn for longer than its limit is stuck: the log says so once, the status page says so while
/// it lasts, `/readyz` answers 503, and the supervisor's watchdog gets no beat, so that systemd starts the agent again.
final class ThreadWatch: Sendable {
  private struct State {
    var threads: [WatchedThread] = []
    var stuck: [String] = []
    var isStopped = false
    /// A task was sent into the pool and has not run yet.
    var isAsking = false
  }

  private let state = Mutex(State())
  private let pool = ThreadClock()
  private let log: Logger

  static let every: Duration = .milliseconds(500)
  /// For threads whose turns take milliseconds where all is well. Less than half of the watchdog's time in the unit.
  static let limit: Duration = .seconds(10)
  /// A disk may take long without being gone, and results wait in memory meanwhile.
  static let storeLimit: Duration = .seconds(60)

  init(log: Logger) { self.log = log }

  /// Names of the threads that are stuck; empty: all is well.
  var stuck: [String] { state.withLock(\.stuck) }

  var notice: Notice? {
    let stuck = stuck
    guard !stuck.isEmpty else { return nil }
    return .critical(
      "threads", "stuck: \(stuck.joined(separator: ", "))",
      hint: "under systemd the watchdog restarts the agent; elsewhere restart it yourself")
  }

  /// Begins to look, besides these threads after Swift's own pool.
  func start(_ threads: [WatchedThread]) {
    let pool = pool
    state.withLock {
      $0.threads = threads + [WatchedThread("task pool", limit: Self.limit) { pool.age }]
    }
    let isStarted = startThread { [weak self] in
      var pause = timespec(tv_sec: 0, tv_nsec: 500_000_000)
      while let watch = self, !watch.state.withLock(\.isStopped) {
        watch.look()
        nanosleep(&pause, nil)
      }
    }
    if !isStarted { log.error("there is no thread to watch the others: raise TasksMax") }
  }

  func stop() { state.withLock { $0.isStopped = true } }

  /// One look; of the watch's own thread, and of tests.
  func look() {
    askPool()
    let threads = state.withLock(\.threads)
    let found = threads.compactMap { thread in thread.stuckFor.map { (name: thread.name, age: $0) } }
    let names = found.map(\.name)
    let before = state.withLock { state in
      defer { state.stuck = names }
      return state.stuck
    }
    for thread in found where !before.contains(thread.name) {
      log.critical(
        "a thread is stuck",
        metadata: [
          "thread": "\(thread.name)", "since": "\(Int(thread.age.seconds)) s",
          "hint": "the watchdog is not pinged until the thread resumes; report what was probed at that time",
        ])
    }
    for name in before where !names.contains(name) {
      log.notice("a stuck thread runs again", metadata: ["thread": "\(name)"])
    }
  }

  /// Sends a task into the pool and hears when it has run.
  private func askPool() {
    let isFree = state.withLock { state in
      defer { state.isAsking = true }
      return !state.isAsking
    }
    guard isFree else { return }
    pool.begin()
    Task.detached { [self] in
      pool.end()
      state.withLock { $0.isAsking = false }
    }
  }
}

extension ThreadWatch: AgentPart {
  var notices: [Notice] { [notice].compactMap(\.self) }
}
