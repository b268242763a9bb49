// SPDX-License-Identifier: MIT

import Basics

/// A list that an agent takes from elsewhere and keeps: always one that was given, the newest in time, and never an empty one
/// because of a failure. Pure.
struct ListRules<Key: Hashable & Sendable> {
  private let rule: Violation.Rule
  /// Between two questions.
  private let every: Duration
  /// Every list that there was.
  private var versions: Set<Set<Key>>
  private var current: Set<Key>
  private var changed: Instant
  /// Since the last list that was taken over most of one went at once, which is not believed for ten minutes.
  private var hasShrunk = false
  /// As the agent has it. Nil: none yet.
  private(set) var held: Set<Key>?
  /// It was on the disk once: no later start knows nothing.
  private var isKept = false

  init(_ rule: Violation.Rule, _ list: Set<Key>, every: Duration, now: Instant) {
    (self.rule, self.every, versions, current, changed) = (rule, every, [list], list, now)
  }

  /// Every key that ever was in a list.
  var known: Set<Key> { versions.reduce(into: []) { $0.formUnion($1) } }

  mutating func changed(to list: Set<Key>, now: Instant) {
    if let held, held.subtracting(list).count * 2 > held.count { hasShrunk = true }
    versions.insert(list)
    (current, changed) = (list, now)
  }

  /// - Parameter isWritten: what it takes over is on the disk as well.
  mutating func took(_ list: Set<Key>, isWritten: Bool) -> Violation.Found? {
    guard !list.isEmpty else {
      return isKept ? (rule, "nothing is in force, and the list was never empty") : nil
    }
    guard versions.contains(list) else {
      return (rule, "a list of \(list.count) is in force, which nobody has given")
    }
    if isWritten { isKept = true }
    held = list
    if list == current { hasShrunk = false }
    return nil
  }

  /// - Parameter free: since then nothing has kept the agent from asking.
  func judge(now: Instant, free: Instant) -> Violation.Found? {
    guard held != current else { return nil }
    let patience = every * 2 + .seconds(120) + (hasShrunk ? every * 2 + .seconds(600) : .zero)
    let age = max(changed, free).duration(to: now)
    guard age > patience else { return nil }
    return (
      rule, "\(held?.count ?? 0) are in force, and for \(age) it has been another list, of \(current.count)"
    )
  }
}
