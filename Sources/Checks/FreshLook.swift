// SPDX-License-Identifier: MIT

import Basics

/// Whether something works, as of a given moment: an answer from before a failing attempt proves nothing about it, so
/// it is probed again then, once for all who ask meanwhile.
actor FreshLook {
  private let time: TimeSource
  private let look: @Sendable () async -> Bool
  /// When it was last seen to work.
  private var lastSuccess: Instant?
  /// When the last look began that failed.
  private var lastFailure: Instant?
  private var round: Task<Void, Never>?

  init(time: TimeSource, _ look: @escaping @Sendable () async -> Bool) {
    self.time = time
    self.look = look
  }

  /// `nil` where the caller was cancelled.
  ///
  /// - Parameter start: anything seen since then counts.
  func works(since start: Instant) async -> Bool? {
    while !Task.isCancelled {
      if let lastSuccess, lastSuccess >= start { return true }
      if let lastFailure, lastFailure >= start { return false }
      await nextRound()
    }
    return nil
  }

  /// Waits for the end of a look, and begins one if there is none.
  private func nextRound() async {
    // One that is under way may have begun too early; the next is then ours or somebody else's.
    let task = round ?? beginRound()
    await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      // Nobody else's answer: who still waits begins another.
      task.cancel()
    }
  }

  private func beginRound() -> Task<Void, Never> {
    let began = time.instant()
    let look = look
    let task = Task {
      let works = await look()
      finish(began, works: works)
    }
    round = task
    return task
  }

  private func finish(_ began: Instant, works: Bool) {
    round = nil
    guard works || !Task.isCancelled else { return }
    // A success is one of the moment it was seen at, which is not before the look began.
    if works { lastSuccess = began } else { lastFailure = began }
  }
}
