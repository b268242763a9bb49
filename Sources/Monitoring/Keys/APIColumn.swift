// SPDX-License-Identifier: MIT

import Basics

/// The column of the API's row that a key of a check has its value from.
package struct APIColumn: Hashable, Sendable, ExpressibleByStringLiteral {
  package var name: String
  /// Of a duration: what one of the column's numbers is.
  package var unit: Duration?
  /// The backend's value for null. `nil` where the key is left out.
  package var null: Int?
  /// The most that the API may ask for, where that is less than the file may.
  package var most: Int?

  package init(_ name: String, unit: Duration? = nil, null: Int? = nil, most: Int? = nil) {
    self.name = name
    self.unit = unit
    self.null = null
    self.most = most
  }

  package init(stringLiteral name: String) { self.init(name) }

  /// Limits of the column, in its own unit, for a key of this kind. `nil` where it is no number.
  package func bounds(of kind: ValueKind) -> ClosedRange<Int>? {
    switch kind {
    case .integer(let range): return range
    case .duration(let range):
      guard let unit, range.upperBound >= unit else { return nil }
      let most = min(Int(range.upperBound / unit), most ?? .max)
      return min(Int((range.lowerBound / unit).rounded(.up)), most)...most
    default: return nil
    }
  }

  /// Behind a number: ` ms`, `s`, or nothing.
  package var unitText: String {
    switch unit {
    case .milliseconds(1): " ms"
    case .seconds(1): "s"
    default: ""
    }
  }
}
