// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import YAML

/// Reads the tree by the key tables and collects every problem on the way. Its result always has the shape the tables
/// promise; unreadable values are `invalid` there.
struct Walk {
  /// By `Position.source`.
  private var files: [String]
  let references: References
  /// Gives the keys what the walk read.
  var reader: KeyReader
  /// Problems of files as YAML.
  private var broken: [ConfigProblem] = []
  private var brokenCount = 0
  /// An included file could not be read: its checks and templates are not known.
  var lacksFiles = false
  /// Checks could not be made of what is written: their names are not known.
  var lacksChecks = false
  /// A key of some file is given twice.
  private var hasTwice = false
  private var warnings: [ConfigProblem] = []
  private var warningCount = 0
  /// Credentials that only the service can read.
  private(set) var unread: [ConfigProblem] = []
  /// Of each of the root's checks, in their order.
  var roles: [FoundTarget.Role] = []
  /// Targets of `discover` that make no check.
  var targetsLeftOut = 0
  /// Something came from a secret source.
  var hasSecrets = false
  /// Set while a check, a template or defaults are read, where `null` removes an inherited key.
  private var inherits = false

  init(file: String, references: References) {
    self.files = [file]
    self.references = references
    self.reader = KeyReader(.local) { normalised(references.absolute($0)) }
  }

  mutating func problem(_ position: Position, _ message: String, hint: String? = nil) {
    reader.problem(position, message, hint: hint)
  }

  mutating func warn(_ position: Position, _ message: String, hint: String? = nil) {
    guard reader.isNews(position, message) else { return }
    warningCount += 1
    if warningCount <= KeyReader.kept { warnings.append(told(position, message, hint)) }
  }

  mutating func elsewhere(_ position: Position, _ message: String) {
    guard unread.count < KeyReader.kept, reader.isNews(position, message) else { return }
    unread.append(told(position, message, nil))
  }

  private func told(_ position: Position, _ message: String, _ hint: String?) -> ConfigProblem {
    ConfigProblem(
      file: files[position.source], line: position.line, column: position.column, message: message, hint: hint
    )
  }

  /// The whole file.
  mutating func root(_ node: YAMLNode) -> GivenMap {
    guard case .map(let entries) = node.content else {
      problem(
        node.position, "the file must be a map of sections, found \(node.kindText)",
        hint: "start from agent.yaml.example")
      return GivenMap(at: node.position)
    }
    return map(entries, .root, KeyPlace(path: [], position: node.position))
  }

  /// A file of another sort, by a table of its own.
  mutating func document(_ node: YAMLNode, _ table: KeyTable) -> GivenMap {
    guard case .map(let entries) = node.content else {
      problem(node.position, "the file must be a map, found \(node.kindText)")
      return GivenMap(at: node.position)
    }
    return map(entries, table, KeyPlace(path: [], position: node.position))
  }

  /// Problems are about this file from now on, as far as their places say so.
  mutating func begin(_ file: String) { files.append(file) }

  /// Of the file begun last, for `ConfigText`.
  var source: Int { files.count - 1 }

  /// A file that the main one includes: lists and nothing else.
  mutating func included(_ node: YAMLNode) -> GivenMap {
    guard case .map(let entries) = node.content else {
      problem(
        node.position, "an included file must be a map of lists, found \(node.kindText)",
        hint: "begin it with checks:")
      return GivenMap(at: node.position)
    }
    return map(entries, .included, KeyPlace(path: [], position: node.position))
  }

  /// `agent.yaml:4:7`
  func place(_ position: Position) -> String {
    "\(files[position.source]):\(position.line):\(position.column)"
  }

  /// A place for a message about another: the file only where it is not the same one.
  func place(_ position: Position, from other: Position) -> String {
    let file = position.source == other.source ? "" : "\(files[position.source]), "
    return "\(file)line \(position.line)"
  }

  /// Problems of a file that could not be read.
  mutating func add(_ found: [ConfigProblem]) {
    broken += found
    brokenCount += found.count
  }

  /// Problems of a file that is read all the same.
  mutating func add(_ tree: ConfigText.Tree) {
    broken += tree.problems
    brokenCount += tree.count
    hasTwice = hasTwice || !tree.problems.isEmpty
  }

  /// Everything that is wrong, in the order of the files; two about one place in the order they were found in.
  var problems: [ConfigProblem] {
    let found = sorted(broken + reader.problems.map { told($0.position, $0.message, $0.hint) })
    return ConfigProblem.bounded(found, of: brokenCount + reader.count)
  }

  /// Warnings, in the same order.
  var sortedWarnings: [ConfigProblem] { ConfigProblem.bounded(sorted(warnings), of: warningCount) }

  private func sorted(_ list: [ConfigProblem]) -> [ConfigProblem] {
    let order = Dictionary(
      uniqueKeysWithValues: Set(files).map { file in (file, files.firstIndex(of: file) ?? 0) })
    func key(_ problem: ConfigProblem) -> (Int, Int, Int) {
      (order[problem.file] ?? files.count, problem.line, problem.column)
    }
    return list.enumerated().sorted { left, right in
      let (one, other) = (key(left.element), key(right.element))
      return one == other ? left.offset < right.offset : one < other
    }.map(\.element)
  }

  private mutating func map(_ entries: [YAMLNode.Entry], _ table: KeyTable, _ place: KeyPlace) -> GivenMap {
    var result = GivenMap(at: place.position)
    result.entries.reserveCapacity(entries.count)
    var seen: Set<ByteText> = []
    for entry in entries {
      let below = place.below(entry.key, entry.position)
      guard let index = table.place(of: entry.key) else {
        unknown(entry.key, table, below)
        continue
      }
      let kind = table.keys[index].value
      if isLeftOut(entry.value, kind) { continue }
      let given = value(entry.value, kind, below)
      if isNew(entry.key, &seen) {
        result.entries.append((entry.key, given))
      } else {
        result.settle(entry.key)
      }
    }
    return result
  }

  /// Whether a key of a map is its first of this name. Of one that is given twice all values are read for their
  /// problems.
  private func isNew(_ name: String, _ seen: inout Set<ByteText>) -> Bool {
    !hasTwice || seen.insert(ByteText(name)).inserted
  }

  /// Whether a key is taken for one that is not given: so is a map when each of its keys is taken away.
  private func isLeftOut(_ node: YAMLNode, _ kind: ValueKind) -> Bool {
    guard inherits else { return false }
    if node.isTakenAway { return !kind.takes(node) }
    guard case .map(let table) = kind, case .map(let entries) = node.content, !entries.isEmpty else {
      return false
    }
    return entries.allSatisfy { entry in
      table.place(of: entry.key).map { isLeftOut(entry.value, table.keys[$0].value) } ?? false
    }
  }

  /// Reads values with or without inheritance.
  private mutating func inheriting<Result>(_ inherits: Bool, _ body: (inout Walk) -> Result) -> Result {
    let before = self.inherits
    self.inherits = inherits
    defer { self.inherits = before }
    return body(&self)
  }

  private mutating func unknown(_ name: String, _ table: KeyTable, _ place: KeyPlace) {
    let parent = place.path.dropLast()
    let context = parent.isEmpty ? "" : " in \(CheckProblem.keyText(Array(parent)))"
    if table.planned.contains(ByteText(name)) {
      problem(
        place.position, "key \(quoted(name))\(context) is not supported by this version", hint: "leave it out"
      )
      return
    }
    if let kinds = table.elsewhere[ByteText(name)] {
      problem(
        place.position, "\(place.key) does not belong to this type of check", hint: "it belongs to \(kinds)")
      return
    }
    let hint: String
    if name == "<<" {
      hint = "merge keys are not accepted; write the keys out"
    } else if let near = nearest(to: name, among: table.keys.map(\.name)) {
      hint = "did you mean \"\(near)\"?"
    } else {
      // Without a type, the keys are those of all types, some more than once.
      var named: Set<ByteText> = []
      let keys = table.keys.map(\.name).filter { named.insert(ByteText($0)).inserted }
      hint = "keys here: " + keys.joined(separator: ", ")
    }
    problem(place.position, "unknown key \(quoted(name))\(context)", hint: hint)
  }

  mutating func value(_ node: YAMLNode, _ kind: ValueKind, _ place: KeyPlace) -> Given {
    if node.isNull, !kind.takes(node) {
      let further = inherits ? "; null takes away what it inherits" : ""
      problem(
        place.position, "\(place.key) is empty", hint: "give it a value, or leave the key out\(further)")
      return Given(.invalid, at: place.position)
    }
    switch kind {
    case .map(let table):
      let isShared = inherits || place.path.last == "defaults"
      return container(node, place) { walk, entries in
        walk.inheriting(isShared) { $0.map(entries, table, place) }
      }
    case .headers: return container(node, place) { walk, entries in walk.free(entries, .hidden, place) }
    case .conditions: return container(node, place) { walk, entries in walk.free(entries, .text, place) }
    case .typedConditions:
      return container(node, place) { walk, entries in walk.free(entries, .literal, place) }
    case .either(let single, let other):
      switch (node.content, other) {
      case (.list, .list), (.map, .map): return value(node, other, place)
      // A container of the wrong sort is told both words.
      case (.scalar, _): return scalar(node, single, place)
      default: return scalar(node, kind, place)
      }
    case .check:
      return container(node, place) { walk, entries in
        walk.inheriting(true) { $0.check(entries, place.position) }
      }
    case .templates:
      return container(node, place) { walk, entries in walk.inheriting(true) { $0.templates(entries, place) }
      }
    case .list(let item): return list(node, item, place)
    case .oneOrMore(let item):
      if case .scalar = node.content {
        return Given(.list([value(node, item, place)]), at: place.position)
      }
      return list(node, item, place)
    default: return scalar(node, kind, place)
    }
  }

  private mutating func container(
    _ node: YAMLNode, _ place: KeyPlace, _ body: (inout Walk, [YAMLNode.Entry]) -> GivenMap
  ) -> Given {
    guard case .map(let entries) = node.content else {
      problem(place.position, "\(place.key) must be a map, found \(node.kindText)")
      return Given(.invalid, at: place.position)
    }
    return Given(.map(body(&self, entries)), at: place.position)
  }

  private mutating func list(_ node: YAMLNode, _ kind: ValueKind, _ place: KeyPlace) -> Given {
    guard case .list(let nodes) = node.content else {
      var hint: String?
      if case .scalar = node.content { hint = "put it in brackets: [ ]" }
      problem(place.position, "\(place.key) must be a list, found \(node.kindText)", hint: hint)
      return Given(.invalid, at: place.position)
    }
    var items: [Given] = []
    for (index, item) in nodes.enumerated() {
      items.append(inheriting(false) { $0.value(item, kind, place.below(String(index), item.position)) })
    }
    return Given(.list(items), at: place.position)
  }

  /// A map whose names are the writer's.
  private mutating func free(_ entries: [YAMLNode.Entry], _ kind: ValueKind, _ place: KeyPlace) -> GivenMap {
    var result = GivenMap(at: place.position)
    var seen: Set<ByteText> = []
    for entry in entries {
      if isLeftOut(entry.value, kind) { continue }
      let given = value(entry.value, kind, place.below(entry.key, entry.position))
      if isNew(entry.key, &seen) { result.entries.append((entry.key, given)) }
    }
    return result
  }

  /// A check's keys are named from the check, not from the file: `interval`, not `checks[3].interval`.
  private mutating func check(_ entries: [YAMLNode.Entry], _ position: Position) -> GivenMap {
    let place = KeyPlace(path: [], position: position)
    if case .scalar(let name, _)? = entries.first(where: { $0.key == "name" })?.value.content {
      reader.check = name
    }
    defer { reader.check = nil }
    return map(entries, .check(checkType(entries)), place)
  }

  /// Errors of a template are also reported where no check extends it. Errors that depend on a type that it does not
  /// have are reported for the checks.
  private mutating func templates(_ entries: [YAMLNode.Entry], _ place: KeyPlace) -> GivenMap {
    var result = GivenMap(at: place.position)
    for entry in entries {
      let below = place.below(entry.key, entry.position)
      let given = container(entry.value, below) { walk, keys in
        let type = walk.checkType(keys)
        let known = type == nil ? keys.filter { !KeyTable.ambiguous.contains(ByteText($0.key)) } : keys
        return walk.map(known, .check(type), KeyPlace(path: [], position: entry.position))
      }
      result.entries.append((entry.key, given))
    }
    return result
  }

  func checkType(_ entries: [YAMLNode.Entry]) -> CheckType? {
    guard let entry = entries.first(where: { $0.key == "type" }),
      case .scalar(let text, _) = entry.value.content
    else { return nil }
    return (try? references.resolve(text)).flatMap { CheckType(word: $0.text) }
  }
}

extension GivenMap {
  /// Of a key that is given twice, the first single value counts; of lists and maps none does, so that no other problem
  /// follows from the choice.
  fileprivate mutating func settle(_ name: String) {
    for index in entries.indices where entries[index].name == name {
      switch entries[index].value.value {
      case .list, .map: entries[index].value.value = .invalid
      default: break
      }
    }
  }
}

extension ValueKind {
  /// Whether the word `null` is a value here. Nothing at all never is: who wrote it forgot something.
  fileprivate func takes(_ null: YAMLNode) -> Bool {
    guard case .literal = self else { return false }
    return null.isTakenAway
  }
}
