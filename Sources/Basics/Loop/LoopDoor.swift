// SPDX-License-Identifier: MIT

import CLinux
import Glibc
import Synchronization

/// Wakes a loop's thread, and only where it sleeps.
///
/// The sender rings after it put something into a guest's mailbox, under its lock. The thread says that it will sleep
/// and looks into all mailboxes once more after that, under their locks: it sees what was put in, or the bell sees that
/// it sleeps.
package final class LoopBell: Sendable {
  let turns = ThreadClock()
  let descriptor: Int32
  private let isAsleep = Atomic(false)

  init?() {
    descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
    if descriptor < 0 { return nil }
  }

  deinit { close(descriptor) }

  /// From any thread.
  package func ring() {
    guard isAsleep.load(ordering: .relaxed), isAsleep.exchange(false, ordering: .relaxed) else { return }
    turns.wake()
    // The one failure is a counter near 2^64, and then the thread is awake anyway.
    eventfd_write(descriptor, 1)
  }

  /// Of the thread: whatever comes from here on rings.
  func fallAsleep() { isAsleep.store(true, ordering: .relaxed) }

  func wakeUp() { isAsleep.store(false, ordering: .relaxed) }

  /// Takes the ring away.
  func clear() {
    var count: UInt64 = 0
    eventfd_read(descriptor, &count)
  }
}

/// Work that is handed to a loop's thread from outside.
final class LoopDoor: Sendable {
  typealias Entry = @Sendable (LoopThread) -> any LoopGuest

  private struct State {
    var jobs: [UnownedJob] = []
    var entries: [Entry] = []
    var isClosing = false
    var hasEnded = false
  }

  let name: StaticString
  let bell: LoopBell
  let epoll: Int32
  /// The thread has ended its loop.
  let ended = Latch()
  private let state = Mutex(State())

  /// `nil` when the process is out of descriptors; `errno` says why.
  init?(_ name: StaticString) {
    guard let bell = LoopBell() else { return nil }
    self.name = name
    self.bell = bell
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    if epoll < 0 { return nil }
  }

  deinit { if epoll >= 0 { Glibc.close(epoll) } }

  /// False: the loop has ended.
  func take(_ job: UnownedJob) -> Bool {
    let isTaken = state.withLock { state in
      if !state.hasEnded { state.jobs.append(job) }
      return !state.hasEnded
    }
    bell.ring()
    return isTaken
  }

  func admit(_ entry: @escaping Entry) {
    state.withLock { $0.entries.append(entry) }
    bell.ring()
  }

  func close() {
    state.withLock { $0.isClosing = true }
    bell.ring()
  }

  /// Nothing waits here. Of the thread.
  var isIdle: Bool {
    state.withLock { $0.jobs.isEmpty && $0.entries.isEmpty && !$0.isClosing }
  }

  /// All that came since the last call, oldest first, for an empty list.
  func takeJobs(_ jobs: inout [UnownedJob]) { state.withLock { swap(&$0.jobs, &jobs) } }

  func takeEntries() -> (entries: [Entry], isClosing: Bool) {
    state.withLock { state in
      defer { state.entries = [] }
      return (state.entries, state.isClosing)
    }
  }

  /// Takes no job from here on; false: one is there to run first.
  func end() -> Bool {
    state.withLock { state in
      state.hasEnded = state.jobs.isEmpty
      return state.hasEnded
    }
  }
}
