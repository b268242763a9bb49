// SPDX-License-Identifier: MIT

import Basics

/// `trace`: when the way to a target is looked at, and how often.
package struct TraceSettings: Hashable, Sendable {
  /// When a check goes down for a reason that the way may explain.
  package var onFailure = true
  /// When a success takes so many times its check's own 99th percentile; 0: never.
  package var slowFactor = 3
  /// From one trace of a target that works, which later ones are compared with, to the next.
  package var goodEvery: Duration = .seconds(86_400)
  package var atOnce = 4
  /// From one trace of a target to the next, those of targets that work aside.
  package var every: Duration = .seconds(300)
  /// Also for checks from the API: packets to routers on the way to a stranger's target.
  package var apiChecks = false
  /// A file that says which network an address belongs to; nil: none.
  package var networks: String?
  /// Ask name servers for the routers' names.
  package var names = true

  package init() {}

  /// Whether there is anything to do at all.
  package var isOn: Bool { onFailure || slowFactor > 0 }
}
