// SPDX-License-Identifier: MIT

import Basics

/// Keys that no agent writes: what is there beside them counts all the same.
package struct StrangeKeys: Hashable, Sendable {
  package var count = 0
  /// One of them, for a person.
  package var example: String?

  package init() {}

  package mutating func add(_ name: @autoclosure () -> String) {
    count &+= 1
    if example == nil { example = name().printable(maxBytes: 100) }
  }

  package mutating func add(_ other: StrangeKeys) {
    count &+= other.count
    example = example ?? other.example
  }
}
