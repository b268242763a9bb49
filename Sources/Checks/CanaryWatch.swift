// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization

/// Tells whether it is this machine's own uplink that is down: whether every canary fails.
///
/// Asked when another check is about to be called down. What canaries showed before that check began proves nothing,
/// so the canaries are probed afresh then, once for everybody who asks meanwhile.
package actor CanaryWatch {
  /// One attempt of one check; true when it succeeded.
  package typealias Try = @Sendable (MonitoringCheck) async throws -> Bool

  private let attempt: Try
  private let time: TimeSource
  private nonisolated let list = Mutex<[MonitoringCheck]>([])
  /// When a canary was last seen to work.
  private var lastSuccess: Instant?
  /// When the last round began that no canary survived.
  private var lastFailure: Instant?
  private var round: Task<Void, Never>?

  package init(time: TimeSource = .system, attempt: @escaping Try) {
    self.time = time
    self.attempt = attempt
  }

  /// Takes over another list, from now on.
  package nonisolated func replace(_ canaries: [MonitoringCheck]) { list.withLock { $0 = canaries } }

  /// The names of the canaries when all of them fail, nil when one works or there is none. A canary is not judged by
  /// the others.
  ///
  /// - Parameter start: when the failing attempt began: anything seen since then counts.
  package func failing(since start: Instant, about check: MonitoringCheck) async -> [String]? {
    while true {
      let canaries = list.withLock(\.self)
      guard !canaries.isEmpty, !canaries.contains(where: { $0.id == check.id }), !Task.isCancelled else {
        return nil
      }
      if let lastSuccess, lastSuccess >= start { return nil }
      if let lastFailure, lastFailure >= start { return canaries.map(\.name) }
      await nextRound()
    }
  }

  /// Waits for the end of a round, and begins one if there is none.
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
    let canaries = list.withLock(\.self)
    let attempt = attempt
    let task = Task {
      let works = await oneWorks(canaries, attempt)
      finish(began, canaries, works: works)
    }
    round = task
    return task
  }

  private func finish(_ began: Instant, _ asked: [MonitoringCheck], works: Bool) {
    round = nil
    guard asked == list.withLock(\.self), works || !Task.isCancelled else { return }
    // A success is one of the moment it was seen at, which is not before the round began.
    if works { lastSuccess = began } else { lastFailure = began }
  }
}

/// Whether at least one of the canaries works; the rest are not waited for.
private func oneWorks(_ canaries: [MonitoringCheck], _ attempt: @escaping CanaryWatch.Try) async -> Bool {
  await withTaskGroup(of: Bool.self) { group in
    for canary in canaries {
      group.addTask { (try? await attempt(canary)) ?? false }
    }
    for await works in group where works {
      group.cancelAll()
      return true
    }
    return false
  }
}
