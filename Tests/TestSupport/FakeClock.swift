// SPDX-License-Identifier: MIT

import Basics
import Synchronization

/// The clocks of a test: they stand still until the test moves them, and can say when somebody sleeps on them.
public final class FakeClock: Sendable {
  private struct Sleeper {
    var id: Int
    var deadline: Instant
    var continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var elapsed = Duration.zero
    /// How much further than time went the wall clock was set.
    var step = Duration.zero
    var nextID = 0
    var sleepers: [Sleeper] = []
    var cancelled: Set<Int> = []
    /// Called when somebody begins to sleep.
    var watchers: [@Sendable () -> Void] = []
    /// How long each sleep of `passing` was to be.
    var sleeps: [Duration] = []
  }

  private let state = Mutex(State())
  /// What the wall clock shows at first, unless told.
  package static let start = Timestamp(seconds: 1_767_492_000)

  private let begin: Timestamp
  private let boot: Instant

  /// - Parameters:
  ///   - begin: what the wall clock shows at first.
  ///   - boot: how long the machine has been up then.
  package init(
    at begin: Timestamp = FakeClock.start, boot: Instant = .now
  ) {
    self.begin = begin
    self.boot = boot
  }

  /// How far the test has moved it.
  public var elapsed: Duration { state.withLock { $0.elapsed } }
  package var wall: Timestamp { reading.wall }
  package var instant: Instant { boot + elapsed }
  package var reading: ClockReading {
    state.withLock {
      ClockReading(
        boot: boot.advanced(by: $0.elapsed), wall: begin.advanced(by: $0.elapsed + $0.step))
    }
  }
  /// How long each sleep of `passing` was to be.
  public var sleeps: [Duration] { state.withLock { $0.sleeps } }

  /// The instant so long after the start.
  package func instant(_ elapsed: Duration) -> Instant { boot + elapsed }

  /// A sleep lasts until the test has moved the clock to its end.
  package var time: TimeSource { source { try await self.sleep(until: $0) } }

  /// A sleep is over at once, and has moved the clock to its end.
  package var passing: TimeSource {
    source { deadline in
      try Task.checkCancellation()
      self.state.withLock { state in
        let left = max(.zero, self.instant(state.elapsed).duration(to: deadline))
        state.sleeps.append(left)
        state.elapsed += left
      }
    }
  }

  private func source(
    _ wait: @escaping @Sendable (Instant) async throws -> Void
  ) -> TimeSource {
    TimeSource(wall: { self.wall }, instant: { self.instant }, reading: { self.reading }, wait: wait)
  }

  /// Somebody sets the wall clock.
  public func stepWall(by duration: Duration) { state.withLock { $0.step += duration } }

  private func sleep(until deadline: Instant) async throws {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let (outcome, watchers) = state.withLock {
          state -> (Result<Void, any Error>?, [@Sendable () -> Void]) in
          if state.cancelled.remove(id) != nil { return (.failure(CancellationError()), []) }
          if deadline <= instant(state.elapsed) { return (.success(()), []) }
          state.sleepers.append(Sleeper(id: id, deadline: deadline, continuation: continuation))
          defer { state.watchers = [] }
          return (nil, state.watchers)
        }
        if let outcome { continuation.resume(with: outcome) }
        for watcher in watchers { watcher() }
      }
    } onCancel: {
      let sleeper = state.withLock { state -> Sleeper? in
        guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
          state.cancelled.insert(id)
          return nil
        }
        return state.sleepers.remove(at: index)
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }

  /// Returns once somebody sleeps.
  public func someoneSleeps() async {
    await withCheckedContinuation { continuation in
      let isReady = state.withLock { state in
        if !state.sleepers.isEmpty { return true }
        state.watchers.append { continuation.resume() }
        return false
      }
      if isReady { continuation.resume() }
    }
  }

  /// Returns once somebody sleeps until so long after the start, and not before.
  public func someoneSleeps(until elapsed: Duration) async {
    while true {
      let isSo = await withCheckedContinuation { continuation in
        let isSo = state.withLock { state -> Bool? in
          if state.sleepers.contains(where: { $0.deadline == instant(elapsed) }) { return true }
          state.watchers.append { continuation.resume(returning: false) }
          return nil
        }
        if let isSo { continuation.resume(returning: isSo) }
      }
      if isSo { return }
    }
  }

  /// Time goes by: whoever slept until then wakes, the earliest first.
  public func advance(by duration: Duration) {
    let woken = state.withLock { state in
      state.elapsed += duration
      let now = instant(state.elapsed)
      let woken = state.sleepers.filter { $0.deadline <= now }
      state.sleepers.removeAll { $0.deadline <= now }
      return woken.sorted { $0.deadline < $1.deadline }
    }
    for sleeper in woken { sleeper.continuation.resume() }
  }

  /// Waits until somebody sleeps and moves to the end of the shortest sleep, but not beyond `limit` after the start.
  public func advanceToNext(limit: Duration? = nil) async {
    await someoneSleeps()
    let step = state.withLock { state -> Duration in
      let now = instant(state.elapsed)
      let next = state.sleepers.map(\.deadline).min() ?? now
      return now.duration(to: min(next, limit.map { instant($0) } ?? next))
    }
    advance(by: step)
  }
}
