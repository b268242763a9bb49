// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Categories that a stretch of time counts as.
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
///
/// A check is up most of the time, and there are a dozen tallies for each: the other four numbers take space only where
/// one of them is not zero.
package struct Tally: Sendable {
  package var up: Int64 = 0
  private var rest: Rest?

  private final class Rest: Sendable {
    let others: Others

    init(_ others: Others) { self.others = others }
  }

  private struct Others: Hashable {
    var degraded: Int64 = 0
    var down: Int64 = 0
    var unknown: Int64 = 0
    var maintenance: Int64 = 0
  }

  private var others: Others {
    get { rest?.others ?? Others() }
    set { rest = newValue == Others() ? nil : Rest(newValue) }
  }

  package init() {}

  package var degraded: Int64 {
    get { rest?.others.degraded ?? 0 }
    set { others.degraded = newValue }
  }
  package var down: Int64 {
    get { rest?.others.down ?? 0 }
    set { others.down = newValue }
  }
  package var unknown: Int64 {
    get { rest?.others.unknown ?? 0 }
    set { others.unknown = newValue }
  }
  package var maintenance: Int64 {
    get { rest?.others.maintenance ?? 0 }
    set { others.maintenance = newValue }
  }

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
    guard let right = right.rest?.others else { return }
    var others = left.others
    others.degraded += right.degraded
    others.down += right.down
    others.unknown += right.unknown
    others.maintenance += right.maintenance
    left.others = others
  }

  package static func -= (left: inout Tally, right: Tally) {
    left.up -= right.up
    guard let right = right.rest?.others else { return }
    var others = left.others
    others.degraded -= right.degraded
    others.down -= right.down
    others.unknown -= right.unknown
    others.maintenance -= right.maintenance
    left.others = others
  }
}

extension Tally: Hashable {
  package static func == (left: Tally, right: Tally) -> Bool {
    left.up == right.up && left.others == right.others
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(up)
    hasher.combine(others)
  }
}
