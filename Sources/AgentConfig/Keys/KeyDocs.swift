// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The tables of keys in docs/configuration.md and docs/checks.md, made of the declarations that the loader reads by.
package enum KeyDocs {
  /// By the name that stands in the page's comment before each: `<!-- keys: limits -->`.
  package static let tables: [String: String] =  // own text: names of our tables
    rows.mapValues { markdown($0) }

  private static let rows: [String: [Row]] = {  // own text
    var tables: [String: [Row]] = [:]  // own text
    for section in KeyTable.root.keys where section.name != "defaults" {
      if case .map(let table) = section.value { add(table, section.name, to: &tables) }
    }
    // The other keys of a check, which may stand there as well, have tables of their own.
    tables["defaults"] = rows(KeyTable(CheckDefaults.keys), "", [])
    tables["maintenance"] = rows(.maintenance, "", [])
    tables["dependencies"] = rows(.dependency, "", [])
    tables["alert channels"] = rows(.alertChannel, "", [])
    tables["heartbeat services"] = rows(.lifeSign, "", [])
    tables["discover items"] = rows(.discovery, "", [])
    tables["alert rules"] = rows(.alertRule, "", [])
    tables["alert reports"] = rows(.report, "", [])
    tables["alert escalation steps"] = rows(.escalation, "", [])
    tables["confirm"] = rows(KeyTable(ConfirmSettings.keys), "", [])
    tables["cases"] = rows(KeyTable(CheckCase.keys), "", [])
    addChecks(to: &tables)
    return tables
  }()

  /// All of them, for `quartz-agent schema --markdown`.
  package static var all: String {
    tables.sorted { $0.key < $1.key }.map { "<!-- keys: \($0.key) -->\n\n\($0.value)" }
      .joined(separator: "\n")
  }

  /// Maps that have a table of their own.
  private static let apart: Set = ["quartz.checks", "quartz.deliver", "quartz.supabase", "status.public"]

  private static func add(
    _ table: KeyTable, _ name: String, to tables: inout [String: [Row]]  // own text
  ) {
    let others = table.keys.map(\.name).filter { apart.contains("\(name).\($0)") }
    tables[name] = rows(table, "", Set(others))
    for other in others {
      if case .map(let inner)? = table[other]?.value { add(inner, "\(name).\(other)", to: &tables) }
    }
  }

  /// Keys of all types, then those of each type; `tls` and `expect` on their own.
  private static func addChecks(to tables: inout [String: [Row]]) {  // own text
    // Those that every check has that goes out and looks; a heartbeat's section says which of them it lacks.
    let kinds = CheckType.probing
    tables["check"] = KeyTable.check.keys.filter { $0.types.isSuperset(of: kinds) }
      .map { Row(key: $0, name: $0.name) }
    if case .map(let options)? = KeyTable.check(.tls)["tls"]?.value {
      tables["tls options"] = rows(options, "", [])
    }
    for type in CheckType.allCases {
      let own = KeyTable.check(type).keys.filter { !$0.types.isSuperset(of: kinds) }
      let maps = own.filter { $0.name == "tls" }.map { Row(key: $0, name: $0.name) }
      tables[type.rawValue] = rows(KeyTable(keys: own.filter { $0.name != "tls" }), "", []) + maps
    }
    guard case .map(let expect)? = KeyTable.check["expect"]?.value else { return }
    for type in [CheckType.http, .dns] {
      let own = expect.keys.filter { $0.types == [type] }
      tables["\(type.rawValue) conditions"] = rows(KeyTable(keys: own), "expect.", [])
    }
    let thresholds = expect.keys.filter { $0.types != [.http] && $0.types != [.dns] }
    tables["thresholds"] = rows(KeyTable(keys: thresholds), "expect.", [])
  }

  /// A key as a page of the manual has it; the words are Markdown.
  package struct Entry {
    package var name: String
    package var value: String
    package var meaning: String
    package var fallback: String
    package var isRequired: Bool
  }

  /// The same for a page of the manual: of the whole file first, then of its checks.
  package static var sections: [(name: String, rows: [Entry])] {
    let ofChecks =
      ["check"] + CheckType.allCases.map(\.rawValue) + ["tls options", "thresholds", "confirm"]
      + [CheckType.http, .dns].map { "\($0.rawValue) conditions" }
    let names = rows.keys.filter { !ofChecks.contains($0) && $0 != "cases" }.sorted() + ofChecks
    return names.map { name in
      let title = CheckType(rawValue: name) == nil ? name : "\(name) check"
      return (title, (rows[name] ?? []).map(Entry.init))
    }
  }

  /// Of a file that `quartz-agent test` reads.
  package static var cases: [Entry] { (rows["cases"] ?? []).map(Entry.init) }

  fileprivate struct Row {
    var key: KeyFacts
    var name: String
  }

  /// Maps inside are told by their keys.
  private static func rows(
    _ table: KeyTable, _ prefix: String, _ others: Set<String>  // own text
  ) -> [Row] {
    table.keys.flatMap { key -> [Row] in
      guard !others.contains(key.name) else { return [] }
      guard case .map(let inner) = key.value else { return [Row(key: key, name: prefix + key.name)] }
      return rows(inner, prefix + key.name + ".", [])
    }
  }

  /// With a column for the API's, where it has any of the keys.
  private static func markdown(_ rows: [Row]) -> String {
    let isShared = rows.contains { $0.key.column != nil }
    let lines = rows.map { row in
      let key = row.key
      let fallback = key.fallback ?? "none"
      let cell = key.isRequired ? "required" : key.hasLiteralDefault ? "`\(fallback)`" : fallback
      var column = isShared ? " |" : ""
      if let name = key.column?.name, !key.value.isMap { column = " `\(name)` |" }
      return "| `\(row.name)` | \(key.value.cell) | \(key.summary) | \(cell) |\(column)\n"
    }
    return "| key | value | meaning | default |\(isShared ? " API |" : "")\n"
      + "|---|---|---|---|\(isShared ? "---|" : "")\n" + lines.joined()
  }
}

extension KeyDocs.Entry {
  fileprivate init(_ row: KeyDocs.Row) {
    let fallback = row.key.fallback ?? "none"
    self.init(
      name: row.name, value: row.key.value.cell, meaning: row.key.summary,
      fallback: row.key.hasLiteralDefault ? "`\(fallback)`" : fallback, isRequired: row.key.isRequired)
  }
}

extension ValueKind {
  fileprivate var isMap: Bool { if case .map = self { true } else { false } }

  /// The possible values, in a table's cell.
  fileprivate var cell: String {
    switch self {
    case .text, .literal: "text"
    case .secret: "secret"
    case .hidden: "text, secret"
    case .flag: "`true`, `false`"
    case .integer(let range): "\(range.lowerBound) to \(range.upperBound)"
    case .automatic(let range): "`auto`, or \(range.lowerBound) to \(range.upperBound)"
    case .percent: "0% to 100%"
    case .duration(let range): "\(range.lowerBound.text) to \(range.upperBound.text)"
    case .size(let range): "\(ByteSize.text(range.lowerBound)) to \(ByteSize.text(range.upperBound))"
    case .choice(let words): words.map { "`\($0)`" }.joined(separator: ", ")
    case .list(let item): "list: \(item.cell)"
    case .oneOrMore(let item): "one or a list: \(item.cell)"
    case .map, .check: "map"
    case .templates: "map of checks"
    case .headers: "map of texts, secret"
    case .conditions, .typedConditions: "map of conditions"
    case .either(let single, let other): "\(single.cell), or a \(other.cell)"
    }
  }
}
