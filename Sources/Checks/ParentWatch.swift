// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization

/// Tells whether a check that is about to be called down fails because something does that it depends on.
///
/// A parent is down when it fails now, whatever its own schedule last found: the children of a dead gateway may well be
/// due before the gateway is, and a gateway that works again may be due long after them.
package final class ParentWatch: Sendable {
  private struct State {
    var graph = DependencyGraph()
    var looks: [UniqueID: (check: MonitoringCheck, look: FreshLook)] = [:]
  }

  private let attempt: CanaryWatch.Try
  private let time: TimeSource
  private let state = Mutex(State())

  package init(time: TimeSource = .system, attempt: @escaping CanaryWatch.Try) {
    self.time = time
    self.attempt = attempt
  }

  /// Takes over other dependencies, from now on.
  package func replace(_ graph: DependencyGraph) {
    state.withLock { state in
      state.graph = graph
      state.looks = state.looks.filter { graph.parent($0.key) == $0.value.check }
    }
  }

  /// The name of what is down, the furthest of those that are, which is the cause of the others; nil when all work that this
  /// check depends on, or nothing does.
  ///
  /// - Parameter start: when the failing attempt began: a parent that works since then is no excuse.
  package func failing(since start: Instant, about check: MonitoringCheck) async -> String? {
    let parents = state.withLock { $0.graph.ancestors(of: check.id) }
    guard !parents.isEmpty else { return nil }
    let looks = parents.map(look)
    let failed = await withTaskGroup(of: Int?.self) { group in
      for (place, look) in looks.enumerated() {
        group.addTask { await look.works(since: start) == false ? place : nil }
      }
      return await group.reduce(into: -1) { $0 = max($0, $1 ?? -1) }
    }
    return failed < 0 ? nil : parents[failed].name
  }

  private func look(_ parent: MonitoringCheck) -> FreshLook {
    state.withLock { state in
      if let known = state.looks[parent.id], known.check == parent { return known.look }
      let attempt = attempt
      let look = FreshLook(time: time) {
        guard let verdict = try? await attempt(parent) else { return false }
        // A parent whose state is unknown is no cause of anything.
        return verdict.state != .down
      }
      state.looks[parent.id] = (parent, look)
      return look
    }
  }
}
