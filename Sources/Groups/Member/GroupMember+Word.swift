// SPDX-License-Identifier: MIT

import Basics

// The word that a view is in effect, where nothing was gained by it.
extension GroupMember {
  /// Whether a member may wait for our word on checks that were ours all along: it divides them with us only now, with
  /// other rules or another file than before. Ours may be the change, too.
  func mayHoldForUs(_ old: MemberCard?, _ fresh: MemberCard?) -> Bool {
    guard let old, let fresh else { return false }
    return Pool.allCases.contains { old.pools[$0] != fresh.pools[$0] && fresh.pools[$0] == card.pools[$0] }
  }

  /// One word for many changes: where a great group's configuration is changed member by member, each would write a card
  /// at each change.
  var wordPause: Duration { .milliseconds(60) * min(view?.members.count ?? 1, StoreBounds.members) }

  mutating func giveWord(at now: ClockReading) {
    guard case .inside = stage, isListed, pending == nil, let view, let due = nextWord, now.boot >= due else {
      return
    }
    nextWord = nil
    card.applied = view.revision
    owesPut = true
  }

  /// The list that the store names is in force: what this member has of it runs, and who holds it may stop.
  mutating func takeListed(at now: ClockReading) {
    guard !isListed else { return }
    isListed = true
    nextWord = now.boot
  }
}
