// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import YAML

/// Expands the checks of all files to the list that is read: with the values of each from templates and defaults, and
/// one check for each of its hosts.
///
/// The nearest value wins: the check, its templates (the later named first, each before what it extends itself), the
/// defaults of its group, those of its file, those of the main file; in each place those of the check's type before
/// those of every type. Then come the built-in defaults.
struct Expansion {
  /// Checks of one configuration, and hosts of one check.
  static let mostChecks = 100_000
  static let mostHosts = 10_000

  /// Of one check, the nearest first.
  struct Layer {
    /// `template "web"`, `defaults of the group "Shop", http`.
    var label: String
    var layer: ValueLayer
    var entries: [YAMLNode.Entry]
  }

  private var book = TemplateBook()
  private var merge: YAMLMerge
  private let files: [ReuseFile]
  private var count = 0
  private var isFull = false
  /// A check names a template that may be in a part of the configuration that cannot be read.
  private(set) var lacksTemplates = false
  private let mayLackTemplates: Bool
  /// Targets that lack what their check names.
  private(set) var lacking: [(target: FoundTarget, word: String)] = []

  /// Says something about a place.
  typealias Tell = (Position, String, String?) -> Void

  /// - Parameters:
  ///   - files: the main file first.
  ///   - lacksFiles: others could not be read.
  init(_ files: [ReuseFile], budget: Int = YAMLMerge.most, lacksFiles: Bool = false, tell: Tell) {
    self.files = files
    mayLackTemplates = lacksFiles || files.contains(where: \.hasUnreadTemplates)
    merge = YAMLMerge(budget: budget)
    for entry in files.flatMap(\.templates) where book.add(entry) != nil {
      tell(
        entry.position, "the template \(quoted(entry.key)) is given twice", "give one of them another name")
    }
  }

  struct Made {
    var node: YAMLNode
    var role: FoundTarget.Role
  }

  /// - Parameter type: the type of a check with these keys, references resolved.
  mutating func checks(type: ([YAMLNode.Entry]) -> CheckType?, tell: Tell) -> [Made] {
    var result: [Made] = []
    for file in files {
      for group in file.groups {
        for (index, node) in group.checks.enumerated() where !isFull {
          expand(node, group, group.words?[index], file, type, tell, into: &result)
        }
      }
    }
    return result
  }

  /// A check as it is read, with where it has its keys from: the check itself first.
  struct Origin {
    var entries: [YAMLNode.Entry]
    var layers: [Layer]
  }

  /// - Parameter isMeant: whether keys are those of the check that is asked for.
  mutating func origin(
    type: ([YAMLNode.Entry]) -> CheckType?, where isMeant: ([YAMLNode.Entry]) -> Bool
  ) -> Origin? {
    for file in files {
      for group in file.groups {
        for (index, node) in group.checks.enumerated() {
          guard case .map(let own) = node.content, let others = try? layers(own, group, file, type),
            let entries = try? merged(own, group, file, type)
          else { continue }
          let whole = YAMLNode(content: .map(entries), position: node.position)
          for made in each(whole, group.words?[index], { _, _, _ in }) where made.role != .example {
            guard case .map(let keys) = made.node.content, isMeant(keys) else { continue }
            return Origin(
              entries: keys, layers: [Layer(label: "the check itself", layer: .own, entries: own)] + others)
          }
        }
      }
    }
    return nil
  }

  private mutating func expand(
    _ node: YAMLNode, _ group: ReuseFile.Group, _ words: HostWords?, _ file: ReuseFile,
    _ type: ([YAMLNode.Entry]) -> CheckType?, _ tell: Tell, into result: inout [Made]
  ) {
    guard case .map(let entries) = node.content else {
      result.append(Made(node: node, role: .written))
      return
    }
    var whole = node
    do throws(TemplateBook.Problem) {
      whole.content = .map(try merged(entries, group, file, type))
    } catch {
      // Of what all targets of a source have, its example tells.
      if error.isUnknownName, mayLackTemplates {
        lacksTemplates = true
      } else if words?.found == nil {
        tell(error.position, error.message, error.hint)
      }
      return
    }
    let made = each(whole, words, tell)
    count += made.count
    if count > Self.mostChecks || merge.isSpent {
      isFull = true
      let message =
        merge.isSpent
        ? "templates, defaults and hosts make more of the checks than an agent can hold"
        : "there are more than \(Self.mostChecks) checks"
      tell(node.position, message, "this is the check with which it is too much")
      return
    }
    result += made
  }

  /// The check's keys with everything it has from elsewhere.
  private mutating func merged(
    _ entries: [YAMLNode.Entry], _ group: ReuseFile.Group, _ file: ReuseFile,
    _ type: ([YAMLNode.Entry]) -> CheckType?
  ) throws(TemplateBook.Problem) -> [YAMLNode.Entry] {
    // From the furthest on: a `null` takes away what is behind it, also where a nearer place has the key again.
    var whole: [YAMLNode.Entry] = []
    for layer in try layers(entries, group, file, type).reversed() {
      if layer.entries.isEmpty { continue }
      merge.spend(layer.entries.weight)
      guard !merge.isSpent else { return entries }
      whole = merge.check(layer.entries, behind: whole)
    }
    whole = merge.check(entries, behind: whole)
    return whole.filter { $0.key != "extends" }
  }

  /// Inherited values of a check, the nearest first.
  func layers(
    _ entries: [YAMLNode.Entry], _ group: ReuseFile.Group, _ file: ReuseFile,
    _ type: ([YAMLNode.Entry]) -> CheckType?
  ) throws(TemplateBook.Problem) -> [Layer] {
    let templates = try book.layers(below: entries)
    var layers = templates.map {
      Layer(label: "template \(quoted($0.name))", layer: .template, entries: $0.entries)
    }
    let kind = ([entries] + templates.map(\.entries)).lazy.compactMap(type).first
    let known = kind.map { KeyTable.check($0) }
    if let name = group.name {
      var tags = group.tags
      tags.append(YAMLNode(content: .scalar("group:\(name)", isPlain: false), position: group.position))
      let entry = YAMLNode.Entry(
        key: "tags", position: group.position, value: YAMLNode(content: .list(tags), position: group.position)
      )
      layers.append(
        Layer(label: "group \(quoted(name))", layer: .defaults, entries: [entry.marked(.defaults)]))
    }
    for defaults in [group.defaults, file.defaults, file.isMain ? nil : files.first?.defaults] {
      for part in defaults?.parts(for: kind) ?? [] {
        // A default that a type does not have is none for its checks.
        let entries = part.entries.filter { known?.place(of: $0.key) != nil }
        layers.append(Layer(label: part.label, layer: .defaults, entries: entries))
      }
    }
    return layers
  }

  /// One for each of its hosts; itself, where it has none; none for a target that lacks what its check names.
  private mutating func each(_ node: YAMLNode, _ words: HostWords?, _ tell: Tell) -> [Made] {
    if var words {
      merge.spend(node.weight)
      guard !merge.isSpent else { return [] }
      let made = node.replacing(&words)
      if let lack = words.lacks.first {
        if let target = words.found { lacking.append((target, lack.text)) }
        return []
      }
      return [Made(node: made, role: words.found.map(FoundTarget.Role.found) ?? .example)]
    }
    guard case .map(let entries) = node.content,
      let place = entries.firstIndex(where: { $0.key == "hosts" })
    else { return [Made(node: node, role: .written)] }
    let hosts = entries[place].value
    var bare = node
    bare.content = .map(entries.filter { $0.key != "hosts" })
    if hosts.isTakenAway { return [Made(node: bare, role: .written)] }
    guard let names = names(hosts, entries, tell) else { return [] }
    merge.spend(bare.weight.multipliedReportingOverflow(by: names.count).partialValue)
    guard !merge.isSpent else { return [] }
    return names.map { name in
      var words = HostWords(host: name)
      return Made(node: bare.replacing(&words), role: .written)
    }
  }

  /// `nil` where they have a problem, which is reported already.
  private func names(_ hosts: YAMLNode, _ entries: [YAMLNode.Entry], _ tell: Tell) -> [String]? {
    guard case .list(let items) = hosts.content else {
      tell(hosts.position, "hosts must be a list, found \(hosts.kindText)", "put it in brackets: [ ]")
      return nil
    }
    guard (1...Self.mostHosts).contains(items.count) else {
      tell(hosts.position, "hosts has \(items.count) entries, 1 to \(Self.mostHosts) are possible", nil)
      return nil
    }
    var seen: Set<ByteText> = []
    var names: [String] = []
    for item in items {
      guard case .scalar(let name, _) = item.content, !item.isNull, !name.isEmpty else {
        tell(item.position, "hosts must hold names or addresses, found \(item.kindText)", nil)
        return nil
      }
      guard seen.insert(ByteText(name)).inserted else {
        tell(item.position, "hosts names \(quoted(name)) twice", nil)
        return nil
      }
      names.append(name)
    }
    if names.count > 1, let name = entries.first(where: { $0.key == "name" }),
      case .scalar(let text, _) = name.value.content, !text.contains("${host}")
    {
      tell(
        name.value.position, "the checks of several hosts would all be called \(quoted(text))",
        "put ${host} into the name, such as \"\(text.printable(maxBytes: 60)) ${host}\"")
      return nil
    }
    return names
  }
}
