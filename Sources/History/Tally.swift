// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// What a stretch of time counts as.
package enum Standing: UInt8, CaseIterable, Hashable, Sendable {
  case up, degraded, down, unknown, maintenance

  /// Inside a maintenance window the verdict is shown, but the time is maintenance.
  package init(_ state: CheckState, maintenance: Bool) {
    if maintenance {
      self = .maintenance
      return
    }
    switch state {
    case .up: self = .up
    case .degraded: self = .degraded
    case .down: self = .down
    case .unknown: self = .unknown
    }
  }
}

/// One whole number for each standing: microseconds in one place, verdicts in another.
package struct Tally: Hashable, Sendable {
  package var up: Int64 = 0
  package var degraded: Int64 = 0
  package var down: Int64 = 0
  package var unknown: Int64 = 0
  package var maintenance: Int64 = 0

  package init() {}

  package subscript(standing: Standing) -> Int64 {
    get {
      switch standing {
      case .up: up
      case .degraded: degraded
      case .down: down
      case .unknown: unknown
      case .maintenance: maintenance
      }
    }
    set {
      switch standing {
      case .up: up = newValue
      case .degraded: degraded = newValue
      case .down: down = newValue
      case .unknown: unknown = newValue
      case .maintenance: maintenance = newValue
      }
    }
  }

  package static func += (left: inout Tally, right: Tally) {
    left.up += right.up
    left.degraded += right.degraded
    left.down += right.down
    left.unknown += right.unknown
    left.maintenance += right.maintenance
  }

  package static func -= (left: inout Tally, right: Tally) {
    left.up -= right.up
    left.degraded -= right.degraded
    left.down -= right.down
    left.unknown -= right.unknown
    left.maintenance -= right.maintenance
  }

  /// What says something about the target: unknown says something about this machine only.
  package var judged: Int64 { up + degraded + down }
}
