// SPDX-License-Identifier: MIT

import Basics

// What those ask who do things that a group does once.
extension GroupRunner {
  /// Without the store for longer than a lease.
  package var isAlone: Bool { look { $0.alone != nil } }

  /// Some member has other checks or other rules for them.
  package var isApart: Bool {
    look { member in
      member.view?.members.values.contains { !$0.card.pools.agrees(with: member.card.pools) } ?? false
    }
  }
}
