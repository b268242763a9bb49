// SPDX-License-Identifier: MIT

extension Sequence where Element: Hashable {
  /// Each element once, where it comes first.
  package func withoutRepetitions() -> [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}

extension Sequence {
  /// Each element once by its key, where it comes first.
  package func withoutRepetitions<Key: Hashable>(by key: (Element) -> Key) -> [Element] {
    var seen: Set<Key> = []
    return filter { seen.insert(key($0)).inserted }
  }
}
