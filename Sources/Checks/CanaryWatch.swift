// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization

/// Tells whether it is this machine's own uplink that is down: whether every canary fails. Asked when another check is
/// about to be called down. A canary that cannot be run here says nothing, and where none can, no failure is excused.
package final class CanaryWatch: Sendable {
  /// One attempt of one check.
  package typealias Try = @Sendable (MonitoringCheck) async throws -> Verdict

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
      state = Canaries(list: canaries, look: FreshLook(time: time) { await mayWork(canaries, attempt) })
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

/// Whether at least one of the canaries works, or none of them says that the uplink is down. The rest are not waited for
/// once one works.
private func mayWork(_ canaries: [MonitoringCheck], _ attempt: @escaping CanaryWatch.Try) async -> Bool {
  await withTaskGroup(of: Verdict?.self) { group in
    for canary in canaries {
      group.addTask { try? await attempt(canary) }
    }
    var isSilent = true
    for await verdict in group {
      if verdict?.isSuccess == true {
        group.cancelAll()
        return true
      }
      // An attempt without a verdict was cancelled.
      if verdict?.isUplinkFailure != false { isSilent = false }
    }
    return isSilent
  }
}

extension Verdict {
  /// The canary was tried and did not answer, or this machine found no path to it. A check that may not or cannot be run
  /// here, and one whose answer could not be judged, say nothing about the uplink.
  fileprivate var isUplinkFailure: Bool {
    switch state {
    case .up, .degraded: false
    case .down: true
    case .unknown: (phase == .dns || phase == .connect) && (reason == .localFault || reason == .dnsTimeout)
    }
  }
}
