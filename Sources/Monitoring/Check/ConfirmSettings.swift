// SPDX-License-Identifier: MIT

import Basics

/// `confirm`: which places have a say in a check's verdict, and how many of them must find it down.
package struct ConfirmSettings: Hashable, Sendable {
  /// Places that must find it down; 1 to the number of places.
  package var from = 2
  /// Names of groups, each once: a group is the agents of one place.
  package var of: [String] = []
  /// How long the others have for their answer.
  package var within: Duration = .seconds(20)

  package init() {}

  package init(from: Int, of places: [String], within: Duration = .seconds(20)) {
    (self.from, self.of, self.within) = (from, places, within)
  }

  package static let places = 2...50
  package static let time: ClosedRange<Duration> = .seconds(1) ... .seconds(60)
  /// Bytes of a place's name.
  static let nameLength = 64

  /// Letters, digits, `.`, `_` and `-`: it stands in the keys of a store.
  package static func isPlace(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= nameLength
      && name.utf8.allSatisfy { isASCIIAlphanumeric($0) || "._-".utf8.contains($0) }
  }
}
