// SPDX-License-Identifier: MIT

/// One header line. The name's letter case is kept.
package struct HeaderField: Hashable, Sendable {
  package var name: String
  package var value: String

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}
