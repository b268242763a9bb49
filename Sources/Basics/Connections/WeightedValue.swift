// SPDX-License-Identifier: MIT

/// Entry of a header in which a client lists what it prefers (RFC 9110, section 12.4.2): `de;q=0.8`.
package struct WeightedValue: Hashable, Sendable {
  /// In lower case.
  package var value: String
  /// 0 to 1; 1 without one, 0 for one that is none.
  package var weight: Double

  /// Entries of a header in its order.
  ///
  /// - Parameter limit: of entries that are looked at.
  package static func list(_ header: String, limit: Int = .max) -> [WeightedValue] {
    let items = header.lowercased().utf8.split(separator: UInt8(ascii: ",")).prefix(limit)
    return items.compactMap { item -> WeightedValue? in
      let parts = item.split(separator: UInt8(ascii: ";")).map {
        String(decoding: $0.trimmed(), as: UTF8.self)
      }
      return parts.first.map { WeightedValue(value: $0, weight: quality(parts.dropFirst())) }
    }
  }

  private static func quality(_ parameters: ArraySlice<String>) -> Double {
    for parameter in parameters where parameter.hasPrefix("q=") {
      guard let weight = Double(parameter.dropFirst(2)), weight >= 0, weight <= 1 else { return 0 }
      return weight
    }
    return 1
  }
}
