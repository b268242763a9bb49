// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import YAML

/// The checks of one file before any of them is read, and the values that they may have in common.
struct ReuseFile {
  /// Keys of several checks: those of every type, and those below a type's name.
  struct Defaults {
    /// Where a person finds them: `defaults`, or `defaults of the group "Shop"`.
    var label: String
    var entries: [YAMLNode.Entry]

    /// Those of one type come first, for they are nearer to its checks.
    func parts(for type: CheckType?) -> [(label: String, entries: [YAMLNode.Entry])] {
      let types = Set(CheckType.allCases.map { ByteText($0.rawValue) })
      var parts: [(label: String, entries: [YAMLNode.Entry])] = []
      if let type, let own = entries.first(where: { $0.key == type.rawValue }),
        case .map(let below) = own.value.content
      {
        parts.append(("\(label), \(type.rawValue)", below))
      }
      return parts + [(label, entries.filter { !types.contains(ByteText($0.key)) })]
    }
  }

  struct Group {
    /// `nil` where the checks are in no group.
    var name: String?
    var position: Position
    var tags: [YAMLNode] = []
    var defaults: Defaults?
    var checks: [YAMLNode]
    /// Of each check, where they were discovered; of the first that is an example, see `Discovery`.
    var words: [HostWords]?
  }

  private(set) var groups: [Group] = []
  private(set) var templates: [YAMLNode.Entry] = []
  /// `templates` is there, and is no map.
  private(set) var hasUnreadTemplates = false
  private(set) var defaults: Defaults?
  /// Position of `checks` or `groups`. `nil` where the file has neither.
  private(set) var position: Position?
  /// The file without the checks that are read later.
  private(set) var rest: YAMLNode
  /// Not one of those that it includes.
  let isMain: Bool

  init(_ node: YAMLNode, isMain: Bool) {
    rest = node
    self.isMain = isMain
    guard case .map(let entries) = node.content else { return }
    rest.content = .map(entries.compactMap { take($0) })
  }

  /// The entry as it stays in the file; nil: nothing of it.
  private mutating func take(_ entry: YAMLNode.Entry) -> YAMLNode.Entry? {
    var left = entry
    switch (entry.key, entry.value.content) {
    case ("checks", .list(let checks)):
      position = entry.position
      groups.insert(Group(position: entry.position, checks: checks), at: 0)
      return nil
    case ("groups", .list(let items)):
      position = position ?? entry.position
      left.value.content = .list(items.map { take(group: $0) })
    case ("discover", .list(let items)):
      left.value.content = .list(items.map(\.withKeptName))
    case ("templates", .map(let named)):
      let marked = named.map { $0.marked(.template) }
      // One that is given twice in the map was reported with it.
      var seen = Set(templates.map { ByteText($0.key) })
      templates += marked.filter { seen.insert(ByteText($0.key)).inserted }
      left.value = left.value.withTemplates(marked)
    case ("templates", _): hasUnreadTemplates = true
    case ("defaults", .map(let keys)):
      let marked = keys.map { $0.marked(.defaults) }
      defaults = Defaults(label: "defaults", entries: marked)
      left.value.content = .map(marked.compactMap(\.withExampleHost))
    default: break
    }
    return left
  }

  /// The checks are those of targets, each with words of its own.
  mutating func name(_ words: [HostWords]) { groups[0].words = words }

  private mutating func take(group node: YAMLNode) -> YAMLNode {
    guard case .map(let entries) = node.content else { return node }
    var group = Group(position: node.position, checks: [])
    var left: [YAMLNode.Entry] = []
    for entry in entries {
      var kept = entry
      switch (entry.key, entry.value.content) {
      case ("name", .scalar(let name, _)): group.name = name
      case ("tags", .list(let tags)):
        group.tags = tags.map { $0.marked(.defaults) }
        kept.value.content = .list(group.tags)
      case ("defaults", .map(let keys)):
        let marked = keys.map { $0.marked(.defaults) }
        group.defaults = Defaults(label: "defaults of the group", entries: marked)
        kept.value.content = .map(marked.compactMap(\.withExampleHost))
      case ("checks", .list(let checks)):
        group.checks = checks
        continue
      default: break
      }
      left.append(kept)
    }
    if let name = group.name { group.defaults?.label = "defaults of the group \(quoted(name))" }
    groups.append(group)
    return YAMLNode(content: .map(left), position: node.position)
  }
}

extension YAMLNode.Entry {
  /// With its places marked as those of a layer.
  func marked(_ layer: ValueLayer) -> YAMLNode.Entry {
    var entry = self
    entry.position.layer = layer
    entry.value = value.marked(layer)
    return entry
  }

  /// As it is read where no check is at hand, only to report its problems. `nil` where it holds a label, which may be
  /// anything.
  fileprivate var withExampleHost: YAMLNode.Entry? {
    var entry = self
    var words = HostWords.example
    entry.value = replacing(&words)
    return words.lacks.isEmpty ? entry : nil
  }
}

extension YAMLNode {
  /// The section of that name, each as it is read where no check is at hand.
  fileprivate func withTemplates(_ templates: [Entry]) -> YAMLNode {
    var section = self
    section.content = .map(
      templates.map { template in
        var shown = template
        if case .map(let keys) = template.value.content {
          shown.value.content = .map(keys.compactMap(\.withExampleHost))
        }
        return shown
      })
    return section
  }

  /// An item of `discover`, whose name is completed for each target.
  fileprivate var withKeptName: YAMLNode {
    guard case .map(var entries) = content, let place = entries.firstIndex(where: { $0.key == "name" }) else {
      return self
    }
    var (node, words) = (self, HostWords.kept)
    entries[place].value = entries[place].value.replacing(&words)
    node.content = .map(entries)
    return node
  }

  func marked(_ layer: ValueLayer) -> YAMLNode {
    var node = self
    node.position.layer = layer
    switch content {
    case .scalar, .bytes: break
    case .list(let items): node.content = .list(items.map { $0.marked(layer) })
    case .map(let entries): node.content = .map(entries.map { $0.marked(layer) })
    }
    return node
  }
}
