// SPDX-License-Identifier: MIT

import Basics

/// Books on every value of the files: each is carried over or listed with the reason why not. A value that no importer looked
/// at is listed too. For one thread.
final class Ledger {
  private enum Fate {
    case open, carried
    case listed(String)
  }

  private struct Leaf {
    var place: String
    /// `!!binary` that is no text.
    var isBytes = false
    /// A reader that knows its key could not read it.
    var isMisread = false
    var fate = Fate.open
  }

  private static let bytes = "!!binary that is no UTF-8 is not carried"

  /// Reason for a key that no importer names.
  static let unknownKey = "the key is unknown here, so it has no effect"
  /// Reason for a value of a known key that is none.
  static let misread = "its value is none that is read here, so the usual one is taken"

  private var leaves: [Leaf] = []
  /// Notes of the check that is being made, and the values they stand for.
  private var pending: [ImportNote] = []
  private var noted: Set<Int> = []
  /// Notes of no check.
  private(set) var general: [ImportNote] = []
  /// Checks that were not made, by their names.
  private(set) var leftOut: [LeftOut] = []
  /// Entries made of the rest of the files: channels, rules, windows and the public page.
  var sections = ImportedSections()
  private var copied = ForeignWeight()
  private var checks = 0
  private var keys = 0

  var total: Int { leaves.count }
  private(set) var carried = 0
  var listed: Int { total - carried }

  /// A number for a check, by which rules and windows name it until names are final.
  func nextKey() -> Int {
    keys += 1
    return keys
  }

  /// Names something that does not become a check; what was listed since the last time is of it.
  func leaveOut(_ name: String, _ why: String) {
    var notes = takeNotes()
    for index in notes.indices { notes[index].isOfLeftOut = true }
    leftOut.append(
      LeftOut(name: name, why: why, place: notes.first?.place ?? "", values: notes.count))
    general += notes
  }

  /// Counts more checks before they are made, each with a copy of what it shares with others.
  ///
  /// - Throws: that there are too many, or that the copies are too large together. Its words name `what`.
  func count(
    _ more: Int = 1, sharing shared: ForeignWeight = ForeignWeight(), of what: @autoclosure () -> String
  ) throws(ImportProblem) {
    checks += more
    copied.add(shared.times(more))
    guard checks <= ForeignLimits.checks else {
      throw ImportProblem(
        "more than \(ForeignLimits.checks) checks, at \(what().printable(maxBytes: 200))",
        hint: "import the files in parts")
    }
    guard !copied.isTooMuch else {
      throw ImportProblem(
        "\(what().printable(maxBytes: 200)): its settings, repeated for each target, are more than "
          + "\(ForeignWeight.most.values) values or \(ForeignWeight.most.bytes >> 20) MiB",
        hint: "import fewer targets at a time, or shorten the settings")
    }
  }

  /// Enters all values of a file.
  func enter(_ node: ForeignNode, file: String, path: String = "") -> ForeignNode {
    var node = node
    switch node.content {
    // What says nothing has nothing to carry: null, an empty list, an empty map.
    case .scalar: node.leaf = node.isNull ? nil : note(file, path, node)
    case .list(let items):
      node.content = .list(
        items.enumerated().map { item in
          let path = path.utf8.count > ForeignLimits.place ? path : "\(path)[\(item.offset)]"
          return enter(item.element, file: file, path: path)
        })
    case .map(let entries):
      node.content = .map(
        entries.map { entry in
          let name = entry.name.printable(maxBytes: 80)
          let path = path.isEmpty ? name : path.utf8.count > ForeignLimits.place ? path : "\(path).\(name)"
          return (entry.name, enter(entry.value, file: file, path: path))
        })
    }
    return node
  }

  private func note(_ file: String, _ path: String, _ node: ForeignNode) -> Int {
    let file = file.printable(maxBytes: 120)
    let place = node.line > 0 ? "\(file):\(node.line): \(path)" : "\(file): \(path)"
    leaves.append(Leaf(place: place, isBytes: node.bytes != nil))
    return leaves.count - 1
  }

  /// All values of it have their counterpart. Values listed before stay listed.
  func carry(_ node: ForeignNode?) {
    node?.eachLeaf { index in
      guard case .open = leaves[index].fate else { return }
      leaves[index].fate = .carried
      carried += 1
    }
  }

  /// A reader knows the key and could not read the value: where it stays so, its line says that.
  func misread(_ node: ForeignNode?) { node?.eachLeaf { leaves[$0].isMisread = true } }

  /// They are listed. A value that changes several checks is counted once, and noted for each.
  ///
  /// - Parameters:
  ///   - always: also those that were carried.
  ///   - change: what the check becomes without them.
  func list(
    _ node: ForeignNode?, _ why: String, always: Bool = true, _ change: ImportNote.Change? = nil
  ) {
    node?.eachLeaf { index in
      let leaf = leaves[index]
      var (why, change) = (leaf.isBytes ? Self.bytes : why, change)
      switch leaf.fate {
      case .listed(let known):
        if change != nil, known == why { note(index, why, change, isValue: false) }
        return
      case .carried where !always: return
      case .carried: carried -= 1
      case .open where leaf.isMisread && why == Self.unknownKey: (why, change) = (Self.misread, .changed)
      case .open: break
      }
      leaves[index].fate = .listed(why)
      note(index, why, change, isValue: true)
    }
  }

  /// Lists what is open, and notes the change of what has its fate already: a value of several settings.
  func change(_ node: ForeignNode?, _ why: String, _ change: ImportNote.Change) {
    list(node, why, always: false, change)
    node?.eachLeaf { note($0, why, change, isValue: false) }
  }

  private func note(_ leaf: Int, _ why: String, _ change: ImportNote.Change?, isValue: Bool) {
    guard noted.insert(leaf).inserted else { return }
    pending.append(ImportNote(place: leaves[leaf].place, why: why, change: change, isValue: isValue))
  }

  /// The place of a value, as notes name it.
  func place(_ node: ForeignNode?) -> String { node?.leaf.map { leaves[$0].place } ?? "" }

  /// Whether it is carried or listed.
  func isSettled(_ node: ForeignNode) -> Bool {
    guard let leaf = node.leaf else { return false }
    if case .open = leaves[leaf].fate { return false }
    return true
  }

  /// Notes since the last call.
  func takeNotes() -> [ImportNote] {
    defer { (pending, noted) = ([], []) }
    return pending
  }

  /// Gives the latest notes to the checks that one entry became: all to the first, and what changes a check to each.
  func note(_ checks: inout [ImportedCheck]) {
    guard !checks.isEmpty else { return settle() }
    let notes = takeNotes()
    let shared = notes.filter { $0.change != nil }.map { note in
      var note = note
      note.isValue = false
      return note
    }
    checks[0].notes += notes
    for index in checks.indices.dropFirst() { checks[index].notes += shared }
  }

  /// The latest notes belong to no check.
  func settle() { general += takeNotes() }

  /// Whatever is left over.
  func close() {
    settle()
    for index in leaves.indices {
      guard case .open = leaves[index].fate else { continue }
      let why = leaves[index].isMisread ? Self.misread : Self.unknownKey
      leaves[index].fate = .listed(why)
      general.append(ImportNote(place: leaves[index].place, why: why, isValue: true))
    }
  }
}

/// Something that was not carried over, or not with the same meaning.
package struct ImportNote: Hashable, Sendable {
  /// Result of a check's import.
  package enum Change: String, CaseIterable, Sendable {
    /// Up where the source has it down.
    case laxer
    /// Down where the source has it up.
    case stricter
    /// Neither, but not the same.
    case changed
  }

  /// File, line and key; printable.
  package var place: String
  package var why: String
  package var change: Change?
  /// It stands for a value of the file, which was not carried.
  package var isValue: Bool
  /// It is part of something that was left out as a whole.
  package var isOfLeftOut = false

  package init(place: String, why: String, change: Change? = nil, isValue: Bool = false) {
    (self.place, self.why, self.change, self.isValue) = (place, why, change, isValue)
  }

  /// One line.
  package var line: String { "\(change?.rawValue ?? "not carried"): \(place): \(why)" }
}

/// Something of the source that did not become anything, as a whole.
package struct LeftOut: Hashable, Sendable {
  /// In quotes; printable.
  package var name: String
  package var why: String
  /// Where its first value stands; empty: it is an entry that was made and refused.
  private var place: String
  private var values: Int

  package init(name: String, why: String, place: String = "", values: Int) {
    self.name = "\"\(ForeignURL.withoutCredentials(name).printable(maxBytes: 200))\""
    (self.why, self.place, self.values) = (why, place, values)
  }

  package var line: String {
    var words = place.isEmpty ? [] : [place]
    if values > 0 { words.append(counted(values, "value")) }
    return "left out: \(name)\(words.isEmpty ? "" : " (\(words.joined(separator: ", ")))"): \(why)"
  }
}

extension ForeignNode {
  func eachLeaf(_ body: (Int) -> Void) {
    if let leaf { body(leaf) }
    switch content {
    case .scalar: break
    case .list(let items): for item in items { item.eachLeaf(body) }
    case .map(let entries): for entry in entries { entry.value.eachLeaf(body) }
    }
  }
}

/// A map of a file and the books, for readers that take what they know and list the rest.
struct Section {
  let node: ForeignNode
  let ledger: Ledger
  /// The node with the empty texts that `node` lacks.
  private(set) var whole: ForeignNode

  init(_ node: ForeignNode, _ ledger: Ledger) {
    (self.node, self.ledger, whole) = (node, ledger, node)
  }

  /// A section in which an empty text means that the key is not set.
  func withoutEmptyTexts() -> Section {
    let (kept, empty) = node.withoutEmptyTexts()
    for value in empty { ledger.carry(value) }
    var made = Section(kept, ledger)
    made.whole = node
    return made
  }

  /// Looks without judging.
  subscript(name: String) -> ForeignNode? { node[name].flatMap { $0.isNull ? nil : $0 } }

  /// A map inside.
  func section(_ name: String) -> Section? {
    guard let value = self[name], value.entries != nil else { return nil }
    return Section(value, ledger)
  }

  /// Takes a text.
  func text(_ name: String) -> String? {
    guard let value = self[name], let text = value.text else { return nil }
    ledger.carry(value)
    return text
  }

  /// Takes `!!binary` that is no text.
  func bytes(_ name: String) -> [UInt8]? {
    guard let value = self[name], let bytes = value.bytes else { return nil }
    ledger.carry(value)
    return bytes
  }

  /// Takes a list of texts, or one.
  func texts(_ name: String) -> [String] {
    guard let value = self[name] else { return [] }
    ledger.carry(value)
    return value.all.compactMap(\.text)
  }

  /// Takes true or false.
  func flag(_ name: String) -> Bool? { take(name, \.flag) }

  /// Takes a whole number.
  func number(_ name: String) -> Int? { take(name, \.number) }

  private func take<Value>(_ name: String, _ read: (ForeignNode) -> Value?) -> Value? {
    guard let node = self[name] else { return nil }
    guard let value = read(node) else {
      ledger.misread(node)
      return nil
    }
    ledger.carry(node)
    return value
  }

  /// Takes a span of time, in milliseconds; one that is none is listed.
  func span(_ name: String, _ read: (String) -> Int? = { ForeignDuration.milliseconds($0) }) -> Int? {
    guard let node = self[name] else { return nil }
    guard let span = node.text.flatMap(read) else {
      ledger.list(node, Ledger.misread, always: false, .changed)
      return nil
    }
    ledger.carry(node)
    return span
  }

  /// Takes something for what it is, since our way is the same without it.
  func carry(_ names: String...) { for name in names { ledger.carry(node[name]) } }

  /// These have no counterpart, and this is why.
  func list(_ why: String, _ names: String..., change: ImportNote.Change? = nil) {
    let entries = (node.entries ?? []).filter { names.contains($0.name) }
    for entry in entries { ledger.list(entry.value, why, always: false, change) }
  }

  /// Everything, also what was taken: it did not become anything.
  func listAll(_ why: String) { ledger.list(whole, why) }

  /// Everything that was not taken.
  func listRest(_ why: String = Ledger.unknownKey) { ledger.list(node, why, always: false) }
}
