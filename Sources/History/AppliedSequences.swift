// SPDX-License-Identifier: MIT

import Basics

/// Up to which sequence everything is in the figures, although runs end in another order than they were stored.
struct AppliedSequences: Hashable, Sendable {
  private(set) var through: UInt64 = 0
  private var above: Set<UInt64> = []

  /// A hole that stays open behind this many later records holds no result of a check: it is taken as closed.
  static let patience = 4096

  init(through: UInt64 = 0) { self.through = through }

  /// Nothing up to here is missing.
  mutating func settle(through sequence: UInt64) {
    guard sequence > through else { return }
    through = sequence
    above = above.filter { $0 > sequence }
    close()
  }

  mutating func add(_ sequence: UInt64?) {
    guard let sequence, sequence > through else { return }
    above.insert(sequence)
    if above.count > Self.patience, let first = above.min() { through = first - 1 }
    close()
  }

  private mutating func close() {
    while above.remove(through + 1) != nil { through += 1 }
  }
}
