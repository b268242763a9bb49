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

  /// It found itself in a store that was set back, where our card is older than its reading.
  func waitsForUs(_ fresh: MemberCard?, _ name: String) -> Bool {
    guard let fresh, fresh.waits > 0, name != settings.name else { return false }
    return fresh.waits >= view?.members[ByteText(settings.name)]?.revision ?? .max
  }

  /// One word for many changes: where a great group's configuration is changed member by member, each would write a card
  /// at each change.
  var wordPause: Duration { .milliseconds(60) * min(view?.members.count ?? 1, StoreBounds.members) }

  /// When a member leaves a large group, many gain at once, and the word of each goes to all: the view itself goes
  /// before. The member that leaves waits four seconds.
  ///
  /// - Parameter name: the member whose card alone is different.
  /// - Returns: `nil` where the word is sent at once.
  func herdPause(_ name: ByteText?) -> Duration? {
    guard let name, let view, view.members.count > 100, view.members[name]?.card.weight == 0 else {
      return nil
    }
    let share = Rendezvous.hash(card.boot.high, card.boot.low, UInt64(bitPattern: view.revision)) % 512
    return .milliseconds(min(view.members.count, StoreBounds.members)) * Int(512 + share) / 1024
  }

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
