// SPDX-License-Identifier: MIT

import Basics

/// Settings that are a map of agent.yaml: each key is declared once, in `keys`, and reading, describing and printing
/// run that declaration. The value of a property before anything is read is the key's default.
package protocol KeyedSettings: Sendable {
  static var keys: [Key<Self>] { get }
  init()
}

/// One key: its name, its codec (type, unit, bounds or words, secrecy), its default and the sentence for the docs.
package struct Key<Root: Sendable>: Sendable {
  /// The key's facts, without reading anything.
  package var facts: KeyFacts
  /// False: the value is unusable; why was said.
  package let read: @Sendable (inout Root, Given, KeyPlace, inout KeyReader) -> Bool
  package let print: @Sendable (Root, inout KeyPrinter) -> Void
  /// The value in a root, as one writes it: the default, where the root is one that says nothing.
  private var text: @Sendable (Root) -> String? = { _ in nil }
  /// Of a group.
  private var nested: [Key<Root>] = []
}

extension Key {
  /// A key that need not have a value, and is then not printed.
  ///
  /// - Parameter words: the default, where it is none that the key could be given.
  package init<Value>(
    _ path: any WritableKeyPath<Root, Value?> & Sendable, _ name: String, _ codec: Codec<Value>,
    _ summary: String, default words: String? = nil
  ) {
    facts = KeyFacts(name, codec.kind, summary, default: words)
    read = { root, typed, place, reader in
      guard let value = codec.read(typed, place, &reader) else { return false }
      root[keyPath: path] = value
      return true
    }
    print = { root, printer in
      if let value = root[keyPath: path] { codec.print(value, name, &printer) }
    }
    text = { $0[keyPath: path].map(codec.text) }
  }

  /// A key whose default is what the property holds before anything is read.
  ///
  /// - Parameter shown: whether it is printed; what would be refused when it is read again is not.
  package init<Value>(
    _ path: any WritableKeyPath<Root, Value> & Sendable, _ name: String, _ codec: Codec<Value>,
    _ summary: String, default words: String? = nil,
    shown: @escaping @Sendable (Root) -> Bool = { _ in true }
  ) {
    facts = KeyFacts(name, codec.kind, summary, default: words)
    read = { root, typed, place, reader in
      guard let value = codec.read(typed, place, &reader) else { return false }
      root[keyPath: path] = value
      return true
    }
    print = { root, printer in
      if shown(root) { codec.print(root[keyPath: path], name, &printer) }
    }
    text = { codec.text($0[keyPath: path]) }
  }

  /// A map inside the map whose values are the same root's.
  ///
  /// - Parameter present: what follows from the key's being there, whatever it holds.
  package init(
    group name: String, _ summary: String, default words: String? = nil, _ keys: [Key<Root>],
    present: @escaping @Sendable (inout Root, Given) -> Void = { _, _ in }
  ) {
    let list = KeyList(keys)
    facts = KeyFacts(name, .map(KeyTable(keys)), summary, default: words)
    facts.column = keys.lazy.compactMap(\.facts.column).first
    read = { root, typed, _, reader in
      present(&root, typed)
      guard case .map(let map) = typed.value else { return false }
      reader.fill(&root, map, list)
      return true
    }
    print = { root, printer in
      printer.mapIfAny(name) { $0.keys(keys, of: root) }
    }
    nested = keys
  }

  /// A map inside the map that is there as soon as its key is.
  package init<Value>(
    given path: any WritableKeyPath<Root, Value?> & Sendable, _ name: String, _ summary: String,
    _ keys: [Key<Value>], _ empty: Value
  ) {
    let list = KeyList(keys)
    facts = KeyFacts(name, .map(KeyTable(keys)), summary)
    read = { root, typed, _, reader in
      var value = empty
      if case .map(let map) = typed.value { reader.fill(&value, map, list) }
      root[keyPath: path] = value
      return true
    }
    print = { root, printer in
      guard let value = root[keyPath: path] else { return }
      printer.map(name) { $0.keys(keys, of: value) }
    }
  }

  /// A key that is read and printed in a way of its own, or by the judge.
  package init(
    _ name: String, _ kind: ValueKind, _ summary: String, default words: String? = nil,
    read: @escaping @Sendable (inout Root, Given, inout KeyReader) -> Void = { _, _, _ in },
    print: @escaping @Sendable (Root, inout KeyPrinter) -> Void
  ) {
    facts = KeyFacts(name, kind, summary, default: words)
    self.read = { root, typed, _, reader in
      read(&root, typed, &reader)
      return true
    }
    self.print = print
  }

  /// Without it there is nothing to probe; the judge says so.
  package var required: Key {
    var key = self
    key.facts.isRequired = true
    return key
  }

  /// A check from the API may have it: which column of its row it comes from.
  package func api(_ column: APIColumn) -> Key {
    var key = self
    key.facts.column = column
    return key
  }

  /// The key as one of these kinds of check only.
  /// The same for each of them. Not by `map` after the list: the compiler would take seconds to find its type.
  static func only(_ types: Set<CheckType>, _ keys: [Key]) -> [Key] { keys.map { $0.only(types) } }

  package func only(_ types: CheckType...) -> Key { only(Set(types)) }

  package func only(_ types: Set<CheckType>) -> Key {
    var key = self
    key.facts.types = types
    return key
  }

  /// The facts with the defaults that these roots have, which say nothing.
  package func facts(defaults roots: [Root]) -> KeyFacts {
    var facts = facts
    if facts.fallback == nil, !facts.isRequired {
      facts.fallback = roots.lazy.compactMap(text).first { !$0.isEmpty }
      facts.hasLiteralDefault = facts.fallback != nil
    }
    guard !nested.isEmpty else { return facts }
    let table = ValueKind.map(KeyTable(keys: nested.map { $0.facts(defaults: roots) }))
    if case .either(let single, _) = facts.value {
      facts.value = .either(single, table)
    } else {
      facts.value = table
    }
    return facts
  }
}

/// Keys by their names, for a map of which most are missing.
package struct KeyList<Root: Sendable>: Sendable {
  let keys: [Key<Root>]
  private let places: [ByteText: Int]

  package init(_ keys: [Key<Root>]) {
    self.keys = keys
    places = Dictionary(
      keys.enumerated().map { (ByteText($1.facts.name), $0) }, uniquingKeysWith: { first, _ in first })
  }

  func place(of name: String) -> Int? { places[ByteText(name)] }
}

extension Key where Root: KeyedSettings {
  /// - Parameters:
  ///   - words: the default, where it is none that a property could hold.
  ///   - shown: whether it is printed; what would be refused when it is read again is not.
  package init<Value>(
    _ path: any WritableKeyPath<Root, Value> & Sendable, _ name: String, _ codec: Codec<Value>,
    _ summary: String,
    default words: String? = nil, shown: @escaping @Sendable (Root) -> Bool = { _ in true }
  ) {
    facts = KeyFacts(name, codec.kind, summary, default: words ?? codec.text(Root()[keyPath: path]))
    facts.hasLiteralDefault = words == nil
    read = { root, typed, place, reader in
      guard let value = codec.read(typed, place, &reader) else { return false }
      root[keyPath: path] = value
      return true
    }
    print = { root, printer in
      if shown(root) { codec.print(root[keyPath: path], name, &printer) }
    }
  }

  /// A key without which the settings are none.
  ///
  /// - Parameter hint: what to do when it is missing.
  package init<Value>(
    _ path: any WritableKeyPath<Root, Value> & Sendable, _ name: String, _ codec: Codec<Value>,
    _ summary: String,
    required hint: String
  ) {
    self.init(path, name, codec, summary, default: "")
    facts.fallback = nil
    facts.requiredHint = hint
    facts.isRequired = true
  }

  /// A map inside the map.
  ///
  /// - Parameter table: its keys, where others than the settings' read some of them.
  package init<Value: KeyedSettings>(
    section path: any WritableKeyPath<Root, Value> & Sendable, _ name: String, _ summary: String,
    table: KeyTable? = nil, shown: @escaping @Sendable (Root) -> Bool = { _ in true }
  ) {
    facts = KeyFacts(name, .map(table ?? KeyTable(Value.keys)), summary)
    read = { root, typed, place, reader in
      guard case .map(let map) = typed.value else { return false }
      return reader.read(map, into: &root[keyPath: path], place.path)
    }
    print = { root, printer in
      guard shown(root) else { return }
      printer.map(name) { $0.settings(root[keyPath: path]) }
    }
  }

  /// A map inside the map that may be missing as a whole. It stays so when a key that it needs has no value.
  package init<Value: KeyedSettings>(
    section path: any WritableKeyPath<Root, Value?> & Sendable, _ name: String, _ summary: String
  ) {
    facts = KeyFacts(name, .map(KeyTable(Value.keys)), summary)
    read = { root, typed, place, reader in
      guard case .map(let map) = typed.value else { return false }
      var value = Value()
      guard reader.read(map, into: &value, place.path) else { return false }
      root[keyPath: path] = value
      return true
    }
    print = { root, printer in
      if let value = root[keyPath: path] { printer.map(name) { $0.settings(value) } }
    }
  }
}

extension KeyPrinter {
  package mutating func settings<Root: KeyedSettings>(_ root: Root) { keys(Root.keys, of: root) }

  /// Those that the check that is printed may have, if it is one.
  mutating func keys<Root>(_ keys: [Key<Root>], of root: Root) {
    for key in keys where type.map(key.facts.types.contains) ?? true { key.print(root, &self) }
  }
}
