// SPDX-License-Identifier: MIT

import Basics

/// The store that an answer is of, and its revision then.
package struct StoreMark: Hashable, Sendable {
  package var cluster: UInt64
  package var revision: Int64

  package init(cluster: UInt64, revision: Int64) { (self.cluster, self.revision) = (cluster, revision) }
}

/// How far a reader of the store is, and what an answer, a change or the end of a watch means for what it knows: one
/// treatment for members, votes, incidents and states. Each reader has its content beside it, in a form of its own.
package struct StorePosition: Hashable, Sendable {
  package enum Trust: Hashable, Sendable {
    /// Everything up to `told` is known.
    case whole
    /// Something may be missing: the store is to be asked.
    case doubted
    /// Something is missing: everything is to be read.
    case lost
  }

  /// `nil` before the first reading.
  package private(set) var cluster: UInt64?
  /// Everything up to here was read, or told by the watch.
  package private(set) var told: Int64 = 0
  /// The store has said that no key of the reader changed between `told` and here.
  private var settled: Int64 = 0
  package private(set) var trust = Trust.lost

  package init() {}

  /// Whether the store is another one than the one that was read, or was set back to a copy.
  ///
  /// - Parameter asked: `told` when the request left: what the watch tells meanwhile is newer than the answer.
  package func isOther(_ mark: StoreMark, asked: Int64) -> Bool {
    cluster.map { $0 != mark.cluster || mark.revision < asked } ?? false
  }

  /// Everything was read.
  ///
  /// - Returns: whether what was known is of another store, and means nothing in this one.
  @discardableResult
  package mutating func read(_ mark: StoreMark, asked: Int64) -> Bool {
    let isOther = isOther(mark, asked: asked)
    told = isOther ? mark.revision : max(told, mark.revision)
    (cluster, settled, trust) = (mark.cluster, told, .whole)
    return isOther
  }

  /// The store is this one from now on, though it could not be entered.
  package mutating func meet(_ cluster: UInt64) { self.cluster = cluster }

  /// The watch has told everything up to a revision.
  package mutating func tell(_ revision: Int64) { told = max(told, revision) }

  /// The store has no other keys than those that are known.
  package mutating func settle(_ mark: StoreMark) {
    guard mark.cluster == cluster, trust != .lost else { return }
    (settled, trust) = (max(settled, mark.revision), .whole)
  }

  package mutating func doubt() { if trust == .whole { trust = .doubted } }

  /// Everything is to be read again, whatever is known.
  package mutating func lose() { trust = .lost }

  /// After the end of a watch: a watch that was as long as it may be goes on where it ended, the changes of a compacted one
  /// are gone, and one that broke off may have missed some.
  package mutating func take(_ end: WatchEnd) {
    switch end {
    case .over: break
    case .compacted, .otherStore: lose()
    case .trouble: doubt()
    }
  }

  /// Whether the store has not changed since everything in it was known: asking it would tell nothing.
  ///
  /// - Parameter elsewhere: revisions of which each changed a key of this agent's readers. `nil` for none.
  package func isIdle(_ mark: StoreMark, elsewhere: ClosedRange<Int64>? = nil) -> Bool {
    guard trust == .whole, mark.cluster == cluster, mark.revision >= told else { return false }
    let known = max(told, settled)
    guard let elsewhere, elsewhere.lowerBound <= known.bounded(plus: 1) else { return mark.revision <= known }
    return mark.revision <= max(known, elsewhere.upperBound)
  }
}
