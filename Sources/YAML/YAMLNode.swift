// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A text as a tree of values with places. Nothing is interpreted, so `no`, `0123` and `12:30` are what the writer wrote,
/// not what YAML 1.1 makes of them.
package struct YAMLNode: Sendable {
  package struct Entry: Sendable {
    package var key: String
    package var position: Position
    package var value: YAMLNode

    package init(key: String, position: Position, value: YAMLNode) {
      (self.key, self.position, self.value) = (key, position, value)
    }
  }

  package enum Content: Sendable {
    /// `isPlain`: written without quotes, so that `true`, `null` and numbers mean themselves.
    case scalar(String, isPlain: Bool)
    /// `!!binary` that is no text; only where the rules read tags.
    case bytes([UInt8])
    case list([YAMLNode])
    case map([Entry])
  }

  package var content: Content
  package var position: Position

  package init(content: Content, position: Position) { (self.content, self.position) = (content, position) }

  /// Written as nothing, `~` or `null`.
  package var isNull: Bool {
    guard case .scalar(let text, isPlain: true) = content else { return false }
    return Self.isNull(text)
  }

  /// Whether an unquoted text stands for nothing.
  package static func isNull(_ text: String) -> Bool {
    ["", "~", "null", "Null", "NULL"].contains(text)
  }

  /// Values in it, its own included and keys apart, and the bytes of its texts and keys: what an alias of it repeats.
  var size: (values: Int, text: Int) {
    switch content {
    case .scalar(let text, _): (1, text.utf8.count)
    case .bytes: (1, 0)
    case .list(let items):
      items.reduce((1, 0)) { sum, item in
        let size = item.size
        return (sum.0 + size.values, sum.1 + size.text)
      }
    case .map(let entries):
      entries.reduce((1, 0)) { sum, entry in
        let size = entry.value.size
        return (sum.0 + size.values, sum.1 + size.text + entry.key.utf8.count)
      }
    }
  }
}
