// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import YAML

/// The templates of all files, by name, and the values of each with those that it extends itself.
struct TemplateBook {
  /// Templates that lead to one another at most, and that one check or template names.
  static let depth = 16

  /// Values of a check from the templates that it names, the nearest first.
  struct Layer {
    var name: String
    var entries: [YAMLNode.Entry]
  }

  struct Problem: Error {
    var position: Position
    var message: String
    var hint: String?
    /// No template is known by this name.
    var isUnknownName = false
  }

  private var named: [ByteText: YAMLNode.Entry] = [:]

  /// - Returns: the template that has the name already. `nil` where none has it, and this one is kept.
  mutating func add(_ entry: YAMLNode.Entry) -> YAMLNode.Entry? {
    let name = ByteText(entry.key)
    if let earlier = named[name] { return earlier }
    named[name] = entry
    return nil
  }

  /// The layers below a map with `extends`, the nearest first.
  ///
  /// - Parameter limit: layers at most; a template that is reached twice counts once.
  func layers(below entries: [YAMLNode.Entry]) throws(Problem) -> [Layer] {
    var search = Search(book: self)
    try search.visit(entries, path: [])
    return search.found.reversed()
  }

  fileprivate func entries(of name: String, at position: Position) throws(Problem) -> [YAMLNode.Entry] {
    guard let entry = named[ByteText(name)] else {
      let near = nearest(to: name, among: named.keys.map(\.text).sorted()).map { "did you mean \"\($0)\"?" }
      throw Problem(
        position: position, message: "extends names \(quoted(name)), which is no template",
        hint: near ?? "templates are in the section of that name", isUnknownName: true)
    }
    // What else is there was reported with the section.
    guard case .map(let entries) = entry.value.content else { return [] }
    return entries
  }
}

/// Depth first, with what wins last: a later template wins over an earlier one, and each over what it extends.
private struct Search {
  let book: TemplateBook
  var found: [TemplateBook.Layer] = []
  private var seen: Set<ByteText> = []

  init(book: TemplateBook) { self.book = book }

  mutating func visit(_ entries: [YAMLNode.Entry], path: [String]) throws(TemplateBook.Problem) {
    guard let extends = entries.first(where: { $0.key == "extends" }) else { return }
    let names = try names(extends)
    for (name, position) in names {
      if path.contains(where: { ByteText($0) == ByteText(name) }) {
        let way = (path.drop { ByteText($0) != ByteText(name) } + [name]).map { quoted($0) }.joined(
          separator: " > ")
        throw TemplateBook.Problem(
          position: position, message: "a template extends itself: \(way)", hint: "leave one of them out")
      }
      guard path.count < TemplateBook.depth else {
        throw TemplateBook.Problem(
          position: position, message: "templates extend one another more than \(TemplateBook.depth) deep")
      }
      guard !seen.contains(ByteText(name)) else { continue }
      let own = try book.entries(of: name, at: position)
      try visit(own, path: path + [name])
      seen.insert(ByteText(name))
      found.append(TemplateBook.Layer(name: name, entries: own.filter { $0.key != "extends" }))
    }
  }

  private func names(
    _ extends: YAMLNode.Entry
  ) throws(TemplateBook.Problem) -> [(name: String, position: Position)] {
    let items: [YAMLNode]
    switch extends.value.content {
    case .scalar, .bytes: items = [extends.value]
    case .list(let list): items = list
    case .map: items = []
    }
    let names = items.compactMap { item -> (name: String, position: Position)? in
      if case .scalar(let name, _) = item.content, !item.isNull { (name, item.position) } else { nil }
    }
    guard !names.isEmpty, names.count == items.count else {
      throw TemplateBook.Problem(
        position: extends.value.position,
        message: "extends must be the name of a template, or a list of names",
        hint: "such as extends: web")
    }
    guard names.count <= TemplateBook.depth else {
      throw TemplateBook.Problem(
        position: extends.value.position,
        message: "extends names \(names.count) templates, at most \(TemplateBook.depth) are allowed")
    }
    return names
  }
}
