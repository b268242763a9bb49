// SPDX-License-Identifier: MIT

import Basics

extension ImportedCheck {
  /// Most parents that count.
  private static let mostParents = 64

  /// The checks with `depends_on`, by the names that checks have in the end. A dependency on a missing check, or in a
  /// circle, is noted.
  package static func linked(_ checks: [ImportedCheck]) -> [ImportedCheck] {
    var names: [Int: String] = [:]
    for check in checks where check.key > 0 && check["enabled"]?.word != "false" {
      if !check.name.hasPrefix("tag:") { names[check.key] = check.name }
    }
    let circular = circle(checks)
    return checks.map { check in
      guard !check.parents.isEmpty else { return check }
      var check = check
      var taken: Set<Int> = [check.key]
      for parent in check.parents where taken.insert(parent).inserted {
        if circular.contains(check.key), circular.contains(parent) {
          check.note(.changed, "depends_on", "dependencies that lead in a circle are left out")
        } else if let name = names[parent], taken.count <= mostParents + 1 {
          check.append("depends_on", .text(name))
        } else {
          check.note(.changed, "depends_on", "a check that it depends on is not here, or off")
        }
      }
      return check
    }
  }

  /// Keys of checks in circles of parents, and of those that depend on them.
  private static func circle(_ checks: [ImportedCheck]) -> Set<Int> {
    let known = Set(checks.map(\.key))
    var waiting: [Int: Int] = [:]
    var children: [Int: [Int]] = [:]
    for check in checks where check.key > 0 {
      let parents = Set(check.parents).intersection(known).subtracting([check.key])
      waiting[check.key] = parents.count
      for parent in parents { children[parent, default: []].append(check.key) }
    }
    var free = waiting.filter { $0.value == 0 }.map(\.key)
    while let key = free.popLast() {
      waiting[key] = nil
      for child in children[key] ?? [] {
        guard let left = waiting[child] else { continue }
        waiting[child] = left - 1
        if left == 1 { free.append(child) }
      }
    }
    return Set(waiting.keys)
  }
}
