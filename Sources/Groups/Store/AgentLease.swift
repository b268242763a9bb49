// SPDX-License-Identifier: MIT

import Basics

/// Last proof of a lease.
package struct LeaseProof: Hashable, Sendable {
  package var lease: Int64
  /// Before the request left whose answer said that the lease lives.
  package var at: Instant
  /// The store, as all of its members had it at `seenAt`. `nil` where it was not asked with this lease.
  package var store: StoreMark?
  package var seenAt: Instant?

  package init(lease: Int64, at: Instant, store: StoreMark? = nil, seenAt: Instant? = nil) {
    (self.lease, self.at, self.store, self.seenAt) = (lease, at, store, seenAt)
  }
}

/// The lease that all of an agent's keys in the store live with. The member renews it, and looks at the store for all
/// readers.
package protocol AgentLease: Sendable {
  /// `nil` where the agent has none.
  var proof: LeaseProof? { get }
  /// Why the store does not renew it. `nil` where it does.
  var trouble: StoreTrouble? { get }
  /// The store has said that this lease has ended.
  func ended(_ lease: Int64)
}

extension GroupRunner: AgentLease {
  package var proof: LeaseProof? { look { $0.proof } }
  package var trouble: StoreTrouble? { look { $0.journal.trouble?.what } }
}
