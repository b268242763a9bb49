// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Monitoring
import Synchronization

/// The one list of checks: the file's and the API's, merged.
package final class CheckCatalog: Sendable {
  private struct State {
    var file: [MonitoringCheck]
    /// Names that the configuration calls canaries.
    var canaries: Set<ByteText>
    var rules: [DependencyRule]
    var dependencies = DependencyGraph()
    var api: [MonitoringCheck] = []
    var merged: [MonitoringCheck] = []
    var byID: [UniqueID: MonitoringCheck] = [:]
    /// Every id in the API's list, also of checks this agent does not run.
    var listed: Set<UniqueID> = []
    /// Those of them that the configuration asks for.
    var chosen: Set<UniqueID> = []
    /// Those of them that run once the API has answered.
    var awaited: Set<UniqueID> = []
  }

  private let state: Mutex<State>
  /// Held around a change and its announcement, so that of two changes the later one is announced last. An observer may
  /// ask the catalog, which takes `state` alone.
  private let observer = Mutex(Observer())

  /// Never bare in a `Mutex`: a closure is wrapped for who takes the lock, each time, and never unwrapped.
  private struct Observer {
    var tell: @Sendable ([MonitoringCheck]) -> Void = { _ in }
  }

  init(file: [MonitoringCheck], canaries: [String] = [], rules: [DependencyRule] = []) {
    state = Mutex(State(file: file, canaries: Set(canaries.map { ByteText($0) }), rules: rules))
    state.withLock { merge(&$0) }
  }

  convenience init(_ settings: Settings) {
    self.init(file: settings.checks, canaries: settings.canaries, rules: settings.dependencies)
  }

  var checks: [MonitoringCheck] { state.withLock(\.merged) }

  /// The checks that tell whether this machine's own uplink works.
  package var canaries: [MonitoringCheck] {
    state.withLock { state in state.merged.filter { $0.enabled && state.canaries.contains(ByteText($0.name)) }
    }
  }

  /// Which check fails because of which, of the list in force.
  package var dependencies: DependencyGraph { state.withLock(\.dependencies) }

  subscript(id: UniqueID) -> MonitoringCheck? { state.withLock { $0.byID[id] } }

  /// Results of a check are delivered when the API knows its id, or when the check says so. The API refuses rows of
  /// other checks, and one refused row costs requests.
  func isPosted(_ check: MonitoringCheck) -> Bool {
    check.plan.post || state.withLock { $0.listed.contains(check.id) }
  }

  /// Every check of the API's list that the configuration asks for, also those that are not run.
  var chosen: Set<UniqueID> { state.withLock(\.chosen) }

  /// Checks of the API's list that run once the API has answered: they are not removed.
  var awaited: Set<UniqueID> { state.withLock(\.awaited) }

  /// Tells the list that is in force now, and every later one.
  func observe(_ observer: @escaping @Sendable ([MonitoringCheck]) -> Void) {
    self.observer.withLock { current in
      current.tell = observer
      observer(checks)
    }
  }

  /// Tells the list once more: what follows from it has changed.
  func announce() { observer.withLock { $0.tell(checks) } }

  func replace(file: [MonitoringCheck], canaries: [String] = [], rules: [DependencyRule] = []) {
    change { state in
      state.file = file
      state.rules = rules
      state.canaries = Set(canaries.map { ByteText($0) })
    }
  }

  func replace(
    api: [MonitoringCheck], listed: Set<UniqueID>, chosen: Set<UniqueID> = [], awaited: Set<UniqueID> = []
  ) {
    change { state in
      state.api = api
      state.listed = listed
      state.chosen = chosen
      state.awaited = awaited
    }
  }

  private func change(_ body: (inout State) -> Void) {
    observer.withLock { observer in
      let merged = state.withLock { state in
        body(&state)
        merge(&state)
        return state.merged
      }
      observer.tell(merged)
    }
  }

  private func merge(_ state: inout State) {
    state.merged = mergeChecks(file: state.file, api: state.api).checks
    state.byID = Dictionary(state.merged.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    state.dependencies = DependencyGraph(state.merged, rules: state.rules)
  }
}
