// SPDX-License-Identifier: MIT

import Basics

/// Smokeping's targets, with the probes that they name.
struct SmokepingImport {
  private let ledger: Ledger

  init(_ ledger: Ledger) { self.ledger = ledger }

  func read(_ files: [ImportFile]) throws(ImportProblem) -> [ImportedCheck] {
    let sections = try SmokepingFile.read(files, ledger)
    func section(_ name: String) -> SmokepingPart? { sections.first { $0.name == name } }
    guard let targets = section("Targets") else {
      throw ImportProblem(
        "no section *** Targets *** is in it",
        hint: "give Smokeping's config, or config.d/Targets with Probes")
    }
    let book = SmokepingBook(section("Probes"), section("Database"), ledger)
    var work = SmokepingTargets(book, ledger)
    try work.walk(targets, [:], [])
    ledger.settle()
    book.close()
    for part in sections where part.name != "Targets" && part.name != "Probes" {
      let why =
        part.name == "Alerts"
        ? "write alerts.rules, see docs/alerts.md" : "it is about Smokeping itself and its graphs"
      close(part, why)
    }
    return work.checks
  }

  private func close(_ part: SmokepingPart, _ why: String) {
    for value in part.values { ledger.list(value.node, why, always: false) }
    for inner in part.parts { close(inner, why) }
  }
}

/// The probes by their names, and what holds for all of them.
final class SmokepingBook {
  struct Probe {
    /// The module of Smokeping.
    var module: String
    var values: [ByteText: ForeignNode]
  }

  private let ledger: Ledger
  private var probes: [ByteText: Probe] = [:]
  private let parts: [SmokepingPart]
  let database: SmokepingPart?

  init(_ section: SmokepingPart?, _ database: SmokepingPart?, _ ledger: Ledger) {
    (self.database, self.ledger) = (database, ledger)
    parts = section?.parts ?? []
    for part in parts {
      let own = Self.values(part, [:])
      probes[ByteText(part.name)] = Probe(module: part.name, values: own)
      for inner in part.parts {
        probes[ByteText(inner.name)] = Probe(module: part.name, values: Self.values(inner, own))
      }
    }
  }

  static func values(_ part: SmokepingPart, _ outer: [ByteText: ForeignNode]) -> [ByteText: ForeignNode] {
    part.values.reduce(into: outer) { $0[ByteText($1.name)] = $1.node }
  }

  /// Modules that no file configures have their own names.
  func probe(_ name: String) -> Probe { probes[ByteText(name)] ?? Probe(module: name, values: [:]) }

  func close() {
    for part in parts + parts.flatMap(\.parts) {
      for value in part.values {
        let isProgram = ["binary", "forks", "offset", "blazemode", "mininterval", "usestdout"].contains(
          value.name)
        ledger.list(
          value.node,
          isProgram ? "it is about the program that probes" : "no target uses it with a check here",
          always: false)
      }
    }
  }
}

/// The tree of targets.
struct SmokepingTargets {
  private let book: SmokepingBook
  private let ledger: Ledger
  /// Inherited values that may be looked at, all parts together.
  private var left = 2_000_000
  private(set) var checks: [ImportedCheck] = []

  init(_ book: SmokepingBook, _ ledger: Ledger) { (self.book, self.ledger) = (book, ledger) }

  /// Settings of Smokeping's pages and graphs only.
  private static let shown: Set<ByteText> = [
    "menu", "remark", "hide", "menuextra", "parents", "email", "nomenu", "ulimit", "title",
  ]
  private static let alerts: Set<ByteText> = ["alerts", "alertee"]

  private static func why(_ name: String) -> String {
    switch name {
    case "host", "probe": "no check was made of it"
    case "slaves", "nomasterpoll", "parents": "an agent probes from where it stands"
    default: "no check made of it or below it reads the key"
    }
  }

  mutating func walk(
    _ part: SmokepingPart, _ outer: [ByteText: ForeignNode], _ above: [String]
  ) throws(ImportProblem) {
    var inherited = SmokepingBook.values(part, outer)
    left -= inherited.count
    guard left > 0 else {
      throw ImportProblem("its targets inherit too many values", hint: "import the files in parts")
    }
    let own = Set(part.values.map { ByteText($0.name) })
    // They are of this part alone.
    for name in ["host", "title", "menu", "remark"] where !own.contains(ByteText(name)) {
      inherited[ByteText(name)] = nil
    }
    let path = above + (above.isEmpty && part.name == "Targets" ? [] : [part.name])
    if inherited["host"] != nil { try target(inherited, path) }
    for inner in part.parts { try walk(inner, inherited, path.isEmpty ? [""] : path) }
    ledger.settle()
    for value in part.values {
      let name = ByteText(value.name)
      let why =
        Self.shown.contains(name)
        ? "it is shown on Smokeping's pages only"
        : Self.alerts.contains(name)
          ? "write alerts.rules, see docs/alerts.md" : Self.why(value.name)
      ledger.list(value.node, why, always: false)
    }
  }

  private mutating func target(
    _ values: [ByteText: ForeignNode], _ path: [String]
  ) throws(ImportProblem) {
    ledger.settle()
    guard let host = values["host"], let text = host.text else { return }
    let path = path.filter { !$0.isEmpty }
    let name = values["title"]?.text ?? path.joined(separator: " ")
    let probe = book.probe(values["probe"]?.text ?? "FPing")
    try ledger.count(of: name)
    let before = ledger.carried
    let kind = SmokepingProbe(probe, values, book.database, ledger)
    let why: String
    if text.hasPrefix("/") {
      why = "a graph of other targets"
    } else if text == "DYNAMIC" || text.contains("~") {
      why = "its address is only known to Smokeping's server"
    } else if values["nomasterpoll"]?.flag == true {
      why = "only slaves probe it"
    } else if var check = kind.check(text) {
      ledger.carry(host)
      ledger.carry(values["probe"])
      ledger.carry(values["title"])
      check.name = name
      for group in path.dropLast() { check.tag(group) }
      ledger.list(values["slaves"], "an agent probes from where it stands", always: false, .changed)
      check.carried = ledger.carried - before
      check.notes += ledger.takeNotes()
      return checks.append(check)
    } else {
      why = "no check here does what the probe \(probe.module.printable(maxBytes: 60)) does"
    }
    ledger.list(host, why)
    ledger.leaveOut(name, why)
  }
}
