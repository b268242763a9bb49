// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Names of the learned lists by item of `discover`, as of the configuration applied last. An item that has another URL or name
/// of records since then begins with the list it had.
package struct DiscoveryIndex: Hashable, Sendable {
  package struct Entry: Hashable, Sendable {
    /// `DiscoverySource.itemName`.
    package var item: String
    /// File of the list, below the state directory.
    package var list: String
  }

  /// File of the index, below the state directory.
  package static let name = "discovered/items.json"

  /// In the order of the items.
  package private(set) var entries: [Entry] = []

  /// - Parameter lists: as `lists(of:isThere:)` gives them; a source without a list is named with its own.
  package init(of sources: [DiscoverySource], lists: [String: String] = [:]) {  // own text: names of files
    entries = sources.compactMap { source in
      source.cacheName.map { Entry(item: source.itemName, list: lists[$0] ?? $0) }
    }
  }

  /// Empty where the bytes are no index: the lists are learned again.
  package init(json bytes: [UInt8]) {
    let items = (try? JSONValue.parse(bytes, maxDepth: 4))?.array ?? []
    entries = items.prefix(DiscoverySource.limit).compactMap { item in
      guard let name = item["item"]?.string, let list = item["list"]?.string else { return nil }
      return Entry(item: name, list: list)
    }
  }

  package var json: [UInt8] {
    var writer = JSONWriter()
    writer.array { writer in
      for entry in entries {
        writer.object { writer in
          writer.field("item", entry.item)
          writer.field("list", entry.list)
        }
      }
    }
    return writer.bytes
  }

  /// The list that each source has, or begins with: its own, or that of an earlier source of the same item that is not in the
  /// configuration any more.
  ///
  /// - Returns: by the name of the source's own list; sources without a list are left out.
  package func lists(
    of sources: [DiscoverySource], isThere: (String) -> Bool
  ) -> [String: String] {  // own text: names of files
    var free = entries
    let own = Set(sources.compactMap(\.cacheName))  // own text: names of files
    free.removeAll { own.contains($0.list) }
    var lists: [String: String] = [:]  // own text: names of files
    for source in sources {
      guard let name = source.cacheName, lists[name] == nil else { continue }
      if isThere(name) {
        lists[name] = name
      } else if let place = free.firstIndex(where: { $0.item == source.itemName && isThere($0.list) }) {
        let list = free[place].list
        lists[name] = list
        free.removeAll { $0.list == list }
      }
    }
    return lists
  }
}
