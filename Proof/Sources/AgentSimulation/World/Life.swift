// SPDX-License-Identifier: MIT

import Basics
import QuartzAPI
import Scheduler

/// A machine: its clocks, which may be set, and what its disk holds when no process runs.
///
/// No lock: the simulator has one thread.
final class Machine: @unchecked Sendable {
  let clock: WorldClock
  let store: MachineDisk
  /// State files by name. Each write is whole or not at all, and on the medium when it returns.
  var files: [String: [UInt8]] = [:]
  /// What the wall clock shows more than the clock that nobody sets, microseconds.
  var offset: Int64
  /// State files cannot be written before then.
  var filesFailUntil = Instant(nanoseconds: 0)

  init(_ clock: WorldClock, wall: Timestamp) {
    self.clock = clock
    store = MachineDisk()
    offset = wall.microseconds - clock.now.microseconds
  }

  var reading: ClockReading {
    ClockReading(boot: clock.now, wall: Timestamp(microseconds: clock.now.microseconds + offset))
  }
}

/// A process on a machine, from its start to its end. Everything that its code asks of the world goes through it, so that a
/// process that was killed can do nothing any more, and one that is paused does everything late.
///
/// No lock: the simulator has one thread.
final class Life: @unchecked Sendable {
  let machine: Machine
  let number: Int
  let began: Instant
  var clock: WorldClock { machine.clock }
  private(set) var isAlive = true
  private(set) var isPaused = false
  /// What happened to it while it was paused.
  private var missed: [() -> Void] = []
  private var sleepers: [UInt64: UnsafeContinuation<Void, any Error>] = [:]
  private var lastSleeper: UInt64 = 0
  /// What is to be told when it dies: answers that will not come any more.
  private var mourners: [UInt64: () -> Void] = [:]
  var wake: () -> Void = {}
  var task: Task<Void, Never>?
  /// Its code has come to its end.
  var hasEnded = false
  /// Operations of the disk until it dies in the middle of one.
  var fuse: Int?
  /// What is to follow then.
  var atFuse: () -> Void = {}
  private var afterlife: Duration = .zero

  init(_ machine: Machine, number: Int) {
    (self.machine, self.number, self.began) = (machine, number, machine.clock.now)
  }

  var sleeping: Int { sleepers.count }

  var time: TimeSource {
    TimeSource(
      wall: { self.machine.reading.wall }, instant: { self.reading.boot }, reading: { self.reading },
      wait: { try await self.sleep(until: $0) })
  }

  /// Of a process that is over time runs away, so that whoever waits in it gives up: nothing wakes it any more.
  private var reading: ClockReading {
    var reading = machine.reading
    guard !isAlive else { return reading }
    afterlife = afterlife + .seconds(60)
    reading.boot = reading.boot + afterlife
    return reading
  }

  /// Does something in the process at an instant, later if it is paused then, never if it is dead.
  func at(_ instant: Instant, _ action: @escaping () -> Void) {
    clock.at(instant) { self.enter(action) }
  }

  func after(_ delay: Duration, _ action: @escaping () -> Void) { at(clock.now + delay, action) }

  private func enter(_ action: @escaping () -> Void) {
    guard isAlive else { return }
    if isPaused { missed.append(action) } else { action() }
  }

  func pause() { isPaused = true }

  func resume() {
    guard isAlive, isPaused else { return }
    isPaused = false
    let late = missed
    missed = []
    for action in late { enter(action) }
  }

  /// No code of it has any effect from here on.
  func die() {
    isAlive = false
    task?.cancel()
  }

  /// The same, and what waits is let go, so that it comes to an end.
  func kill() {
    isAlive = false
    isPaused = false
    missed = []
    task?.cancel()
    let sleeping = sleepers.sorted { $0.key < $1.key }
    sleepers = [:]
    for (_, sleeper) in sleeping { sleeper.resume(throwing: CancellationError()) }
    let waiting = mourners.sorted { $0.key < $1.key }
    mourners = [:]
    for (_, tell) in waiting { tell() }
    wake()
  }

  private func sleep(until deadline: Instant) async throws {
    guard isAlive else { throw CancellationError() }
    try Task.checkCancellation()
    guard deadline > clock.now else { return }
    lastSleeper += 1
    let id = lastSleeper
    try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
        if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
        sleepers[id] = continuation
        at(deadline) { self.sleepers.removeValue(forKey: id)?.resume() }
      }
    } onCancel: {
      sleepers.removeValue(forKey: id)?.resume(throwing: CancellationError())
    }
  }

  /// Waits for an answer from outside. Nil: the process was killed meanwhile, or its task cancelled.
  ///
  /// - Parameter ask: calls what it is given with the answer, once, at any time.
  func answer<Value: Sendable>(_ ask: (@escaping (Value) -> Void) -> Void) async -> Value? {
    guard isAlive, !Task.isCancelled else { return nil }
    lastSleeper += 1
    let id = lastSleeper
    return await withTaskCancellationHandler {
      await withUnsafeContinuation { (continuation: UnsafeContinuation<Value?, Never>) in
        if Task.isCancelled { return continuation.resume(returning: nil) }
        mourners[id] = { continuation.resume(returning: nil) }
        ask { value in
          self.enter {
            if self.mourners.removeValue(forKey: id) != nil { continuation.resume(returning: value) }
          }
        }
      }
    } onCancel: {
      mourners.removeValue(forKey: id)?()
    }
  }
}

/// The scheduler's clock and alarm.
///
/// No lock: the simulator has one thread.
final class LifeWakeSource: WakeSource, @unchecked Sendable {
  let wakes: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation
  private let life: Life
  private var armed: Instant?

  init(_ life: Life) {
    self.life = life
    (wakes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    life.wake = { [continuation] in continuation.yield() }
  }

  func now() -> ClockReading { life.machine.reading }

  func arm(at deadline: Instant?) {
    armed = deadline
    guard let deadline else { return }
    life.at(deadline) { if self.armed == deadline { self.continuation.yield() } }
  }

  func wake() { continuation.yield() }
}
