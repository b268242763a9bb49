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

  func replace(file: [MonitoringCheck]) {
    state.withLock { state in
      state.file = file
      merge(&state)
    }
  }

  func replace(api: [MonitoringCheck], listed: Set<UniqueID>) {
    state.withLock { state in
      state.api = api
      state.listed = listed
      merge(&state)
    }
  }

  private func merge(_ state: inout State) {
    state.merged = mergeChecks(file: state.file, api: state.api).checks
    state.byID = Dictionary(state.merged.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
  }
}
