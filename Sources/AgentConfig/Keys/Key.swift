// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Settings that are a map of agent.yaml: each key is declared once, in `keys`, and reading, describing and printing
/// run that declaration. What a property holds before anything is read is the key's default.
protocol KeyedSettings: Sendable {
  static var keys: [Key<Self>] { get }
  init()
}

/// One key: its name, its codec (type, unit, bounds or words, secrecy), its default and the sentence for the docs.
struct Key<Root: Sendable>: Sendable {
  /// What there is to say of it without reading anything.
  var facts: KeyFacts
  /// False: the value is unusable; why was said.
  let read: @Sendable (inout Root, Typed, Walk.Place, inout Walk) -> Bool
  let print: @Sendable (Root, inout ConfigPrinter) -> Void
  /// The value in a root, as one writes it: the default, where the root is one that says nothing.
  private var text: @Sendable (Root) -> String? = { _ in nil }
  /// Of a group.
  private var nested: [Key<Root>] = []
}

extension Key {
  /// A key that need not have a value, and is then not printed.
  ///
  /// - Parameter words: the default, where it is none that the key could be given.
  init<Value>(
    _ path: any WritableKeyPath<Root, Value?> & Sendable, _ name: String, _ codec: Codec<Value>,
    _ summary: String, default words: String? = nil
  ) {
    facts = KeyFacts(name, codec.kind, summary, default: words)
    read = { root, typed, place, walk in
      guard let value = codec.read(typed, place, &walk) else { return false }
      root[keyPath: path] = value
      return true
    }
    print = { root, printer in
      if let value = root[keyPath: path] { codec.print(value, name, &printer) }
    }
    text = { $0[keyPath: path].map(codec.text) }
  }

  /// A map inside the map whose values are the same root's.
  ///
  /// - Parameter present: what follows from the key's being there, whatever it holds.
  init(
    group name: String, _ summary: String, default words: String? = nil, _ keys: [Key<Root>],
    present: @escaping @Sendable (inout Root, Typed) -> Void = { _, _ in }
  ) {
    let list = KeyList(keys)
    facts = KeyFacts(name, .map(KeyTable(keys)), summary, default: words)
    read = { root, typed, _, walk in
      present(&root, typed)
      guard case .map(let map) = typed.value else { return false }
      walk.fill(&root, map, list)
      return true
    }
    print = { root, printer in
      printer.mapIfAny(name) { printer in for key in keys { key.print(root, &printer) } }
    }
    nested = keys
  }

  /// A map inside the map that is there as soon as its key is.
  init<Value>(
    given path: any WritableKeyPath<Root, Value?> & Sendable, _ name: String, _ summary: String,
    _ keys: [Key<Value>], _ empty: Value
  ) {
    let list = KeyList(keys)
    facts = KeyFacts(name, .map(KeyTable(keys)), summary)
    read = { root, typed, _, walk in
      var value = empty
      if case .map(let map) = typed.value { walk.fill(&value, map, list) }
      root[keyPath: path] = value
      return true
    }
    print = { root, printer in
      guard let value = root[keyPath: path] else { return }
      printer.map(name) { printer in for key in keys { key.print(value, &printer) } }
    }
  }

  /// A key that is read and printed in a way of its own, or by the judge.
  init(
    _ name: String, _ kind: ValueKind, _ summary: String, default words: String? = nil,
    read: @escaping @Sendable (inout Root, Typed, inout Walk) -> Void = { _, _, _ in },
    print: @escaping @Sendable (Root, inout ConfigPrinter) -> Void
  ) {
    facts = KeyFacts(name, kind, summary, default: words)
    self.read = { root, typed, _, walk in
      read(&root, typed, &walk)
      return true
    }
    self.print = print
  }

  /// Without it there is nothing to probe; the judge says so.
  var required: Key {
    var key = self
    key.facts.isRequired = true
    return key
  }

  /// The key as one of these kinds of check only.
  func only(_ types: CheckType...) -> Key {
    var key = self
    key.facts.types = Set(types)
    return key
  }

  /// The facts with the defaults that these roots have, which say nothing.
  func facts(defaults roots: [Root]) -> KeyFacts {
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
struct KeyList<Root: Sendable>: Sendable {
  private let keys: [Key<Root>]
  private let places: [ByteText: Int]

  init(_ keys: [Key<Root>]) {
    self.keys = keys
    places = Dictionary(
      keys.enumerated().map { (ByteText($1.facts.name), $0) }, uniquingKeysWith: { first, _ in first })
  }

  fileprivate func read(_ name: String, into root: inout Root, _ typed: Typed, _ walk: inout Walk) {
    guard let place = places[ByteText(name)] else { return }
    _ = keys[place].read(&root, typed, Walk.Place(path: [], position: typed.position), &walk)
  }
}

extension Key where Root: KeyedSettings {
  /// - Parameters:
  ///   - words: the default, where it is none that a property could hold.
  ///   - shown: whether it is printed; what would be refused when it is read again is not.
  init<Value>(
    _ path: any WritableKeyPath<Root, Value> & Sendable, _ name: String, _ codec: Codec<Value>,
    _ summary: String,
    default words: String? = nil, shown: @escaping @Sendable (Root) -> Bool = { _ in true }
  ) {
    facts = KeyFacts(name, codec.kind, summary, default: words ?? codec.text(Root()[keyPath: path]))
    facts.hasLiteralDefault = words == nil
    read = { root, typed, place, walk in
      guard let value = codec.read(typed, place, &walk) else { return false }
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
  init<Value>(
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
  init<Value: KeyedSettings>(
    section path: any WritableKeyPath<Root, Value> & Sendable, _ name: String, _ summary: String,
    shown: @escaping @Sendable (Root) -> Bool = { _ in true }
  ) {
    facts = KeyFacts(name, .map(KeyTable(Value.keys)), summary)
    read = { root, typed, place, walk in
      guard case .map(let map) = typed.value else { return false }
      return walk.read(map, into: &root[keyPath: path], place.path)
    }
    print = { root, printer in
      guard shown(root) else { return }
      printer.map(name) { $0.settings(root[keyPath: path]) }
    }
  }

  /// A map inside the map that may be missing as a whole. It stays so when a key that it needs has no value.
  init<Value: KeyedSettings>(
    section path: any WritableKeyPath<Root, Value?> & Sendable, _ name: String, _ summary: String
  ) {
    facts = KeyFacts(name, .map(KeyTable(Value.keys)), summary)
    read = { root, typed, place, walk in
      guard case .map(let map) = typed.value else { return false }
      var value = Value()
      guard walk.read(map, into: &value, place.path) else { return false }
      root[keyPath: path] = value
      return true
    }
    print = { root, printer in
      if let value = root[keyPath: path] { printer.map(name) { $0.settings(value) } }
    }
  }
}

extension Walk {
  /// Gives the settings what the map says.
  ///
  /// - Parameter path: of the map, from the top.
  /// - Returns: false when a required key has no value; that was said.
  mutating func read<Root: KeyedSettings>(_ map: TypedMap, into root: inout Root, _ path: [String]) -> Bool {
    var isWhole = true
    for key in Root.keys {
      let below = path + [key.facts.name]
      if let typed = map[key.facts.name] {
        let place = Place(path: below, position: typed.position)
        if !key.read(&root, typed, place, &self), key.facts.isRequired { isWhole = false }
      } else if let hint = key.facts.requiredHint {
        problem(map.position, "\(CheckProblem.keyText(below)) is missing", hint: hint)
        isWhole = false
      }
    }
    return isWhole
  }

  /// Gives a definition what the map says; nothing is judged, and nothing is missed.
  mutating func fill<Root>(_ root: inout Root, _ map: TypedMap, _ keys: KeyList<Root>) {
    for entry in map.entries { keys.read(entry.name, into: &root, entry.value, &self) }
  }
}

extension ConfigPrinter {
  mutating func settings<Root: KeyedSettings>(_ root: Root) {
    for key in Root.keys { key.print(root, &self) }
  }
}
