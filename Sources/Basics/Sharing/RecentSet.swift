// SPDX-License-Identifier: MIT

/// The members of late, up to a limit: when it is full the older half goes, never all, and never the newest. Each operation
/// takes constant time.
package struct RecentSet<Element: Hashable & Sendable>: Sendable {
  /// Members kept at most.
  package let limit: Int
  private var newer: Set<Element> = []
  private var older: Set<Element> = []

  /// - Parameter limit: at least 2.
  package init(limit: Int) { self.limit = max(2, limit) }

  package var isEmpty: Bool { newer.isEmpty && older.isEmpty }

  package var count: Int { newer.count + older.count }

  package func contains(_ element: Element) -> Bool { newer.contains(element) || older.contains(element) }

  /// One that is a member is as new as any again.
  package mutating func insert(_ element: Element) {
    guard !newer.contains(element) else { return }
    if newer.count >= limit / 2 { (older, newer) = (newer, []) }
    older.remove(element)
    newer.insert(element)
  }

  package mutating func remove(_ element: Element) {
    newer.remove(element)
    older.remove(element)
  }

  /// Keeps those of these alone.
  package mutating func formIntersection(_ others: Set<Element>) {
    newer.formIntersection(others)
    older.formIntersection(others)
  }
}
