// SPDX-License-Identifier: MIT

/// The members of late, up to a limit; see `RecentMap`.
package struct RecentSet<Element: Hashable & Sendable>: Sendable {
  private var members: RecentMap<Element, Void>

  /// Members kept at most.
  package var limit: Int { members.limit }

  /// - Parameter limit: at least 2.
  package init(limit: Int) { members = RecentMap(limit: limit) }

  package var isEmpty: Bool { members.isEmpty }

  package var count: Int { members.count }

  package func contains(_ element: Element) -> Bool { members.contains(element) }

  /// One that is a member is as new as any again.
  package mutating func insert(_ element: Element) { members.insert((), for: element) }

  package mutating func remove(_ element: Element) { members.remove(element) }

  /// Keeps those of these alone.
  package mutating func formIntersection(_ others: Set<Element>) { members.keep(where: others.contains) }
}
