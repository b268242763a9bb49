// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization

/// The maintenance windows in force, of the file, of the API and by hand, and which checks are in them.
final class MaintenanceBook: Sendable {
  private struct State {
    var file: [MaintenanceWindow]
    var api: [MaintenanceWindow] = []
    /// Opened by hand.
    var hand: [MaintenanceWindow] = []
    var checks: [MonitoringCheck] = []
    var plan = MaintenancePlan.none
  }

  private let state: Mutex<State>

  init(file: [MaintenanceWindow]) {
    state = Mutex(State(file: file))
  }

  var plan: MaintenancePlan { state.withLock(\.plan) }

  func replace(file: [MaintenanceWindow]) { change { $0.file = file } }

  func replace(api: [MaintenanceWindow]) { change { $0.api = api } }

  func replace(hand: [MaintenanceWindow]) { change { $0.hand = hand } }

  func replace(checks: [MonitoringCheck]) { change { $0.checks = checks } }

  private func change(_ body: (inout State) -> Void) {
    state.withLock { state in
      body(&state)
      state.plan = MaintenancePlan(state.file + state.api + state.hand, checks: state.checks)
    }
  }
}
