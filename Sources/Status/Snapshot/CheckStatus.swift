// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// One check as it stands: its history, and what other parts of the agent say of it.
@dynamicMemberLookup
package struct CheckStatus: Sendable {
  package var history: CheckFigures
  /// When a check without a result runs first; see `StatusSnapshot.mark(nextRuns:)`.
  package var nextRun: Timestamp?
  /// The window it is in now.
  package var maintenance: CheckMaintenance?
  /// When its notifications are no longer muted; `nil` when they are not. See `StatusSnapshot.markHandled(muted:)`.
  package var mutedUntil: Timestamp?
  /// Name of the person who acknowledged all of its alerts that fire; `nil` when none is acknowledged.
  package var acknowledgedBy: String?
  /// Its state by place, for the places that run it; filled in by the composition of the agent.
  package var places: [PlaceStatus] = []
  /// Checks that it depends on itself, by name; see `StatusSnapshot.mark(_:)`.
  package var parents: [String] = []

  package init(_ history: CheckFigures) { self.history = history }

  @inlinable package subscript<Value>(dynamicMember figure: WritableKeyPath<CheckFigures, Value>) -> Value {
    get { history[keyPath: figure] }
    set { history[keyPath: figure] = newValue }
  }

  @inlinable package subscript<Value>(dynamicMember figure: KeyPath<CheckFigures, Value>) -> Value {
    history[keyPath: figure]
  }

  package func window(_ period: UptimePeriod) -> WindowStatus { history.window(period) }

  /// It failed along with what it depends on.
  var failsWithParent: Bool { history.state == .unknown && history.last?.reason == .dependency }
}
