// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization

/// Tells whether it is this machine's own uplink that is down: whether every canary fails. Asked when another check is
/// about to be called down.
package final class CanaryWatch: Sendable {
  /// One attempt of one check; true when it succeeded.
  package typealias Try = @Sendable (MonitoringCheck) async throws -> Bool

  private struct Canaries: Sendable {
    var list: [MonitoringCheck] = []
    var look: FreshLook
  }

  private let attempt: Try
  private let time: TimeSource
  private let state: Mutex<Canaries>

  package init(time: TimeSource = .system, attempt: @escaping Try) {
    self.time = time
    self.attempt = attempt
    state = Mutex(Canaries(look: FreshLook(time: time) { true }))
  }

  /// Takes over another list, from now on.
  package func replace(_ canaries: [MonitoringCheck]) {
    state.withLock { state in
      guard state.list != canaries else { return }
      let attempt = attempt
      state = Canaries(list: canaries, look: FreshLook(time: time) { await oneWorks(canaries, attempt) })
    }
  }

  /// The names of the canaries when all of them fail, nil when one works or there is none. A canary is not judged by
  /// the others.
  ///
  /// - Parameter start: when the failing attempt began: anything seen since then counts.
  package func failing(since start: Instant, about check: MonitoringCheck) async -> [String]? {
    while true {
      let canaries = state.withLock(\.self)
      guard !canaries.list.isEmpty, !canaries.list.contains(where: { $0.id == check.id }),
        let works = await canaries.look.works(since: start)
      else { return nil }
      // Another list came meanwhile: it is its word that counts.
      guard state.withLock({ $0.look === canaries.look }) else { continue }
      return works ? nil : canaries.list.map(\.name)
    }
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
