// SPDX-License-Identifier: MIT

import Basics
import Synchronization

/// Bytes that all of a kind may hold together: counted, never estimated. From any thread.
package final class MemoryBudget: Sendable {
  /// What all answers under way may hold together, in the whole process: bodies, headers, certificates.
  package static let shared = MemoryBudget(limit: CurlEngine.flightMemory)

  let limit: Int
  private let used = Atomic<Int>(0)

  /// - Parameter limit: in bytes.
  package init(limit: Int) { self.limit = limit }

  /// Bytes held now.
  package var inUse: Int { used.load(ordering: .relaxed) }

  /// False: there is no room for so many more, and none were taken.
  func take(_ count: Int) -> Bool {
    guard count >= 0, count <= limit else { return false }
    var seen = used.load(ordering: .relaxed)
    while seen <= limit - count {
      let (exchanged, original) = used.compareExchange(
        expected: seen, desired: seen + count, ordering: .relaxed)
      if exchanged { return true }
      seen = original
    }
    return false
  }

  /// - Parameter count: as taken before.
  func give(_ count: Int) { used.subtract(count, ordering: .relaxed) }
}

/// What one holds of a budget. It goes back when the last who knows it lets go.
package final class MemoryLease: Sendable {
  private let budget: MemoryBudget
  private let held = Atomic<Int>(0)

  init(_ budget: MemoryBudget) { self.budget = budget }

  deinit { budget.give(held.load(ordering: .relaxed)) }

  /// Bytes held now.
  var bytes: Int { held.load(ordering: .relaxed) }

  /// False: the budget is spent.
  func grow(by count: Int) -> Bool {
    guard budget.take(count) else { return false }
    held.add(count, ordering: .relaxed)
    return true
  }
}
