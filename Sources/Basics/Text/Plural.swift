// SPDX-License-Identifier: MIT

/// A noun or verb for a number: that of one thing, or that of several.
///
/// - Parameter many: where it is not the word and an `s`.
package func plural(_ one: String, _ count: some BinaryInteger, _ many: String? = nil) -> String {
  count == 1 ? one : many ?? one + "s"
}

/// `1 check`, `2 checks`.
package func counted(_ count: some BinaryInteger, _ one: String, _ many: String? = nil) -> String {
  "\(count) \(plural(one, count, many))"
}

extension Collection {
  /// First elements by name, and how many more there are: `A, B, C and 4 more`.
  package func andMore(after most: Int, _ name: (Element) -> String) -> String {
    let rest = count - most
    return prefix(most).map(name).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }
}

extension Collection where Element == String {
  package func andMore(after most: Int) -> String { andMore(after: most) { $0 } }
}
