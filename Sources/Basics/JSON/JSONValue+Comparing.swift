// SPDX-License-Identifier: MIT

extension JSONValue {
  /// Whether both say the same: strings scalar by scalar, numbers by value, members in any order.
  package func isSame(as other: JSONValue) -> Bool {
    switch (self, other) {
    case (.string(let left), .string(let right)): return left.utf8.elementsEqual(right.utf8)
    case (.number(let left), .number(let right)): return DecimalNumber(left) == DecimalNumber(right)
    case (.bool(let left), .bool(let right)): return left == right
    case (.null, .null): return true
    case (.array(let left), .array(let right)):
      return left.count == right.count && zip(left, right).allSatisfy { $0.isSame(as: $1) }
    case (.object(let left), .object(let right)):
      guard left.count == right.count else { return false }
      let byName = Dictionary(
        right.map { (ByteText($0.name), $0.value) }, uniquingKeysWith: { first, _ in first })
      return left.allSatisfy { byName[ByteText($0.name)]?.isSame(as: $0.value) ?? false }
    default: return false
    }
  }

  /// As JSON without spaces; numbers as they stood.
  package var text: String {
    var json = JSONWriter()
    write(to: &json)
    return json.text
  }

  private func write(to json: inout JSONWriter) {
    switch self {
    case .object(let members):
      json.object { json in
        for member in members {
          json.key(dynamic: member.name)
          member.value.write(to: &json)
        }
      }
    case .array(let elements): json.array { json in elements.forEach { $0.write(to: &json) } }
    case .string(let text): json.string(text)
    case .number(let digits): json.raw(digits)
    case .bool(let value): json.bool(value)
    case .null: json.null()
    }
  }
}
