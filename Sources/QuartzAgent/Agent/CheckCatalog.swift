// SPDX-License-Identifier: MIT

import AgentConfig
import Monitoring
import Synchronization

/// The one list of checks: the file's and the API's, merged.
final class CheckCatalog: Sendable {
  private struct State {
    var file: [MonitoringCheck]
    var api: [MonitoringCheck] = []
    var merged: [MonitoringCheck] = []
    var byID: [UniqueID: MonitoringCheck] = [:]
    /// Every id in the API's list, also of checks this agent does not run.
    var listed: Set<UniqueID> = []
    var observer: @Sendable ([MonitoringCheck]) -> Void = { _ in }
  }

  private let state: Mutex<State>

  init(file: [MonitoringCheck]) {
    state = Mutex(State(file: file))
    state.withLock { merge(&$0) }
  }

  var checks: [MonitoringCheck] { state.withLock(\.merged) }

  subscript(id: UniqueID) -> MonitoringCheck? { state.withLock { $0.byID[id] } }

  /// Results of a check are delivered when the API knows its id, or when the check says so. The API refuses rows of
  /// other checks, and one refused row costs requests.
  func isPosted(_ check: MonitoringCheck) -> Bool {
    check.post || state.withLock { $0.listed.contains(check.id) }
  }

  /// Tells the list that is in force now, and every later one.
  func observe(_ observer: @escaping @Sendable ([MonitoringCheck]) -> Void) {
    change { $0.observer = observer }
  }

  func replace(file: [MonitoringCheck]) { change { $0.file = file } }

  func replace(api: [MonitoringCheck], listed: Set<UniqueID>) {
    change { state in
      state.api = api
      state.listed = listed
    }
  }

  /// The observer is called under the lock: of two changes the later one has the last word with everybody.
  private func change(_ body: (inout State) -> Void) {
    state.withLock { state in
      body(&state)
      merge(&state)
      state.observer(state.merged)
    }
  }

  private func merge(_ state: inout State) {
    state.merged = mergeChecks(file: state.file, api: state.api).checks
    state.byID = Dictionary(state.merged.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
  }
}
