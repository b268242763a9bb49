// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A map in the making.
struct YAMLMap {
  private var entries: [YAMLNode.Entry] = []
  private var merged: [YAMLNode.Entry] = []
  private var keys = SeenKeys()

  /// Adds an entry.
  ///
  /// - Returns: position of the last entry with this name. `nil` where the name is new.
  mutating func add(_ name: String, _ value: YAMLNode, at position: Position) -> Position? {
    entries.append(YAMLNode.Entry(key: name, position: position, value: value))
    return keys.note(name, at: position)
  }

  /// The value of a merge key: a map, or a list of maps. False: something else.
  mutating func merge(_ value: YAMLNode) -> Bool {
    let sources = if case .list(let items) = value.content { items } else { [value] }
    for source in sources {
      guard case .map(let entries) = source.content else { return false }
      merged += entries
    }
    return true
  }

  /// The first of each name: what is written out, then the merged maps in their order.
  var whole: [YAMLNode.Entry] {
    guard !merged.isEmpty else { return entries }
    var (whole, keys) = (entries, keys)
    for entry in merged where keys.note(entry.key, at: entry.position) == nil { whole.append(entry) }
    return whole
  }
}

/// The keys of a map so far, by their bytes: texts that only look the same are not the same key, and comparing those
/// takes long.
private struct SeenKeys {
  /// As many are compared one by one.
  private static let few = 16

  private var names: [(name: String, position: Position)] = []
  private var many: [ByteText: Position] = [:]

  /// Where the name stood before; nil: nowhere.
  mutating func note(_ name: String, at position: Position) -> Position? {
    guard names.count == Self.few else {
      let bytes = name.utf8
      if let index = names.firstIndex(where: { $0.name.utf8.elementsEqual(bytes) }) {
        defer { names[index].position = position }
        return names[index].position
      }
      names.append((name, position))
      return nil
    }
    if many.isEmpty { for one in names { many[ByteText(one.name)] = one.position } }
    return many.updateValue(position, forKey: ByteText(name))
  }
}
