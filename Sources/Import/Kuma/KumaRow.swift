// SPDX-License-Identifier: MIT

import Basics

/// A row of a table or an object of a backup. Both spell their names in another way (`push_token`, `pushToken`): here they are
/// the same.
struct KumaRow {
  let node: ForeignNode
  let ledger: Ledger
  private var fields: [ByteText: ForeignNode] = [:]

  init(_ node: ForeignNode, _ ledger: Ledger) {
    (self.node, self.ledger) = (node, ledger)
    for entry in node.entries ?? [] { fields[Self.key(entry.name)] = entry.value }
  }

  private static func key(_ name: String) -> ByteText { ByteText(name.replacing("_", with: "").lowercased()) }

  /// Looks without judging; `nil` when it says nothing.
  subscript(_ name: String) -> ForeignNode? {
    guard let node = fields[Self.key(name)], !node.isNull, node.text?.isEmpty != true else { return nil }
    return node
  }

  private func taken(_ name: String) -> ForeignNode? {
    let node = self[name]
    ledger.carry(node)
    return node
  }

  func text(_ name: String) -> String? { taken(name)?.text }
  func number(_ name: String) -> Int? { read(name, \.number) }
  func flag(_ name: String) -> Bool { read(name, \.flag) ?? false }

  /// Seconds as milliseconds.
  func seconds(_ name: String) -> Int? {
    read(name) { node -> Int? in
      guard let number = node.text.flatMap({ Double($0) }), (0..<1e8).contains(number) else { return nil }
      return Int(number * 1000)
    }
  }

  /// A list, or its text in JSON.
  func texts(_ name: String) -> [String] {
    let texts = read(name) { node -> [String]? in
      if let items = node.items { return items.compactMap(\.text) }
      guard let text = node.text, let list = try? JSONValue.parse(Array(text.utf8)).array else { return nil }
      return list.compactMap { $0.string ?? $0.text }
    }
    return texts ?? []
  }

  /// Takes a value; one that is none is listed.
  private func read<Value>(_ name: String, _ take: (ForeignNode) -> Value?) -> Value? {
    guard let node = self[name] else { return nil }
    guard let value = take(node) else {
      ledger.list(node, Ledger.misread, always: false, .changed)
      return nil
    }
    ledger.carry(node)
    return value
  }

  func carry(_ names: String...) { for name in names { ledger.carry(fields[Self.key(name)]) } }

  func list(_ why: String, _ names: String..., change: ImportNote.Change? = nil) {
    for name in names { ledger.list(self[name], why, always: false, change) }
  }

  /// Carries what has the value it has when it is off.
  func settle(_ usual: [(name: String, values: [String])]) {
    for (name, values) in usual {
      guard let node = fields[Self.key(name)],
        let text = node.text ?? (node.items.map { $0.isEmpty ? "[]" : "" })
      else { continue }
      if text.isEmpty || values.contains(where: { $0.utf8.elementsEqual(text.utf8) }) { ledger.carry(node) }
    }
    for node in fields.values where node.text?.isEmpty == true { ledger.carry(node) }
  }
}
