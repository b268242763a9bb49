// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Synchronization

/// Ends a process that was told to stop and does not, because something in it is stuck.
///
/// It needs neither the task pool nor any thread of the agent: the thread that reads signals arms it, and it acts on one
/// of its own.
final class LastResort: Sendable {
  private struct State {
    var plan: Plan?
    var isArmed = false
  }

  /// The actions when the time is up.
  struct Plan: Sendable {
    /// From the stop signal to the end of the process, at most.
    var limit: Duration
    /// Takes what there is to the disk, and calls back when it is there.
    var save: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// Words for people about what is stuck.
    var words: @Sendable () -> String
  }

  static let shared = LastResort()

  private let state = Mutex(State())

  /// EX_SOFTWARE of sysexits.h.
  private static let status: Int32 = 70
  /// How long saving may take; it is part of the limit.
  private static let saving: Duration = .seconds(1)

  func prepare(_ plan: Plan) { state.withLock { $0.plan = plan } }

  /// All has ended as it should.
  func disarm() { state.withLock { $0.plan = nil } }

  /// The stop signal came. Does nothing where `prepare` was not called.
  func arm() {
    let isFirst = state.withLock { state in
      defer { state.isArmed = true }
      return !state.isArmed && state.plan != nil
    }
    guard isFirst else { return }
    let began = Instant.now
    _ = startThread { [self] in
      guard let plan = state.withLock(\.plan), wait(until: began + plan.limit - Self.saving) else { return }
      let isSaved = Flag()
      plan.save { isSaved.raise() }
      guard wait(until: began + plan.limit, unless: isSaved), state.withLock({ $0.plan != nil }) else {
        return
      }
      let saved = isSaved.isRaised ? "results are on the disk" : "results of the last moments may be lost"
      let words = "quartz-agent: error: it did not stop in time (\(plan.words())): ended now; \(saved)\n"
      tell(words)
      _exit(Self.status)
    }
  }

  /// False: it was disarmed meanwhile.
  private func wait(until deadline: Instant, unless flag: Flag? = nil) -> Bool {
    var pause = timespec(tv_sec: 0, tv_nsec: 20_000_000)
    while Instant.now < deadline {
      if state.withLock({ $0.plan == nil }) { return false }
      if flag?.isRaised == true, Instant.now > deadline - .milliseconds(200) { break }
      nanosleep(&pause, nil)
    }
    return true
  }

  /// The reader of our words may be stuck, too.
  private func tell(_ words: String) {
    var ready = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
    guard poll(&ready, 1, 100) > 0 else { return }
    let bytes = Array(words.utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
  }

  private final class Flag: Sendable {
    private let value = Atomic(false)
    var isRaised: Bool { value.load(ordering: .acquiring) }
    func raise() { value.store(true, ordering: .releasing) }
  }
}
