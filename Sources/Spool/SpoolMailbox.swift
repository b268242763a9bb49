// SPDX-License-Identifier: MIT

import Basics
import DequeModule
import Glibc
import Monitoring
import Synchronization

/// Work that callers hand to the writer thread: results, and jobs to be done on the store between groups.
final class SpoolMailbox: Sendable {
  typealias Work = @Sendable (inout SpoolCore, SpoolTime) -> Void
  typealias Waiter = CheckedContinuation<Bool, Never>

  struct Queued {
    var entry: SpoolEntry
    var waiter: Waiter?
  }

  struct Job {
    var work: Work
    /// Results handed in before it are written first.
    var isBarrier: Bool
  }

  /// Work that the thread takes in one go.
  struct Load {
    var results: [Queued] = []
    var overflow: GapRecord?
    var jobs: [Job] = []
    var isLast = false
    /// When results that stayed in the queue are due.
    var dueAt: Int64?
  }

  private struct State {
    var queue: Deque<Queued> = []
    var bytes = 0
    var firstAt: Int64?
    var overflow: GapRecord?
    var jobs: [Job] = []
    var next: UInt64
    var status: SpoolStatus
    var isClosing = false
    var hasEnded = false
  }

  /// A group is written when it has this many results, or its first is this old.
  static let groupCount = 64
  static let groupDelay: Int64 = 50_000

  private let state: Mutex<State>
  /// The directory is released.
  let released = Latch()
  /// Of the writer thread.
  let turn = ThreadClock()
  /// A pipe: the thread polls one end, callers write a byte into the other.
  private let wakeUp: (read: Int32, write: Int32)
  private let limit: (count: Int, bytes: Int)
  private let clock: @Sendable () -> SpoolTime
  /// Told that there is something to do in place of the thread.
  private let driver: (@Sendable () -> Void)?

  /// - Parameters:
  ///   - clock: a simulation's; the system's unless told.
  ///   - driver: who takes the turns where there is no thread, told at each wake-up; nil: the thread waits.
  init(
    settings: SpoolSettings, next: UInt64, status: SpoolStatus,
    clock: @escaping @Sendable () -> SpoolTime = { SpoolTime.now }, driver: (@Sendable () -> Void)? = nil
  ) {
    self.state = Mutex(State(next: next, status: status))
    self.wakeUp = driver == nil ? makePipe() : (-1, -1)
    self.limit = (settings.queueLimit, settings.queueBytes)
    (self.clock, self.driver) = (clock, driver)
  }

  /// Both clocks, by which its groups are due.
  var time: SpoolTime { clock() }

  deinit {
    guard driver == nil else { return }
    Glibc.close(wakeUp.read)
    Glibc.close(wakeUp.write)
  }

  /// Takes a result in and returns its number; 0 when the store is closed. Never waits for the disk.
  func add(_ payload: [UInt8], deliverable: Bool, waiter: Waiter?) -> UInt64 {
    let now = time.monotonic
    var dropped: [Waiter] = []
    let (sequence, wakes) = state.withLock { state -> (UInt64, Bool) in
      guard !state.isClosing else {
        if let waiter { dropped.append(waiter) }
        return (0, false)
      }
      let sequence = state.next
      state.next += 1
      let entry = SpoolEntry(sequence: sequence, kind: .result, deliverable: deliverable, payload: payload)
      state.queue.append(Queued(entry: entry, waiter: waiter))
      state.bytes += entry.size
      while state.queue.count > limit.count || state.bytes > limit.bytes, let oldest = state.queue.popFirst()
      {
        dropOldest(oldest, &state)
        if let waiter = oldest.waiter { dropped.append(waiter) }
      }
      let isFirst = state.firstAt == nil
      if isFirst { state.firstAt = now }
      return (sequence, isFirst || state.queue.count == SpoolMailbox.groupCount)
    }
    if wakes { wake() }
    for waiter in dropped { waiter.resume(returning: false) }
    return sequence
  }

  private func dropOldest(_ oldest: Queued, _ state: inout State) {
    let sequence = oldest.entry.sequence
    var gap =
      state.overflow ?? GapRecord(cause: .memoryOverflow, lost: 0, records: 0, sequences: sequence...sequence)
    gap.add(oldest.entry)
    state.overflow = gap
    state.bytes -= oldest.entry.size
  }

  /// False when the store is closed; the work is then never done.
  func add(_ job: Job) -> Bool {
    let accepted = state.withLock { state in
      guard !state.hasEnded else { return false }
      state.jobs.append(job)
      return true
    }
    if accepted { wake() }
    return accepted
  }

  /// No result is taken from here on; what was taken is written.
  func close() {
    state.withLock { $0.isClosing = true }
    wake()
  }

  func take(at now: Int64) -> Load {
    state.withLock { state in
      var load = Load(jobs: state.jobs, isLast: state.isClosing)
      state.jobs = []
      let due = state.firstAt.map { $0 + SpoolMailbox.groupDelay }
      let isDue = due.map { $0 <= now } ?? false || state.queue.count >= SpoolMailbox.groupCount
      guard isDue || load.isLast || load.jobs.contains(where: \.isBarrier) else {
        load.dueAt = due
        return load
      }
      load.results = Array(state.queue)
      load.overflow = state.overflow
      state.queue.removeAll(keepingCapacity: true)
      state.bytes = 0
      state.firstAt = nil
      state.overflow = nil
      return load
    }
  }

  /// No job is taken from here on. Returns those that came in too late for a group.
  func endJobs() -> [Job] {
    state.withLock { state in
      state.hasEnded = true
      let late = state.jobs
      state.jobs = []
      return late
    }
  }

  /// The core decides about numbers: the next one taken in is never below its own.
  func publish(_ status: SpoolStatus, next: UInt64) {
    state.withLock { state in
      state.status = status
      state.next = max(state.next, next)
    }
  }

  var status: SpoolStatus { state.withLock { $0.status } }

  private func wake() {
    if let driver { return driver() }
    var one: UInt8 = 1
    // A full pipe is a wake-up as well.
    _ = write(wakeUp.write, &one, 1)
  }

  /// Returns at the latest at `deadline` (monotonic microseconds); nil waits for a wake-up.
  func wait(until deadline: Int64?) {
    // Without a pipe (no descriptor left at the start) the thread looks every 20 ms.
    var timeout: Int32 = wakeUp.read < 0 ? 20 : -1
    if let deadline {
      let left = max(0, deadline - time.monotonic)
      // Rounded up: waking a moment early would spin.
      timeout = min(Int32(clamping: (left + 999) / 1000), wakeUp.read < 0 ? 20 : .max)
    }
    var descriptor = pollfd(fd: wakeUp.read, events: Int16(POLLIN), revents: 0)
    turn.end()
    let woken = poll(&descriptor, 1, timeout)
    turn.begin()
    guard woken > 0 else { return }
    var drained = [UInt8](repeating: 0, count: 256)
    _ = read(wakeUp.read, &drained, drained.count)
  }
}

private func makePipe() -> (read: Int32, write: Int32) {
  var ends: [Int32] = [-1, -1]
  guard pipe(&ends) == 0 else { return (-1, -1) }
  for end in ends {
    _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    _ = fcntl(end, F_SETFL, O_NONBLOCK)
  }
  return (ends[0], ends[1])
}
