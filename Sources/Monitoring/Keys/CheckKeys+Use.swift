// SPDX-License-Identifier: MIT

import Basics

extension CheckDefinition {
  /// By kind; nil: those of all kinds, where the kind is not known.
  private static let lists: [CheckType?: KeyList<CheckDefinition>] = {
    var lists: [CheckType?: KeyList<CheckDefinition>] = [nil: KeyList(keys)]
    for type in CheckType.allCases {
      lists[type] = KeyList(keys.filter { $0.facts.types.contains(type) })
    }
    return lists
  }()

  package init(_ map: GivenMap, _ reader: inout KeyReader) {
    self.init()
    read(map, &reader)
  }

  /// Reads the keys; nothing is judged here.
  package mutating func read(_ map: GivenMap, _ reader: inout KeyReader) {
    let kind = map["type"]?.text.flatMap { CheckType(word: $0) }
    if let list = Self.lists[kind] { reader.fill(&self, map, list) }
    hasSecretURL = map["url"]?.isSecret ?? false
    http.secrets = SecretTexts(map.secrets())
  }

  /// For each kind what the judge makes of a check that says no more than it must.
  fileprivate static let plain: [CheckDefinition] = CheckType.allCases.compactMap { type in
    var definition = CheckDefinition()
    definition.name = "A"
    definition.type = type.rawValue
    definition.url = "https://a.example/"
    definition.host = "a.example"
    definition.port = type == .ping ? nil : 1
    definition.queryName = "a.example"
    (definition.token, definition.period) = (Redacted("0123456789abcdef"), .seconds(86_400))
    return (try? MonitoringCheck(definition)).map(CheckDefinition.init)
  }
}

extension KeyTable {
  /// The keys of every kind of check.
  package static let check = KeyTable(
    keys: CheckDefinition.keys.map { $0.facts(defaults: CheckDefinition.plain) })

  private static let checks = Dictionary(
    uniqueKeysWithValues: CheckType.allCases.map { ($0, check.narrowed(to: $0)) })

  /// The keys of one kind of check; nil: of every kind.
  package static func check(_ type: CheckType?) -> KeyTable { type.flatMap { checks[$0] } ?? check }
}

extension KeyPrinter {
  package mutating func checks(_ checks: [MonitoringCheck]) {
    guard !checks.isEmpty else { return word("checks", "[]") }
    map("checks") { printer in
      for check in checks {
        printer.item(check.id.description) { printer in
          let definition = CheckDefinition(check)
          printer.type = check.type
          printer.keys(CheckDefinition.keys, of: definition)
          printer.type = nil
        }
      }
    }
  }
}
