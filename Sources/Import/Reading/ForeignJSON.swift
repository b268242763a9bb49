// SPDX-License-Identifier: MIT

import Basics

extension JSONValue {
  /// Whether a text is a finite number as JSON writes it: not `01`, `+5`, `0x10` or `nan`.
  static func isNumber(_ text: String) -> Bool {
    guard case .number(let digits)? = try? parse(Array(text.utf8)) else { return false }
    return digits == text && Double(digits)?.isFinite == true
  }
}

extension ForeignNode {
  /// A JSON text; it has no lines to tell of.
  static func json(_ bytes: [UInt8]) throws(ImportProblem) -> ForeignNode {
    guard bytes.count <= ForeignLimits.bytes else { throw ImportProblem("is larger than 16 MiB") }
    let value: JSONValue
    do { value = try JSONValue.parse(bytes, maxDepth: ForeignLimits.depth) } catch {
      throw ImportProblem("no valid JSON: \(error)")
    }
    let node = ForeignNode(value)
    guard ForeignWeight(node).values <= ForeignLimits.plainValues else {
      throw ImportProblem("more than \(ForeignLimits.plainValues) values", hint: "import the file in parts")
    }
    return node
  }

  init(_ value: JSONValue) {
    line = 0
    content =
      switch value {
      case .null: .scalar("", isPlain: true)
      case .bool(let flag): .scalar(flag ? "true" : "false", isPlain: true)
      case .number(let digits): .scalar(digits, isPlain: true)
      case .string(let text): .scalar(text, isPlain: false)
      case .array(let items): .list(items.map { ForeignNode($0) })
      case .object(let members): .map(members.map { ($0.name, ForeignNode($0.value)) })
      }
  }

  /// A text of no file.
  init(text: String, line: Int = 0) { (content, self.line) = (.scalar(text, isPlain: false), line) }
}
