// SPDX-License-Identifier: MIT

import Basics

/// Holds back a list that has lost more than half of its entries at once: a revoked grant, a wrong filter, a database outage
/// or an unmounted directory looks just like that. The list is applied once the same entries have been missing from every
/// answer for ten minutes, whatever else changed in between.
package struct ListGuard<Key: Hashable & Sendable>: Hashable, Sendable {
  package enum Decision: Hashable, Sendable {
    case apply
    /// The previous list is kept, for this reason.
    case hold(String)
  }

  private struct Doubt: Hashable, Sendable {
    /// Entries missing from every answer since then.
    var missing: Set<Key>
    var since: Timestamp
  }

  /// The list applied last; `nil` before the first one.
  private var current: Set<Key>?
  private var doubt: Doubt?
  private let what: String
  private let patience: Duration

  /// - Parameters:
  ///   - current: the list applied before, if any.
  ///   - what: the entries' noun, in the plural.
  package init(current: Set<Key>? = nil, of what: String = "checks", patience: Duration = .seconds(600)) {
    (self.current, self.what, self.patience) = (current, what, patience)
  }

  package mutating func judge(_ list: Set<Key>, at now: Timestamp) -> Decision {
    let known = current ?? []
    let missing = known.subtracting(list)
    guard isMost(missing, of: known) else { return apply(list) }
    var doubt = Doubt(missing: missing, since: now)
    if let before = self.doubt {
      let still = before.missing.intersection(missing)
      if isMost(still, of: known) { doubt = Doubt(missing: still, since: before.since) }
    }
    // Answers come at least every ten minutes; one that is a few seconds early must not cost ten more.
    if doubt.since.duration(to: now) >= patience - .seconds(30) { return apply(list) }
    self.doubt = doubt
    return .hold(
      "\(missing.count) of \(known.count) \(what) disappeared at once; the previous list is kept until they have been "
        + "missing for \(patience.text)")
  }

  private mutating func apply(_ list: Set<Key>) -> Decision {
    (current, doubt) = (list, nil)
    return .apply
  }

  private func isMost(_ some: Set<Key>, of all: Set<Key>) -> Bool { some.count * 2 > all.count }
}
