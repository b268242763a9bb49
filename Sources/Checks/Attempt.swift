// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network

/// One attempt of a run, which the runner makes: what is configured, and what holds for this time only.
package struct Attempt: Sendable {
  package private(set) var check: MonitoringCheck
  /// The attempt is over by then, resolution and redirects included.
  package private(set) var deadline: Instant
  /// The one of its host's addresses that it is about, which is not resolved again; nil: any of them.
  package private(set) var pinned: IPAddress?
  /// How much of the host's addresses must be known.
  package private(set) var scope: ResolveScope
  /// Whether details beyond the facts are wanted: see `ProbeAccount`.
  package let explains: Bool
  /// Whether it runs on request, beside the schedule.
  let isAsked: Bool
  /// How much longer its run may wait for room in a budget.
  let patience: Duration

  /// - Parameters:
  ///   - isSecondLook: no address could be reached in the attempt before: it is worth the wait to know them all.
  ///   - held: how long the run has waited for room before it.
  package init(
    of check: MonitoringCheck, until deadline: Instant, isSecondLook: Bool = false, explains: Bool = false,
    isAsked: Bool = false, held: Duration = .zero
  ) {
    self.check = check
    self.explains = explains
    self.isAsked = isAsked
    self.deadline = deadline
    patience = check.interval - held
    scope = check.addresses == .each ? .each : isSecondLook ? .both : .any
  }

  /// The same attempt, begun later: waiting for a place takes none of its time.
  func later(by held: Duration) -> Attempt {
    var attempt = self
    attempt.deadline += held
    return attempt
  }

  /// The rest of the attempt until the deadline.
  func until(_ deadline: Instant) -> Attempt {
    var attempt = self
    attempt.deadline = deadline
    return attempt
  }

  /// The same about one address. The others, those of a redirect's target, are of no more interest than usual.
  func pinned(to address: IPAddress) -> Attempt {
    var attempt = self
    (attempt.pinned, attempt.scope) = (address, .any)
    return attempt
  }

  /// The same by a client that knows that sort of keys only.
  func asking(for sort: KeySort) -> Attempt {
    var attempt = self
    attempt.check = check.asking(for: sort)
    return attempt
  }

  /// Whose budgets what it does to this host takes from.
  func origin(of host: String) -> WorkOrigin {
    WorkOrigin(isAsked ? .asked : check.originKind, named: host)
  }

  /// The family asked for, or the only one the source address can dial.
  var usableIP: IPPreference {
    guard check.ip == .any, let source = check.sourceAddress else { return check.ip }
    return source.version == 4 ? .v4 : .v6
  }
}
