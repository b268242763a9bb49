// SPDX-License-Identifier: MIT

import Basics

/// Where a group's keys are in the store.
package struct EtcdKeys: Hashable, Sendable {
  /// `{prefix}{group}/`
  package let root: String

  // bounded: texts, or digits
  package init(prefix: String, group: String) { root = prefix + group + "/" }

  package var members: String { root + "m/" }
  // bounded: texts, or digits
  package func member(_ name: String) -> String { members + name }
  package var head: String { root + "c/head" }
  package func part(_ version: Int64, _ number: Int) -> String {
    "\(root)c/\(padded(version, 16))/\(padded(Int64(number), 6))"
  }
  /// Below it are the parts of all versions before.
  package func parts(before version: Int64) -> String { "\(root)c/\(padded(version, 16))/" }
  package var allParts: String { root + "c/0" }

  /// The first key behind all that begin with this one.
  package static func end(of prefix: String) -> [UInt8] {
    var bytes = Array(prefix.utf8)
    while let last = bytes.popLast() {
      if last < 0xff { return bytes + [last + 1] }  // bounded: less than the greatest
    }
    return [0]
  }

  /// The name of a member's key; `nil` when it is another's, or none that an agent could have.
  package func name(of key: [UInt8]) -> String? {
    let start = Array(members.utf8)
    guard key.starts(with: start) else { return nil }
    let rest = key.dropFirst(start.count)
    guard !rest.isEmpty, rest.count <= StoreBounds.name else { return nil }
    return String(validating: rest, as: UTF8.self)
  }

  func isBelowMembers(_ key: [UInt8]) -> Bool { key.starts(with: Array(members.utf8)) }
}
