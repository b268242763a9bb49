// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The JSON Schema (draft 2020-12) of a file, for editors. Made from the key tables that the walk reads by.
package enum ConfigSchema {
  package enum File {
    case configuration, cases
  }

  package static func json(_ file: File = .configuration) -> String {
    var writer = JSONWriter(reserving: 32_768)
    writer.object { writer in
      writer.field("$schema", "https://json-schema.org/draft/2020-12/schema")
      switch file {
      case .configuration:
        writer.field("title", "agent.yaml of quartz-agent")
        writer.fields(of: .root)
      case .cases:
        writer.field("title", "cases of quartz-agent test")
        writer.fields(of: KeyTable(CaseFile.keys))
      }
    }
    return writer.text
  }
}

extension JSONWriter {
  /// Writes the members of the table's object schema; the braces are the caller's.
  ///
  /// - Parameters:
  ///   - required: `nil` for the table's own.
  ///   - inherits: whether `null` removes an inherited value.
  fileprivate mutating func fields(
    of table: KeyTable, constant: (name: String, value: String)? = nil, required names: [String]? = nil,
    inherits: Bool = false
  ) {
    field("type", "object")
    key("properties")
    object { writer in
      for entry in table.keys {
        writer.key(dynamic: entry.name)
        if entry.name == constant?.name, let value = constant?.value {
          writer.object { $0.field("const", value) }
        } else {
          writer.property(entry, inherits)
        }
      }
    }
    field("additionalProperties", false)
    let required = names ?? table.keys.filter(\.isRequired).map(\.name)
    guard !required.isEmpty else { return }
    key("required")
    strings(required)
  }

  private mutating func property(_ entry: KeyFacts, _ inherits: Bool) {
    object { writer in
      let fallback = entry.fallback.map { " (default: \($0))" } ?? ""
      writer.field("description", (entry.summary + fallback).filter { $0 != "`" })
      if case .map(let table) = entry.value, entry.name == "defaults" {
        writer.fields(of: table.partial, inherits: true)
      } else if inherits {
        writer.choices([{ $0.value(entry.value, inherits: true) }, { $0.field("type", "null") }])
      } else {
        writer.value(entry.value)
      }
    }
  }

  private mutating func value(_ kind: ValueKind, inherits: Bool = false) {
    switch kind {
    case .text, .secret, .hidden: field("type", texts)
    case .literal: field("type", texts + ["null"])
    case .flag: orReference { $0.field("type", "boolean") }
    case .integer(let range): orReference { $0.integers(range) }
    case .automatic(let range):
      choices([{ $0.field("const", "auto") }, { $0.integers(range) }, { $0.reference() }])
    case .percent: orReference { $0.pattern(#"^[0-9]+(\.[0-9]+)?%$"#) }
    case .duration: orReference { $0.pattern(#"^[0-9]+(\.[0-9]{1,3})?(us|ms|s|m|h|d)$"#) }
    case .size: orReference { $0.pattern("^[0-9]+(B|KiB|MiB|GiB|TiB)$") }
    case .choice(let words): choice(words)
    case .list(let item): list(item)
    case .oneOrMore(let item): choices([{ $0.value(item) }, { $0.list(item) }])
    case .map(let table): fields(of: table, inherits: inherits)
    case .headers, .conditions:
      field("type", "object")
      key("additionalProperties")
      object { $0.value(inherits ? .literal : .hidden) }
    case .typedConditions:
      field("type", "object")
      key("additionalProperties")
      object { $0.value(.literal) }
    case .either(let single, let other): choices([{ $0.value(single) }, { $0.value(other) }])
    case .check: check()
    case .templates:
      field("type", "object")
      key("additionalProperties")
      object { $0.field("type", "object") }
    }
  }

  private mutating func list(_ item: ValueKind) {
    field("type", "array")
    key("items")
    object { $0.value(item) }
  }

  /// Everything but name and type may come from defaults; with `extends` those may too, and which keys there are is known
  /// only to who knows the template.
  private mutating func check() {
    let types = CheckType.allCases.map { type in
      { (writer: inout JSONWriter) in
        writer.fields(
          of: .check(type).partial, constant: ("type", type.rawValue), required: ["name", "type"],
          inherits: true)
      }
    }
    choices(
      types + [
        { writer in
          writer.field("type", "object")
          writer.key("required")
          writer.strings(["extends"])
        }
      ])
  }

  private mutating func choice(_ words: [String]) {
    // A word such as `4` or `1.1` is a number to an editor that reads YAML; both are the same text to the agent.
    orReference { writer in
      writer.key("enum")
      writer.array { writer in
        for word in words {
          writer.string(word)
          if Double(word)?.isFinite == true { writer.raw(word) }
        }
      }
    }
  }

  private mutating func integers(_ range: ClosedRange<Int>) {
    field("type", "integer")
    field("minimum", range.lowerBound)
    field("maximum", range.upperBound)
  }

  private mutating func pattern(_ expression: String) {
    field("type", "string")
    field("pattern", expression)
  }

  /// `${env:NAME}` and its like may be values of every type.
  private mutating func reference() { pattern(#"\$\{(env|file|cred):[^}]+\}"#) }

  private mutating func orReference(_ body: @escaping (inout JSONWriter) -> Void) {
    choices([body, { $0.reference() }])
  }

  private mutating func choices(_ bodies: [(inout JSONWriter) -> Void]) {
    key("anyOf")
    array { writer in
      for body in bodies { writer.object(body) }
    }
  }

  private mutating func strings(_ values: [String]) {
    array { writer in
      for value in values { writer.string(value) }
    }
  }

  /// Types that an editor reads an unquoted text as: `no`, `0123` and `1.5` are texts to the agent, and numbers or
  /// booleans to a YAML reader.
  private mutating func field(_ name: StaticString, _ types: [String]) {
    key(name)
    strings(types)
  }
}

private let texts = ["string", "number", "boolean"]
