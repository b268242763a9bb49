// SPDX-License-Identifier: MIT

/// Values of the keys used last, up to a limit: when it is full the older half goes, never all, and never the newest. Each
/// operation takes constant time.
package struct RecentMap<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// Keys kept at most.
  package let limit: Int
  private var newer: [Key: Value] = [:]
  private var older: [Key: Value] = [:]

  /// - Parameter limit: at least 2.
  package init(limit: Int) { self.limit = max(2, limit) }

  package var isEmpty: Bool { newer.isEmpty && older.isEmpty }

  package var count: Int { newer.count + older.count }

  package func contains(_ key: Key) -> Bool { newer[key] != nil || older[key] != nil }

  /// Leaves the key as old as it is.
  package subscript(key: Key) -> Value? { newer[key] ?? older[key] }

  /// A key whose value was asked for is as new as any.
  package mutating func value(for key: Key) -> Value? {
    if let value = newer[key] { return value }
    guard let value = older[key] else { return nil }
    insert(value, for: key)
    return value
  }

  package mutating func insert(_ value: Value, for key: Key) {
    if newer[key] == nil, newer.count >= limit / 2 { (older, newer) = (newer, [:]) }
    older[key] = nil
    newer[key] = value
  }

  package mutating func remove(_ key: Key) {
    newer[key] = nil
    older[key] = nil
  }

  /// Keeps the keys that are meant alone.
  package mutating func keep(where isMeant: (Key) -> Bool) {
    newer = newer.filter { isMeant($0.key) }
    older = older.filter { isMeant($0.key) }
  }
}

extension RecentMap: Equatable where Value: Equatable {}
extension RecentMap: Hashable where Value: Hashable {}
