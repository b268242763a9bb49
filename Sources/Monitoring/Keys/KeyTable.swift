// SPDX-License-Identifier: MIT

import Basics

/// Form of a key's value. The reader reads by it, and the JSON Schema and the tables of the docs are made of it, so
/// that none can say something else.
package indirect enum ValueKind: Sendable {
  case text
  /// Text that must never be shown. It belongs in a file of its own: written out, or from the environment, it is
  /// worth a warning.
  case secret
  /// Text that must never be shown, but that people write into the file with good reason: header values, a body.
  case hidden
  case flag
  case integer(ClosedRange<Int>)
  /// `auto`, or a number.
  case automatic(ClosedRange<Int>)
  /// A number with a percent sign.
  case percent
  case duration(ClosedRange<Duration>)
  /// Bytes.
  case size(ClosedRange<Int>)
  case choice([String])
  case list(ValueKind)
  /// One value, or a list of them.
  case oneOrMore(ValueKind)
  case map(KeyTable)
  /// Free names, hidden values.
  case headers
  /// Free names, each with a condition.
  case conditions
  /// Free names, each with a condition on a value that has a type: `1.5` is a number, `"1.5"` a text.
  case typedConditions
  /// A text, a number, `true`, `false` or `null`.
  case literal
  /// A single value of the first kind, or what the second says.
  case either(ValueKind, ValueKind)
  /// The keys depend on `type`.
  case check
  /// Free names, each with keys of a check.
  case templates
}

/// Facts of one key: its value, its default in the words of the file, and its meaning.
package struct KeyFacts: Sendable {
  package var name: String
  package var value: ValueKind
  package var summary: String
  /// `nil` when there is none, or none that fits a line.
  package var fallback: String?
  /// The default is as one would write it; else it is in words.
  package var hasLiteralDefault = false
  /// The kinds of check that have the key.
  package var types: Set<CheckType>
  package var isRequired: Bool
  /// The next step where it is missing. `nil` where a judge says it.
  var requiredHint: String?
  /// Where a check from the API has it; nil: it may not have it.
  package var column: APIColumn?

  package init(
    _ name: String, _ value: ValueKind, _ summary: String, default fallback: String? = nil,
    required: Bool = false
  ) {
    self.name = name
    self.value = value
    self.summary = summary
    self.fallback = fallback
    self.types = Set(CheckType.allCases)
    self.isRequired = required
  }
}

/// The keys of one map, without the types of their values. A check's hold some keys several times, for different kinds.
package struct KeyTable: Sendable {
  package private(set) var keys: [KeyFacts]
  private var places: [ByteText: Int] = [:]
  /// Keys of a later version; named so that they are not taken for a typing error.
  package var planned: Set<ByteText> = []
  /// Keys that other kinds of check have here, with the kinds as words.
  package private(set) var elsewhere: [ByteText: String] = [:]

  package init(keys: [KeyFacts], planned: Set<ByteText> = []) {
    self.keys = keys
    self.planned = planned
    index()
  }

  package init<Root>(_ keys: [Key<Root>], planned: Set<ByteText> = []) {
    self.init(keys: keys.map(\.facts), planned: planned)
  }

  private mutating func index() {
    places = Dictionary(
      keys.enumerated().map { (ByteText($1.name), $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Where a key stands in `keys`.
  package func place(of name: String) -> Int? { places[ByteText(name)] }

  /// Without some of its keys.
  package func without(_ names: Set<String>) -> KeyTable {  // own text: names of ours
    KeyTable(keys: keys.filter { !names.contains($0.name) }, planned: planned)
  }

  /// The same keys, of which none must be there.
  package var partial: KeyTable {
    KeyTable(
      keys: keys.map { facts in
        var facts = facts
        facts.isRequired = false
        if case .map(let table) = facts.value { facts.value = .map(table.partial) }
        return facts
      }, planned: planned)
  }

  package subscript(name: String) -> KeyFacts? { place(of: name).map { keys[$0] } }

  /// The table for one kind of check, nested tables included.
  package func narrowed(to type: CheckType) -> KeyTable {
    var table = self
    table.keys = keys.compactMap { key -> KeyFacts? in
      guard key.types.contains(type) else {
        // A key may stand here several times, with another meaning for each kind.
        let types = keys.filter { $0.name == key.name }.reduce(into: Set()) { $0.formUnion($1.types) }
        table.elsewhere[ByteText(key.name)] = CheckType.allCases.filter(types.contains).map(\.rawValue)
          .joined(
            separator: ", ")
        return nil
      }
      var key = key
      if case .map(let inner) = key.value { key.value = .map(inner.narrowed(to: type)) }
      return key
    }
    table.index()
    return table
  }
}
