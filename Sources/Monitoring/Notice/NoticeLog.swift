// SPDX-License-Identifier: MIT

import Basics

/// Which problems a log was told of, and when: a new one is told, again from time to time while it lasts, and its end
/// once. Pure.
package struct NoticeLog<Key: Hashable & Sendable>: Sendable {
  private let pause: Duration
  private var told: [Key: Instant] = [:]

  /// - Parameter pause: between two times that one problem is told.
  package init(every pause: Duration) { self.pause = pause }

  /// True: it is to be told now, and counts as told.
  package mutating func tells(_ key: Key, at now: Instant) -> Bool {
    if let last = told[key], last.duration(to: now) < pause { return false }
    told[key] = now
    return true
  }

  /// It is over. True: it was told, and its end is to be.
  package mutating func ends(_ key: Key) -> Bool { told.removeValue(forKey: key) != nil }

  /// All others are over.
  package mutating func keep(_ keys: Set<Key>) { told = told.filter { keys.contains($0.key) } }
}
