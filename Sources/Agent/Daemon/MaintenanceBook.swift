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
    /// The windows that the apps were given, and when they were worked out; `nil` after a change.
    var shown: (at: Timestamp, windows: [AppWindow])?
  }

  /// On windows of this agent that come back from the API.
  private let mark: AppWindow.Mark

  private let state: Mutex<State>

  /// - Parameter agent: its name.
  init(file: [MaintenanceWindow], agent: String = "") {
    mark = AppWindow.Mark(agent: agent)
    state = Mutex(State(file: file))
  }

  var plan: MaintenancePlan { state.withLock(\.plan) }

  func replace(file: [MaintenanceWindow]) { change { $0.file = file } }

  /// Without those of this agent: here the file and the orders by hand count, also where the API says otherwise.
  func replace(api: [MaintenanceWindow]) {
    change { $0.api = api.filter { $0.id.map(mark.isOn) != true } }
  }

  func replace(hand: [MaintenanceWindow]) { change { $0.hand = hand } }

  func replace(checks: [MonitoringCheck]) { change { $0.checks = checks } }

  private func change(_ body: (inout State) -> Void) {
    state.withLock { state in
      body(&state)
      state.shown = nil
      state.plan = MaintenancePlan(state.file + state.api + state.hand, checks: state.checks)
    }
  }

  /// Windows of this agent as the apps can show them; worked out once a minute, and after each change.
  func forApps(
    now: Timestamp, isPosted: (MonitoringCheck) -> Bool, isRunHere: (UniqueID) -> Bool
  ) -> [AppWindow] {
    let (shown, plan, checks) = state.withLock { ($0.shown, $0.plan, $0.checks) }
    if let shown, (.zero..<Self.pace).contains(shown.at.duration(to: now)) { return shown.windows }
    let windows = plan.forApps(checks, mark: mark, now: now, isPosted: isPosted, isRunHere: isRunHere)
    state.withLock { $0.shown = (now, windows) }
    return windows
  }

  private static let pace: Duration = .seconds(60)
}
