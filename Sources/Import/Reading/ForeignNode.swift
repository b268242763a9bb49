// SPDX-License-Identifier: MIT

import Basics
import YAML

/// A value of another monitor's configuration, as it was written, with its line.
package struct ForeignNode: Sendable {
  package enum Content: Sendable {
    /// `isPlain`: written without quotes, so that `true` and numbers mean themselves.
    case scalar(String, isPlain: Bool)
    case list([ForeignNode])
    case map([(name: String, value: ForeignNode)])
  }

  package var content: Content
  /// Counted from 1; 0: the format has no lines.
  package var line: Int
  /// Its number in the ledger; only values without others inside have one.
  var leaf: Int?
  /// `!!binary` that is no text; its `content` is empty.
  var bytes: [UInt8]?

  /// The text of a value; `nil` for lists, maps and bytes that are no text.
  package var text: String? {
    if case .scalar(let text, _) = content, bytes == nil { return text }
    return nil
  }

  /// Written as nothing at all.
  var isNull: Bool {
    guard case .scalar(let text, isPlain: true) = content else { return false }
    return YAMLNode.isNull(text)
  }

  package var items: [ForeignNode]? {
    if case .list(let items) = content { return items }
    return nil
  }

  package var entries: [(name: String, value: ForeignNode)]? {
    if case .map(let entries) = content { return entries }
    return nil
  }

  /// - Throws: that it has more of something than any configuration has.
  func limit(_ count: Int, _ what: String) throws(ImportProblem) {
    guard count > ForeignLimits.each else { return }
    throw ImportProblem("line \(line): more than \(ForeignLimits.each) \(what)")
  }

  /// The map without the entries of a name.
  func without(_ name: String) -> ForeignNode {
    guard case .map(let entries) = content else { return self }
    return ForeignNode(content: .map(entries.filter { $0.name != name }), line: line)
  }

  /// Maps whose names are not the source's own, where an empty text is a value.
  private static let free: Set<ByteText> = [
    "headers", "header", "http_headers", "labels", "extra-labels", "tags", "additional_label", "validator",
  ]

  /// The map without entries that are empty texts, and these. Programs in Go and JavaScript read them as not set.
  func withoutEmptyTexts() -> (node: ForeignNode, empty: [ForeignNode]) {
    guard case .map(let entries) = content else { return (self, []) }
    var (kept, empty): ([(name: String, value: ForeignNode)], [ForeignNode]) = ([], [])
    for entry in entries {
      if case .scalar("", _) = entry.value.content, entry.value.bytes == nil {
        empty.append(entry.value)
      } else if Self.free.contains(ByteText(entry.name)) {
        kept.append(entry)
      } else {
        let inner = entry.value.withoutEmptyTexts()
        kept.append((entry.name, inner.node))
        empty += inner.empty
      }
    }
    var made = self
    made.content = .map(kept)
    return (made, empty)
  }

  /// A list, or a single value as a list of one.
  var all: [ForeignNode] { isNull ? [] : items ?? [self] }

  /// The last one of that name, as most readers take it.
  package subscript(name: String) -> ForeignNode? { entries?.last { $0.name == name }?.value }

  /// `true`, `yes`, `on` and `1`, or their opposites; nil: something else.
  var flag: Bool? {
    switch text?.lowercased() {
    case "true", "yes", "on", "1": true
    case "false", "no", "off", "0": false
    default: nil
    }
  }

  /// A whole number; nil: something else.
  var number: Int? { text.flatMap { Int($0) } }
}

/// Why a file could not be read at all.
package struct ImportProblem: Error, Hashable, Sendable {
  package var message: String
  package var hint: String?

  package init(_ message: String, hint: String? = nil) { (self.message, self.hint) = (message, hint) }
}
