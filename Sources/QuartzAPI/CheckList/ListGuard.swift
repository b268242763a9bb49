// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Holds back a list that is empty or has lost more than half of its checks at once: a revoked grant, a wrong filter
/// or a database outage looks just like that. It is applied once a second pull, at least ten minutes later, says the
/// same.
package struct ListGuard: Hashable, Sendable {
  package enum Decision: Hashable, Sendable {
    case apply
    /// The old list stays; why, in words.
    case hold(String)
  }

  private struct Doubt: Hashable, Sendable {
    var ids: Set<UniqueID>
    var since: Timestamp
  }

  /// The list in force; nil before the first one.
  private var current: Set<UniqueID>?
  private var doubt: Doubt?
  private let patience: Duration

  /// - Parameter current: the ids of the list on disk, if there was one.
  package init(current: Set<UniqueID>? = nil, patience: Duration = .seconds(600)) {
    self.current = current
    self.patience = patience
  }

  package mutating func judge(_ ids: Set<UniqueID>, at now: Timestamp) -> Decision {
    guard let current, isSuspicious(ids, after: current) else {
      self.current = ids
      doubt = nil
      return .apply
    }
    // A pull is due every ten minutes; one that comes a few seconds early must not cost ten more.
    if let doubt, doubt.ids == ids, doubt.since.duration(to: now) >= patience - .seconds(30) {
      self.current = ids
      self.doubt = nil
      return .apply
    }
    if doubt?.ids != ids { doubt = Doubt(ids: ids, since: now) }
    let gone = current.subtracting(ids).count
    return .hold(
      "\(gone) of \(current.count) checks are gone from the list at once; the old list stays until a pull "
        + "ten minutes later agrees")
  }

  private func isSuspicious(_ ids: Set<UniqueID>, after current: Set<UniqueID>) -> Bool {
    if current.isEmpty { return false }
    return ids.isEmpty || current.subtracting(ids).count * 2 > current.count
  }
}
