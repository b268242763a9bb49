// SPDX-License-Identifier: MIT

import Basics

/// Which checks fail because others do, of one list of checks: `depends_on` of each, and the rules of `dependencies`.
/// There is no way round in it: a reference that would close one is left out, and `cycle` tells the first.
package struct DependencyGraph: Sendable {
  /// Places in `checks`, of those that depend on something.
  private var parents: [Int: [Int]] = [:]
  private var places: [UniqueID: Int] = [:]
  private var checks: [MonitoringCheck] = []
  /// Names from a check back to itself.
  package private(set) var cycle: [String]?

  /// Checks that one may depend on directly, and in all.
  package static let limit = 64

  package init() {}

  /// - Parameter checks: those that are not enabled, or do not exist, are no parents.
  package init(_ checks: [MonitoringCheck], rules: [DependencyRule] = []) {
    guard !rules.isEmpty || checks.contains(where: { !$0.plan.dependsOn.isEmpty }) else { return }
    self.checks = checks.filter(\.plan.enabled)
    let index = References(self.checks)
    places = index.ids
    // Most checks depend on the same: their lists are one.
    var known: [[ByteText]: [Int]] = [:]
    for (place, check) in self.checks.enumerated() {
      let plan = check.plan
      let words =
        plan.dependsOn + rules.lazy.filter { $0.selects(check, tags: plan.tags) }.flatMap(\.dependsOn)
      guard !words.isEmpty else { continue }
      let key = words.map { ByteText($0) }
      let found = known[key] ?? index.resolve(words)
      known[key] = found
      let others = found.contains(place) ? found.filter { $0 != place } : found
      if !others.isEmpty { parents[place] = others }
    }
    cutCycles()
  }

  package var isEmpty: Bool { parents.isEmpty }

  /// The check of this id if it may be a parent.
  package func parent(_ id: UniqueID) -> MonitoringCheck? { places[id].map { checks[$0] } }

  /// The checks that a check depends on itself, in the order in which they were written.
  package func parents(of id: UniqueID) -> [MonitoringCheck] {
    (places[id].flatMap { parents[$0] } ?? []).map { checks[$0] }
  }

  /// The checks that a check depends on, directly or through others: the nearest first, so that a later one may be the
  /// cause of an earlier one. At most `limit`.
  package func ancestors(of id: UniqueID) -> [MonitoringCheck] {
    guard let start = places[id], let direct = parents[start] else { return [] }
    var found = direct
    var seen = Set(direct)
    var next = 0
    while next < found.count, found.count < Self.limit {
      for parent in parents[found[next]] ?? [] where parent != start && found.count < Self.limit {
        if seen.insert(parent).inserted { found.append(parent) }
      }
      next += 1
    }
    return found.map { checks[$0] }
  }
}

extension DependencyGraph {
  /// Depth first, without recursion: a chain may be as long as the list.
  private mutating func cutCycles() {
    var done: Set<Int> = []
    for start in parents.keys.sorted() where !done.contains(start) {
      var path = [start]
      var onPath: Set = [start]
      // Which parent of each is next.
      var turns = [0]
      while let node = path.last, let turn = turns.last {
        let list = parents[node] ?? []
        guard turn < list.count else {
          path.removeLast()
          turns.removeLast()
          onPath.remove(node)
          done.insert(node)
          continue
        }
        let parent = list[turn]
        if onPath.contains(parent) {
          cut(node, turn, path: path, to: parent)
          continue
        }
        turns[turns.count - 1] += 1
        guard !done.contains(parent), parents[parent] != nil else { continue }
        path.append(parent)
        turns.append(0)
        onPath.insert(parent)
      }
    }
  }

  private mutating func cut(_ node: Int, _ turn: Int, path: [Int], to parent: Int) {
    parents[node]?.remove(at: turn)
    if parents[node]?.isEmpty == true { parents[node] = nil }
    guard cycle == nil, let begin = path.firstIndex(of: parent) else { return }
    cycle = (path[begin...] + [parent]).map { checks[$0].name }
  }
}

/// Meaning of a word of `depends_on`: a name, an id, or `tag:` and a tag.
private struct References {
  var ids: [UniqueID: Int] = [:]
  private var names: [ByteText: Int] = [:]
  private var tags: [ByteText: [Int]] = [:]

  init(_ checks: [MonitoringCheck]) {
    for (place, check) in checks.enumerated() {
      ids[check.id] = place
      names[ByteText(check.name)] = place
      for tag in check.plan.tags { tags[ByteText(tag), default: []].append(place) }
    }
  }

  /// In their order, each once; at most `limit`.
  func resolve(_ words: [String]) -> [Int] {
    var found: [Int] = []
    var seen: Set<Int> = []
    for word in words {
      let places: [Int]
      if let tag = DependencyRule.tag(in: word) {
        places = tags[ByteText(tag)] ?? []
      } else {
        places = (names[ByteText(word)] ?? UniqueID(word).flatMap { ids[$0] }).map { [$0] } ?? []
      }
      for place in places where found.count < DependencyGraph.limit && seen.insert(place).inserted {
        found.append(place)
      }
    }
    return found
  }
}
